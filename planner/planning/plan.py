"""One technology, or one after another: candidates -> programme -> Plan, or the reason why there is none."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import assert_never

from planner.candidates.budget import BudgetSpentError
from planner.fabric.demand import demand
from planner.fabric.design import Plan, SolverReport
from planner.optimize.solve import SOLVERS
from planner.planning.designs_by_year import designs_of
from planner.planning.infeasibility import Refusal, why_spent
from planner.planning.least_cost import NoPlanError, Solved, least_cost
from planner.planning.least_levelised_cost import least_at_ratio, least_ratio
from planner.planning.planning_task import PlanOptions, Task, design_space_of
from planner.planning.technology_phases import Phase, Phases, build_years
from planner.throughput.result import ThroughputError

_LOG = logging.getLogger(__name__)
FIRST_PLAN_SHARE = 0.5  # of the time, where a plan of least cost is only the start


def plan_technology(task: Task, options: PlanOptions) -> Plan:
    """The best plan over the horizon, with the solver's proof."""
    space, excluded, refusal = design_space_of(task)
    builds = tuple(y for y in demand(task.scenario) if y.decides)
    return plan_over((Phase(space, task.ways.found, builds),), task, options, excluded, refusal)


def plan_over(
    phases: Phases, task: Task, options: PlanOptions, excluded: tuple[str, ...], refusal: Refusal | None
) -> Plan:
    """The best plan of which each build year has the technology of its span. ``refusal``: why there can be
    none."""
    try:
        if refusal:
            raise NoPlanError(refusal)
        solved = _solved(phases, task, options)
    except NoPlanError as none:
        return _without_design(task, options, excluded, none.refusal)
    except BudgetSpentError as spent:
        first = phases[0]
        reason = why_spent(spent, first.space, first.attachments, build_years(phases))
        return _without_design(task, options, excluded, reason)
    except ThroughputError as error:
        return _without_design(task, options, excluded, Refusal("infeasible", f"workload: {error}"))
    chosen = [solved.found[c] for c in solved.path]
    return Plan(
        technology=task.technology,
        status=solved.report.status,
        reason=None,
        excluded=excluded,
        solver=solved.report,
        designs=designs_of(chosen, demand(task.scenario), solved.holdings),
        holdings=solved.holdings,
        path=task.path,
    )


def _solved(phases: Phases, task: Task, options: PlanOptions) -> Solved:
    """By the objective asked for; each starts from the plan of least cost. Raises BudgetSpentError."""
    alone = options.objective == "tco" and options.ratio_usd is None
    first = options if alone else replace(options, budget=options.budget.part(FIRST_PLAN_SHARE))
    solved = least_cost(task, phases, first)
    if options.ratio_usd is not None:
        return least_at_ratio(task, phases, options, solved, options.ratio_usd)
    match options.objective:
        case "tco":
            return solved
        case "levelised-cost":
            return least_ratio(task, phases, options, solved)
        case _:
            assert_never(options.objective)


def _without_design(task: Task, options: PlanOptions, excluded: tuple[str, ...], refusal: Refusal) -> Plan:
    """The plan of a technology that has none, and why; also a line in the log."""
    _LOG.info("%s: %s: %s", task.technology, refusal.status, refusal.reason)
    solver = SolverReport(SOLVERS[options.solver].name, refusal.status, None, None, None, 0.0)
    return Plan(task.technology, refusal.status, refusal.reason, excluded, solver, path=task.path)
