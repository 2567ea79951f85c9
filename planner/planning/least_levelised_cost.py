"""The plan of least USD per effective TFLOP/s-year of one technology."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from planner.candidates.budget import BudgetSpentError
from planner.fabric.demand import YearDemand
from planner.fabric.design import SolverReport, Wiring
from planner.optimize.solve import RELATIVE_GAP
from planner.planning.assemble_problem import discounted_service_years
from planner.planning.infeasibility import Refusal
from planner.planning.least_cost import NoPlanError, Solved, cost_without_credit, least_cost
from planner.planning.planning_task import PlanOptions, Task
from planner.planning.technology_phases import Phases, build_years, phase_at

_LOG = logging.getLogger(__name__)
MOST_ROUNDS = 30


def least_ratio(task: Task, phases: Phases, options: PlanOptions, solved: Solved) -> Solved:
    """The plan of least USD per effective TFLOP/s-year (Dinkelbach's method).

    It starts at the ratio of a feasible plan. Of cost - ratio x delivered the least is found; while it is
    below 0 its plan has a lower ratio, which takes the place of the old one. When the bound of the least is
    not below 0, no plan has a lower ratio. Where the budget ends before that, the lowest ratio so far is the
    answer.
    """
    builds, crediting = build_years(phases), _crediting(task, phases)
    best, ratio, rounds = solved, _ratio(task, builds, solved), 0
    proof: _Proof | None = None
    while rounds < MOST_ROUNDS:
        try:
            better = least_cost(task, crediting, options, ratio, best)
        except BudgetSpentError as spent:
            _LOG.info("%s: %s", task.name, spent)
            break
        rounds += 1
        found = _ratio(task, builds, better)
        if found < ratio * (1 - 1e-12):
            best, ratio = better, found
        tolerance = RELATIVE_GAP * abs(cost_without_credit(better))
        if (better.report.objective_usd or 0.0) >= -tolerance:
            proof = _proof(better, tolerance)
            break
    cost = cost_without_credit(best)
    if proof:
        # cost - ratio x delivered is nowhere below the bound
        lower, bound = ratio + proof.below_usd / proof.delivered, cost + proof.below_usd
    else:
        bound = min(cost, max(0.0, solved.report.bound_usd or 0.0))
        lower = min(ratio, bound / _most_delivered(task, phases))
    report = replace(
        proof.report if proof else best.report,
        status="optimal" if proof else "feasible",
        objective_usd=cost,
        bound_usd=bound,
        gap=(ratio - lower) / ratio,
        ratio=ratio,
        ratio_bound=lower,
        rounds=rounds,
    )
    return replace(best, report=report)


@dataclass(frozen=True, slots=True)
class _Proof:
    """The last programme's word that no plan has a lower ratio: its report, how far below 0 (USD) its bound
    lies, and what its plan delivers."""

    report: SolverReport
    below_usd: float
    delivered: float


def _proof(last: Solved, tolerance: float) -> _Proof | None:
    """None where the bound is too far below 0 to prove anything, or none is known."""
    bound, delivered = last.report.bound_usd, last.problem.delivered(last.path)
    if bound is None or bound < -tolerance or delivered <= 0:
        return None
    return _Proof(last.report, min(0.0, bound), delivered)


def _most_delivered(task: Task, phases: Phases) -> float:
    """Discounted effective TFLOP/s-years that no plan exceeds: those of one switch for all nodes, had it
    so many ports."""
    total, builds = 0.0, build_years(phases)
    for j, year in enumerate(builds):
        single = (
            replace(a.base, tiers=1, nodes_per_unit=year.site_nodes, leaves_per_unit=1)
            for a in phase_at(phases, year.t).attachments
        )
        total += max(task.output(w, year) for w in single) * discounted_service_years(task, builds, j)
    return total


def least_at_ratio(task: Task, phases: Phases, options: PlanOptions, solved: Solved, ratio: float) -> Solved:
    """The plan of least cost less ``ratio`` USD for each effective TFLOP/s-year: what an island adds to the
    least ratio of all. The report's bound is as far below its cost as the least is from its own bound. Raises
    BudgetSpentError where that is not known."""
    better = least_cost(task, _crediting(task, phases), options, ratio, solved)
    if better.report.bound_usd is None:
        raise BudgetSpentError("time", "looking for the least cost per output of all islands")
    open_usd = max(0.0, (better.report.objective_usd or 0.0) - better.report.bound_usd)
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
