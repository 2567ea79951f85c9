"""Patch panels as an open choice: each way is planned, and the better plan is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf

from planner.planning.planning_task import PlanOptions
from planner.scenario.scenario import Scenario
from planner.study.proof import with_other_way
from planner.study.result import FabricResult, PanelChoice, cost_at_ratio


def with_better_way(
    scenario: Scenario, options: PlanOptions, planned: Callable[[Scenario, PlanOptions], FabricResult]
) -> FabricResult:
    """The answer with or without panels, as the scenario says; where it leaves that open, the better of both.

    ``planned``: the answer to a scenario that says it.
    """
    ways = list(panel_ways(scenario))
    parts = (options.budget.part(1 / left) for left in range(len(ways), 0, -1))
    found = [planned(way, replace(options, budget=part)) for way, part in zip(ways, parts, strict=True)]
    if len(found) == 1:
        return found[0]
    choice = _choice(found, scenario, options)
    kept, other = found[int(choice.used)], found[int(not choice.used)]
    return replace(kept, plan=with_other_way(kept.plan, other.plan), panels=choice)


def panel_ways(scenario: Scenario) -> Iterator[Scenario]:
    """The scenario with each way that is open, direct cables first."""
    for panels in sorted(scenario.layout.patch_panels):
        yield replace(scenario, layout=replace(scenario.layout, patch_panels=(panels,)))


def _choice(found: Sequence[FabricResult], scenario: Scenario, options: PlanOptions) -> PanelChoice:
    """By what was made least. Of islands at a common ratio it is the way that costs least at that ratio;
    what is told is each way's own cost per output."""
    if options.ratio_usd is None:
        return better([_objective(result, options) for result in found])
    used = better([cost_at_ratio(result, scenario, options.ratio_usd) for result in found]).used
    direct, panels = (result.levelised_usd_per_effective_tflops_year for result in found)
    return PanelChoice(used, panels, direct)


def _objective(result: FabricResult, options: PlanOptions) -> float | None:
    """What the plan was sought for: its least cost, or its least cost per output."""
    if result.missing_prices:
        return None
    solver = result.plan.solver
    return solver.ratio if options.objective == "levelised-cost" else solver.objective_usd


def better(values: Sequence[float | None]) -> PanelChoice:
    """The choice between direct cables (first) and panels (second); equal values leave panels out.

    >>> better([10.0, 9.0]).used, better([10.0, 10.0]).used, better([None, 9.0]).used
    (True, False, True)
    """
    direct, panels = values
    return PanelChoice(_or_infinite(panels) < _or_infinite(direct), panels, direct)


def _or_infinite(value: float | None) -> float:
    return inf if value is None else value
