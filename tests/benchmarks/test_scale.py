"""How long a plan takes, and that it does not grow with the number of GPUs.

    pytest tests/benchmarks --benchmark-enable

Without that option each plan is made once and only its answer is looked at.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from planner.catalog import TECHNOLOGIES
from planner.scenario import Scenario
from planner.scenario_file import scenario_from_text
from planner.sources import load_sources
from planner.study import Study, plan_scenario
from tests.making import toml

SIZES = (1_024, 16_384, 131_072)
SLOWER = 6.0  # of the largest against the smallest; 128 times the GPUs


@cache
def scenario(gpus: int) -> Scenario:
    """Four technologies, 8 planes of 400G, five build years in even steps to ``gpus``."""
    document = {
        "schema": 1, "name": f"{gpus} GPUs", "base_year": 2027, "cluster": {"server": "hgx-h100"},
        "growth": [{"year": 2027 + i, "gpus": gpus * (i + 1) // 5} for i in range(5)],
        "fabric": {"technologies": list(TECHNOLOGIES), "link_gbps": 400, "planes": 8, "bandwidth_headroom": 0.0},
    }  # fmt: skip
    return scenario_from_text(toml(document), load_sources(), "scale.toml")


def planned(gpus: int) -> Study:
    return plan_scenario(scenario(gpus), load_sources())


@pytest.mark.parametrize("gpus", SIZES)
def test_plan_of_four_technologies(benchmark: Any, gpus: int) -> None:
    """All proven optimal, five years of the horizon and two more answered."""
    study = benchmark.pedantic(planned, args=(gpus,), rounds=3, warmup_rounds=1)
    assert [r.plan.status for r in study.results] == ["optimal"] * len(TECHNOLOGIES)
    assert {len(r.plan.designs) for r in study.results} == {7}
    assert all((r.plan.solver.gap or 0.0) <= 1e-7 for r in study.results)
    reports = [r.plan.solver for r in study.results]
    benchmark.extra_info["build_seconds"] = sum(r.build_seconds for r in reports)
    benchmark.extra_info["solve_seconds"] = sum(r.seconds for r in reports)
    benchmark.extra_info["candidates"] = sum(r.candidates for r in reports)


def test_time_does_not_grow_with_the_gpus(benchmark: Any) -> None:
    """128 times the GPUs take less than six times as long. Measured only where benchmarks are enabled."""
    if benchmark.disabled:
        pytest.skip("a time; --benchmark-enable measures it")
    import time

    def seconds(gpus: int) -> float:
        start = time.perf_counter()
        planned(gpus)
        return time.perf_counter() - start

    small = min(seconds(SIZES[0]) for _ in range(3))
    large = benchmark.pedantic(lambda: min(seconds(SIZES[-1]) for _ in range(3)), rounds=1)
    assert large < SLOWER * small
