"""The candidates of which a cheapest plan could be made, found by narrowing what a year may cost.

A year's floor and the cost of a known plan limit what any design of that year may be worth (see
``planner.candidates.cost_floors``). Designs little above the floors are looked at first, then twice as
much, until they make a plan. What it costs, and what the cheapest design of each year was seen to be worth,
are the limits of the next look; the last one finds everything that a cheaper plan could use.

Nothing here asks whether the build years have one technology. Where it changes midway a year's floor is that
of its own technology, and pieces are worth what the plan's prices over all years make them: then what was
said above holds word for word, and no design of a cheaper plan is passed over in either technology.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import inf

import numpy as np

from planner.candidates.cost_floors import DualPrices, PiecePrice
from planner.candidates.design_space import DesignSpace
from planner.candidates.dominance import TooManyWiringsError
from planner.candidates.enumeration import Candidate, SizedWiring, dual_cost_usd
from planner.candidates.switch_sets import SwitchSets
from planner.cost.recabling_cost import MoveTable, least_install_usd, move_rates
from planner.fabric.demand import YearDemand
from planner.optimize.elimination import dual_prices, eliminate, on_paths_within
from planner.optimize.problem import LATER, Remaining
from planner.planning.phases import (
    Phases,
    candidates_of_phases,
    floors_by_year,
    merged,
    phase_at,
    switch_sets_of,
    with_spaces,
)
from planner.planning.problem_data import assemble_problem, installed_still_serving, unit_of
from planner.planning.task import Task
from planner.planning.tie_breaking import preference_order

FIRST_ROOM = 0.01  # above a year's floor, as a share of it: what is looked at for a first plan
DOUBLINGS = 8  # of that room, before everything is looked at
MOST_PAIRS = 20_000_000  # of designs in successive years: beyond them parts are counted first
SHARES = (0.25, 1.0)  # of the room between the floors and a known plan: one look each


@dataclass(frozen=True, slots=True)
class _Ground:
    """What every look shares."""

    task: Task
    years: tuple[YearDemand, ...]
    duals: DualPrices
    over: tuple[SwitchSets, ...]  # by span
    margin: float

    @property
    def builds(self) -> tuple[YearDemand, ...]:
        """The build years."""
        return tuple(y for y in self.years if y.decides)

    def look(
        self, phases: Phases, limit: dict[int, float], own: list[Candidate], most_usd: float = inf
    ) -> list[Candidate]:
        """What is worth no more than ``limit`` in some year, and part of a plan of ``most_usd`` or less."""

        def narrow(sized_wirings: list[SizedWiring]) -> list[SizedWiring]:
            return sized_wirings if most_usd == inf else _within(self, sized_wirings, most_usd)

        duals = replace(self.duals, limit=limit)
        bounded = with_spaces(phases, lambda space: replace(space, duals=duals))
        # a known plan's designs stay in the years that they were found for, whatever the limits say now
        return merged([*own, *candidates_of_phases(bounded, self.over, self.years, narrow)])

    def known(self, found: list[Candidate]) -> Remaining:
        """A good plan of what was found."""
        problem = assemble_problem(self.task, found, self.builds, credit_usd=self.duals.credit_usd)
        return eliminate(problem, self.margin)


def narrowed_candidates(
    task: Task,
    phases: Phases,
    years: tuple[YearDemand, ...],
    margin: float,
    credit_usd: float,
    own: list[Candidate],
) -> tuple[list[Candidate], bool]:
    """Every candidate that a plan up to ``margin`` above the cheapest one could be made of, and whether those
    that another of the same year beats had to be left out, since there are too many.

    ``own``: the designs of a plan that is known already, or none. Where no designs serve every year, all
    candidates, without any limit.
    """
    builds = tuple(y for y in years if y.decides)
    install_usd = least_install_usd(move_rates(task.tariff))
    duals = DualPrices(_worth(task, builds), {}, builds[-1].t, install_usd, credit_usd)
    phases = with_spaces(phases, lambda space: replace(space, duals=duals))
    ground = _Ground(task, years, duals, switch_sets_of(phases, builds), margin)
    floors = floors_by_year(phases, ground.over, builds)
    beyond = _beyond_usd(task, phases, builds)
    found, seen = (own, floors) if own else _first(ground, phases, floors)
    if not _serve(found, builds):
        return sorted(found, key=preference_order), False
    # with one build year nothing moves, and what the first look had seen is complete
    every = task.keep_dominated and len(builds) > 1
    thorough = with_spaces(phases, lambda space: replace(space, keep_dominated=every))
    complete, left_out = {} if every else seen, False
    for share in SHARES:
        plan = ground.known(found)
        floors = _raised(phases[0].space, floors, seen, found, builds)
        most = _most_usd(plan) - beyond
        limit = {t: usd + share * (most - sum(floors.values())) for t, usd in floors.items()}
        if any(limit[t] > complete.get(t, -inf) for t in limit):
            own = [found[c] for c in dict.fromkeys(plan.path)]
            try:
                found = ground.look(thorough, limit, own, most)
            except TooManyWiringsError:
                thorough, left_out = phases, True
                found = ground.look(phases, limit, own, most)
            seen = complete = limit
    return sorted(found, key=preference_order), left_out


def _first(
    ground: _Ground, phases: Phases, floors: dict[int, float]
) -> tuple[list[Candidate], dict[int, float]]:
    """Designs that serve every year, a little above the floors, and up to what all were looked at.

    A year without any fat-tree (an infinite floor) has none; then those of the others say which year it is.
    """
    seen, found = {t: -inf for t in floors}, list[Candidate]()
    for doubling in range(DOUBLINGS + 1):
        open_ = [y.t for y in ground.builds if floors[y.t] < inf and not _serve(found, (y,))]
        if not open_:
            break
        room = FIRST_ROOM * 2**doubling
        seen |= {t: floors[t] + abs(floors[t]) * room if doubling < DOUBLINGS else inf for t in open_}
        limit = {t: seen[t] if t in open_ else -inf for t in floors}
        found = ground.look(phases, limit, found)
    return found, seen


def _within(ground: _Ground, sized_wirings: list[SizedWiring], most_usd: float) -> list[SizedWiring]:
    """The shapes through which a plan may stay within ``most_usd``: floors for what their pieces are worth,
    moves as they are. Each keeps the years in which that is so."""
    builds = ground.builds
    moves = MoveTable(sized_wirings, builds, move_rates(ground.task.tariff))
    bounds = []
    for year in builds:
        usd = [_bare_floor(ground.duals, s, year) if year.t in s.built else inf for s in sized_wirings]
        bounds.append(np.array(usd, dtype=np.float64))
    bounds[0] += moves.first_usd()
    rows = [np.flatnonzero(np.isfinite(b)).astype(np.int64) for b in bounds]
    if sum(len(a) * len(b) for a, b in pairwise(rows)) > MOST_PAIRS:
        return sized_wirings
    kept = on_paths_within(moves.arc_usd, bounds, rows, most_usd)
    years = [set(k.tolist()) for k in kept]
    narrowed = []
    for i, sized_wiring in enumerate(sized_wirings):
        served = {y.t: sized_wiring.built[y.t] for y, k in zip(builds, years, strict=True) if i in k}
        if served:
            narrowed.append(replace(sized_wiring, built=served))
    return narrowed


def _bare_floor(duals: DualPrices, sized_wiring: SizedWiring, year: YearDemand) -> float:
    """The floor under a shape's pieces without the labour of its links, which the moves hold."""
    sized, wiring = sized_wiring.built[year.t], sized_wiring.wiring
    if year.t != duals.last_t:
        return sized.floor_usd
    size = sized.size
    above = (size.leaf_spine_links + size.spine_core_links) * wiring.uplink_factor
    return sized.floor_usd - (size.endpoints + above) * wiring.copies * duals.install_usd


