"""A set of fat-trees of one set of switch models, from which the beaten ones are dropped."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from planner.design import Wiring

Key = tuple[int, int, int, int, int]  # leaves, leaf-spine links, spines, spine-core links, cores


class Frontier:
    """Wirings that no other of the same bundle kind beats: no more of anything, and less of something.

    Equals stay: they differ in how their links run, which decides what a later year must move.
    ``by_bundle`` is False where every bundle would be made of the same cables: then there is one kind.
    """

    def __init__(self, *, by_bundle: bool = False) -> None:
        self.by_bundle = by_bundle
        self._kept: dict[int, list[tuple[Key, Wiring]]] = {}

    def kept(self, pair: int) -> list[tuple[Key, Wiring]]:
        """What is kept of the kind of ``pair`` links a bundle."""
        return self._kept.setdefault(bundle_kind(pair) if self.by_bundle else 0, [])

    def beaten(self, key: Key, pair: int) -> bool:
        """Whether something kept takes no more of anything and less of something."""
        return any(k != key and _no_more(k, key) for k, _ in self.kept(pair))

    def add(self, key: Key, pair: int, wiring: Wiring) -> None:
        """Keeps a wiring unless beaten; drops those that it beats."""
        if not self.beaten(key, pair):
            kept = self.kept(pair)
            kept[:] = [(k, w) for k, w in kept if k == key or not _no_more(key, k)] + [(key, wiring)]

    def copy(self) -> Frontier:
        """Another frontier that starts with what is kept here."""
        twin = Frontier(by_bundle=self.by_bundle)
        twin._kept = {kind: list(kept) for kind, kept in self._kept.items()}
        return twin

    def wirings(self) -> Iterator[Wiring]:
        """What is kept."""
        for kept in self._kept.values():
            yield from (w for _, w in kept)


def _no_more(a: Key, b: Key) -> bool:
    return a[0] <= b[0] and a[1] <= b[1] and a[2] <= b[2] and a[3] <= b[3] and a[4] <= b[4]


def bundle_kind(links_per_pair: int) -> int:
    """What of a bundle's size decides which cables can carry it: by fours, by twos, singly.

    >>> [bundle_kind(m) for m in (1, 2, 3, 4, 6)]
    [1, 2, 1, 4, 2]
    """
    return gcd(links_per_pair, 4)
