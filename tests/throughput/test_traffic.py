"""Bytes that a job sends, by hand, and what it asks of each tier."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.catalog.technologies import TECHNOLOGIES, Technology
from planner.scenario.scenario import Operations, Workload
from planner.throughput.cluster import Cluster, machine_of
from planner.throughput.estimate import estimate, tier_load
from planner.throughput.flops import (
    expert_weights,
)
from planner.throughput.job import Job
from planner.throughput.traffic import expert_exchange, expert_gradients, gradients
from tests.throughput.cases import (
    CONSTANTS,
    DEEPSEEK,
    EXPERTS_JOB,
    GB200,
    GPT3_JOB,
    LLAMA8B,
    NVL72,
    dgx,
    fabric,
    run,
)

OPEN = Workload(LLAMA8B, global_batch_sequences=512)


def test_all_to_all_sends_a_token_once_to_each_island_by_hand() -> None:
    rates = machine_of(dgx(8), EXPERTS_JOB, CONSTANTS)
    job = Job(EXPERTS_JOB, tensor=1, pipeline=16, context=1, data=128, micro_batches=120)
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


@given(st.sampled_from(TECHNOLOGIES), st.floats(0.5, 8.0))
def test_traffic_knows_neither_technology_nor_ratio(technology: Technology, ratio: float) -> None:
    plain = tier_load(OPEN, dgx(1024), 1024, CONSTANTS)
    assert tier_load(OPEN, dgx(1024, fabric(technology, oversubscription=ratio)), 1024, CONSTANTS) == plain


def test_what_crosses_the_spine_is_at_most_what_the_headroom_counts() -> None:
    """tier_load takes all of the traffic, whatever the placement lets through."""
    load = tier_load(GPT3_JOB, dgx(1024), 1024, CONSTANTS)
    assert load.leaf_spine_gbps == load.node_leaf_gbps


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
