"""Estimates: rates, bands, node counts, refusals, and published facts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.catalog.sources import load_sources
from planner.scenario.scenario import Operations, WanAsk, Workload
from planner.throughput.cluster import Cluster
from planner.throughput.estimate import estimate, tier_load
from planner.throughput.result import ThroughputError
from tests.throughput.cases import (
    A100,
    CONSTANTS,
    DGX_A100,
    EXPERTS_JOB,
    GPT3,
    GPT3_JOB,
    LLAMA8B,
    MIX,
    dgx,
    fabric,
    run,
)

OPEN = Workload(LLAMA8B, global_batch_sequences=512)


def test_effective_rate_is_model_flops_over_step_times_goodput() -> None:
    answer = run()
    assert answer.effective_tflops == pytest.approx(answer.mfu * 989 * 1024 * answer.goodput)
    assert sum(answer.shares.values()) == pytest.approx(1.0)
    assert list(answer.shares) == [
        "compute",
        "memory",
        "tensor_parallel",
        "bubble",
        "pipeline_p2p",
        "exposed_fabric",
        "wan",
    ]


def test_the_stack_factor_scales_the_step_and_nothing_else() -> None:
    slow = run(replace(GPT3_JOB, stack_factor=1.24))
    assert slow.step_time_s == pytest.approx(1.24 * run().step_time_s)
    assert slow.shares == run().shares


@pytest.mark.parametrize("nodes", [1, 17, 33])
def test_odd_node_counts_are_answered(nodes: int) -> None:
    answer = run(OPEN, gpus=8 * nodes, first=8 * nodes)
    assert answer.job_gpus == 8 * nodes
    assert answer.global_batch_sequences % answer.data_parallel == 0
    assert (answer.shares["exposed_fabric"] > 0) == (nodes > 1)


@pytest.mark.parametrize("gpus", [64, 128, 256])
@pytest.mark.parametrize("job", [GPT3_JOB, OPEN, replace(OPEN, sharding="fsdp")])
def test_tuned_roce_is_within_five_percent_of_infiniband_up_to_256_gpus(gpus: int, job: Workload) -> None:
    ratio = (
        run(job, gpus, 64, fabric("roce")).effective_tflops
        / run(job, gpus, 64, fabric("infiniband")).effective_tflops
    )
    assert 0.95 <= ratio <= 1.0


def test_default_roce_pays_across_the_spine() -> None:
    job = replace(GPT3_JOB, fixed_batch=True, overlap=False)
    tuned = run(job, 2048, view=fabric("roce"))
    default = run(job, 2048, view=fabric("roce"), operations=Operations(roce_tuning="default"))
    # 7/8 of the traffic of 256 nodes crosses: 0.875 + 1.9*sqrt(0.875/4) = 1.764, or 1.319 with 16 flows
    gap = (
        default.shares["exposed_fabric"]
        * default.step_time_s
        / (tuned.shares["exposed_fabric"] * tuned.step_time_s)
    )
    assert gap == pytest.approx(1.764 / 1.319, rel=0.01)


def test_what_cannot_be_estimated_is_refused_with_the_reason() -> None:
    with pytest.raises(ThroughputError, match="8 x 8 x 1 does not fit in 32 GPUs"):
        run(gpus=32)
    with pytest.raises(ThroughputError, match="no parallel degrees on 8 GPUs of 80 GB"):
        run(Workload(GPT3, global_batch_sequences=8), gpus=8)
    with pytest.raises(ThroughputError, match="a100-80gb has no dense fp8 peak"):
        estimate(
            replace(GPT3_JOB, precision="fp8"),
            Cluster(DGX_A100, A100, 64, fabric()),
            64,
            Operations(),
            CONSTANTS,
        )
    with pytest.raises(ThroughputError, match="sharding is 'zero9'"):
        run(replace(GPT3_JOB, sharding="zero9"))  # type: ignore[arg-type]
    with pytest.raises(ThroughputError, match="no endpoint"):
        run(view=fabric(endpoints_per_node=0))


@given(st.integers(8, 5000))
def test_every_size_is_answered_the_same_way_twice(gpus: int) -> None:
    first, second = run(OPEN, gpus, 64), run(OPEN, gpus, 64)
    assert first == second
    assert first.job_gpus <= gpus
    assert sum(first.shares.values()) == pytest.approx(1.0)


def test_a_second_site_costs_its_share() -> None:
    job = replace(GPT3_JOB, overlap=False)
    near = run(job)
    far = estimate(job, dgx(1024), 1024, Operations(), CONSTANTS, WanAsk(2, 400.0, 10.0))
    # 175 GB at 400 Gb/s and one round trip
    assert far.step_time_s - near.step_time_s == pytest.approx(3.51)
    assert far.shares["wan"] == pytest.approx(3.51 / far.step_time_s)


def test_deepseek_v3_on_2048_h800() -> None:
    """180 K GPU-hours a trillion tokens (arXiv 2412.19437): 1,543 tokens a GPU and second; not fitted."""
    catalog = load_sources().catalog
    server, accelerator = catalog.servers["hgx-h800"], catalog.accelerators["h800"]
    found = estimate(EXPERTS_JOB, Cluster(server, accelerator, 2048, fabric()), 2048, Operations(), CONSTANTS)
    tokens = 15360 * 4096 / found.step_time_s / 2048
    assert tokens == pytest.approx(1543, rel=0.07)
    assert found.shares["exposed_fabric"] > 0.3  # most of it all-to-all, which that team hides by hand
    assert found.level_band_ratio == CONSTANTS.level_band_experts


def test_bands_come_from_the_data_and_a_calibrated_level_is_narrow() -> None:
    plain, known = run(), run(replace(GPT3_JOB, calibrated=True))
    assert (plain.level_band_ratio, plain.scaling_band_ratio) == (0.15, 0.05)
    assert known.level_band_ratio == 0.05
    low, high = plain.level_tflops
    assert (low, high) == (plain.effective_tflops * 0.85, plain.effective_tflops * 1.15)
    assert plain.scaling_tflops[0] == pytest.approx(0.95 * plain.effective_tflops)


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
