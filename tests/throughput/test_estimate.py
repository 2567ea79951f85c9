"""Estimates: batch growth, degrees, goodput, domains, errors, and what must be monotone."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.scenario.scenario import Operations, WanAsk, Workload
from planner.throughput.cluster import Cluster, machine_of
from planner.throughput.constants import accelerator_figures, read_rows
from planner.throughput.estimate import estimate, tier_load
from planner.throughput.goodput import goodput
from planner.throughput.job import default_batch_sequences, make_job
from planner.throughput.memory import memory_bytes
from planner.throughput.result import ThroughputError
from tests.throughput.cases import (
    A100,
    CONSTANTS,
    DGX_A100,
    DGX_H100,
    GB200,
    GPT3,
    GPT3_JOB,
    H100,
    LLAMA8B,
    NVL72,
    dgx,
    fabric,
    run,
)

OPEN = Workload(LLAMA8B, global_batch_sequences=512)


@pytest.mark.parametrize(("restart_s", "expected"), [(300.0, 0.932), (600.0, 0.906), (900.0, 0.879)])
def test_goodput_of_16384_gpus(restart_s: float, expected: float) -> None:
    assert goodput(2048, Operations(restart_s=restart_s)) == pytest.approx(expected, abs=5e-4)


def test_goodput_at_the_edges() -> None:
    assert goodput(2048, Operations(failures_per_node_day=0.0)) == 1.0
    # without writing only restarts cost: 1 - 2048 * 3.8e-3 / 86,400 * 300
    assert goodput(2048, Operations(checkpoint_write_s=0.0)) == pytest.approx(0.97298, abs=1e-5)
    assert goodput(2_000_000, Operations()) == 0.0


def test_a_job_that_never_gets_ahead_says_so() -> None:
    answer = run(operations=Operations(restart_s=1e7))
    assert answer.effective_tflops == 0.0
    assert any("goodput 0" in warning for warning in answer.warnings)


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


def test_idle_gpus_do_not_work() -> None:
    answer = run(gpus=1023)
    assert (answer.job_gpus, answer.data_parallel) == (960, 15)
    assert "the job uses 960 of 1,023 GPUs, a multiple of TP x PP x CP" in answer.warnings


@pytest.mark.parametrize(
    ("gpus", "fixed", "sequences"),
    [(1024, False, 1536), (4096, False, 6144), (16384, False, 8192), (4096, True, 1536)],
)
def test_the_batch_grows_with_the_gpus_to_16_mi_tokens(gpus: int, fixed: bool, sequences: int) -> None:
    assert run(replace(GPT3_JOB, fixed_batch=fixed), gpus=gpus).global_batch_sequences == sequences


def test_a_first_batch_above_the_cap_stays() -> None:
    assert run(replace(GPT3_JOB, global_batch_sequences=16384), 2048).global_batch_sequences == 16384


def test_the_batch_is_rounded_to_whole_micro_batches() -> None:
    answer = run(replace(GPT3_JOB, global_batch_sequences=1000))
    assert answer.global_batch_sequences == 992  # 62 of DP 16
    assert any("992 sequences instead of 1000" in warning for warning in answer.warnings)
    assert run(replace(GPT3_JOB, global_batch_sequences=3)).global_batch_sequences == 16


def test_default_batch() -> None:
    # 4,096 tokens a GPU: 1,024 GPUs * 2 sequences of 2,048; at least 1 Mi, at most 16 Mi tokens
    assert default_batch_sequences(GPT3, 1024, CONSTANTS) == 2048
    assert default_batch_sequences(GPT3, 8, CONSTANTS) == 512
    assert default_batch_sequences(GPT3, 100_000, CONSTANTS) == 8192


@pytest.mark.parametrize("nodes", [1, 17, 33])
def test_odd_node_counts_are_answered(nodes: int) -> None:
    answer = run(OPEN, gpus=8 * nodes, first=8 * nodes)
    assert answer.job_gpus == 8 * nodes
    assert answer.global_batch_sequences % answer.data_parallel == 0
    assert (answer.shares["exposed_fabric"] > 0) == (nodes > 1)


@pytest.mark.parametrize(("domain", "inside"), [(4, False), (8, True), (72, True)])
def test_nvlink_domains(domain: int, inside: bool) -> None:
    """TP 8 leaves a domain of 4 in nodes of 4: it is answered over the fabric, and says so."""
    server = replace(NVL72, nvlink_domain_gpus=domain)
    view = fabric(endpoints_per_node=4)
    answer = estimate(GPT3_JOB, Cluster(server, GB200, 1024, view), 1024, Operations(), CONSTANTS)
    assert any("runs over the fabric" in warning for warning in answer.warnings) is not inside
    eight = estimate(
        GPT3_JOB,
        Cluster(replace(NVL72, nvlink_domain_gpus=8), GB200, 1024, view),
        1024,
        Operations(),
        CONSTANTS,
    )
    assert (answer.step_time_s > eight.step_time_s * 1.2) is not inside


def test_a_rack_of_72_keeps_its_gradients_off_the_fabric() -> None:
    job = replace(OPEN, tensor_parallel=1, pipeline_parallel=1, global_batch_sequences=576)
    rack = estimate(job, Cluster(NVL72, GB200, 72, fabric(endpoints_per_node=4)), 72, Operations(), CONSTANTS)
    assert rack.shares["exposed_fabric"] == 0.0
    load = tier_load(job, Cluster(NVL72, GB200, 72, fabric(endpoints_per_node=4)), 72, CONSTANTS)
    assert load.node_leaf_gbps == 0.0


def test_gpus_of_a_node_share_its_endpoints() -> None:
    """Half the endpoints double the time that gradients spend on them."""
    job = replace(GPT3_JOB, pipeline_parallel=1, overlap=False)
    times = [
        (answer := run(job, view=fabric(endpoints_per_node=count))).shares["exposed_fabric"]
        * answer.step_time_s
        for count in (8, 4)
    ]
    assert times[1] / times[0] == pytest.approx(2.0, rel=0.01)


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


def test_open_degrees_are_the_fastest_that_fit_in_memory() -> None:
    job = Workload(GPT3, global_batch_sequences=1536)
    chosen = run(job)
    rates = {}
    for tensor, pipeline in product((1, 2, 4, 8), (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)):
        made = make_job(job, tensor, pipeline, 1024, 1536)
        if memory_bytes(made) <= 0.9 * 80e9 and abs(made.global_batch - 1536) <= 153.6:
            given_degrees = replace(job, tensor_parallel=tensor, pipeline_parallel=pipeline)
            rates[tensor, pipeline] = run(given_degrees).effective_tflops
    assert max(rates, key=rates.__getitem__) == (chosen.tensor_parallel, chosen.pipeline_parallel)
    assert min(rates.values()) < 0.9 * chosen.effective_tflops


def test_memory_of_a_small_job_by_hand() -> None:
    # 8e9/2 * (6 + 12/4), and 4096 * 8192 * 34/2 bytes for each of 32 layers
    made = make_job(Workload(LLAMA8B), 2, 1, 8, 4)
    assert memory_bytes(made) == 4e9 * 9 + 4096 * 8192 * 17 * 32


def test_full_recompute_where_nothing_else_fits() -> None:
    # 34/8 * 4096 * 65,536 B for each of 32 layers = 36.5 GB and more beside the weights
    long = replace(LLAMA8B, sequence=262_144)
    answer = run(Workload(long, global_batch_sequences=64), gpus=64, first=64)
    assert "full recompute instead of selective: nothing fits in memory otherwise" in answer.warnings


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
        run(replace(GPT3_JOB, sharding="zero9"))
    with pytest.raises(ThroughputError, match="no endpoint"):
        run(view=fabric(endpoints_per_node=0))


def test_an_unknown_accelerator_borrows_and_says_so() -> None:
    strange = replace(H100, id="tpu-9")
    cluster = Cluster(DGX_H100, strange, 1024, fabric())
    answer = estimate(GPT3_JOB, cluster, 1024, Operations(), CONSTANTS)
    assert any("no software figures for tpu-9" in warning for warning in answer.warnings)
    assert machine_of(
        Cluster(DGX_H100, strange, 8, fabric()), GPT3_JOB, CONSTANTS
    ).nvlink_bytes_per_s == pytest.approx(0.8 * 450e9)


def test_constants_have_bands_and_families() -> None:
    assert CONSTANTS.rows["kappa"].low < CONSTANTS.kappa < CONSTANTS.rows["kappa"].high
    assert accelerator_figures(CONSTANTS, "a100-40gb").busbw_gbytes_per_s == 229.0
    assert accelerator_figures(CONSTANTS, "h800").busbw_gbytes_per_s is None  # its NVLink is cut down


def test_a_constant_outside_its_band_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "bad.csv"
    table.write_text("key,value,low,high,unit,source,date,grade,note\nkappa,2,0,1,ratio,x,2026,guess,\n")
    with pytest.raises(ValueError, match="kappa"):
        read_rows(table)


def test_traffic_of_the_tiers_by_hand() -> None:
    """GPT-3, TP 8, PP 8, DP 16: gradients and stage transfers over the step of an ideal fabric."""
    load = tier_load(GPT3_JOB, dgx(1024), 1024, CONSTANTS)
    gradients = 175e9 / 64 * 4 * 15 / 16
    stages = 2 * 96 * 2 * 12288 * 2048 / 8
    step_s = (gradients + stages) * 8 / 1e9 / load.node_leaf_gbps
    # a real fabric only adds latency, protocol and 3 % of uneven load to that step
    assert 0.97 < step_s / run().step_time_s < 1.0
    assert (load.leaf_spine_gbps, load.spine_core_gbps) == (load.node_leaf_gbps, 0.0)


def test_traffic_stays_under_one_set_of_leaves() -> None:
    load = tier_load(GPT3_JOB, dgx(256), 256, CONSTANTS)
    assert load.leaf_spine_gbps == 0.0
    three = tier_load(GPT3_JOB, dgx(1024, fabric(tiers=3)), 1024, CONSTANTS)
    assert three.spine_core_gbps == three.leaf_spine_gbps == three.node_leaf_gbps


@given(st.sampled_from(["infiniband", "roce", "spectrum-x", "ethernet"]), st.floats(0.5, 8.0))
def test_traffic_knows_neither_technology_nor_ratio(technology: str, ratio: float) -> None:
    plain = tier_load(OPEN, dgx(1024), 1024, CONSTANTS)
    assert tier_load(OPEN, dgx(1024, fabric(technology, oversubscription=ratio)), 1024, CONSTANTS) == plain


@given(
    st.sampled_from(["infiniband", "roce", "spectrum-x", "ethernet"]),
    st.sampled_from([GPT3_JOB, OPEN, replace(OPEN, sharding="fsdp")]),
    st.lists(st.floats(10.0, 1600.0), min_size=2, max_size=2),
)
def test_a_faster_link_never_slows_a_job(technology: str, job: Workload, gbps: list[float]) -> None:
    slow, fast = (run(job, view=fabric(technology, rate)).effective_tflops for rate in sorted(gbps))
    assert fast >= slow * (1 - 1e-12)


@given(
    st.sampled_from(["infiniband", "roce", "spectrum-x", "ethernet"]),
    st.booleans(),
    st.lists(st.floats(0.25, 16.0), min_size=2, max_size=2),
)
def test_more_oversubscription_never_speeds_a_job_up(
    technology: str, adaptive: bool, ratios: list[float]
) -> None:
    operations = Operations(adaptive_routing=adaptive)
    low, high = (
        run(OPEN, view=fabric(technology, oversubscription=ratio), operations=operations).effective_tflops
        for ratio in sorted(ratios)
    )
    assert high <= low * (1 + 1e-12)


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
