"""The oracle's closed forms against plain trial: what stays, and what owning pieces costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.proof.oracle_growth import Growth, Switch, Tree, fabrics, staying, trees
from tests.proof.oracle_money import Money, Piece, cover_usd, owning_usd, sold_usd

pytestmark = pytest.mark.no_cover  # the rooms' own tests are to cover them


def fillings(units: int, most: int, nodes: int) -> Iterator[tuple[int, ...]]:
    """Every way to put nodes into units of at most ``most``."""
    return (f for f in product(range(most + 1), repeat=units) if sum(f) == nodes)


@pytest.mark.parametrize("rail", [False, True])
def test_nodes_that_stay_over_all_fillings(rail: bool) -> None:
    """Any filling before and after: the links below leaves that both have, at best, counted one by one."""
    case = Growth((5, 7), (Switch(6, 1.0),), Money((0, 1), 2), 2 if rail else 1, rail, max_tiers=2)
    found = list({t.unit: t for t in trees(case)}.values())
    old, new = (fabrics(case, found, j) for j in (0, 1))
    stay = staying(case, old, 5, new, 7)[0]
    for (i, before), (j, now) in product(enumerate(_shapes(old.tree)), enumerate(_shapes(new.tree))):
        best = max(
            sum(min(a, b) for a, b in zip(one, two, strict=False))
            for one in fillings(int(old.units[i]), before[0], 5)
            for two in fillings(int(new.units[j]), now[0], 7)
        )
        assert stay[i, j] == best * min(before[1], now[1]) * min(before[2], now[2]), (before, now)


def _shapes(tree: dict[str, np.ndarray]) -> list[tuple[int, ...]]:
    return list(zip(*(tree[f].tolist() for f in ("unit", "unit_leaves", "per_leaf")), strict=True))


def links_above(tree: Tree, leaves: Sequence[int]) -> tuple[Set[tuple[int, ...]], Set[tuple[int, ...]]]:
    """Leaf-spine links (pod, leaf, spine, link) and spine-core links (pod, group, spine, core, link)."""
    pair = tree.up // max(1, tree.spines)
    middle = {
        (pod, leaf, spine, link)
        for pod, here in enumerate(leaves)
        for leaf, spine, link in product(range(here), range(tree.spines), range(pair))
    }
    if tree.core < 0:
        return middle, set()
    inside = tree.spines // tree.groups, tree.cores, tree.spine_up // tree.cores
    sizes = [len(leaves), tree.groups, *inside]
    return middle, set(product(*(range(n) for n in sizes)))


def test_links_above_leaves_that_stay_counted_one_by_one() -> None:
    """Pods, too, may be filled in any way; numbers of the links that both have."""
    case = Growth((5, 8), (Switch(5, 1.0),), Money((0, 1), 2), spine_ratio=Fraction(2), ratio=Fraction(2))
    every = [t for t in trees(case) if t.spine >= 0]
    old, new = (fabrics(case, every[k::11], k) for k in (0, 1))
    stay = staying(case, old, 5, new, 8)
    assert min(stay.shape[1:]) > 5
    for i, j in product(range(stay.shape[1]), range(stay.shape[2])):
        one, two = (Tree(*(int(f.tree[k][n]) for k in Tree._fields)) for f, n in ((old, i), (new, j)))
        ways = [
            [len(a & b) for a, b in zip(links_above(one, f), links_above(two, g), strict=True)]
            for f in fillings(int(old.pods[i]), one.pod_leaves or 99, int(old.leaves[i]))
            for g in fillings(int(new.pods[j]), two.pod_leaves or 99, int(new.leaves[j]))
        ]
        assert stay[1:, i, j].tolist() == [max(w[0] for w in ways), ways[0][1]], (one, two)


@st.composite
def owners(draw: st.DrawFn) -> tuple[Money, Piece, list[int]]:
    money = Money(
        (0, 1, 2), 3, draw(st.integers(1, 10)), draw(st.sampled_from(["none", "unexpired-life", "market"])),
        resale=0.5, rate=draw(st.sampled_from([0.0, 0.1, 0.25])),
    )  # fmt: skip
    piece = Piece(100.0, draw(st.sampled_from([0.0, 0.1, 0.3])))
    return money, piece, draw(st.lists(st.integers(0, 3), min_size=3, max_size=3))


@settings(max_examples=150)
@given(owners())
def test_owning_pieces_over_three_years(asked: tuple[Money, Piece, list[int]]) -> None:
    """Every number of pieces held over every run of years is tried."""
    money, piece, need = asked
    runs = [(a, b) for a in range(3) for b in range(a + 1, min(a + money.life, 3) + 1)]
    paid = [
        piece.price_at(a) * money.worth(a) - sold_usd(money, piece, a, b) * money.worth(b) for a, b in runs
    ]
    assert owning_usd(money, piece, [np.array([n]) for n in need])[0] == pytest.approx(
        _tried(runs, paid, need)
    )


def _tried(runs: list[tuple[int, int]], paid: list[float], need: list[int]) -> float:
    """Takes the first year that lacks a piece, and one run after the other that would bring it."""
    short = next((t for t, n in enumerate(need) if n > 0), None)
    if short is None:
        return 0.0
    return min(
        usd + _tried(runs, paid, [n - (a <= t < b) for t, n in enumerate(need)])
        for (a, b), usd in zip(runs, paid, strict=True)
        if a <= short < b
    )


def test_a_piece_that_comes_late_can_not_be_had_before() -> None:
    money = Money((0, 1), 2)
    assert cover_usd(money, Piece(10.0, first_t=1), frozenset([1])) == 10.0
    assert cover_usd(money, Piece(10.0, first_t=1), frozenset([0, 1])) == float("inf")
