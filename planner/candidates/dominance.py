"""A set of fat-trees of one set of switch models, from which the dominated ones are dropped.

One build year, prices not below 0: a wiring that takes no less of any part than another of the same models,
and more of something, is no cheaper. With more build years what takes more in one may spare moves in the
next: then all are kept, and only what costs too much is left out (``planner.candidates.cost_floors``).
Nothing is dropped by a limit on how many are enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import NamedTuple

from planner.fabric.design import Wiring

MOST_WIRINGS = 6000  # where all are kept: their moves are compared pair by pair
_ANY = (Fraction(0), Fraction(0))


class TierCounts(NamedTuple):
    """What a wiring takes in one plane; a link has two ends."""

    leaves: int
    leaf_spine_ends: int
    spines: int
    spine_core_ends: int
    cores: int


@dataclass(frozen=True, slots=True)
class CountedWiring:
    """A wiring with what it takes: ``least`` counts link ends, ``most`` also the ports of a module that
    stay dark where a switch's links do not fill it. Its modules lie between."""

    least: TierCounts
    most: TierCounts
    wiring: Wiring


class TooManyWiringsError(Exception):
    """More wirings than can be compared move by move."""


class ParetoSet:
    """Wirings that no other of the same bundle kind dominates: no more of any part, and less of something.

    One dominates another where even its rounded-up modules are no more than the other's without rounding.
    Equals stay: they differ in how their links run, which decides what a later year must move.
    ``by_bundle`` is False where every bundle would be made of the same cables: then there is one kind.
    ``by_ratio``: wirings of other oversubscription deliver another output, and are not compared.
    ``keep_dominated``: nothing is compared and all is kept; TooManyWiringsError where that is too much.
    """

    def __init__(
        self, *, by_bundle: bool = False, by_ratio: bool = False, keep_dominated: bool = False
    ) -> None:
        self.by_bundle, self.by_ratio, self.keep_dominated = by_bundle, by_ratio, keep_dominated
        self._members: dict[tuple[int, Fraction, Fraction], list[CountedWiring]] = {}

    @property
    def compares_all(self) -> bool:
        """Whether every member is compared with every other."""
        return not (self.by_bundle or self.by_ratio or self.keep_dominated)

    def members(self, pair: int, ratios: tuple[Fraction, Fraction] = _ANY) -> list[CountedWiring]:
        """The members of the kind of ``pair`` links a bundle, of a leaf and a spine ratio."""
        key = bundle_kind(pair) if self.by_bundle else 0, *(ratios if self.by_ratio else _ANY)
        return self._members.setdefault(key, [])

    def dominates(self, least: TierCounts, pair: int, ratios: tuple[Fraction, Fraction] = _ANY) -> bool:
        """Whether some member takes no more of any part and less of something."""
        return not self.keep_dominated and any(
            e.most != least and _no_more(e.most, least) for e in self.members(pair, ratios)
        )

    def add(self, counted: CountedWiring) -> None:
        """Takes a wiring in unless it is dominated; drops those that it dominates."""
        wiring, most = counted.wiring, counted.most
        kind = wiring.links_per_pair, (wiring.oversubscription, wiring.spine_oversubscription)
        members = self.members(*kind)
        if self.keep_dominated:
            if len(members) >= MOST_WIRINGS:
                raise TooManyWiringsError
            members.append(counted)
        elif not self.dominates(counted.least, *kind):
            members[:] = [e for e in members if e.least == most or not _no_more(most, e.least)] + [counted]

    def copy(self) -> ParetoSet:
        """Another set that starts with the members of this one."""
        twin = ParetoSet(by_bundle=self.by_bundle, by_ratio=self.by_ratio, keep_dominated=self.keep_dominated)
        twin._members = {kind: list(members) for kind, members in self._members.items()}
        return twin

    def wirings(self) -> Iterator[Wiring]:
        """The members' wirings."""
        for members in self._members.values():
            yield from (e.wiring for e in members)


def _no_more(a: TierCounts, b: TierCounts) -> bool:
    return a[0] <= b[0] and a[1] <= b[1] and a[2] <= b[2] and a[3] <= b[3] and a[4] <= b[4]


def bundle_kind(links_per_pair: int) -> int:
    """What of a bundle's size decides which cables can carry it: by fours, by twos, singly.

    >>> [bundle_kind(m) for m in (1, 2, 3, 4, 6)]
    [1, 2, 1, 4, 2]
    """
    return gcd(links_per_pair, 4)
