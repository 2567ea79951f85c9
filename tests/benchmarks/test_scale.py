"""How long a plan takes, and that the time does not follow the number of GPUs.

    pytest tests/benchmarks --benchmark-enable

Without that option the plans are made once, the large ones for two technologies only, and their answers
looked at.
"""

from __future__ import annotations

import resource
import time
from functools import cache
from typing import Any

import pytest

from planner.catalog.sources import load_sources
from planner.catalog.technologies import TECHNOLOGIES, Technology
from planner.fabric.design import SolverReport
from planner.planning.planning_task import PlanOptions
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Scenario
from planner.study.study import Study, plan_scenario
from tests.support.making import toml

SIZES = (1_024, 16_384, 131_072)
FEW: tuple[Technology, ...] = (
    "infiniband",
    "spectrum-x",
)  # few switch models: planned in a second or two at any size


@cache
def scenario(gpus: int) -> Scenario:
    """8 planes of 400G, five build years in even steps to ``gpus``, seven years in all."""
    document = {
        "schema": 1, "name": f"{gpus} GPUs", "base_year": 2027, "cluster": {"server": "hgx-h100"},
        "growth": [{"year": 2027 + i, "gpus": gpus * (i + 1) // 5} for i in range(5)],
        "fabric": {"link_gbps": 400, "planes": 8, "bandwidth_headroom": 0.0},
    }  # fmt: skip
    return scenario_from_text(toml(document), load_sources(), "scale.toml")


def planned(gpus: int, technologies: tuple[Technology, ...]) -> Study:
    return plan_scenario(scenario(gpus), load_sources(), PlanOptions(technologies=technologies))


@pytest.mark.parametrize("gpus", SIZES)
def test_plan_of_four_technologies(benchmark: Any, gpus: int) -> None:
    """All proven optimal, every year of the horizon answered."""
    technologies = FEW if benchmark.disabled and gpus > SIZES[0] else TECHNOLOGIES
    study = benchmark.pedantic(planned, args=(gpus, technologies), rounds=1)
    reports = [r.plan.solver for r in study.results]
    assert [r.plan.status for r in study.results] == ["optimal"] * len(technologies)
    assert {len(r.plan.designs) for r in study.results} == {7}
    assert all(r.gap is not None and r.gap <= 1e-7 for r in reports)
    tell(benchmark, reports)


def tell(benchmark: Any, reports: list[SolverReport]) -> None:
    """Adds what the solver and the system say to the benchmark's figures; the root gap is below 1 %."""
    assert all(r.root_gap is not None and r.root_gap < 0.01 for r in reports)
    benchmark.extra_info |= {
        "build_seconds": sum(r.build_seconds for r in reports),
        "solve_seconds": sum(r.seconds for r in reports),
        "candidates": sum(r.candidates for r in reports),
        "nodes": sum(r.nodes or 0 for r in reports),
        "peak_mbytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def test_a_million_gpus(benchmark: Any) -> None:
    """1,048,576 GPUs in 8 planes: InfiniBand's 64 ports end at 65,536 endpoints a plane, and say so."""
    if benchmark.disabled:
        pytest.skip("half a minute; --benchmark-enable measures it")
    study = benchmark.pedantic(planned, args=(1_048_576, TECHNOLOGIES), rounds=1)
    found = {r.technology: r.plan for r in study.results}
    assert "65,536" in (found.pop("infiniband").reason or "")
    assert {plan.status for plan in found.values()} == {"optimal"}
    tell(benchmark, [plan.solver for plan in found.values()])


def test_time_does_not_follow_the_gpus(benchmark: Any) -> None:
    """128 times the GPUs, and a third tier, take less than 40 times as long; a solve less than a second."""
    if benchmark.disabled:
        pytest.skip("a time; --benchmark-enable measures it")
    start = time.perf_counter()
    planned(SIZES[0], FEW)
    small_s = time.perf_counter() - start
    study = benchmark.pedantic(planned, args=(SIZES[-1], FEW), rounds=1)
    large_s = time.perf_counter() - start - small_s
    assert large_s < 40 * small_s
    assert all(r.plan.solver.seconds < 1.0 for r in study.results)
