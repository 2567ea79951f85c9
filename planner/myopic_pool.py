"""The fat-trees that a planner who does not look ahead chooses from in each build year."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import inf

from planner.candidates import Candidate, candidates, serving
from planner.cost_bound import Budget, Worth
from planner.demand import Variant, YearDemand
from planner.design import Wiring
from planner.optimize.bounds import rents
from planner.search import Search
from planner.task import Task
from planner.ties import taste
from planner.trunks import Trunks, all_trunks, least_floors

FIRST_ROOM = 0.01  # above the year's floor, as a share of it: what is looked at first
DOUBLINGS = 10  # of that room, before everything is looked at


@dataclass(frozen=True)
class Pool:
    """The fat-trees of every build year, enumerated one year at a time."""

    task: Task
    search: Search
    builds: tuple[YearDemand, ...]

    @cached_property
    def _ways(self) -> tuple[Variant, ...]:
        return self.task.ways.found

    @cached_property
    def _budget(self) -> Budget:
        """What pieces are worth to the end of the horizon; links that are there take no labour."""
        return Budget(_worth(self.task), {}, self.builds[-1].t, 0.0)

    @cached_property
    def _over(self) -> Trunks:
        return all_trunks(replace(self.search, budget=self._budget), self._ways, self.builds)

    @cached_property
    def _floors(self) -> dict[int, float]:
        return least_floors(replace(self.search, budget=self._budget), self._over, self.builds)

    def known(self, year: YearDemand, wirings: Iterable[Wiring]) -> list[Candidate]:
        """Designs that are there, or known from elsewhere, at the size of a build year."""
        rows = ((w, _variant_of(self._ways, w)) for w in dict.fromkeys(wirings))
        made = (serving(self.search, w, variant, (year,)) for w, variant in rows if variant)
        return [c for c in made if c is not None]

    def all_within(
        self, year: YearDemand, known: Sequence[Candidate], limit_of: Callable[[list[Candidate]], float]
    ) -> list[Candidate]:
        """A build year's own fat-trees, and ``known``, in order of taste: all that can be the cheapest.

        ``limit_of``: what the pieces of the cheapest may be worth at most, given some candidates;
        infinite where none of them will do.
        """
        floor = self._floors[year.t]
        for doubling in range(DOUBLINGS if floor < inf else 0):
            near = floor + FIRST_ROOM * 2**doubling * abs(floor)
            found = _merged(year, known, self._look(year, near, every_move=False))
            limit = limit_of(found) if found else inf
            if limit < inf:
                return _merged(year, known, self._look(year, limit, every_move=len(self.builds) > 1))
        return _merged(year, known, candidates(self.search, self._over, self.builds))

    def _look(self, year: YearDemand, limit_usd: float, every_move: bool) -> list[Candidate]:
        budget = replace(self._budget, limit=limits_of(self.builds, year, limit_usd))
        return candidates(replace(self.search, budget=budget, every_move=every_move), self._over, self.builds)


def _merged(year: YearDemand, known: Sequence[Candidate], found: Sequence[Candidate]) -> list[Candidate]:
    """Each wiring once, at the size of the year only."""
    t, rows = year.t, {c.wiring: c for c in known}
    for c in found:
        if t in c.built:
            rows.setdefault(c.wiring, replace(c, built={t: c.built[t]}))
    return sorted(rows.values(), key=taste)


def limits_of(years: Sequence[YearDemand], year: YearDemand, limit_usd: float) -> dict[int, float]:
    """What designs may be worth: those of a year up to a limit, of the others none."""
    return {y.t: limit_usd if y.t == year.t else -inf for y in years}


def _variant_of(variants: Sequence[Variant], wiring: Wiring) -> Variant | None:
    """The way to use the nodes' ports that a wiring is of."""
    names = ("planes", "nic_port_split", "nic_ports_per_node", "link_gbps", "rail_optimised", "nic")
    return next((v for v in variants if all(getattr(v.base, n) == getattr(wiring, n) for n in names)), None)


def _worth(task: Task) -> Worth:
    """Rent and running cost (USD, present worth) of a piece from a year to the end of the horizon."""

    @cache
    def worth(sku: str, t: int) -> float:
        unit = task.tariff.unit_cost(sku)
        rent = rents(unit)
        return sum(rent[s] + unit.opex_npv_usd(s) for s in range(t, unit.horizon))

    return worth
