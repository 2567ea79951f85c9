"""Pieces of a step against figures worked out by hand for a small model on A100s at 200 Gb/s."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.scenario.scenario import WanAsk, Workload
from planner.throughput.compute import optimiser_s
from planner.throughput.job import Job
from planner.throughput.result import ThroughputError
from planner.throughput.step import (
    LayerTimes,
    gradient_window_s,
    head_times,
    layer_times,
    pipeline_p2p_s,
    stage_times,
    step_times,
    wan_s,
)
from tests.throughput.cases import (
    GPT3,
    JOB,
    PATH,
    ROUND,
    SMALL,
    changed,
    rates,
    times,
)


def test_pipeline_transfers_between_nodes() -> None:
    # 8 messages of 1,048,576 B at 23 GB/s and 5.6 us, half of half of it where overlapped
    whole = 8 * (1_048_576 / 23e9 + 5.6e-6)
    assert pipeline_p2p_s(JOB, rates(), PATH, ROUND) == pytest.approx(whole * 0.25)
    assert pipeline_p2p_s(changed(overlap=False), rates(), PATH, ROUND) == pytest.approx(whole)


def test_a_job_inside_one_node_never_meets_the_fabric() -> None:
    inside = replace(JOB, data=2)
    slow = replace(PATH, bytes_per_s=1.0)
    assert step_times(inside, rates(), slow, WanAsk(), ROUND) == times(inside)
    assert times(inside).exposed_fabric == 0.0


def test_data_parallel_time_shares_a_nodes_endpoints() -> None:
    # 1e8/4 parameters * 4 B * 11/12 over four endpoints (four ranks of the group in a node);
    # the group spans 3 nodes: twice 2 fabric steps and 9 NVLink steps
    volume = 1e8 / 4 * 4 * 11 / 12
    expected = volume / (4 * 23e9) + 2 * (2 * 5.6e-6 + 9 * 1.5e-6)
    assert times(changed(overlap=False)).exposed_fabric == pytest.approx(expected)
    assert times().exposed_fabric == pytest.approx(0.5 * expected)  # hidden but for x = 0.5


def test_switches_that_reduce_halve_an_all_reduce_and_nothing_else() -> None:
    sharp = replace(PATH, in_network=True)
    for sharding, ratio in (("none", 0.5), ("zero1", 1.0)):
        job = changed(sharding=sharding, overlap=False)
        large = replace(job, workload=replace(job.workload, model=replace(SMALL, params=1e11)))
        plain, reduced = (
            step_times(large, rates(), p, WanAsk(), ROUND).exposed_fabric for p in (PATH, sharp)
        )
        assert reduced / plain == pytest.approx(ratio, rel=1e-3)


def test_interleaved_chunks_widen_the_window_of_the_gradients() -> None:
    assert gradient_window_s(JOB, 1.0, ROUND) == pytest.approx(0.8)
    chunked = changed(virtual_pipeline=4)
    assert gradient_window_s(replace(chunked, pipeline=8, micro_batches=32), 1.0, ROUND) == pytest.approx(4.8)
    assert gradient_window_s(replace(chunked, pipeline=8, micro_batches=4), 1.0, ROUND) == pytest.approx(2.4)


def test_fsdp_moves_the_weights_three_times_a_micro_batch() -> None:
    shared = Workload(SMALL, sharding="fsdp", overlap=False)
    fsdp = Job(shared, tensor=1, pipeline=1, context=1, data=48, micro_batches=2)
    # 6 B * 1e8 * 47/48 over 8 endpoints, 3*8 collectives of 5 fabric and 42 NVLink steps, twice
    one = 6e8 * 47 / 48 / (8 * 23e9) + 24 * (5 * 5.6e-6 + 42 * 1.5e-6)
    assert times(fsdp).exposed_fabric == pytest.approx(2 * one)


def test_fsdp_in_a_pipeline_gathers_once_a_step() -> None:
    assert times(changed(sharding="fsdp")) == times(changed(sharding="zero1"))


def test_the_zero3_of_2021_uses_one_endpoint_and_a_collective_a_tensor() -> None:
    shared = Workload(SMALL, sharding="zero3-2021", overlap=False)
    zero3 = Job(shared, tensor=1, pipeline=1, context=1, data=48, micro_batches=1)
    one = 6e8 * 47 / 48 / 23e9 + 12 * 24 * (5 * 5.6e-6 + 42 * 1.5e-6)
    assert times(zero3).exposed_fabric == pytest.approx(one)


def test_the_last_stage_paces_where_the_output_layer_makes_it_the_fullest() -> None:
    layer, head = layer_times(JOB, rates(), PATH, ROUND), head_times(JOB, rates(), ROUND)
    found = times()
    busy = found.compute + found.memory + found.tensor_parallel - optimiser_s(JOB, rates(), ROUND)
    assert busy == pytest.approx(4 * (4 * layer.total + head.total))
    # 5 of 9 layers in the first stage, 4 and the head in the last: the first is the fullest
    nine = changed(model=replace(SMALL, layers=9))
    assert times(nine).compute == pytest.approx(4 * 5 * layer.compute)


def test_bubble_is_the_average_stage_over_the_chunks() -> None:
    layer, head = layer_times(JOB, rates(), PATH, ROUND), head_times(JOB, rates(), ROUND)
    assert times().bubble == pytest.approx((8 * layer.total + head.total) / 2)
    assert times(changed(virtual_pipeline=2)).bubble == pytest.approx(times().bubble / 2)


def test_wide_link_carries_fp8_gradients_once_a_step() -> None:
    job = changed(model=GPT3, overlap=False)
    # 175e9 B at 100 Gb/s and one round trip of 20 ms; fp32 weighs four times as much
    assert wan_s(job, WanAsk(2, 100.0, 20.0), 0.0, ROUND) == pytest.approx(14.02)
    assert wan_s(job, WanAsk(2, 100.0, 20.0, 4.0), 0.0, ROUND) == pytest.approx(56.02)
    assert wan_s(job, WanAsk(), 0.0, ROUND) == 0.0


def test_sites_without_a_link_are_refused() -> None:
    with pytest.raises(ThroughputError, match="need a link"):
        wan_s(JOB, WanAsk(sites=2), 0.0, ROUND)


@given(st.integers(1, 40), st.integers(1, 40), st.floats(0.01, 1.0), st.floats(0.0, 5.0), st.integers(1, 4))
def test_the_slowest_stage_among_all_of_them(
    layers: int, stages: int, layer_s: float, head_s: float, chunks: int
) -> None:
    """Layers dealt out stage by stage, the output layer to the last one, and each stage timed."""
    assume(stages <= layers)
    dealt, left = [], layers
    for _ in range(stages):
        dealt.append(min(left, -(-layers // stages)))
        left -= dealt[-1]
    assert left == 0
    seconds = [count * layer_s for count in dealt]
    seconds[-1] += head_s
    workload = Workload(replace(SMALL, layers=layers), virtual_pipeline=chunks)
    job = replace(JOB, workload=workload, pipeline=stages)
    found = stage_times(job, LayerTimes(layer_s, 0.0, 0.0, 0.0), LayerTimes(0.0, head_s, 0.0, 0.0))
    assert found.slowest.total == pytest.approx(max(seconds))
    assert found.bubble_s == pytest.approx((stages - 1) / chunks * sum(seconds) / stages)
