"""Mixture of experts, a mix of job sizes, bands, and the choice of degrees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import pytest

from planner.catalog.parts import TrainedModel
from planner.catalog.sources import load_sources
from planner.scenario.scenario import Operations, Workload
from planner.throughput.cluster import Cluster, FabricView, machine_of
from planner.throughput.estimate import estimate, tier_load
from planner.throughput.flops import (
    active_ffn_hidden,
    expert_weights,
    model_flops_per_token,
    params_of_shape,
)
from planner.throughput.job import Job
from planner.throughput.memory import memory_bytes
from planner.throughput.result import ThroughputError
from planner.throughput.traffic import expert_exchange, expert_gradients, gradients
from tests.throughput.cases import (
    CONSTANTS,
    GPT3,
    GPT3_JOB,
    LLAMA8B,
    SOURCE,
    dgx,
    fabric,
    run,
)  # fmt: skip

DEEPSEEK = TrainedModel(
    "deepseek-v3", "DeepSeek-V3", 671e9, 61, 7168, 18432, 128, 128, 129280, 4096, True, True, SOURCE,
    experts=256, experts_per_token=8, expert_ffn_hidden=2048, shared_experts=1, dense_layers=3,
    attention_params=187_107_328, attention_width=20480,
)  # fmt: skip
EXPERTS = Workload(
    DEEPSEEK, precision="fp8", tensor_parallel=1, pipeline_parallel=16, virtual_pipeline=2,
    expert_parallel=64, global_batch_sequences=15360, fixed_batch=True, recompute="none",
)  # fmt: skip
MIX = replace(GPT3_JOB, job_mix=((256, 0.25), (1024, 0.75)))


def test_parameters_of_a_mixture_of_experts_follow_from_its_shape() -> None:
    # 58 layers * 256 experts * 3 * 7168 * 2048; published: 671 B, 37 B of them active
    assert expert_weights(DEEPSEEK) == 58 * 256 * 3 * 7168 * 2048
    assert params_of_shape(DEEPSEEK) == pytest.approx(670e9, rel=0.002)
    assert active_ffn_hidden(DEEPSEEK) == pytest.approx((3 * 18432 + 58 * 9 * 2048) / 61)
    assert model_flops_per_token(DEEPSEEK) / 6 == pytest.approx(37e9 + 61 * 4096 * 20480 / 3, rel=0.13)


def test_deepseek_v3_on_2048_h800() -> None:
    """180 K GPU-hours a trillion tokens (arXiv 2412.19437): 1,543 tokens a GPU and second; not fitted."""
    catalog = load_sources().catalog
    server, accelerator = catalog.servers["hgx-h800"], catalog.accelerators["h800"]
    found = estimate(EXPERTS, Cluster(server, accelerator, 2048, fabric()), 2048, Operations(), CONSTANTS)
    tokens = 15360 * 4096 / found.step_time_s / 2048
    assert tokens == pytest.approx(1543, rel=0.07)
    assert found.shares["exposed_fabric"] > 0.3  # most of it all-to-all, which that team hides by hand
    assert found.level_band_ratio == CONSTANTS.level_band_experts


def test_all_to_all_sends_a_token_once_to_each_island_by_hand() -> None:
    rates = machine_of(dgx(8), EXPERTS, CONSTANTS)
    job = Job(EXPERTS, tensor=1, pipeline=16, context=1, data=128, micro_batches=120)
    group = expert_exchange(job, rates)
    # 64 ranks on 8 nodes: 7 * (1 - (7/8)^8) other nodes, 7/8 of 8 copies inside
    assert group.endpoint_bytes == pytest.approx(2 * 7168 * 4096 * 7 * (1 - (7 / 8) ** 8))
    assert group.scale_up_bytes == pytest.approx(2 * 7168 * 4096 * 8 * 7 / 8)
    # experts are shared out over 64 ranks and have 2 replicas, 8 nodes apart
    routed = expert_gradients(job, rates)
    assert routed.bytes == pytest.approx(58 * 256 * 3 * 7168 * 2048 / 16 / 64 * 4 / 2)
    assert gradients(job, rates).bytes == pytest.approx(
        (671e9 - expert_weights(DEEPSEEK)) / 16 * 4 * 127 / 128
    )


def test_memory_counts_a_ranks_experts_only() -> None:
    few = Job(EXPERTS, 1, 16, 1, 128, 120)
    twice = replace(few, workload=replace(EXPERTS, expert_parallel=128))
    # half the experts: 6 + 12/2 bytes of 1/64 against 6 + 12/1 of 1/128
    routed = expert_weights(DEEPSEEK) / 16
    assert memory_bytes(few) - memory_bytes(twice) == pytest.approx(routed * (12 / 64 - 18 / 128))


def test_experts_that_do_not_add_up_are_refused() -> None:
    for changes, words in (
        ({"expert_parallel": 60}, "60 does not divide 256 experts"),
        ({"model": replace(DEEPSEEK, params=100e9)}, "its experts alone have more"),
        ({"model": replace(DEEPSEEK, experts_per_token=0)}, "need experts_per_token"),
        ({"model": GPT3}, "gpt3-175b has no experts"),
    ):
        with pytest.raises(ThroughputError, match=words):
            run(replace(EXPERTS, **changes), 2048, 2048)
    with pytest.raises(ThroughputError, match="does not fit in 512 GPUs"):
        run(EXPERTS, 512, 512)  # 32 replicas for 64 expert-parallel ranks


def test_a_mix_of_jobs_has_the_rate_of_its_gpu_hours() -> None:
    small = run(replace(GPT3_JOB, global_batch_sequences=384), 256, 256)
    large = run(GPT3_JOB, 1024, 1024)
    mix = run(MIX, 2048)
    expected = 2048 * (0.25 * small.effective_tflops / 256 + 0.75 * large.effective_tflops / 1024)
    assert mix.effective_tflops == pytest.approx(expected)
    assert (mix.gpus, mix.job_gpus, mix.step_time_s) == (2048, 1024, large.step_time_s)
    assert "a mix of jobs by GPU-hours (256 GPUs 25%, 1,024 GPUs 75%)" in mix.warnings[0]


def test_one_job_over_the_whole_cluster_overvalues_the_spine() -> None:
    """4:1 against non-blocking: the mix loses less than one job, since a quarter stays under its leaves."""
    lost = {}
    for name, job in (("one", GPT3_JOB), ("mix", MIX)):
        rates = [run(job, 1024, view=fabric(oversubscription=o)).effective_tflops for o in (1.0, 4.0)]
        lost[name] = 1 - rates[1] / rates[0]
    assert lost["mix"] < 0.8 * lost["one"]
    scattered = Operations(placement="scattered")
    packed = [
        run(MIX, 1024, view=fabric(oversubscription=4.0), operations=o) for o in (Operations(), scattered)
    ]
    assert packed[1].effective_tflops < packed[0].effective_tflops


def test_a_job_of_a_mix_larger_than_the_cluster_runs_on_all_of_it() -> None:
    mix = run(replace(GPT3_JOB, job_mix=((4096, 1.0),)), 1024)
    assert mix.job_gpus == 1024
    assert "a job of 4,096 GPUs runs on the 1,024 there are" in mix.warnings
    load = tier_load(MIX, dgx(2048), 2048, CONSTANTS)
    assert load == tier_load(
        replace(GPT3_JOB, global_batch_sequences=768),
        dgx(1024),
        1024,
        CONSTANTS,
    )


def test_what_crosses_the_spine_is_at_most_what_the_headroom_counts() -> None:
    """tier_load takes all of the traffic, whatever the placement lets through."""
    load = tier_load(GPT3_JOB, dgx(1024), 1024, CONSTANTS)
    assert load.leaf_spine_gbps == load.node_leaf_gbps


def test_bands_come_from_the_data_and_a_calibrated_level_is_narrow() -> None:
    plain, known = run(), run(replace(GPT3_JOB, calibrated=True))
    assert (plain.level_band_ratio, plain.scaling_band_ratio) == (0.15, 0.05)
    assert known.level_band_ratio == 0.05
    low, high = plain.level_tflops
    assert (low, high) == (plain.effective_tflops * 0.85, plain.effective_tflops * 1.15)
    assert plain.scaling_tflops[0] == pytest.approx(0.95 * plain.effective_tflops)
    defaults = load_sources().defaults
    assert defaults["band.scaling"].value == CONSTANTS.scaling_band
    assert defaults["band.level"].value == CONSTANTS.level_band


def test_the_runner_up_is_the_second_fastest_choice() -> None:
    chosen = run(Workload(GPT3, global_batch_sequences=1536))
    words = chosen.runner_up
    tensor, pipeline = (int(part.split()[1]) for part in words.split(":")[0].split(" x ")[:2])
    second = run(replace(GPT3_JOB, tensor_parallel=tensor, pipeline_parallel=pipeline))
    slower = 1 - second.effective_tflops / chosen.effective_tflops
    assert words.endswith(f"{slower:.1%} slower")
    assert 0 < slower < 0.1
    assert run().runner_up == ""


def _rates_per_gpu(job: Workload, first: int, runs: Iterable[tuple[int, FabricView]]) -> list[float]:
    found = [estimate(job, dgx(gpus, view), first, Operations(), CONSTANTS) for gpus, view in runs]
    return [one.effective_tflops / one.job_gpus for one in found]


def _falls(rates: list[float]) -> bool:
    return all(after <= before * (1 + 1e-12) for before, after in pairwise(rates))


@pytest.mark.parametrize("technology", ["infiniband", "roce", "spectrum-x", "ethernet"])
def test_monotone_in_rate_ratio_spine_share_and_size(technology: str) -> None:
    """A faster link never hurts; a higher ratio, more spine, a larger job never help a GPU."""

    def rates(runs: Iterable[tuple[int, FabricView]]) -> list[float]:
        return _rates_per_gpu(GPT3_JOB, 1024, runs)

    assert _falls(rates((1024, fabric(technology, gbps)) for gbps in range(1600, 9, -30)))
    assert _falls(rates((2048, fabric(technology, oversubscription=0.5 + 0.4 * i)) for i in range(40)))
    assert _falls(rates((1024, fabric(technology, nodes_per_unit=unit)) for unit in range(160, 0, -4)))
    # the batch of 1.5 sequences a GPU grows with the job up to its cap: the same work a GPU
    assert _falls(rates((1024 * times, fabric(technology)) for times in range(1, 6)))


def test_a_larger_job_of_a_small_model_is_never_faster_a_gpu() -> None:
    job = Workload(LLAMA8B, tensor_parallel=1, pipeline_parallel=1, global_batch_sequences=64)
    assert _falls(_rates_per_gpu(job, 64, ((64 * 2**n, fabric("roce")) for n in range(6))))


def test_the_trillion_parameter_model_on_1024_h800_waits_little_for_its_fabric() -> None:
    """The founding text: communication within 15 %. Fabric well below it; NVLink's share shown apart."""
    catalog = load_sources().catalog
    job = Workload(
        catalog.models["gpt-1t"], tensor_parallel=8, pipeline_parallel=32, global_batch_sequences=3072
    )
    cluster = Cluster(catalog.servers["hgx-h800"], catalog.accelerators["h800"], 1024, fabric())
    found = estimate(job, cluster, 1024, Operations(), CONSTANTS)
    assert found.shares["exposed_fabric"] + found.shares["pipeline_p2p"] < 0.03
    assert 0.10 < found.shares["tensor_parallel"] < 0.20


def test_reduction_in_the_network_that_brings_nothing_is_named() -> None:
    sharp = Operations(in_network_reduction=True)
    assert any("brings zero1 nothing" in line for line in run(operations=sharp).warnings)
    job = replace(GPT3_JOB, sharding="none", overlap=False)
    plain, reduced = run(job), run(job, operations=sharp)
    ratio = reduced.shares["exposed_fabric"] * reduced.step_time_s
    assert ratio / (plain.shares["exposed_fabric"] * plain.step_time_s) == pytest.approx(0.5, rel=0.01)
    roce = run(job, view=fabric("roce"), operations=sharp)
    assert "in-network reduction is not counted: roce has none here" in roce.warnings
