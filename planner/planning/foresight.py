"""What looking ahead is worth: the cheapest plan without it, priced by the same rules, against the plan.

``planner.planning.myopic`` says how the planner without foresight chooses his designs. They are priced over
the true horizon like any plan: bought, kept and sold at the least for what each year needs. His plan is one
that the programme could have chosen, so the value of foresight is never below 0.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from planner.candidates.budget import BudgetSpentError
from planner.candidates.enumeration import Candidate
from planner.cost.tco import network_costs
from planner.fabric.demand import YearDemand, demand
from planner.fabric.design import Design, Holding, Plan
from planner.optimize.elimination import eliminate, plan_cost
from planner.optimize.model import build, least_relaxation
from planner.optimize.problem import Problem, Remaining
from planner.optimize.solve import solve
from planner.planning.assemble_problem import assemble_problem
from planner.planning.designs_by_year import cheapest_path_holdings, designs_of, programme_holdings
from planner.planning.myopic import NoMyopicPlanError, State, myopic_states, no_design_in
from planner.planning.planning_task import PlanOptions, Task, design_space_of
from planner.planning.tie_breaking import CENT

_LOG = logging.getLogger(__name__)
PROVEN = 1e-6  # of the plan's cost: what the solver's gap and rounding may hide


@dataclass(frozen=True, slots=True)
class Foresight:
    """The plan without looking ahead: ``designs`` a year of the horizon, ``holdings``, its cost (TCO, USD).

    ``value_usd``: that cost less the plan's. Where there is no such plan: None, and ``reason``.
    """

    myopic_tco_usd: float | None = None
    value_usd: float | None = None
    designs: tuple[Design, ...] = ()
    holdings: tuple[Holding, ...] = ()
    reason: str | None = None
    faults: tuple[str, ...] = ()


def value_of_foresight(task: Task, plan: Plan, options: PlanOptions) -> Foresight | None:
    """What a plan of least cost saves against the cheapest plan without looking ahead.

    None where there is nothing to compare: no plan, or one whose objective is not the least cost.
    """
    if not plan.designs or plan.solver.objective_usd is None or options.objective != "tco":
        return None
    builds = tuple(y for y in demand(task.scenario) if y.decides)
    space = replace(design_space_of(task)[0], budget=options.budget)
    try:
        states = myopic_states(task, space, builds, (d.wiring for d in plan.designs))
        cheapest = _cheapest(task, builds, states, options)
    except (NoMyopicPlanError, BudgetSpentError) as none:
        _LOG.info("%s: %s", task.technology, none)
        return Foresight(reason=str(none))
    return _answer(task, plan, cheapest)


def _answer(task: Task, plan: Plan, cheapest: _Priced) -> Foresight:
    optimum, usd, holdings = plan.solver.objective_usd or 0.0, cheapest.usd, cheapest.holdings
    designs = designs_of(list(cheapest.state.path), demand(task.scenario), holdings)
    same = [d.wiring for d in designs] == [d.wiring for d in plan.designs]
    value = usd - optimum
    if same or abs(value) <= 1e-9 * abs(optimum):
        usd, value = optimum, 0.0
    myopic = replace(plan, designs=designs, holdings=holdings)
    counted = task.constant_usd + sum(line.npv_usd for line in network_costs(myopic, task.tariff))
    return Foresight(usd, value, designs, holdings, None, _faults(plan, usd, value, counted))


def _faults(plan: Plan, usd: float, value: float, counted: float) -> tuple[str, ...]:
    """What can't be: a cost that the BOM does not give, or a plan without foresight below a proven one."""
    allowed = PROVEN * abs(usd)
    if abs(counted - usd) > allowed:
        return (f"without looking ahead: cost {usd:,.2f} USD, by its BOM {counted:,.2f}",)
    if plan.status == "optimal" and value < -allowed:
        return (f"a plan without looking ahead costs {-value:,.2f} USD less than the one called optimal",)
    return ()


@dataclass(frozen=True, slots=True)
class _Priced:
    """A way, what it truly costs (USD, constant included), and the holdings that it takes at the least."""

    state: State
    usd: float
    holdings: tuple[Holding, ...]


def _cheapest(
    task: Task, builds: tuple[YearDemand, ...], states: list[State], options: PlanOptions
) -> _Priced:
    """The state that turns out cheapest, the first of equal ones. Raises NoMyopicPlanError."""
    by_needs: dict[object, State] = {}
    for state in states:
        key = state.needs(builds)
        if key not in by_needs or state.moves_usd < by_needs[key].moves_usd - CENT:
            by_needs[key] = state
    best: _Priced | None = None
    over: list[NoMyopicPlanError] = []
    for state in by_needs.values():
        try:
            priced = _priced(task, builds, state, options)
        except NoMyopicPlanError as none:
            over.append(none)
            continue
        if best is None or priced.usd < best.usd - CENT:
            best = priced
    if best is None:
        raise over[0]
    return best


def _priced(task: Task, builds: tuple[YearDemand, ...], state: State, options: PlanOptions) -> _Priced:
    """A way at the true horizon. Raises NoMyopicPlanError.

    Where a year's money is limited, purchases of different SKUs compete: then the programme says which.
    """
    chosen = _at(state, builds)
    problem = assemble_problem(task, chosen, builds, server_capex_usd=task.server_capex_usd)
    path = tuple(range(len(chosen)))
    if not problem.caps:
        usd = plan_cost(problem, path) + problem.constant_usd
        return _Priced(state, usd, cheapest_path_holdings(problem, path))
    remaining = eliminate(problem, budget=options.budget)
    programme, v = build(problem, remaining)
    outcome = solve(programme, options.solver, options.budget.left_s)
    if outcome.objective is None:
        if outcome.status == "none":
            raise NoMyopicPlanError("the solver stopped before it had a plan without looking ahead")
        raise no_design_in(_year_over(problem, remaining, options))
    return _Priced(state, outcome.objective, programme_holdings(problem, v))


def _year_over(problem: Problem, remaining: Remaining, options: PlanOptions) -> int:
    """The first year in which the money does not do."""
    missing = least_relaxation(problem, remaining, options.solver, options.budget.left_s)
    over = [t for t, usd in sorted(missing.items()) if usd > 1.0]
    return problem.base_year + (over[0] if over else problem.decides[-1])


def _at(state: State, builds: tuple[YearDemand, ...]) -> list[Candidate]:
    """The designs, each in its own build year only."""
    pairs = zip(state.path, builds, strict=True)
    return [replace(c, built={y.t: c.built[y.t]}) for c, y in pairs]
