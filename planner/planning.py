"""One technology: candidates -> programme -> Plan, or the reason why there is none."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from pathlib import Path

import numpy as np

from planner.candidates import Candidate, candidates
from planner.catalog import Accelerator, Catalog
from planner.cost_bound import Budget, Worth, limits
from planner.costing import Tariff
from planner.demand import Variant, Variants, YearDemand, demand, variants
from planner.design import Plan, Size, SolverReport, Wiring
from planner.frontier import Rules
from planner.headroom import ratio_caps
from planner.infeasible import Refusal, why_none
from planner.move_cost import MoveTable, least_install_usd, move_rates
from planner.optimize.bounds import keep, rents
from planner.optimize.model import build
from planner.optimize.problem import Kept, Problem
from planner.optimize.solve import RELATIVE_GAP, Outcome, solve
from planner.optimize.variables import Variables, safe
from planner.parts import Pieces
from planner.plan_years import designs_of, holdings_of
from planner.scenario import Scenario
from planner.search import RatioCaps, Search
from planner.switch_choice import switch_choice, without_dearer_twins
from planner.throughput import ThroughputError
from planner.ties import settle
from planner.trunks import least_floors

KEEP_MARGIN = 0.002  # plans this far (relative) above the best known one are left to the solver too


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How to plan. ``technologies`` None: those of the scenario. ``lp_dir``: where LP files go.

    ``quick``: among designs with the fewest leaves only; the cost is then an upper bound.
    """

    technologies: tuple[str, ...] | None = None
    objective: str = "tco"
    solver: str = "highs"
    time_limit_s: float | None = None
    lp_dir: Path | None = None
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """What planning one technology takes.

    ``extras``: what a design needs beside its links; ``caps``: in place of those of the training job;
    ``quick``: the fewest leaves will do, and cores of the spines' model.
    """

    scenario: Scenario
    technology: str
    catalog: Catalog
    accelerator: Accelerator
    tariff: Tariff
    constant_usd: float
    extras: Callable[[Pieces, Wiring, Size, YearDemand], Pieces] | None = None
    caps: Callable[[Variant, YearDemand], RatioCaps | None] | None = None
    quick: bool = False


def plan_technology(task: Task, options: PlanOptions) -> Plan:
    """The cheapest plan over the horizon, with the solver's proof."""
    start = time.perf_counter()
    years = demand(task.scenario)
    search, excluded, refusal = _search(task, years)
    if refusal:
        return _without_design(task, refusal, excluded)
    try:
        found = _candidates(task, search, years)
    except ThroughputError as error:
        return _without_design(task, Refusal("infeasible", f"workload: {error}"), excluded)
    builds = tuple(y for y in years if y.decides)
    if any(all(y.t not in c.built for c in found) for y in builds):
        return _without_design(task, why_none(search, _variants(task).found, builds, found), excluded)
    problem = _problem(task, found, builds)
    kept = keep(problem, KEEP_MARGIN)
    programme, v = build(problem, kept)
    if options.lp_dir:
        programme.writeLP(str(options.lp_dir / f"{task.technology}.lp"))
    built_s = time.perf_counter() - start
    outcome = solve(programme, options.solver, options.time_limit_s)
    report = _report(outcome, kept, problem.constant_usd, built_s, len(found))
    path = kept.path if outcome.objective is None else _chosen(problem, v)
    path = settle(problem, found, path)
    holdings = holdings_of(problem, path)
    chosen = [found[c] for c in path]
    designs = designs_of(chosen, years, holdings, task.scenario)
    return Plan(task.technology, report.status, None, excluded, report, designs, holdings)


def _candidates(task: Task, search: Search, years: tuple[YearDemand, ...]) -> list[Candidate]:
    """The candidates that a plan cheaper than a first, quickly found one could be made of."""
    ways, builds = _variants(task).found, tuple(y for y in years if y.decides)
    quick = candidates(replace(search, quick=True), ways, years)
    none = any(all(y.t not in c.built for c in quick) for y in builds)
    if none or task.quick:
        return candidates(search, ways, years) if none else quick
    problem = _problem(task, quick, builds)
    known = keep(problem)
    budget = Budget(_worth(task, problem), {}, builds[-1].t, least_install_usd(move_rates(task.tariff)))
    floors = least_floors(replace(search, budget=budget), ways, builds)
    budget = replace(budget, limit=limits(floors, known.upper_usd, KEEP_MARGIN))
    found = candidates(replace(search, budget=budget), ways, years)
    # the known plan's own designs stay in every year, whatever the limits say of some of them
    own = {quick[c].wiring: quick[c] for c in known.path}
    return [*own.values(), *(c for c in found if c.wiring not in own)]


def _worth(task: Task, problem: Problem) -> Worth:
    """Rent and running cost (USD, present worth) of a piece over the span of a build year."""
    spans = {t: problem.years(j) for j, t in enumerate(problem.decides)}

    @cache
    def worth(sku: str, t: int) -> float:
        unit = task.tariff.unit_cost(sku)
        rent = rents(unit)
        return sum(rent[x] + unit.opex_npv_usd(x) for x in spans[t])

    return worth


