"""The candidates of which a cheapest plan could be made, found by narrowing what a year may cost.

A year's floor and the cost of a known plan limit what the pieces of any design of that year may cost by
their dual prices (see ``planner.candidates.cost_floors``). The first pass enumerates designs little above the
floors, then twice as much, until they make a plan. What it costs, and what the cheapest design of each year
was seen to cost, raise the floors and set the cutoffs of the next pass; the last one finds everything that a
cheaper plan could use.

Nothing here asks whether the build years have one technology. Where it changes midway a year's floor is that
of its own technology, and a piece's dual price is what the plan's prices over all years make it: then what
was said above holds word for word, and no design of a cheaper plan is left out in either technology.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import inf

import numpy as np

from planner.candidates.budget import UNLIMITED, Budget, BudgetSpentError
from planner.candidates.cost_floors import output_credit_usd
from planner.candidates.design_space import DualPrices, PiecePrice
from planner.candidates.dominance import TooManyWiringsError
from planner.candidates.enumeration import Candidate, SizedWiring
from planner.cost.recabling_cost import least_install_usd, move_rates, move_table
from planner.fabric.demand import YearDemand
from planner.fabric.design import Wiring
from planner.optimize.elimination import dual_prices, eliminate, on_paths_within
from planner.optimize.problem import Remaining
from planner.planning.assemble_problem import assemble_problem, installed_still_serving, unit_cost_from_change
from planner.planning.planning_task import Task
from planner.planning.technology_phases import (
    Phases,
    PricedPhase,
    build_years,
    candidates_of,
    floors_by_year,
    merged,
    phase_at,
    priced_phases,
    sized_wirings_of,
)
from planner.planning.tie_breaking import preference_order

_LOG = logging.getLogger(__name__)
FIRST_SHARE = 0.01  # of a year's floor: how far above it the first designs are looked for
DOUBLINGS = 8  # of that share, before everything is enumerated
MOST_PAIRS = 20_000_000  # of designs in successive years: beyond them parts are counted first
SHARES = (0.25, 1.0)  # of what a known plan leaves above the floors: one pass each


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Candidates in order of preference.

    ``dominated_left_out``: those that another of the same year dominates might spare moves, but are too many.
    ``least_usd``: where the budget ended before all were found, what no plan costs less than, before what
    pieces that are there can save; None where all were found.
    """

    candidates: list[Candidate]
    dominated_left_out: bool = False
    least_usd: float | None = None


@dataclass(frozen=True, slots=True)
class _Shared:
    """What all passes share. ``unfloored_usd``: what every plan pays beyond the floors of its years."""

    task: Task
    phases: tuple[PricedPhase, ...]
    builds: tuple[YearDemand, ...]
    duals: DualPrices
    unfloored_usd: float
    margin: float
    budget: Budget


@dataclass(frozen=True, slots=True)
class _Pass:
    """What is known after a pass, by build year (t).

    No design costs less than ``floors_usd`` by the dual prices; the cheapest that costs no more than
    ``seen_usd`` is in ``found``; every design up to ``complete_usd`` is that the next pass would find.
    """

    found: list[Candidate]
    floors_usd: Mapping[int, float]
    seen_usd: Mapping[int, float]
    complete_usd: Mapping[int, float]
    keep_dominated: bool
    dominated_left_out: bool = False


def narrowed_candidates(
    task: Task,
    phases: Phases,
    margin: float,
    credit_usd: float,
    known: list[Candidate],
    budget: Budget = UNLIMITED,
) -> Narrowed:
    """Every candidate of a cheapest plan, and of plans dearer by ``margin`` of what choices can change.

    ``known``: the designs of a plan that is known already, or none. Where no designs serve every year, all
    candidates that were found, without any cutoff in the years that have none. Where the budget ends once
    there is a plan, those of which it was chosen; raises BudgetSpentError where there is none yet.
    """
    phases = tuple(replace(p, space=replace(p.space, budget=budget)) for p in phases)
    builds = build_years(phases)
    duals = _priced(task, builds, credit_usd)
    shared = _Shared(
        task=task,
        phases=priced_phases(phases, duals),
        builds=builds,
        duals=duals,
        unfloored_usd=_unfloored_usd(task, phases, builds),
        margin=margin,
        budget=budget,
    )
    floors = floors_by_year(shared.phases)
    found, seen = (known, floors) if known else _first_found(shared, floors)
    if not _serve(found, builds):
        return Narrowed(sorted(found, key=preference_order))
    # with one build year nothing moves, and what the first pass had seen is complete
    moves = task.keep_dominated and len(builds) > 1
    state = _Pass(found, floors, seen, {} if moves else seen, keep_dominated=moves)
    for share in SHARES:
        try:
            state = _next_pass(shared, state, share)
        except BudgetSpentError as spent:
            _LOG.info("%s: %s", task.name, spent)
            least = sum(_raised_floors(shared, state).values()) + shared.unfloored_usd
            return Narrowed(sorted(state.found, key=preference_order), state.dominated_left_out, least)
    return Narrowed(sorted(state.found, key=preference_order), state.dominated_left_out)


