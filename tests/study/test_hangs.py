"""Accepted scenarios that once took minutes or gigabytes: each ends with its budget, in a plan with a
bound or in a sentence."""

from __future__ import annotations

import time
from typing import Any

import pytest

from planner.candidates.budget import budget_of
from planner.catalog.sources import load_sources
from planner.planning.planning_task import PlanOptions
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Objective
from planner.study.study import plan_scenario
from tests.support.making import one_fabric, toml

LIMIT_S = 2.0
BEYOND_S = 6.0  # of the processor, for what comes after the plan, and for one step


def document(gpus: list[int], **sections: Any) -> dict[str, Any]:
    """Growth year by year from 2027 on."""
    steps = [{"year": 2027 + i, "gpus": n} for i, n in enumerate(gpus)]
    return {
        "schema": 1, "name": "large", "base_year": 2027, "cluster": {"server": "dgx-h100"}, "growth": steps,
        "fabric": {"technologies": ["roce"], **sections.pop("fabric", {})}, **sections,
    }  # fmt: skip


LARGE: dict[str, tuple[dict[str, Any], Objective]] = {
    "discount -0.9": (document([512, 1024], finance={"discount_rate": -0.9}), "tco"),
    "1,024 reserved ports": (document([4096, 8192, 32768], fabric={"reserved_fabric_ports": 1024}), "tco"),
    "16:1, least cost per output": (
        document([4096], fabric={"max_oversubscription": "16:1", "spine_oversubscription": "16:1"}),
        "levelised-cost",
    ),
    "20 growth steps": (
        document([1600 * (i + 1) for i in range(20)], finance={"horizon_years": 23}),
        "tco",
    ),
    "30 years, 1 or 8 planes": (
        document([8192, 65536], fabric={"planes": [1, 8]}, finance={"horizon_years": 30}),
        "tco",
    ),
    "money far below the optimum": (
        document(
            [1024, 8192, 32768],
            cluster={"server": "hgx-h100"},
            fabric={"link_gbps": 400},
            workload={"model": "llama3-70b"},
            constraints={"capex_usd_per_year": 944_964_350.0},
        ),
        "tco",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_it_ends_with_its_budget(name: str) -> None:
    asked, objective = LARGE[name]
    sources = load_sources()
    scenario = scenario_from_text(toml(asked), sources, "large.toml")
    told: list[str] = []
    began = time.process_time()
    options = PlanOptions(objective=objective, budget=budget_of(LIMIT_S, 1e9, told.append))
    result = one_fabric(plan_scenario(scenario, sources, options).results[0])
    assert time.process_time() - began < LIMIT_S + BEYOND_S
    report = result.plan.solver
    assert told and all(words.startswith("roce: ") for words in told)
    assert result.faults == ()
    if not result.plan.designs:
        assert report.status == "none" and result.plan.reason is not None
        assert "ended while" in result.plan.reason or "solver stopped" in result.plan.reason
    elif report.bound_usd is not None and report.objective_usd is not None:
        assert report.bound_usd <= report.objective_usd
    else:
        assert report.status == "feasible", "no bound is known, and none is claimed"


@pytest.mark.parametrize(
    ("section", "key", "value", "most"),
    [
        ("spares", "replenishment_weeks", 1e9, "520"),
        ("spares", "switch_failures_per_year", 1e9, "52"),
        ("fabric", "reserved_fabric_ports", 100_000, "1024"),
    ],
)
def test_what_no_cluster_has_is_refused_with_the_most_that_may_be(
    section: str, key: str, value: float, most: str
) -> None:
    asked = document([64])
    asked[section] = {**asked.get(section, {}), key: value}
    with pytest.raises(ScenarioError) as refused:
        scenario_from_text(toml(asked), load_sources(), "large.toml")
    (fault,) = refused.value.faults
    assert fault.key == f"{section}.{key}" and most in str(refused.value)
