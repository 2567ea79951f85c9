"""Leaf layers: a build year's nodes under leaves of one model, and the ratios that their uplinks may have.

A leaf layer is looked at under hundreds of sets of switch models; what its uplinks may be, and a floor under
the cost of everything above it, are computed for all leaf layers of a year at once, as arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
import numpy.typing as npt

from planner.candidates.design_space import DesignSpace, WiringRules
from planner.catalog.parts import SwitchModel
from planner.fabric.demand import YearDemand
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import breakout_for, most_uplinks, radix
from planner.fabric.nic_attachment import NicAttachment
from planner.fabric.part_counts import switch_end

Ints = npt.NDArray[np.int64]
RATIOS = tuple(Fraction(n, 4) for n in (4, 5, 6, 8, 12, 16))  # tried where output earns a credit


@dataclass(frozen=True, slots=True)
class LeafLayer:
    """The leaves with their endpoints and nothing above: the part that all wirings over it share."""

    wiring: Wiring  # tiers = 1 fields filled, up = 0
    leaves: int


def leaf_layers(
    base: Wiring, leaf: SwitchModel, nodes: int, rules: WiringRules, *, every_size: bool = False
) -> Iterator[LeafLayer]:
    """Every way to hang the nodes under leaves of this model, fewest leaves first.

    ``base`` has the planes, rails, rate and NIC. Of unit sizes that need the same number of units, the
    smallest: more wired ports would only ask for more uplinks. ``every_size``: a larger one may keep nodes
    where they are when the cluster grows, or fill cages of several ports better.
    """
    ports = radix(leaf, base.link_gbps)
    wanted = nodes * base.endpoints_per_node + rules.reserved_fabric_ports
    for nodes_per_unit, leaves_per_unit, down in _units(base, nodes, rules, ports, every_size):
        wiring = replace(
            base,
            leaf=leaf.id,
            leaf_breakout=breakout_for(leaf, base.link_gbps) or 1,
            nodes_per_unit=nodes_per_unit,
            leaves_per_unit=leaves_per_unit,
            down=down,
        )
        least_units = ceil(nodes / nodes_per_unit)
        for wide, leaves in _with_free_ports(least_units, leaves_per_unit, down, wanted, ports):
            yield LeafLayer(replace(wiring, down=wide), leaves)


def _with_free_ports(
    units: int, leaves_per_unit: int, down: int, wanted: int, ports: int
) -> Iterator[tuple[int, int]]:
    """(down ports a leaf, leaves) that hold ``wanted`` ports in ``units`` units or more, widest leaves first.

    Ports kept free may be had from wider leaves, or from more units: each width once, with the fewest units
    that do. A leaf has fewer down ports than ``ports``.

    >>> list(_with_free_ports(2, 1, 4, 11, 8))
    [(6, 2), (4, 3)]
    """
    widest = min(ports - 1, max(down, ceil(wanted / (units * leaves_per_unit))))
    while widest >= down:
        units = max(units, ceil(wanted / (widest * leaves_per_unit)))
        wide = max(down, ceil(wanted / (units * leaves_per_unit)))
        yield wide, units * leaves_per_unit
        widest = wide - 1


def _units(
    base: Wiring, nodes: int, rules: WiringRules, ports: int, every_size: bool
) -> Iterator[tuple[int, int, int]]:
    """(nodes a unit, leaves a unit, down ports a leaf)."""
    per_node, given = base.endpoints_per_node, rules.nodes_per_scalable_unit
    if base.rail_optimised:
        sizes = [given] if given else _unit_sizes(nodes, ports, every_size)
        yield from ((size, per_node, size) for size in sizes if size <= ports)
    elif given:
        most = ports // per_node
        hosted = sorted({ceil(given / ceil(given / h)) for h in range(1, most + 1)}, reverse=True)
        yield from ((given, ceil(given / h), h * per_node) for h in hosted)
    else:
        sizes = _unit_sizes(nodes, ports // per_node, every_size)
        yield from ((h, 1, h * per_node) for h in sizes)


def _unit_sizes(nodes: int, most: int, every_size: bool) -> list[int]:
    """For every number of units that sizes up to ``most`` lead to, the least size, or every one; largest
    first."""
    counts = {ceil(nodes / size) for size in range(1, most + 1)}
    sizes = range(1, most + 1) if every_size else {ceil(nodes / number) for number in counts}
    return sorted(sizes, reverse=True)


@dataclass(frozen=True, slots=True)
class RatedLeafLayer:
    """A leaf layer with the greatest leaf ratio that it may have, and rules with that of the spines."""

    layer: LeafLayer
    ratio: Fraction
    rules: WiringRules


@dataclass(frozen=True)
class LeafLayerTable:
    """Rated leaf layers of one leaf model in one build year, in the order in which they are looked at."""

    rated: tuple[RatedLeafLayer, ...]
    _most: dict[tuple[int, bool], Ints] = field(default_factory=dict)

    @cached_property
    def leaves(self) -> Ints:
        """Leaves of each leaf layer."""
        return _ints(r.layer.leaves for r in self.rated)

    @cached_property
    def down(self) -> Ints:
        """Down ports of a leaf."""
        return _ints(r.layer.wiring.down for r in self.rated)

    @cached_property
    def ratio(self) -> tuple[Ints, Ints]:
        """Leaf ratio: numerators and denominators."""
        return _ints(r.ratio.numerator for r in self.rated), _ints(r.ratio.denominator for r in self.rated)

    @cached_property
    def spine_ratio(self) -> tuple[Ints, Ints]:
        """Spine ratio: numerators and denominators."""
        ratios = [r.rules.spine_oversubscription for r in self.rated]
        return _ints(r.numerator for r in ratios), _ints(r.denominator for r in ratios)

    def fewest_uplinks(self, gbps: int) -> Ints:
        """Least uplinks at ``gbps`` that keep the leaf ratio (``fat_tree.fewest_uplinks``, row by row)."""
        factor = gbps // self.rated[0].layer.wiring.link_gbps if self.rated else 1
        over, under = self.ratio
        return np.asarray(np.maximum(1, -(-self.down * under // (over * factor))))

    def most_uplinks(self, leaf: SwitchModel, link_gbps: int, gbps: int, apart: bool) -> Ints:
        """Uplinks that the leaf has room for (``fat_tree.most_uplinks``, row by row)."""
        if (gbps, apart) not in self._most:
            ports = {int(d) for d in self.down}
            known = {d: most_uplinks(leaf, d, link_gbps, gbps, apart=apart) for d in ports}
            self._most[gbps, apart] = _ints(known[int(d)] for d in self.down)
        return self._most[gbps, apart]


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def leaf_layer_tables(
    space: DesignSpace, attachment: NicAttachment, leaf: SwitchModel, year: YearDemand, growing: bool
) -> tuple[LeafLayerTable, LeafLayerTable]:
    """A year's leaf layers under two tiers and under three, with the ratios that scenario and headroom
    allow."""
    caps, most = space.caps(attachment, year), space.rules.max_oversubscription
    if caps is None:
        return LeafLayerTable(()), LeafLayerTable(())
    two_tier, three_tier = list[RatedLeafLayer](), list[RatedLeafLayer]()
    every_size = growing or switch_end(leaf, attachment.base.link_gbps).links_per_cage > 1
    for layer in leaf_layers(attachment.base, leaf, year.site_nodes, space.rules, every_size=every_size):
        space.budget.check_time(f"hanging the nodes of {year.year} under leaves")
        inside = layer.wiring.nodes_per_unit >= caps.job_nodes
        ratio = most if inside or caps.leaf is None else min(most, caps.leaf)
        two_tier.append(RatedLeafLayer(layer, ratio, space.rules))
        pairs = _three_tier_ratios(space, ratio, None if inside else caps.core)
        three_tier.extend(RatedLeafLayer(layer, *pair) for pair in pairs)
    return LeafLayerTable(tuple(two_tier)), LeafLayerTable(tuple(three_tier))


def _three_tier_ratios(
    space: DesignSpace, ratio: Fraction, cap: Fraction | None
) -> Iterator[tuple[Fraction, WiringRules]]:
    """Leaf ratio and spine rules; with a credit for output also the spine ratios below the one allowed."""
    for leaf_ratio, rules in _spine_rules(space.rules, ratio, cap):
        yield leaf_ratio, rules
        if space.discounted_output is not None:
            lower = (r for r in RATIOS if r < rules.spine_oversubscription)
            yield from ((leaf_ratio, replace(rules, spine_oversubscription=r)) for r in lower)


def _spine_rules(
    rules: WiringRules, ratio: Fraction, cap: Fraction | None
) -> Sequence[tuple[Fraction, WiringRules]]:
    """Leaf ratio and spine rules whose product keeps the headroom's cap at the core.

    Where the cap binds, it is spent at the leaf first, or at the spine only.
    """
    if cap is None or ratio * rules.spine_oversubscription <= cap:
        return [(ratio, rules)]
    leaf_ratios = sorted({min(ratio, cap), min(ratio, Fraction(1))})
    return [
        (r, replace(rules, spine_oversubscription=min(rules.spine_oversubscription, cap / r)))
        for r in leaf_ratios
    ]
