"""The narrowing of candidates loses no pair of designs: every pair of both technologies is tried by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from planner.candidates.switch_sets import all_switch_sets
from planner.catalog.technologies import TechnologyPath
from planner.decide import technology_change as module
from planner.fabric.demand import demand
from planner.fabric.design import Plan
from planner.optimize.elimination import plan_cost
from planner.planning.phases import Phases, PricedPhase, candidates_of, sized_wirings_of
from planner.planning.problem_data import assemble_problem
from planner.planning.task import PlanOptions, Task
from planner.study.side_fabrics import SideMemory
from tests.support.making import Box, Prices, bare_sources, scenario_of

PARTS = Prices(nic=10.0, module=2.0, link=1.0, install=5.0, move=7.0)
BOXES = [
    Box("small", 4, 90.0, technologies=("roce", "infiniband")),
    Box("ether", 8, 260.0),
    Box("infini", 8, 240.0, technologies=("infiniband",)),
]


@pytest.mark.parametrize("steps", [(3, 5), (2, 6)])
@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_no_cheaper_pair_of_designs_is_lost(
    steps: tuple[int, int], rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All designs of RoCE in 2027 with all of InfiniBand in 2028, without floors or limits: the least of all
    pairs is what the plan costs."""
    least: list[float] = []

    def enumerated(phases: Phases, task: Task, *rest: object) -> Plan:
        builds = tuple(y for y in demand(task.scenario) if y.decides)
        spaces = [replace(p.space, keep_dominated=True) for p in phases]
        free = [
            PricedPhase(space, all_switch_sets(space, p.attachments, p.builds, growing=True), p.builds)
            for space, p in zip(spaces, phases, strict=True)
        ]
        found = candidates_of(free, sized_wirings_of(free))
        problem = assemble_problem(task, found, builds)
        rows = [problem.usable(step).tolist() for step in range(2)]
        assert min(map(len, rows)) > 1
        least.append(min(plan_cost(problem, pair) for pair in product(*rows)) + problem.constant_usd)
        return planned(phases, task, *rest)  # type: ignore[arg-type]

    planned = module.plan_over
    monkeypatch.setattr(module, "plan_over", enumerated)
    scenario = scenario_of(
        steps, BOXES, PARTS, fabric={"technologies": ("roce", "infiniband"), "max_tiers": 2},
        prices={"infiniband_pricing": "book"}, finance={"discount_rate": rate, "residual": "unexpired-life"},
    )  # fmt: skip
    path = TechnologyPath("roce", "infiniband", 2028)
    result = module.path_result(scenario, bare_sources(PARTS), path, PlanOptions(), SideMemory())
    assert result.faults == ()
    assert result.tco_usd == pytest.approx(least[0], rel=1e-9)
