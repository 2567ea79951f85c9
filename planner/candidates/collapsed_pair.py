"""Collapsed pairs: two leaves that are linked directly, without a spine.

A pair's leaf has d endpoints and u links to the other leaf; d : u keeps the oversubscription asked for, so
1:1 needs as many links as a leaf has endpoints. Rail-optimised, each leaf takes half of the rails of every
node: all ports of a rail meet on one leaf, as on a single switch, and only traffic between rails crosses
(an odd number of rails makes no pair). Otherwise a leaf takes half of the nodes, with all their ports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil

from planner.candidates.design_space import DesignSpace
from planner.candidates.layer_media import node_medium, switch_medium
from planner.candidates.leaf_layers import RATIOS
from planner.catalog.parts import SwitchModel
from planner.fabric.demand import YearDemand
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import breakout_for, fewest_uplinks, most_uplinks, radix, uplink_rates
from planner.fabric.nic_attachment import NicAttachment

_BUNDLES = (1, 2, 4)  # links that share a cable: one more link may take fewer or cheaper cables


def pairs(
    space: DesignSpace, attachment: NicAttachment, leaf: SwitchModel, year: YearDemand
) -> Iterator[Wiring]:
    """Every pair of a leaf model for the nodes of a build year; none unless the scenario opens them."""
    caps, link = space.caps(attachment, year), attachment.base.link_gbps
    if not space.rules.collapsed_pair or caps is None or year.site_nodes < 2:
        return
    for half in _halves(space, attachment.base, leaf, year.site_nodes):
        inside = half.nodes_per_unit >= caps.job_nodes
        asked = space.rules.max_oversubscription
        ratio = asked if inside or caps.leaf is None else min(asked, caps.leaf)
        for gbps in uplink_rates(leaf, link):
            for number in _numbers(space, half.down, gbps // link, ratio):
                if _fits(space, attachment, leaf, half.down, gbps, number):
                    yield replace(half, uplink_gbps=gbps, pair_links=number)


def _halves(space: DesignSpace, base: Wiring, leaf: SwitchModel, nodes: int) -> Iterator[Wiring]:
    """The endpoints' side of a pair: units, leaves a unit and down ports.

    By nodes both leaves are filled alike; where moves count, every larger first half is looked at too.
    """
    rules, per_node, ports = space.rules, base.endpoints_per_node, radix(leaf, base.link_gbps)
    given = rules.nodes_per_scalable_unit
    with_reserve = ceil((nodes * per_node + rules.reserved_fabric_ports) / 2)
    base = replace(base, tiers=1, leaf=leaf.id, leaf_breakout=breakout_for(leaf, base.link_gbps) or 1)
    if base.rail_optimised:
        unit = given or nodes
        down = max(unit * per_node // 2, with_reserve)
        if per_node % 2 == 0 and unit >= nodes and down < ports:
            yield replace(base, nodes_per_unit=unit, leaves_per_unit=2, down=down)
        return
    least = ceil(nodes / 2)
    for unit in [given] if given else range(least, nodes if space.keep_dominated else least + 1):
        down = max(unit * per_node, with_reserve)
        if least <= unit < nodes and down < ports:
            yield replace(base, nodes_per_unit=unit, leaves_per_unit=1, down=down)


def _numbers(space: DesignSpace, down: int, factor: int, ratio: Fraction) -> list[int]:
    """Numbers of links worth trying: the fewest, and whole bundles; with a credit for output better ratios,
    listed ones or every one."""
    if space.discounted_output is not None and space.every_ratio:
        return list(range(fewest_uplinks(down, factor, ratio), down + 1))
    ratios = {ratio, *(r for r in RATIOS if space.discounted_output is not None and r < ratio)}
    fewest = [fewest_uplinks(down, factor, r) for r in ratios]
    return sorted({ceil(number / bundle) * bundle for number in fewest for bundle in _BUNDLES})


def _fits(
    space: DesignSpace, attachment: NicAttachment, leaf: SwitchModel, down: int, gbps: int, number: int
) -> bool:
    """Whether the links have a cable that is alike at both ends, and the leaf ports and cages for them."""
    node = node_medium(space, attachment, leaf)
    medium = switch_medium(space, leaf, leaf, gbps, space.layout.leaf_spine_m, number)
    if node is None or medium is None or medium.split or medium.module_a != medium.module_b:
        return False
    alike = (node.module_a, node.split) == (medium.module_a, medium.split) and not medium.assembly
    link = attachment.base.link_gbps
    apart = gbps != link or not alike
    return number <= most_uplinks(leaf, down, link, gbps, apart=apart)
