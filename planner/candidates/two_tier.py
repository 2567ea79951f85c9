"""Enumerates the one- and two-tier fat-trees of one set of switch models for a demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from planner.candidates.design_space import WiringRules
from planner.candidates.dominance import CountedWiring, ParetoSet, TierCounts
from planner.candidates.uplinks import UplinkChoice, Uplinks
from planner.catalog.parts import SwitchModel
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import breakout_for, radix


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


def add_two_tier(found: ParetoSet, choice: UplinkChoice, spine: SwitchModel, min_spines: int) -> None:
    """Adds the two-tier wirings over a leaf layer: every spine count, each with its least uplinks.

    The number of spines divides the uplinks and each pair has m links: u = m x S, so for each S the
    least m suffices. What the choice's cut does not leave in is left out.
    """
    layer, up = choice.layer, choice.uplinks
    if found.compares_all and found.dominates(choice.least, 1):
        return
    fewest = max(min_spines, ceil(layer.leaves * up.least / up.spine_radix))
    for spines in range(fewest, up.most + 1):
        pair = links_per_pair(up, spines, layer.leaves)
        least = TierCounts(layer.leaves, 2 * layer.leaves * pair * spines, spines, 0, 0)
        if not pair or (found.compares_all and found.dominates(least, 1)) or not choice.cut.leaves_in(least):
            continue
        dark = layer.leaves * (-pair * spines % up.leaf_cage)
        dark += spines * (-layer.leaves * pair % up.spine_cage)
        most = least._replace(leaf_spine_ends=least.leaf_spine_ends + dark)
        wiring = replace(
            layer.wiring,
            tiers=2,
            up=pair * spines,
            uplink_gbps=up.gbps,
            spine=spine.id,
            spine_breakout=up.spine_breakout,
            spines=spines,
        )
        found.add(CountedWiring(least, most, wiring))


def links_per_pair(up: Uplinks, spines: int, leaves: int) -> int:
    """Least links of a leaf to each of the spines; 0 where ports or ratio forbid that many spines."""
    pair = ceil(up.least / spines)
    return pair if pair * spines <= up.most and leaves * pair <= up.spine_radix else 0