def _variants(task: Task) -> Variants:
    return variants(task.scenario, task.technology, task.catalog, task.tariff.price_usd)


def _search(task: Task, years: tuple[YearDemand, ...]) -> tuple[Search, tuple[str, ...], Refusal | None]:
    """The enumeration's inputs, what is excluded, and a refusal where nothing is left to plan with."""
    scenario, price = task.scenario, task.tariff.price_usd
    ask = scenario.fabric
    chosen = switch_choice(scenario, task.technology, task.catalog, price)
    ways = _variants(task)
    units = {s.id: task.tariff.unit_cost(s.id) for s in chosen.models}
    search = Search(
        catalog=task.catalog,
        technology=task.technology,
        switches=without_dearer_twins(chosen.models, units),
        rules=Rules(
            ask.max_oversubscription,
            ask.spine_oversubscription,
            ask.max_tiers,
            ask.min_spines,
            ask.nodes_per_scalable_unit,
            ask.reserved_fabric_ports,
        ),
        layout=scenario.layout,
        price=price,
        caps=task.caps or ratio_caps(scenario, task.accelerator, task.technology),
        extras=task.extras,
    )
    excluded = (*chosen.excluded, *ways.excluded)
    refusal = None
    if not chosen.models and chosen.excluded:
        refusal = Refusal("unpriced", f"no switch with price and power is left: {'; '.join(chosen.excluded)}")
    elif not ways.found and ways.excluded:
        refusal = Refusal("unpriced", f"no NIC with price and power is left: {'; '.join(ways.excluded)}")
    elif not ways.found:
        refusal = Refusal("infeasible", "; ".join(ways.reasons))
    return search, excluded, refusal


def _problem(task: Task, found: list[Candidate], builds: tuple[YearDemand, ...]) -> Problem:
    """Candidates as arrays, with the unit costs of every SKU that one of them uses."""
    skus = sorted({sku for c in found for b in c.built.values() for sku in b.need})
    column = {sku: k for k, sku in enumerate(skus)}
    need = []
    for year in builds:
        table = np.full((len(found), len(skus)), -1, dtype=np.int64)
        for row, candidate in enumerate(found):
            if year.t in candidate.built:
                table[row] = 0
                for sku, n in candidate.built[year.t].need.items():
                    table[row, column[sku]] = n
        need.append(table)
    moves = MoveTable(found, builds, move_rates(task.tariff))
    return Problem(
        name=f"{task.technology}",
        horizon=task.scenario.finance.horizon_years,
        decides=tuple(y.t for y in builds),
        labels=tuple(f"c{i}_{_label(c)}" for i, c in enumerate(found)),
        need=tuple(need),
        units=tuple(task.tariff.unit_cost(sku) for sku in skus),
        first_usd=moves.first_usd(),
        arc_usd=moves.arc_usd,
        constant_usd=task.constant_usd,
        base_year=task.scenario.base_year,
    )


def _label(candidate: Candidate) -> str:
    """A readable name of a wiring: switches by tier, ports of a leaf, spines, pod, cores."""
    w = candidate.wiring
    text = f"{w.planes}p_{w.leaf}_d{w.down}"
    if w.tiers > 1:
        text += f"_u{w.up}_{w.spine}_S{w.spines}"
    if w.tiers > 2:
        text += f"_L{w.leaves_per_pod}_w{w.spine_up}_{w.core}_G{w.core_groups}_C{w.cores_per_group}"
    return safe(text)


def _chosen(problem: Problem, v: Variables) -> tuple[int, ...]:
    """The candidate of every step, by the largest value of its choice."""
    path = []
    for j in range(len(problem.decides)):
        options = [(float(var.value() or 0.0), -c) for (step, c), var in v.choose.items() if step == j]
        path.append(-max(options)[1])
    return tuple(path)


def _report(outcome: Outcome, kept: Kept, constant_usd: float, built_s: float, count: int) -> SolverReport:
    """The solver's word, with what the bounds already knew.

    A solver that stopped without a point leaves the plan that the bounds started from, and its gap.
    """
    objective = kept.upper_usd + constant_usd if outcome.objective is None else outcome.objective
    bound = min(objective, max(outcome.bound or -inf, kept.lower_usd + constant_usd))
    gap = (objective - bound) / max(abs(objective), 1e-9)
    return SolverReport(
        name=outcome.solver,
        status="optimal" if gap <= RELATIVE_GAP else "feasible",
        objective_usd=objective,
        bound_usd=bound,
        gap=gap,
        seconds=outcome.seconds,
        nodes=outcome.nodes,
        build_seconds=built_s,
        candidates=count,
    )


def _without_design(task: Task, refusal: Refusal, excluded: tuple[str, ...]) -> Plan:
    solver = SolverReport("HiGHS", refusal.status, None, None, None, 0.0)
    return Plan(task.technology, refusal.status, refusal.reason, excluded, solver)
