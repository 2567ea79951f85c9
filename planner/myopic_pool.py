"""The fat-trees that a planner who does not look ahead chooses from in one build year."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf

from planner.candidates import Candidate, candidates, serving
from planner.cost_bound import Budget, Worth
from planner.demand import Variant, YearDemand
from planner.design import Wiring
from planner.move_cost import move_rates
from planner.optimize.bounds import rents
from planner.search import Search
from planner.task import Task
from planner.ties import taste
from planner.trunks import all_trunks, least_floors

FIRST_ROOM = 0.01  # above the year's floor, as a share of it: what is looked at first
DOUBLINGS = 10  # of that room, before everything is looked at


@dataclass(frozen=True, slots=True)
class YearPool:
    """Everything of one build year. ``before``: the build years up to this one."""

    task: Task
    search: Search
    before: tuple[YearDemand, ...]

    @property
    def year(self) -> YearDemand:
        """The build year."""
        return self.before[-1]

    def known(self, wirings: Iterable[Wiring]) -> list[Candidate]:
        """Designs that are there, or known from elsewhere, at the size of the year."""
        rows = ((w, _variant_of(self.task.ways.found, w)) for w in dict.fromkeys(wirings))
        made = (serving(self.search, w, variant, (self.year,)) for w, variant in rows if variant)
        return [c for c in made if c is not None]

    def all_within(
        self, known: Sequence[Candidate], limit_of: Callable[[list[Candidate]], float]
    ) -> list[Candidate]:
        """The year's own fat-trees, and ``known``, in order of taste: all that can be the cheapest.

        ``limit_of``: what the pieces of the cheapest may be worth at most, given some candidates;
        infinite where none of them will do.
        """
        years = self.before[-2:]
        budget = self._budget({})
        search = replace(self.search, budget=budget)
        over = all_trunks(search, self.task.ways.found, years)
        floor = least_floors(search, over, years)[self.year.t]
        room = FIRST_ROOM * abs(floor)
        for _ in range(DOUBLINGS if floor < inf else 0):
            near = floor + room
            found = self._merged(known, candidates(self._limited(near), over, years))
            limit = limit_of(found) if found else inf
            if limit <= near:
                return found
            if limit < inf:
                return self._merged(known, candidates(self._limited(limit), over, years))
            room *= 2.0
        return self._merged(known, candidates(self.search, over, years))

    def _limited(self, limit_usd: float) -> Search:
        """Designs of the year up to a limit; of the build year before it none."""
        limits = {y.t: -inf for y in self.before[:-1]} | {self.year.t: limit_usd}
        return replace(self.search, budget=self._budget(limits))

    def _budget(self, limit: dict[int, float]) -> Budget:
        first = len(self.before) == 1  # later, links that are there take no labour
        install = move_rates(self.task.tariff).install_usd[self.year.t] if first else 0.0
        return Budget(_worth(self.task), limit, self.year.t, install)

    def _merged(self, known: Sequence[Candidate], found: Sequence[Candidate]) -> list[Candidate]:
        t = self.year.t
        rows = {c.wiring: c for c in known}
        for c in found:
            if t in c.built:
                rows.setdefault(c.wiring, replace(c, built={t: c.built[t]}))
        return sorted(rows.values(), key=taste)


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