def _first_found(shared: _Shared, floors: Mapping[int, float]) -> tuple[list[Candidate], Mapping[int, float]]:
    """Designs that serve every year, a little above the floors, and up to what all were enumerated.

    A year without any fat-tree (an infinite floor) has none; then those of the others say which year it is.
    """
    seen, found = {t: -inf for t in floors}, list[Candidate]()
    for doubling in range(DOUBLINGS + 1):
        unserved = [y.t for y in shared.builds if floors[y.t] < inf and not _serve(found, (y,))]
        if not unserved:
            break
        share = FIRST_SHARE * 2**doubling if doubling < DOUBLINGS else inf
        seen |= {t: floors[t] + abs(floors[t]) * share if share < inf else inf for t in unserved}
        cutoff = {t: seen[t] if t in unserved else -inf for t in floors}
        found = _enumerated(shared, cutoff, found, keep_dominated=False)
    return found, seen


def _next_pass(shared: _Shared, before: _Pass, share: float) -> _Pass:
    """A pass over the designs up to a share of what the best plan found leaves above the floors. Raises
    BudgetSpentError."""
    problem = assemble_problem(shared.task, before.found, shared.builds, credit_usd=shared.duals.credit_usd)
    plan = eliminate(problem, shared.margin, shared.budget)
    floors = _raised_floors(shared, before)
    most_usd = _most_usd(plan) - shared.unfloored_usd
    cutoff = {t: usd + share * (most_usd - sum(floors.values())) for t, usd in floors.items()}
    if all(cutoff[t] <= before.complete_usd.get(t, -inf) for t in cutoff):
        return replace(before, floors_usd=floors)
    # a known plan's designs stay in the years that they were found for, whatever the cutoffs say now
    own = [before.found[c] for c in dict.fromkeys(plan.path)]
    keep_dominated, left_out = before.keep_dominated, before.dominated_left_out
    try:
        found = _enumerated(shared, cutoff, own, keep_dominated=keep_dominated, most_usd=most_usd)
    except TooManyWiringsError:
        keep_dominated, left_out = False, True
        found = _enumerated(shared, cutoff, own, keep_dominated=False, most_usd=most_usd)
    return _Pass(found, floors, cutoff, cutoff, keep_dominated, left_out)


def _enumerated(
    shared: _Shared,
    cutoff: Mapping[int, float],
    known: Iterable[Candidate],
    *,
    keep_dominated: bool,
    most_usd: float = inf,
) -> list[Candidate]:
    """The known candidates, and those within the cutoff of some year and part of a plan of ``most_usd`` or
    less."""
    phases = tuple(
        replace(p, space=replace(p.space, cutoff_usd=cutoff, keep_dominated=keep_dominated))
        for p in shared.phases
    )
    rows = sized_wirings_of(phases)
    if most_usd < inf:
        rows = _in_plans_within(shared, rows, most_usd)
    return merged([*known, *candidates_of(phases, rows)])


def _in_plans_within(shared: _Shared, rows: list[SizedWiring], most_usd: float) -> list[SizedWiring]:
    """The wirings through which a plan may stay within ``most_usd``: floors for what their pieces cost, moves
    as they are. Each keeps the years in which that is so."""
    builds = shared.builds
    moves = move_table(rows, builds, move_rates(shared.task.tariff))
    bounds = []
    for year in builds:
        usd = [_floor_without_labour(shared.duals, row, year) if year.t in row.built else inf for row in rows]
        bounds.append(np.array(usd, dtype=np.float64))
    bounds[0] += moves.first_usd()
    shared.budget.check(f"comparing {len(rows):,} fat-trees")
    finite = [np.flatnonzero(np.isfinite(b)).astype(np.int64) for b in bounds]
    if sum(len(a) * len(b) for a, b in pairwise(finite)) > MOST_PAIRS:
        return rows
    left = [set(r.tolist()) for r in on_paths_within(moves.arc_usd, bounds, finite, most_usd)]
    narrowed = []
    for i, row in enumerate(rows):
        built = {y.t: row.built[y.t] for y, here in zip(builds, left, strict=True) if i in here}
        if built:
            narrowed.append(replace(row, built=built))
    return narrowed