def _serve(found: list[Candidate], builds: tuple[YearDemand, ...]) -> bool:
    """Whether every build year has a design."""
    return all(any(y.t in c.built for c in found) for y in builds)


def _raised(
    space: DesignSpace,
    floors: dict[int, float],
    seen: dict[int, float],
    found: list[Candidate],
    builds: tuple[YearDemand, ...],
) -> dict[int, float]:
    """Higher floors: whatever is worth less than ``seen`` has been found, so that a year's cheapest design
    is worth what the cheapest found one is, or as much as has been seen."""
    least = {y.t: min(dual_cost_usd(space, c, y) for c in found if y.t in c.built) for y in builds}
    return {t: max(usd, min(seen[t], least[t])) for t, usd in floors.items()}


def _most_usd(known: Remaining) -> float:
    """The most (USD) that a plan worth looking at costs, before what pieces that are there can save."""
    return known.upper_usd - known.stock_usd + known.cushion_usd


def _beyond_usd(task: Task, phases: Phases, builds: tuple[YearDemand, ...]) -> float:
    """What every plan pays (USD, present worth) beyond the floors for NICs that a later technology prices
    higher: floors take them all as if they were bought before the change, which only those can be that serve
    before it (``planner.planning.problem_data``). Spares are at most as many again, and counted where that is
    less."""
    total, most = 0.0, dict[str, int]()
    ends = [*(y.t for y in builds[1:]), task.scenario.finance.horizon_years]
    for year, end in zip(builds, ends, strict=True):
        found: dict[str, list[int]] = {}
        for v in phase_at(phases, year.t).attachments:
            found.setdefault(v.nic.id, []).append(year.site_nodes * v.base.sites * v.nics_per_node)
        for sku, numbers in found.items():
            change_t = task.tariff.dearer_from(sku)
            if change_t is None:
                continue
            if year.t < change_t:
                most[sku] = max(most.get(sku, 0), *numbers)
                continue
            own = dual_prices(task.tariff.unit_cost(sku))
            later = dual_prices(unit_of(task.tariff, sku + LATER))
            more = sum(later[t] - own[t] for t in range(year.t, end))
            least = min(numbers) if len(found) == 1 else 0
            known = max(most.get(sku, 0), installed_still_serving(task, sku, change_t))
            total += more * (max(0, least - known) if more > 0 else 2 * max(numbers))
    return total


def _worth(task: Task, builds: tuple[YearDemand, ...]) -> PiecePrice:
    """Rent and running cost (USD, present worth) of a piece over the span of a build year."""
    ends = [*(y.t for y in builds[1:]), task.scenario.finance.horizon_years]
    phases = {y.t: range(y.t, end) for y, end in zip(builds, ends, strict=True)}

    @cache
    def piece_usd(sku: str, t: int) -> float:
        unit = task.tariff.unit_cost(sku)
        rent = dual_prices(unit)
        return sum(rent[x] + unit.opex_npv_usd(x) for x in phases[t])

    return piece_usd
