"""What can only help never hurts: links, ratios, spine, placement, size."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.catalog.parts import ServerModel
from planner.catalog.sources import load_sources
from planner.catalog.technologies import TECHNOLOGIES, Technology
from planner.scenario.scenario import Operations, Workload
from planner.throughput.cluster import Cluster, FabricView
from planner.throughput.estimate import estimate
from planner.throughput.result import ThroughputError
from tests.throughput.cases import (
    CONSTANTS,
    GPT3_JOB,
    LLAMA8B,
    dgx,
    fabric,
    run,
)

CATALOG = load_sources().catalog
jobs = st.builds(
    Workload,
    st.sampled_from(list(CATALOG.models.values())),
    tensor_parallel=st.sampled_from([1, 2, 4, 8]),
    pipeline_parallel=st.sampled_from([1, 2, 4, 8]),
    virtual_pipeline=st.sampled_from([1, 2]),
    context_parallel=st.sampled_from([1, 1, 2, 8]),
    expert_parallel=st.sampled_from([1, 8, 32]),
    sharding=st.sampled_from(["none", "zero1", "fsdp", "zero3-2021"]),
    recompute=st.sampled_from(["none", "selective", "full"]),
    overlap=st.booleans(),
    global_batch_sequences=st.sampled_from([None, 128, 4096]),
)
fabrics = st.builds(
    FabricView,
    technology=st.sampled_from(TECHNOLOGIES),
    endpoint_gbps=st.sampled_from([25.0, 100.0, 400.0, 800.0]),
    endpoints_per_node=st.just(8),
    tiers=st.sampled_from([1, 2, 3]),
    oversubscription=st.sampled_from([1.0, 2.0, 3.0]),
    spine_oversubscription=st.sampled_from([1.0, 2.0]),
    nodes_per_unit=st.sampled_from([4, 32, 1000]),
)
OPEN = Workload(LLAMA8B, global_batch_sequences=512)


def _rates_per_gpu(job: Workload, first: int, runs: Iterable[tuple[int, FabricView]]) -> list[float]:
    found = [estimate(job, dgx(gpus, view), first, Operations(), CONSTANTS) for gpus, view in runs]
    return [one.effective_tflops / one.job_gpus for one in found]


def _falls(rates: list[float]) -> bool:
    return all(after <= before * (1 + 1e-12) for before, after in pairwise(rates))


@pytest.mark.parametrize("technology", TECHNOLOGIES)
def test_monotone_in_rate_ratio_spine_share_and_size(technology: Technology) -> None:
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


@given(
    st.sampled_from(TECHNOLOGIES),
    st.sampled_from([GPT3_JOB, OPEN, replace(OPEN, sharding="fsdp")]),
    st.lists(st.floats(10.0, 1600.0), min_size=2, max_size=2),
)
def test_a_faster_link_never_slows_a_job(technology: Technology, job: Workload, gbps: list[float]) -> None:
    slow, fast = (run(job, view=fabric(technology, rate)).effective_tflops for rate in sorted(gbps))
    assert fast >= slow * (1 - 1e-12)


@given(
    st.sampled_from(TECHNOLOGIES),
    st.booleans(),
    st.lists(st.floats(0.25, 16.0), min_size=2, max_size=2),
)
def test_more_oversubscription_never_speeds_a_job_up(
    technology: Technology, adaptive: bool, ratios: list[float]
) -> None:
    operations = Operations(adaptive_routing=adaptive)
    low, high = (
        run(OPEN, view=fabric(technology, oversubscription=ratio), operations=operations).effective_tflops
        for ratio in sorted(ratios)
    )
    assert high <= low * (1 + 1e-12)


@settings(max_examples=150)
@given(
    jobs,
    st.sampled_from(list(CATALOG.servers.values())),
    st.sampled_from([16, 72, 512, 2048, 16384]),
    fabrics,
    st.booleans(),
)
def test_a_better_fabric_never_slows_any_job_down(
    job: Workload, server: ServerModel, gpus: int, fabric: FabricView, adaptive: bool
) -> None:
    """Rate, ratio of both tiers, nodes under one set of leaves, placement, adaptive routing, reduction."""
    view = replace(fabric, endpoints_per_node=server.nic_ports_per_node)
    run = Operations(adaptive_routing=adaptive)

    def step_s(on: FabricView, run_as: Operations) -> float:
        found = estimate(
            job, Cluster(server, CATALOG.accelerators[server.accelerator], gpus, on), gpus, run_as, CONSTANTS
        )
        assert math.isclose(sum(found.shares.values()), 1.0)
        return found.step_time_s

    try:
        base = step_s(view, run) * (1 + 1e-9)
    except ThroughputError:
        assume(False)
        return
    assert step_s(replace(view, endpoint_gbps=2 * view.endpoint_gbps), run) <= base
    assert step_s(replace(view, nodes_per_unit=2 * view.nodes_per_unit), run) <= base
    assert step_s(view, replace(run, adaptive_routing=True)) <= base
    assert step_s(view, replace(run, in_network_reduction=True)) <= base
    worse = (
        (replace(view, oversubscription=1.5 * view.oversubscription), run),
        (replace(view, spine_oversubscription=1.5 * view.spine_oversubscription), run),
        (view, replace(run, placement="scattered")),
    )
    assert all(step_s(*each) * (1 + 2e-9) >= base for each in worse)
