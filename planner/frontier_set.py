"""A set of fat-trees of one set of switch models, from which the beaten ones are dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from planner.design import Wiring

# leaves, link ends leaf-spine (two a link), spines, link ends spine-core, cores
Key = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """A wiring with what it takes: ``least`` counts link ends, ``most`` also the ports of a module that
    stay dark where a switch's links do not fill it. Its modules lie between."""

    least: Key
    most: Key
    wiring: Wiring


class Frontier:
    """Wirings that no other of the same bundle kind beats: no more of any part, and less of something.

    One beats another where even its rounded-up modules are no more than the other's without rounding.
    Equals stay: they differ in how their links run, which decides what a later year must move.
    ``by_bundle`` is False where every bundle would be made of the same cables: then there is one kind.
    """

    def __init__(self, *, by_bundle: bool = False) -> None:
        self.by_bundle = by_bundle
        self._kept: dict[int, list[Entry]] = {}

    def kept(self, pair: int) -> list[Entry]:
        """What is kept of the kind of ``pair`` links a bundle."""
        return self._kept.setdefault(bundle_kind(pair) if self.by_bundle else 0, [])

    def beaten(self, least: Key, pair: int) -> bool:
        """Whether something kept takes no more of any part and less of something."""
        return any(e.most != least and _no_more(e.most, least) for e in self.kept(pair))

    def add(self, entry: Entry) -> None:
        """Keeps a wiring unless beaten; drops those that it beats."""
        pair = entry.wiring.links_per_pair
        if not self.beaten(entry.least, pair):
            kept = self.kept(pair)
            most = entry.most
            kept[:] = [e for e in kept if e.least == most or not _no_more(most, e.least)] + [entry]

    def copy(self) -> Frontier:
        """Another frontier that starts with what is kept here."""
        twin = Frontier(by_bundle=self.by_bundle)
        twin._kept = {kind: list(kept) for kind, kept in self._kept.items()}
        return twin

    def wirings(self) -> Iterator[Wiring]:
        """What is kept."""
        for kept in self._kept.values():
            yield from (e.wiring for e in kept)

    def smallest(self, number: int) -> list[Wiring]:
        """The wirings of fewest switches, then links: enough for a first plan."""
        kept = [e for entries in self._kept.values() for e in entries]
        kept.sort(key=lambda e: (e.least[0] + e.least[2] + e.least[4], e.least[1] + e.least[3]))
        return [e.wiring for e in kept[:number]]


def _no_more(a: Key, b: Key) -> bool:
    return a[0] <= b[0] and a[1] <= b[1] and a[2] <= b[2] and a[3] <= b[3] and a[4] <= b[4]


def bundle_kind(links_per_pair: int) -> int:
    """What of a bundle's size decides which cables can carry it: by fours, by twos, singly.

    >>> [bundle_kind(m) for m in (1, 2, 3, 4, 6)]
    [1, 2, 1, 4, 2]
    """
    return gcd(links_per_pair, 4)
