"""Sets of switch models over which fat-trees are enumerated: a leaf, a spine, perhaps a core, and a rate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from planner.candidates.cost_floors import CostFloor, cost_floor, pieces_of_nodes
from planner.candidates.design_space import DesignSpace
from planner.candidates.layer_media import TierMedia, media_of_bundles, node_medium
from planner.candidates.leaf_layers import Ints, LeafLayerTable, leaf_layer_tables
from planner.catalog.parts import SwitchModel
from planner.fabric.cabling import Medium
from planner.fabric.demand import YearDemand
from planner.fabric.fat_tree import radix, uplink_rates
from planner.fabric.nic_attachment import NicAttachment


@dataclass(frozen=True, slots=True)
class SwitchSet:
    """One set of switch models and an uplink rate, over the leaf layers of every build year (by t).

    ``core`` None: two tiers. ``by_bundle``: bundles of several sizes take several media. ``leaf_apart``,
    ``spine_apart``: links below and above the switch never share a cage. ``most_uplinks``: what each leaf
    layer's leaf has room for. ``floors``: empty without dual prices.
    """

    leaf: SwitchModel
    spine: SwitchModel
    core: SwitchModel | None
    gbps: int
    by_bundle: bool
    leaf_apart: bool
    spine_apart: bool
    tables: Mapping[int, LeafLayerTable]
    most_uplinks: Mapping[int, Ints]
    floors: Mapping[int, CostFloor]


SwitchSets = Mapping[NicAttachment, Sequence[SwitchSet]]


def all_switch_sets(
    space: DesignSpace,
    attachments: Iterable[NicAttachment],
    builds: tuple[YearDemand, ...],
    *,
    growing: bool,
) -> SwitchSets:
    """The switch sets of every attachment: of a leaf and spine, two tiers before three.

    ``growing``: the plan has other build years, too, of this technology or of another. Raises
    BudgetSpentError.
    """
    return {a: tuple(_switch_sets(space, a, builds, growing)) for a in attachments}


def _switch_sets(
    space: DesignSpace, attachment: NicAttachment, builds: tuple[YearDemand, ...], growing: bool
) -> Iterator[SwitchSet]:
    """Sets of models whose layers can all be cabled."""
    if space.rules.max_tiers < 2:
        return
    for leaf in space.switches:
        space.budget.check(f"hanging the nodes under {leaf.id} leaves")
        node = node_medium(space, attachment, leaf) if radix(leaf, attachment.base.link_gbps) else None
        if node is None:
            continue
        tables = {y.t: leaf_layer_tables(space, attachment, leaf, y, growing) for y in builds}
        under_two = {t: two for t, (two, _) in tables.items()}
        under_three = {t: three for t, (_, three) in tables.items()}
        nodes = {y.t: pieces_of_nodes(space, attachment, y, node) for y in builds} if space.duals else {}
        for spine, media in _media_over(space, attachment, leaf, node):
            duals = space.duals
            floors = {y.t: cost_floor(duals, attachment, y, media, nodes[y.t]) for y in builds if duals}
            over = under_three if media.core else under_two
            yield _switch_set(attachment.base.link_gbps, spine, media, over, floors)


def _media_over(
    space: DesignSpace, attachment: NicAttachment, leaf: SwitchModel, node: Medium
) -> Iterator[tuple[SwitchModel, TierMedia]]:
    """The spines, and cores over them, that can be cabled over one leaf model."""
    layout, link_gbps = space.layout, attachment.base.link_gbps
    cores = space.switches if space.rules.max_tiers > 2 else ()
    for gbps, spine in product(uplink_rates(leaf, link_gbps), space.switches):
        mid = media_of_bundles(space, leaf, spine, gbps, layout.leaf_spine_m) if radix(spine, gbps) else ()
        if mid:
            yield spine, TierMedia(leaf, node, spine, None, gbps, mid)
        for core in cores if mid else ():
            top = media_of_bundles(space, spine, core, gbps, layout.spine_core_m)
            if top and radix(core, gbps):
                yield spine, TierMedia(leaf, node, spine, core, gbps, mid, top)


def _switch_set(
    link_gbps: int,
    spine: SwitchModel,
    media: TierMedia,
    tables: Mapping[int, LeafLayerTable],
    floors: Mapping[int, CostFloor],
) -> SwitchSet:
    """A set of models with the leaf layers under it."""
    leaf, gbps, mid = media.leaf, media.uplink_gbps, media.leaf_spine
    leaf_apart = gbps != link_gbps or _apart({(media.node_leaf.module_a, media.node_leaf.split)}, mid)
    spine_apart = media.core is not None and _apart({(m.module_b, m.split) for m in mid}, media.spine_core)
    return SwitchSet(
        leaf=leaf,
        spine=spine,
        core=media.core,
        gbps=gbps,
        by_bundle=len(mid) > 1,
        leaf_apart=leaf_apart,
        spine_apart=spine_apart,
        tables=tables,
        most_uplinks={
            t: table.most_uplinks(leaf, link_gbps, gbps, leaf_apart) for t, table in tables.items()
        },
        floors=floors,
    )


def _apart(below: set[tuple[str, bool]], above: Iterable[Medium]) -> bool:
    """Whether links below and above a switch can't share cages: modules or fibres differ, or cables do
    without modules. ``below`` are the (module, splitter) kinds at the switch.

    Where bundles of several sizes take several media, one that differs is enough: then a design may be
    given more cages than it needs, never fewer.
    """
    return below != {(m.module_a, m.split) for m in above} or ("", False) in below or ("", True) in below
