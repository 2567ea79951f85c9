"""A plan whose budget ends early: the best so far with a bound that holds, or a sentence. Never "optimal" for
a plan that may not be, and never a bound above the true optimum.

Budgets are counted in looks at the clock, so that each case ends at the same place on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from planner.candidates.budget import Budget, BudgetSpentError, budget_of
from planner.planning.planning_task import PlanOptions
from planner.scenario.scenario import Objective
from planner.study.result import FabricResult
from planner.study.study import plan_scenario
from tests.support.making import Box, Prices, bare_sources, one_fabric, scenario_of

BOXES = [Box("eight", 8, 100.0), Box("twelve", 12, 170.0)]
PARTS = Prices(move=3.0)
CASES: dict[str, dict[str, Any]] = {
    "one build year": {"nodes": 40},
    "growth": {"nodes": [6, 14, 20], "finance": {"horizon_years": 4, "discount_rate": 0.08}},
    "a limit on money": {
        "nodes": [6, 14, 20],
        "finance": {"horizon_years": 4, "discount_rate": 0.08},
        "constraints": {"capex_usd_per_year": 500.0},
    },
}


def looks(most: int | None) -> tuple[Budget, Iterator[int]]:
    """A budget of so many looks at the clock, and the clock."""
    ticks = count()
    ends = 1e9 if most is None else float(most)
    return Budget(ends_s=ends, clock=lambda: float(next(ticks))), ticks


def plan(case: dict[str, Any], most: int | None, objective: Objective = "tco") -> tuple[FabricResult, int]:
    """The answer, and how often the clock was looked at."""
    asked = dict(case)
    scenario = scenario_of(asked.pop("nodes"), BOXES, PARTS, **asked)
    budget, ticks = looks(most)
    options = PlanOptions(objective=objective, budget=budget)
    result = one_fabric(plan_scenario(scenario, bare_sources(PARTS), options).results[0])
    return result, next(ticks)


def moments(whole: int) -> list[int]:
    """Where to end: every look at first, then some along the way, the last when all is done."""
    step = 1 if whole < 1000 else 4
    return sorted({*range(1, min(whole, 6)), *(max(1, whole * k // 12) for k in range(1, 22, step))})


@pytest.mark.parametrize("name", CASES)
def test_a_plan_cut_anywhere_is_honest(name: str) -> None:
    """The optimum lies between the bound and the plan, whenever the budget ends."""
    case = CASES[name]
    best, whole = plan(case, None)
    optimum = best.plan.solver.objective_usd
    assert best.plan.status == "optimal" and optimum is not None
    seen = set()
    for most in moments(whole):
        cut, _ = plan(case, most)
        report = cut.plan.solver
        seen.add(report.status)
        assert cut.plan.status == report.status and cut.faults == ()
        if not cut.plan.designs:
            assert report.status == "none" and cut.plan.reason is not None
            assert "the plan's time ended while" in cut.plan.reason, cut.plan.reason
            assert "growth steps" in cut.plan.reason
            continue
        assert report.objective_usd is not None and report.bound_usd is not None
        assert report.bound_usd <= optimum * (1 + 1e-9) and report.objective_usd >= optimum * (1 - 1e-9)
        if report.status == "optimal":
            assert report.objective_usd == pytest.approx(optimum, rel=1e-6)
    wanted = {"none", "optimal"} if name == "one build year" else {"none", "feasible", "optimal"}
    assert wanted <= seen, "the cuts fall before the first plan, after it, and nowhere"


def test_the_least_cost_per_output_cut_anywhere_is_honest() -> None:
    """Likewise of the ratio: no bound above the least ratio."""
    case = {"nodes": 40, "fabric": {"max_oversubscription": "4:1"}}
    best, whole = plan(case, None, "levelised-cost")
    least = best.plan.solver.ratio
    assert best.plan.status == "optimal" and least is not None
    seen = set()
    for most in moments(whole):
        report = plan(case, most, "levelised-cost")[0].plan.solver
        seen.add(report.status)
        if report.status == "none":
            continue
        assert report.ratio is not None and report.ratio_bound is not None
        assert report.ratio_bound <= least * (1 + 1e-9) <= report.ratio * (1 + 2e-9)
    assert {"none", "feasible"} <= seen


def test_a_budget_that_does_not_end_changes_nothing() -> None:
    for case in CASES.values():
        limited, _ = plan(case, None)
        asked = dict(case)
        scenario = scenario_of(asked.pop("nodes"), BOXES, PARTS, **asked)
        free = one_fabric(plan_scenario(scenario, bare_sources(PARTS)).results[0])
        own, other = (replace(r.plan.solver, seconds=0.0, build_seconds=0.0) for r in (limited, free))
        assert own == other
        assert limited.plan.designs == free.plan.designs


def test_memory_ends_a_plan_in_a_sentence() -> None:
    """No memory at all: the sentence names it."""
    scenario = scenario_of(40, BOXES, PARTS)
    options = PlanOptions(budget=Budget(memory_bytes=1e6, used_bytes=lambda: 2_000_000))
    result = one_fabric(plan_scenario(scenario, bare_sources(PARTS), options).results[0])
    assert result.plan.status == "none" and result.plan.reason is not None
    assert result.plan.reason.startswith("the plan's memory ended while ")


def test_a_part_ends_before_the_whole_and_tells_by_its_name() -> None:
    told: list[str] = []
    whole = Budget(ends_s=100.0, clock=lambda: 20.0, told=told.append)
    part = whole.part(0.25).naming("roce")
    assert (whole.left_s, part.left_s) == (80.0, 20.0)
    part.check("counting")
    assert told == ["roce: counting"]
    spent = replace(part, clock=lambda: 40.0)
    assert spent.left_s == 0.0
    with pytest.raises(BudgetSpentError, match="out of time while counting"):
        spent.check("counting")
    assert budget_of(None).left_s is None and budget_of(None).part(0.1) == budget_of(None)