def _floor_without_labour(duals: DualPrices, row: SizedWiring, year: YearDemand) -> float:
    """The floor under a wiring's pieces without the labour of its links, which the moves hold."""
    sized = row.built[year.t]
    links = sized.size.leaf_spine_links + sized.size.spine_core_links
    return sized.floor_usd - _labour_usd(duals, row.wiring, sized.size.endpoints, links, year)


def _labour_usd(
    duals: DualPrices, wiring: Wiring, endpoints: int, switch_links: int, year: YearDemand
) -> float:
    """The least labour (USD) of links that the last build year is charged with, all copies."""
    if year.t != duals.last_t:
        return 0.0
    return (endpoints + switch_links * wiring.uplink_factor) * wiring.copies * duals.install_usd


def _serve(found: list[Candidate], builds: Iterable[YearDemand]) -> bool:
    """Whether every build year has a design."""
    return all(any(y.t in c.built for c in found) for y in builds)


def _raised_floors(shared: _Shared, before: _Pass) -> dict[int, float]:
    """Higher floors: what costs less than ``seen_usd`` has been found, so that a year's cheapest design costs
    what the cheapest found one does, or as much as has been seen."""
    least = {
        y.t: min(_dual_cost_usd(shared, c, y) for c in before.found if y.t in c.built) for y in shared.builds
    }
    return {t: max(usd, min(before.seen_usd[t], least[t])) for t, usd in before.floors_usd.items()}


def _dual_cost_usd(shared: _Shared, candidate: Candidate, year: YearDemand) -> float:
    """What a floor bounds from below (USD, present worth): a candidate's pieces in a build year at their dual
    prices, the labour that every link of the last one takes, less the credit for its output."""
    built, duals = candidate.built[year.t], shared.duals
    usd = sum(n * duals.piece_usd(sku, year.t) for sku, n in built.need.items())
    usd += _labour_usd(duals, candidate.wiring, built.size.endpoints, built.size.switch_links, year)
    return usd - output_credit_usd(shared.phases[0].space, candidate.wiring, year)


def _most_usd(plan: Remaining) -> float:
    """The most (USD) that a plan worth looking at costs, before what pieces that are there can save."""
    return plan.upper_usd - plan.stock_usd + plan.cushion_usd


def _unfloored_usd(task: Task, phases: Phases, builds: tuple[YearDemand, ...]) -> float:
    """What every plan pays (USD, present worth) beyond the floors for NICs that a later technology prices
    higher: floors take them all as if they were bought before the change, which only those can be that serve
    before it (``planner.planning.assemble_problem``). Spares are at most as many again, and counted where
    that is less."""
    total, most = 0.0, dict[str, int]()
    for year, in_service in _years_in_service(builds, task.scenario.finance.horizon_years):
        found: dict[str, list[int]] = {}
        for a in phase_at(phases, year.t).attachments:
            found.setdefault(a.nic.id, []).append(year.site_nodes * a.base.sites * a.nics_per_node)
        for sku, numbers in found.items():
            change_t = task.tariff.dearer_from(sku)
            if change_t is None:
                continue
            if year.t < change_t:
                most[sku] = max(most.get(sku, 0), *numbers)
                continue
            own = dual_prices(task.tariff.unit_cost(sku))
            later = dual_prices(unit_cost_from_change(task.tariff, sku))
            more = sum(later[t] - own[t] for t in in_service)
            least = min(numbers) if len(found) == 1 else 0
            known = max(most.get(sku, 0), installed_still_serving(task, sku, change_t))
            total += more * (max(0, least - known) if more > 0 else 2 * max(numbers))
    return total


def _years_in_service(builds: tuple[YearDemand, ...], horizon: int) -> list[tuple[YearDemand, range]]:
    """Each build year with the years (t) in which its design is in service."""
    ends = [*(y.t for y in builds[1:]), horizon]
    return [(year, range(year.t, end)) for year, end in zip(builds, ends, strict=True)]


def _priced(task: Task, builds: tuple[YearDemand, ...], credit_usd: float) -> DualPrices:
    """Dual prices of a plan whose designs are in service up to the next build year."""
    in_service = _years_in_service(builds, task.scenario.finance.horizon_years)
    return DualPrices(
        piece_usd=piece_price(task, {year.t: years for year, years in in_service}),
        last_t=builds[-1].t,
        install_usd=least_install_usd(move_rates(task.tariff)),
        credit_usd=credit_usd,
    )


def piece_price(task: Task, in_service: Mapping[int, range]) -> PiecePrice:
    """Rent and running cost (USD, present worth) of a piece over the years (t) in which the design of a build
    year is in service."""

    @cache
    def usd(sku: str, t: int) -> float:
        unit = task.tariff.unit_cost(sku)
        rent = dual_prices(unit)
        return sum(rent[x] + unit.opex_npv_usd(x) for x in in_service[t])

    return usd
