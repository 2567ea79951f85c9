"""The plan of least USD per effective TFLOP/s-year of one technology."""

from __future__ import annotations

from dataclasses import replace

from planner.fabric.demand import YearDemand
from planner.fabric.design import Wiring
from planner.optimize.solve import RELATIVE_GAP
from planner.planning.infeasibility import Refusal
from planner.planning.least_cost import NoPlanError, Solved, cost_without_credit, least_cost
from planner.planning.phases import Phases, build_years
from planner.planning.problem_data import discounted_service_years
from planner.planning.task import PlanOptions, Task

MOST_ROUNDS = 30


def least_ratio(task: Task, phases: Phases, options: PlanOptions, solved: Solved) -> Solved:
    """The plan of least USD per effective TFLOP/s-year (Dinkelbach's method).

    It starts at the ratio of a feasible plan. Of cost - ratio x delivered the least is found; while it is
    below 0 its plan has a lower ratio, which takes the place of the old one. When the bound of the least is
    not below 0, no plan has a lower ratio.
    """
    builds, phases = build_years(phases), _crediting(task, phases)
    ratio, rounds = _ratio(task, builds, solved), 0
    while True:
        rounds += 1
        better = least_cost(task, phases, options, ratio, solved)
        least, bound = better.report.objective_usd or 0.0, better.report.bound_usd or 0.0
        found = _ratio(task, builds, better)
        cost = cost_without_credit(better)
        tolerance = RELATIVE_GAP * abs(cost)
        if found < ratio * (1 - 1e-12):
            solved, ratio = better, found
        if least >= -tolerance or rounds == MOST_ROUNDS:
            break
    proven = bound >= -tolerance
    # cost - ratio x delivered is nowhere below the bound: the fewer are delivered, the lower a ratio may be
    delivered = better.problem.delivered(better.path) if proven else better.problem.least_delivered()
    lower = ratio + min(0.0, bound) / delivered if delivered > 0 else 0.0
    report = replace(
        better.report,
        status="optimal" if proven else "feasible",
        objective_usd=cost_without_credit(solved),
        bound_usd=cost_without_credit(solved) + min(0.0, bound),
        gap=(ratio - lower) / ratio,
        ratio=ratio,
        ratio_bound=lower,
        rounds=rounds,
    )
    return replace(solved, report=report)


def least_at_ratio(task: Task, phases: Phases, options: PlanOptions, solved: Solved, ratio: float) -> Solved:
    """The plan of least cost less ``ratio`` USD for each effective TFLOP/s-year: what an island adds to the
    least ratio of all. The report's bound is as far below its cost as the least is from its own bound."""
    better = least_cost(task, _crediting(task, phases), options, ratio, solved)
    open_usd = max(0.0, (better.report.objective_usd or 0.0) - (better.report.bound_usd or 0.0))
    cost = cost_without_credit(better)
    report = replace(
        better.report,
        status="optimal" if open_usd <= RELATIVE_GAP * abs(cost) else "feasible",
        objective_usd=cost,
        bound_usd=cost - open_usd,
        gap=open_usd / max(abs(cost), 1e-9),
        ratio=ratio,
        rounds=1,
    )
    return replace(better, report=report)


def _crediting(task: Task, phases: Phases) -> Phases:
    """The phases with designs that are worth what they deliver."""
    builds = build_years(phases)

    def output(wiring: Wiring, year: YearDemand) -> float:
        """Discounted effective TFLOP/s-years of a wiring over the years that the choice of a year serves."""
        return task.output(wiring, year) * discounted_service_years(task, builds, builds.index(year))

    one_year = len(builds) == 1
    return tuple(
        replace(p, space=replace(p.space, discounted_output=output, every_ratio=one_year)) for p in phases
    )


def _ratio(task: Task, builds: tuple[YearDemand, ...], solved: Solved) -> float:
    """USD per effective TFLOP/s-year of a solved plan. Raises NoPlanError where it delivers nothing."""
    delivered = sum(
        task.output(solved.found[c].wiring, y) * discounted_service_years(task, builds, j)
        for j, (c, y) in enumerate(zip(solved.path, builds, strict=True))
    )
    if delivered <= 0:
        raise NoPlanError(Refusal("infeasible", "the training job delivers nothing: no cost per output"))
    return cost_without_credit(solved) / delivered
