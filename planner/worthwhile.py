"""The candidates of which a cheapest plan could be made, found by narrowing what a year may cost.

A year's floor and the cost of a known plan limit what any design of that year may be worth (see
``planner.cost_bound``). Designs little above the floors are looked at first, then twice as much, until they
make a plan. What it costs, and what the cheapest design of each year was seen to be worth, are the limits
of the next look; the last one finds everything that a cheaper plan could use.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import inf

from planner.candidates import Candidate, candidates, least_worth
from planner.cost_bound import Budget, Worth
from planner.demand import YearDemand
from planner.move_cost import least_install_usd, move_rates
from planner.optimize.bounds import keep, rents
from planner.optimize.problem import Kept
from planner.problem_of import problem_of
from planner.search import Search
from planner.task import Task
from planner.ties import taste
from planner.trunks import all_trunks, least_floors

FIRST_ROOM = 0.01  # above a year's floor, as a share of it: what is looked at for a first plan
DOUBLINGS = 8  # of that room, before everything is looked at
SHARES = (0.25, 1.0)  # of the room between the floors and a known plan: one look each


def worthwhile(
    task: Task,
    search: Search,
    years: tuple[YearDemand, ...],
    margin: float,
    credit_usd: float,
    own: list[Candidate],
) -> list[Candidate]:
    """Every candidate that a plan up to ``margin`` above the cheapest one could be made of.

    ``own``: the designs of a plan that is known already, or none. Where no designs serve every year, all
    candidates, without any limit.
    """
    builds = tuple(y for y in years if y.decides)
    budget = Budget(
        worth=_worth(task, builds),
        limit={},
        last_t=builds[-1].t,
        install_usd=least_install_usd(move_rates(task.tariff)),
        credit_usd=credit_usd,
    )
    search = replace(search, budget=budget)
    over = all_trunks(search, task.ways.found, builds)
    floors = least_floors(search, over, builds)

    def look(how: Search, limit: dict[int, float], plan: list[Candidate]) -> list[Candidate]:
        return _with(plan, candidates(replace(how, budget=replace(budget, limit=limit)), over, years))

    def known(found: list[Candidate]) -> Kept:
        return keep(problem_of(task, found, builds, credit_usd=credit_usd), margin)

    found, seen = own, floors
    for doubling in range(0 if own or max(floors.values()) == inf else DOUBLINGS):
        seen = {t: usd + abs(usd) * FIRST_ROOM * 2**doubling for t, usd in floors.items()}
        found = look(search, seen, own)
        if _serve(found, builds):
            break
    if not _serve(found, builds):
        found, seen = candidates(replace(search, budget=None), over, years), floors
    if not _serve(found, builds):
        return sorted(found, key=taste)
    thorough, complete = replace(search, every_move=len(builds) > 1), seen if len(builds) == 1 else {}
    for share in SHARES:
        plan = known(found)
        floors = _raised(search, floors, seen, found, builds)
        limit = {t: usd + share * (_most_usd(plan) - sum(floors.values())) for t, usd in floors.items()}
        if any(limit[t] > complete.get(t, -inf) for t in limit):
            found = look(thorough, limit, [found[c] for c in dict.fromkeys(plan.path)])
            seen = complete = limit
    return sorted(found, key=taste)


def _serve(found: list[Candidate], builds: tuple[YearDemand, ...]) -> bool:
    """Whether every build year has a design."""
    return all(any(y.t in c.built for c in found) for y in builds)


def _raised(
    search: Search,
    floors: dict[int, float],
    seen: dict[int, float],
    found: list[Candidate],
    builds: tuple[YearDemand, ...],
) -> dict[int, float]:
    """Higher floors: whatever is worth less than ``seen`` has been found, so that a year's cheapest design
    is worth what the cheapest found one is, or as much as has been seen."""
    least = {y.t: min(least_worth(search, c, y) for c in found if y.t in c.built) for y in builds}
    return {t: max(usd, min(seen[t], least[t])) for t, usd in floors.items()}


def _most_usd(known: Kept) -> float:
    """The most (USD) that a plan worth looking at costs, before what pieces that are there can save."""
    return known.upper_usd - known.stock_usd + known.cushion_usd


def _with(own: list[Candidate], found: list[Candidate]) -> list[Candidate]:
    """A known plan's designs stay in the years that they were found for, whatever the limits say now."""
    rows = {c.wiring: c for c in own}
    for c in found:
        known = rows.get(c.wiring)
        rows[c.wiring] = replace(c, built={**known.built, **c.built}) if known else c
    return list(rows.values())


def _worth(task: Task, builds: tuple[YearDemand, ...]) -> Worth:
    """Rent and running cost (USD, present worth) of a piece over the span of a build year."""
    ends = [*(y.t for y in builds[1:]), task.scenario.finance.horizon_years]
    spans = {y.t: range(y.t, end) for y, end in zip(builds, ends, strict=True)}

    @cache
    def worth(sku: str, t: int) -> float:
        unit = task.tariff.unit_cost(sku)
        rent = rents(unit)
        return sum(rent[x] + unit.opex_npv_usd(x) for x in spans[t])

    return worth
