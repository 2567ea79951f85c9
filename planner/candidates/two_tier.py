"""Enumerates the one- and two-tier fat-trees of one set of switch models for a demand.

The rule that drops a wiring, here and in ``planner.candidates.three_tier``: there is one build year, and
another of the same models takes no more leaves, spines, cores, links and modules in either layer, less of
something, and its bundles are of the same kind. Prices are not negative, so the dropped one can't be
cheaper. With more build years only what costs too much is dropped (``planner.candidates.cost_floors``).
Nothing is dropped by a limit on how many are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from math import ceil, inf

from planner.candidates.cost_floors import CostFloor
from planner.candidates.dominance import CountedWiring, ParetoSet
from planner.catalog.parts import SwitchModel
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import breakout_for, radix


@dataclass(frozen=True, slots=True)
class WiringRules:
    """What every wiring must keep: ratios, tiers, spines, unit size, ports kept free."""

    max_oversubscription: Fraction
    spine_oversubscription: Fraction
    max_tiers: int
    min_spines: int
    nodes_per_scalable_unit: int | None
    reserved_fabric_ports: int
    collapsed_pair: bool = False


@dataclass(frozen=True, slots=True)
class LeafLayer:
    """A leaf with its endpoints and nothing above: the part that all wirings of it share."""

    wiring: Wiring  # tiers = 1 fields filled, up = 0
    leaves: int


def leaf_layers(
    base: Wiring, leaf: SwitchModel, nodes: int, rules: WiringRules, *, growing: bool = False
) -> Iterator[LeafLayer]:
    """Every way to hang the nodes under leaves of this model, fewest leaves first.

    ``base`` has the planes, rails, rate and NIC. Of unit sizes that need the same number of units,
    the smallest: more wired ports would only ask for more uplinks. Where the cluster is ``growing``
    every size: a larger one may keep nodes where they are.
    """
    ports = radix(leaf, base.link_gbps)
    per_node = base.endpoints_per_node
    for npu, lpu, down in _units(base, nodes, rules, ports, growing):
        wiring = replace(
            base,
            leaf=leaf.id,
            leaf_breakout=breakout_for(leaf, base.link_gbps) or 1,
            nodes_per_unit=npu,
            leaves_per_unit=lpu,
            down=down,
        )
        wanted = nodes * per_node + rules.reserved_fabric_ports
        # ports kept free may be had from wider leaves, or from a unit more
        for units in count(ceil(nodes / npu)):
            wide = max(down, ceil(wanted / (units * lpu)))
            if wide < ports:
                yield LeafLayer(replace(wiring, down=wide), units * lpu)
            if wide == down:
                break


def _units(
    base: Wiring, nodes: int, rules: WiringRules, ports: int, growing: bool
) -> Iterator[tuple[int, int, int]]:
    """(nodes a unit, leaves a unit, down ports a leaf)."""
    per_node, given = base.endpoints_per_node, rules.nodes_per_scalable_unit
    if base.rail_optimised:
        sizes = [given] if given else _unit_sizes(nodes, ports, growing)
        yield from ((s, per_node, s) for s in sizes if s <= ports)
    elif given:
        most = ports // per_node
        hosted = sorted({ceil(given / ceil(given / h)) for h in range(1, most + 1)}, reverse=True)
        yield from ((given, ceil(given / h), h * per_node) for h in hosted)
    else:
        sizes = _unit_sizes(nodes, ports // per_node, growing)
        yield from ((h, 1, h * per_node) for h in sizes)


def _unit_sizes(nodes: int, most: int, growing: bool) -> list[int]:
    """For every number of units that sizes up to ``most`` lead to, the least size, largest first.

    Growing: every size.
    """
    counts = {ceil(nodes / s) for s in range(1, most + 1)}
    sizes = range(1, most + 1) if growing else {ceil(nodes / g) for g in counts}
    return sorted(sizes, reverse=True)


def one_tier(base: Wiring, leaf: SwitchModel, nodes: int, rules: WiringRules) -> Iterator[Wiring]:
    """A single switch, where it holds every endpoint and the reserved ports."""
    ports = radix(leaf, base.link_gbps)
    if nodes * base.endpoints_per_node + rules.reserved_fabric_ports > ports:
        return
    yield replace(
        base,
        tiers=1,
        leaf=leaf.id,
        leaf_breakout=breakout_for(leaf, base.link_gbps) or 1,
        nodes_per_unit=(ports - rules.reserved_fabric_ports) // base.endpoints_per_node,
        leaves_per_unit=1,
        down=ports,
    )


@dataclass(frozen=True, slots=True)
class Uplinks:
    """Uplinks of a stem at one rate, the spine's radix there, and the links that a cage holds."""

    gbps: int
    factor: int
    least: int
    most: int
    spine_radix: int
    spine_breakout: int
    leaf_cage: int = 1
    spine_cage: int = 1
    spine_apart: bool = False  # a spine's links up and down never share a cage

    @property
    def spine_pack(self) -> int:
        """Ports of a spine that are taken together: a cage's, where its two sides are kept apart."""
        return self.spine_cage if self.spine_apart else 1


def two_tier(
    layer: LeafLayer,
    spine: SwitchModel,
    up: Uplinks,
    rules: WiringRules,
    out: ParetoSet,
    floor: CostFloor | None = None,
    limit_usd: float = inf,
) -> None:
    """Adds the two-tier wirings of a stem: every spine count, each with its least uplinks.

    The number of spines divides the uplinks and each pair has m links: u = m x S, so for each S the
    least m suffices. One whose ``floor`` exceeds ``limit_usd`` is passed over.
    """
    fewest = max(rules.min_spines, ceil(layer.leaves * up.least / up.spine_radix))
    if out.compares_all and out.dominated((layer.leaves, 2 * layer.leaves * up.least, fewest, 0, 0), 1):
        return
    for number in range(fewest, up.most + 1):
        pair = pair_of(up, number, layer.leaves)
        least = (layer.leaves, 2 * layer.leaves * pair * number, number, 0, 0)
        if not pair or (out.compares_all and out.dominated(least, 1)):
            continue
        if floor is not None and floor.usd(least) > limit_usd:
            continue
        dark = layer.leaves * (-pair * number % up.leaf_cage) + number * (
            -layer.leaves * pair % up.spine_cage
        )
        most = (layer.leaves, least[1] + dark, number, 0, 0)
        out.add(CountedWiring(least, most, _with_pair(layer, spine, up, number, pair)))


def pair_of(up: Uplinks, number: int, leaves: int) -> int:
    """Least links of a pair with ``number`` spines; 0 where ports or ratio forbid that many."""
    pair = ceil(up.least / number)
    return pair if pair * number <= up.most and leaves * pair <= up.spine_radix else 0


def with_spines(layer: LeafLayer, spine: SwitchModel, up: Uplinks, number: int) -> Wiring | None:
    """The two-tier wiring of a stem with ``number`` spines, None where ports or ratio forbid it."""
    pair = pair_of(up, number, layer.leaves)
    return _with_pair(layer, spine, up, number, pair) if pair else None


def _with_pair(layer: LeafLayer, spine: SwitchModel, up: Uplinks, number: int, pair: int) -> Wiring:
    return replace(
        layer.wiring,
        tiers=2,
        up=pair * number,
        uplink_gbps=up.gbps,
        spine=spine.id,
        spine_breakout=up.spine_breakout,
        spines=number,
    )
