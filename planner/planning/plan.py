"""One technology, or one after another: candidates -> programme -> Plan, or the reason why there is none."""

from __future__ import annotations

from planner.fabric.demand import demand
from planner.fabric.design import Plan, SolverReport
from planner.planning.designs_by_year import designs_of
from planner.planning.infeasibility import Refusal
from planner.planning.least_cost import NoPlanError, least_cost
from planner.planning.least_levelised_cost import least_at_ratio, least_ratio
from planner.planning.phases import Phase, Phases
from planner.planning.task import PlanOptions, Task, design_space_of
from planner.throughput.result import ThroughputError


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
    years = demand(task.scenario)
    try:
        if refusal:
            raise NoPlanError(refusal)
        solved = least_cost(task, phases, options)
        if options.ratio_usd is not None:
            solved = least_at_ratio(task, phases, options, solved, options.ratio_usd)
        elif options.objective == "levelised-cost":
            solved = least_ratio(task, phases, options, solved)
    except NoPlanError as none:
        solver = SolverReport("HiGHS", none.refusal.status, None, None, None, 0.0)
        return Plan(
            task.technology, none.refusal.status, none.refusal.reason, excluded, solver, path=task.path
        )
    except ThroughputError as error:
        solver = SolverReport("HiGHS", "infeasible", None, None, None, 0.0)
        return Plan(task.technology, "infeasible", f"workload: {error}", excluded, solver, path=task.path)
    chosen = [solved.found[c] for c in solved.path]
    designs = designs_of(chosen, years, solved.holdings)
    return Plan(
        task.technology, solved.report.status, None, excluded, solved.report, designs, solved.holdings,
        path=task.path,
    )  # fmt: skip
