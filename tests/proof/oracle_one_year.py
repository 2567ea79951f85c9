"""The cheapest fat-trees of one year by plain enumeration. It shares no code with the planner.

Every whole number that a fat-tree has is tried: nodes a unit, wired down ports d, uplinks u and their rate,
spines S (S divides u), leaves a pod L, spine uplinks w, core groups G (G divides S), cores a group C (C
divides w). A branch is cut only where what is already paid, and the fewest switches that must join it, cost
more than the best found.
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
    cage: int = 1  # ports that share a module
    power_w: float = 0.0


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
    module_price: float = 0.0  # a module a cage in use, rounded up switch by switch; one an endpoint
    power_limit_w: float = inf  # of the switches of all planes
    native_price: float = inf  # of a cable of two units of rate, without modules; for single-port cages only

    def wire(self, rate: int) -> float:
        """Cost of a link between switches, of so many units of rate."""
        return min(self.link_price * rate, self.native_price if rate == 2 else inf)


Switches = tuple[tuple[Model, int], ...]  # model and number of every tier, from the leaves up
ALIKE = 1e-6  # USD; what differs by less costs the same


@dataclass
class Best:
    """The least cost so far, and what the choices of switches cost that came near it; of one plane."""

    power_limit_w: float  # of one plane
    cost: float = inf
    found: dict[Switches, float] = field(default_factory=dict)

    def beaten(self, cost: float) -> bool:
        return cost > self.cost + ALIKE

    def offer(self, cost: float, *tiers: tuple[Model, int]) -> None:
        if self.beaten(cost) or cost >= self.found.get(tiers, inf):
            return
        if sum(model.power_w * count for model, count in tiers) <= self.power_limit_w * (1 + 1e-9):
            self.found[tiers] = cost
            self.cost = min(self.cost, cost)


def cheapest(case: Case) -> tuple[float, frozenset[Switches]]:
    """The least cost (USD; infinite where nothing can be built) and every choice of switches that has it.

    Both of all planes; of fat-trees with the same switches the cheapest counts.
    """
    best = Best(case.power_limit_w / case.planes)
    endpoints = case.nodes * case.ports_per_node
    wires = (case.link_price + case.module_price) * endpoints
    for leaf in case.models:
        if leaf.ports * leaf.split >= endpoints + case.reserved:
            best.offer(wires + leaf.price + modules(case, leaf, (endpoints, 1)), (leaf, 1))
    if case.max_tiers > 1:
        for leaf in case.models:
            for fills, down in _leaves(case, leaf):
                _above(case, best, leaf, fills, down, wires + len(fills) * leaf.price)
    least = [tiers for tiers, cost in best.found.items() if not best.beaten(cost)]
    return best.cost * case.planes, frozenset(
        tuple((m, n * case.planes) for m, n in tiers) for tiers in least
    )


def modules(case: Case, model: Model, *sides: tuple[int, int]) -> float:
    """Cost of the modules of one switch; ``sides`` are (links, units of rate). Equal rates share modules."""
    if not case.module_price:
        return 0.0
    by_rate: dict[int, int] = {}
    for links, rate in sides:
        by_rate[rate] = by_rate.get(rate, 0) + links
    cages = sum(-(-n // (model.cage * model.split // rate)) for rate, n in by_rate.items())
    return cages * case.module_price


def _leaves(case: Case, leaf: Model) -> Iterator[tuple[list[int], int]]:
    """(endpoints of every leaf, wired down ports of each) of every way to hang the nodes, unit by unit."""
    radix = leaf.ports * leaf.split
    for down in range(1, radix):
        units = _units(case, down)
        for size, leaves_a_unit in units:
            count = -(-case.nodes // size)
            endpoints = case.nodes * case.ports_per_node
            while count * leaves_a_unit * down - endpoints < case.reserved:
                count += 1
            yield _fills(case, size, leaves_a_unit, count, down), down


def _fills(case: Case, size: int, leaves_a_unit: int, units: int, down: int) -> list[int]:
    """Endpoints of every leaf where units, and leaves in them, are filled one after the other."""
    left, fills = case.nodes, list[int]()
    for _ in range(units):
        here = min(size, left)
        left -= here
        if case.rail:
            fills += [here] * leaves_a_unit
            continue
        for _ in range(leaves_a_unit):
            hosted = min(down // case.ports_per_node, here)
            here -= hosted
            fills.append(hosted * case.ports_per_node)
    return fills


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


@dataclass(frozen=True)
class Below:
    """What lies below the cores: ``pair`` uplinks a leaf and spine; ``spines`` of a pod."""

    leaf: Model
    leaves: int
    spine: Model
    spines: int
    pair: int
    rate: int


def _above(case: Case, best: Best, leaf: Model, fills: list[int], down: int, paid: float) -> None:
    """Tries every spine layer, and every core layer, over these leaves."""
    leaves = len(fills)
    spines_at_least = case.min_spines * min(model.price for model in case.models)
    for up, rate in _uplinks(leaf, down):
        wired = paid + case.wire(rate) * leaves * up
        if Fraction(down, up * rate) > case.ratio or best.beaten(wired + spines_at_least):
            continue
        wired += sum(modules(case, leaf, (fill, 1), (up, rate)) for fill in fills)
        for spines in range(case.min_spines, up + 1):
            if up % spines:
                continue
            for spine in case.models:
                links = leaves * (up // spines)
                if links <= _radix(spine, rate):
                    each = spine.price + modules(case, spine, (links, rate))
                    best.offer(wired + spines * each, (leaf, leaves), (spine, spines))
                if case.max_tiers > 2:
                    _pods(case, best, Below(leaf, leaves, spine, spines, up // spines, rate), wired)


def _pods(case: Case, best: Best, below: Below, wired: float) -> None:
    leaves, spine, spines, pair, rate = below.leaves, below.spine, below.spines, below.pair, below.rate
    cores_at_least = case.min_spines * min(model.price for model in case.models)
    for in_pod in range(1, leaves + 1):
        pods = -(-leaves // in_pod)
        for spine_up in range(1, _radix(spine, rate) - in_pod * pair + 1):
            if Fraction(in_pod * pair, spine_up) > case.spine_ratio:
                continue
            cost = wired + pods * spines * (spine.price + case.wire(rate) * spine_up)
            for in_this in [in_pod] * (pods - 1) + [leaves - in_pod * (pods - 1)]:
                cost += spines * modules(case, spine, (in_this * pair + spine_up, rate))
            if not best.beaten(cost + cores_at_least):
                _cores(case, best, below, pods, spine_up, cost)


def _cores(case: Case, best: Best, below: Below, pods: int, spine_up: int, cost: float) -> None:
    spines = below.spines
    for groups in (g for g in range(1, spines + 1) if spines % g == 0):
        for cores in (c for c in range(1, spine_up + 1) if spine_up % c == 0):
            if groups * cores < case.min_spines:
                continue
            for core in case.models:
                links = pods * (spines // groups) * (spine_up // cores)
                if links <= _radix(core, below.rate):
                    each = core.price + modules(case, core, (links, below.rate))
                    tiers = (below.leaf, below.leaves), (below.spine, pods * spines), (core, groups * cores)
                    best.offer(cost + groups * cores * each, *tiers)
