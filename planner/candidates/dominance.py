"""A set of fat-trees of one set of switch models, from which the beaten ones are dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from planner.fabric.design import Wiring

MOST_WIRINGS = 6000  # wirings where all are kept: their moves are compared pair by pair
_ANY = (Fraction(0), Fraction(0))

# leaves, link ends leaf-spine (two a link), spines, link ends spine-core, cores
TierCounts = tuple[int, int, int, int, int]


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
    """Wirings that no other of the same bundle kind beats: no more of any part, and less of something.

    One beats another where even its rounded-up modules are no more than the other's without rounding.
    Equals stay: they differ in how their links run, which decides what a later year must move.
    ``by_bundle`` is False where every bundle would be made of the same cables: then there is one kind.
    ``by_ratio``: wirings of other oversubscription deliver another output, and are not compared.
    ``keep_dominated``: nothing is compared and all is kept; TooManyError where that is too much.
    """

    def __init__(
        self, *, by_bundle: bool = False, by_ratio: bool = False, keep_dominated: bool = False
    ) -> None:
        self.by_bundle, self.by_ratio, self.keep_dominated = by_bundle, by_ratio, keep_dominated
        self._kept: dict[tuple[int, Fraction, Fraction], list[CountedWiring]] = {}

    @property
    def compares_all(self) -> bool:
        """Whether everything kept is compared with everything."""
        return not (self.by_bundle or self.by_ratio or self.keep_dominated)

    def members(self, pair: int, ratios: tuple[Fraction, Fraction] = _ANY) -> list[CountedWiring]:
        """What is kept of the kind of ``pair`` links a bundle, of a leaf and a spine ratio."""
        key = bundle_kind(pair) if self.by_bundle else 0, *(ratios if self.by_ratio else _ANY)
        return self._kept.setdefault(key, [])

    def dominated(self, least: TierCounts, pair: int, ratios: tuple[Fraction, Fraction] = _ANY) -> bool:
        """Whether something kept takes no more of any part and less of something."""
        return not self.keep_dominated and any(
            e.most != least and _no_more(e.most, least) for e in self.members(pair, ratios)
        )

    def add(self, entry: CountedWiring) -> None:
        """Keeps a wiring unless beaten; drops those that it beats."""
        wiring = entry.wiring
        kind = wiring.links_per_pair, (wiring.oversubscription, wiring.spine_oversubscription)
        if self.keep_dominated and len(self.members(*kind)) >= MOST_WIRINGS:
            raise TooManyWiringsError
        if not self.dominated(entry.least, *kind):
            members = self.members(*kind)
            most = entry.most
            if self.keep_dominated:
                members.append(entry)
                return
            members[:] = [e for e in members if e.least == most or not _no_more(most, e.least)] + [entry]

    def copy(self) -> ParetoSet:
        """Another frontier that starts with what is kept here."""
        twin = ParetoSet(by_bundle=self.by_bundle, by_ratio=self.by_ratio, keep_dominated=self.keep_dominated)
        twin._kept = {kind: list(members) for kind, members in self._kept.items()}
        return twin

    def wirings(self) -> Iterator[Wiring]:
        """What is kept."""
        for members in self._kept.values():
            yield from (e.wiring for e in members)

    def smallest(self, number: int) -> list[Wiring]:
        """The wirings of fewest switches, then links: enough for a first plan."""
        members = [e for entries in self._kept.values() for e in entries]
        members.sort(key=lambda e: (e.least[0] + e.least[2] + e.least[4], e.least[1] + e.least[3]))
        return [e.wiring for e in members[:number]]


def _no_more(a: TierCounts, b: TierCounts) -> bool:
    return a[0] <= b[0] and a[1] <= b[1] and a[2] <= b[2] and a[3] <= b[3] and a[4] <= b[4]


def bundle_kind(links_per_pair: int) -> int:
    """What of a bundle's size decides which cables can carry it: by fours, by twos, singly.

    >>> [bundle_kind(m) for m in (1, 2, 3, 4, 6)]
    [1, 2, 1, 4, 2]
    """
    return gcd(links_per_pair, 4)
