"""The cheapest fat-tree of one year by plain enumeration. It shares no code with the planner.

Every whole number that a fat-tree has is tried: nodes a unit, wired down ports d, uplinks u and their rate,
spines S (S divides u), leaves a pod L, spine uplinks w, core groups G (G divides S), cores a group C (C
divides w). A branch is cut only where what is already paid is no less than the best found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf


@dataclass(frozen=True)
class Model:
    """A switch of the oracle's own. Prices in USD."""

    ports: int
    price: float
    split: int = 1  # links of 1 unit of rate that a port may be broken out into; a port runs split units


@dataclass(frozen=True)
class Case:
    """One question. ``link_price`` is of a link of one unit of rate; one of two units costs twice."""

    nodes: int
    ports_per_node: int
    rail: bool
    models: Sequence[Model]
    link_price: float
    ratio: Fraction = Fraction(1)
    spine_ratio: Fraction = Fraction(1)
    min_spines: int = 1
    max_tiers: int = 3
    unit_nodes: int | None = None
    reserved: int = 0
    planes: int = 1


@dataclass
class Best:
    """The least cost so far and the design of it, of one plane."""

    cost: float = inf
    design: tuple[object, ...] = field(default=())

    def offer(self, cost: float, *design: object) -> None:
        if cost < self.cost:
            self.cost, self.design = cost, design


def cheapest(case: Case) -> tuple[float, tuple[object, ...]]:
    """The least cost (USD, all planes; infinite where nothing can be built) and its design."""
    best = Best()
    endpoints = case.nodes * case.ports_per_node
    wires = case.link_price * endpoints
    for leaf in case.models:
        if leaf.ports * leaf.split >= endpoints + case.reserved:
            best.offer(wires + leaf.price, "one switch", leaf)
    if case.max_tiers > 1:
        for leaf in case.models:
            for leaves, down in _leaves(case, leaf):
                _above(case, best, leaf, leaves, down, wires + leaves * leaf.price)
    return best.cost * case.planes, best.design


def _leaves(case: Case, leaf: Model) -> Iterator[tuple[int, int]]:
    """(leaves, wired down ports of each) of every way to hang the nodes."""
    radix = leaf.ports * leaf.split
    for down in range(1, radix):
        units = _units(case, down)
        for size, leaves_a_unit in units:
            count = -(-case.nodes // size)
            endpoints = case.nodes * case.ports_per_node
            while count * leaves_a_unit * down - endpoints < case.reserved:
                count += 1
            yield count * leaves_a_unit, down


def _units(case: Case, down: int) -> Iterator[tuple[int, int]]:
    """(nodes of a unit, leaves of a unit) where a leaf has ``down`` endpoint ports."""
    if case.rail:
        sizes = [case.unit_nodes] if case.unit_nodes else range(1, down + 1)
        yield from ((size, case.ports_per_node) for size in sizes if size <= down)
        return
    hosted = down // case.ports_per_node
    if case.unit_nodes and hosted:
        yield case.unit_nodes, -(-case.unit_nodes // hosted)
    elif hosted:
        yield from ((size, 1) for size in range(1, hosted + 1))


def _uplinks(leaf: Model, down: int) -> Iterator[tuple[int, int]]:
    """(uplinks, units of rate of each) that the ports beside ``down`` endpoint ports allow."""
    for up in range(1, leaf.ports * leaf.split - down + 1):
        yield up, 1
    if leaf.split > 1:
        for up in range(1, leaf.ports - -(-down // leaf.split) + 1):
            yield up, leaf.split


def _radix(model: Model, rate: int) -> int:
    """Ports at a rate of so many units; 0 where the model cannot run it."""
    if rate == 1:
        return model.ports * model.split
    return model.ports if rate == model.split else 0


def _above(case: Case, best: Best, leaf: Model, leaves: int, down: int, paid: float) -> None:
    """Tries every spine layer, and every core layer, over these leaves."""
    for up, rate in _uplinks(leaf, down):
        wired = paid + case.link_price * rate * leaves * up
        if Fraction(down, up * rate) > case.ratio or wired >= best.cost:
            continue
        for spines in range(case.min_spines, up + 1):
            if up % spines:
                continue
            for spine in case.models:
                if leaves * (up // spines) <= _radix(spine, rate):
                    best.offer(wired + spines * spine.price, leaf, leaves, down, up, rate, spine, spines)
                if case.max_tiers > 2:
                    _pods(case, best, (leaf, leaves, down, up, rate, spine, spines), wired)


def _pods(case: Case, best: Best, below: tuple, wired: float) -> None:
    _, leaves, _, up, rate, spine, spines = below
    pair = up // spines
    for in_pod in range(1, leaves + 1):
        pods = -(-leaves // in_pod)
        for spine_up in range(1, _radix(spine, rate) - in_pod * pair + 1):
            if Fraction(in_pod * pair, spine_up) > case.spine_ratio:
                continue
            cost = wired + pods * spines * (spine.price + case.link_price * rate * spine_up)
            if cost < best.cost:
                _cores(case, best, (*below, in_pod, pods, spine_up), cost)


def _cores(case: Case, best: Best, below: tuple, cost: float) -> None:
    _, _, _, _, rate, _, spines, _, pods, spine_up = below
    for groups in (g for g in range(1, spines + 1) if spines % g == 0):
        for cores in (c for c in range(1, spine_up + 1) if spine_up % c == 0):
            if groups * cores < case.min_spines:
                continue
            for core in case.models:
                if pods * (spines // groups) * (spine_up // cores) <= _radix(core, rate):
                    best.offer(cost + groups * cores * core.price, *below, core, groups, cores)
