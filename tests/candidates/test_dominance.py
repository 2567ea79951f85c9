"""Dominance: of wirings that are compared, what takes no more of anything drops what takes more."""

from __future__ import annotations

from dataclasses import replace

from planner.candidates.dominance import CountedWiring, ParetoSet, TierCounts, bundle_kind
from planner.fabric.design import Wiring

BASE = Wiring(1, 1, 8, 100, True, "nic", 2, "", 1, 1, 1, 1)


def counted(spines: int, pair: int, leaves: int, ends: int, number: int, *, dark: int = 0) -> CountedWiring:
    """A two-tier wiring of these counts; ``dark`` ports of modules below the spines."""
    wiring = replace(BASE, up=spines * pair, spines=spines)
    least = TierCounts(leaves, ends, number, 0, 0)
    return CountedWiring(least, least._replace(leaf_spine_ends=ends + dark), wiring)


def test_equals_stay_and_the_dominated_are_dropped() -> None:
    """Equals differ in how their links run, which a later year may care for."""
    a, b, dominated = counted(1, 1, 4, 8, 2), counted(2, 2, 4, 8, 2), counted(3, 1, 4, 9, 2)
    found = ParetoSet()
    for one in (a, b, dominated):
        found.add(one)
    assert list(found.wirings()) == [a.wiring, b.wiring]
    better = counted(4, 1, 4, 8, 1)
    found.add(better)
    assert list(found.wirings()) == [better.wiring]


def test_modules_half_in_use_keep_the_other_wiring() -> None:
    """Fewer spines whose modules stay half dark do not dominate more spines that fill theirs."""
    filled, half_dark = counted(3, 2, 3, 36, 3), counted(2, 3, 3, 36, 2, dark=2)
    found = ParetoSet()
    found.add(filled)
    found.add(half_dark)
    assert list(found.wirings()) == [filled.wiring, half_dark.wiring]


def test_bundles_made_of_other_cables_do_not_dominate_each_other() -> None:
    found = ParetoSet(by_bundle=True)
    single, double = counted(1, 1, 4, 8, 2), counted(2, 2, 4, 8, 3)
    found.add(single)
    found.add(double)
    assert list(found.wirings()) == [single.wiring, double.wiring]
    assert [bundle_kind(m) for m in (1, 2, 3, 4, 5, 8)] == [1, 2, 1, 4, 1, 4]
