"""Floors under whole designs, and the least of them in each build year."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf

from planner.candidates.collapsed_pair import pairs
from planner.candidates.cost_floors import cost_floor, output_credit_usd, pieces_of_nodes, tier_counts
from planner.candidates.design_space import DesignSpace
from planner.candidates.dominance import TierCounts
from planner.candidates.layer_media import TierMedia, node_medium
from planner.candidates.switch_sets import SwitchSet, SwitchSets
from planner.candidates.two_tier import one_tier
from planner.candidates.uplinks import least_floor_usd
from planner.catalog.parts import SwitchModel
from planner.fabric.demand import YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.fat_tree import radix
from planner.fabric.nic_attachment import NicAttachment


def tree_floor_usd(
    space: DesignSpace, switch_set: SwitchSet, year: YearDemand, wiring: Wiring, size: Size
) -> float:
    """The floor (USD) of a two- or three-tier wiring at its size, less its credit; 0 without dual prices."""
    if year.t not in switch_set.floors:
        return 0.0
    return float(switch_set.floors[year.t].usd(tier_counts(size))) - output_credit_usd(space, wiring, year)


def leaves_floor_usd(
    space: DesignSpace, attachment: NicAttachment, wiring: Wiring, year: YearDemand
) -> float:
    """The floor (USD) of a wiring without spines, less its credit: the nodes' share, and one switch or the
    two of a collapsed pair, of which the links between the leaves are left out. 0 without dual prices;
    infinite where no medium joins the nodes to the leaf."""
    leaf = space.by_id[wiring.leaf]
    node = node_medium(space, attachment, leaf)
    if node is None:
        return inf
    if space.duals is None:
        return 0.0
    nodes = pieces_of_nodes(space, attachment, year, node)
    floor = cost_floor(space.duals, attachment, year, TierMedia(leaf, node), nodes)
    counts = TierCounts(2 if wiring.pair_links else 1, 0, 0, 0, 0)
    return float(floor.usd(counts)) - output_credit_usd(space, wiring, year)


def least_floors(
    space: DesignSpace, switch_sets: SwitchSets, builds: Iterable[YearDemand]
) -> dict[int, float]:
    """The least floor (USD) of any wiring in each build year (by t); infinite where there is none.

    The cutoffs of the design space are not looked at.
    """
    return {year.t: _least_floor(space, switch_sets, year) for year in builds}


def _least_floor(
    space: DesignSpace, switch_sets: Mapping[NicAttachment, Iterable[SwitchSet]], year: YearDemand
) -> float:
    least = inf
    for attachment, found in switch_sets.items():
        usd = [least_floor_usd(space, switch_set, year) for switch_set in found]
        usd += [
            leaves_floor_usd(space, attachment, wiring, year)
            for leaf in space.switches
            for wiring in without_spines(space, attachment, leaf, year)
        ]
        least = min([least, *usd])
    return least


def without_spines(
    space: DesignSpace, attachment: NicAttachment, leaf: SwitchModel, year: YearDemand
) -> Iterable[Wiring]:
    """The single switch and the collapsed pairs of a leaf model in a build year."""
    if radix(leaf, attachment.base.link_gbps):
        yield from one_tier(attachment.base, leaf, year.site_nodes, space.rules)
        yield from pairs(space, attachment, leaf, year)
