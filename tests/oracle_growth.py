"""The cheapest growth of a two-tier fabric by plain enumeration. It shares no code with the planner.

Money is at rate 0 with residual "unexpired-life" and a life as long as the horizon or longer: then a piece
costs price / life for each year in which it is used, whenever it is bought. Every wiring can follow every
other; a link stays where both of its ends stay, with switches numbered alike before and after, and a node
may sit anywhere in a unit. Links that both fabrics have room for but whose ends differ are moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf


@dataclass(frozen=True)
class Growth:
    """One question: nodes of each build year, one switch model, prices in USD."""

    nodes: Sequence[int]
    ports_per_node: int
    rail: bool
    ports: int
    switch_price: float
    link_price: float
    move_price: float
    ratio: Fraction
    min_spines: int
    horizon: int
    life: int
    unit_nodes: int | None = None


@dataclass(frozen=True)
class Tree:
    """A wiring; ``spines`` 0 is a single switch."""

    unit_nodes: int
    unit_leaves: int
    down: int
    up: int
    spines: int

    def units(self, nodes: int) -> int:
        return -(-nodes // self.unit_nodes)

    def leaves(self, nodes: int) -> int:
        return self.units(nodes) * self.unit_leaves

    def pair(self) -> int:
        return self.up // self.spines if self.spines else 0


def cheapest_growth(case: Growth) -> float:
    """The least cost (USD) over all sequences of wirings; infinite where some year has none."""
    trees = list(_trees(case))
    spans = [1] * (len(case.nodes) - 1) + [case.horizon - len(case.nodes) + 1]
    cost = {t: _use(case, t, case.nodes[0]) * spans[0] for t in trees if _fits(case, t, case.nodes[0])}
    for before, now, span in zip(case.nodes, case.nodes[1:], spans[1:], strict=False):
        arrived = {t: _arrive(case, cost, before, t, now) for t in trees if _fits(case, t, now)}
        cost = {t: usd + _use(case, t, now) * span for t, usd in arrived.items()}
    return min(cost.values(), default=inf)


def _arrive(case: Growth, cost: dict[Tree, float], before: int, tree: Tree, now: int) -> float:
    """The least cost (USD) of having come to ``tree`` from any wiring of the year before."""
    ways = (usd + case.move_price * moved(case, old, before, tree, now) for old, usd in cost.items())
    return min(ways, default=inf)


def _trees(case: Growth) -> Iterator[Tree]:
    per_node = case.ports_per_node
    if case.ports >= per_node:
        yield Tree(case.ports // per_node, 1, case.ports, 0, 0)
    for down in range(1, case.ports):
        most = down if case.rail else down // per_node
        for unit in [case.unit_nodes] if case.unit_nodes else range(1, most + 1):
            for up in range(1, case.ports - down + 1) if unit <= most else ():
                if Fraction(down, up) <= case.ratio:
                    counts = [s for s in range(case.min_spines, up + 1) if up % s == 0]
                    yield from (Tree(unit, per_node if case.rail else 1, down, up, s) for s in counts)


def _fits(case: Growth, tree: Tree, nodes: int) -> bool:
    return tree.leaves(nodes) * tree.pair() <= case.ports if tree.spines else tree.units(nodes) == 1


def _use(case: Growth, tree: Tree, nodes: int) -> float:
    """Cost (USD) of a year in which a wiring serves."""
    links = nodes * case.ports_per_node + tree.leaves(nodes) * tree.up
    switches = tree.leaves(nodes) + tree.spines
    return (switches * case.switch_price + links * case.link_price) / case.life


def moved(case: Growth, old: Tree, before: int, new: Tree, now: int) -> int:
    """Links that are moved from ``old`` at ``before`` nodes to ``new`` at ``now``, set against set."""
    below = _count_moved(_nodes_below(case, old, before), _nodes_below(case, new, now))
    if not (old.spines and new.spines):
        return below
    above = _links_above(old, before), _links_above(new, now)
    return below + _count_moved(*above)


def _count_moved(old: set[tuple[int, ...]], new: set[tuple[int, ...]]) -> int:
    return min(len(old), len(new)) - len(old & new)


def _links_above(tree: Tree, nodes: int) -> set[tuple[int, ...]]:
    """Every (leaf, spine, link of the pair)."""
    return {
        (leaf, spine, link)
        for leaf in range(tree.leaves(nodes))
        for spine in range(tree.spines)
        for link in range(tree.pair())
    }


def _nodes_below(case: Growth, tree: Tree, nodes: int) -> set[tuple[int, ...]]:
    """Every (unit, place in the unit, leaf of the unit, port) with an endpoint, filled place by place.

    Filling place by place keeps units as even as they can be, which is what lets most nodes stay.
    """
    per_leaf = case.ports_per_node // tree.unit_leaves
    places = [(unit, place) for place in range(tree.unit_nodes) for unit in range(tree.units(nodes))]
    return {
        (unit, place, leaf, port)
        for unit, place in places[:nodes]
        for leaf in range(tree.unit_leaves)
        for port in range(per_leaf)
    }
