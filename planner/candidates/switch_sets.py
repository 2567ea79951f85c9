"""Sets of switch models over which fat-trees are enumerated, and floors under their cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf

import numpy as np

from planner.candidates.cost_floors import CostFloor, Floats, cost_floor
from planner.candidates.design_space import DesignSpace
from planner.candidates.layer_media import layer_media, node_medium
from planner.candidates.leaf_layers import RATIOS, Ints, LeafLayerTable, RatedLeafLayer, leaf_layer_tables
from planner.candidates.two_tier import LeafLayer, Uplinks, one_tier
from planner.catalog.parts import SwitchModel
from planner.fabric.cabling import Medium
from planner.fabric.demand import YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.fat_tree import breakout_for, fewest_uplinks, radix, uplink_rates
from planner.fabric.nic_attachment import NicAttachment
from planner.fabric.part_counts import Pieces, switch_end


@dataclass(frozen=True, slots=True)
class SwitchSet:
    """One set of switch models and an uplink rate, over the stems of every build year.

    ``core`` None: two tiers. ``tables`` and ``most_up`` (uplinks that each stem's leaf has room for) are by
    position of the build year, ``floors`` by build year (t), None without a budget.
    """

    leaf: SwitchModel
    spine: SwitchModel
    core: SwitchModel | None
    gbps: int
    by_bundle: bool
    apart: tuple[bool, bool]  # at a leaf, and at a spine: links below and above never share a cage
    tables: tuple[LeafLayerTable, ...]
    most_up: tuple[Ints, ...]
    floors: Mapping[int, CostFloor] | None


SwitchSets = Mapping[NicAttachment, Sequence[SwitchSet]]


def all_switch_sets(
    space: DesignSpace, attachments: tuple[NicAttachment, ...], builds: tuple[YearDemand, ...]
) -> SwitchSets:
    """The trunks of every attachment: of a leaf and spine, two tiers before three."""
    return {attachment: tuple(_trunks(space, attachment, builds)) for attachment in attachments}


def _trunks(
    space: DesignSpace, attachment: NicAttachment, builds: tuple[YearDemand, ...]
) -> Iterator[SwitchSet]:
    """Sets of models whose layers can all be cabled."""
    if space.rules.max_tiers < 2:
        return
    for leaf in space.switches:
        node = node_medium(space, attachment, leaf) if radix(leaf, attachment.base.link_gbps) else None
        if node:
            tables = [leaf_layer_tables(space, attachment, leaf, y, len(builds) > 1) for y in builds]
            yield from _over(space, attachment, builds, leaf, node, tables)


def _over(
    space: DesignSpace,
    attachment: NicAttachment,
    builds: tuple[YearDemand, ...],
    leaf: SwitchModel,
    node: Medium,
    tables: list[tuple[LeafLayerTable, LeafLayerTable]],
) -> Iterator[SwitchSet]:
    """The trunks over one leaf model."""
    link, layout, duals = attachment.base.link_gbps, space.layout, space.duals
    need = {y.t: pieces_of_nodes(space, attachment, y, node) for y in builds} if duals else {}
    room: dict[tuple[int, bool, bool], tuple[Ints, ...]] = {}
    for gbps, spine in product(uplink_rates(leaf, link), space.switches):
        mid = layer_media(space, leaf, spine, gbps, layout.leaf_spine_m) if radix(spine, gbps) else []
        for core in (None, *(space.switches if space.rules.max_tiers > 2 else ())) if mid else ():
            top = layer_media(space, spine, core, gbps, layout.spine_core_m) if core else []
            if core and (not radix(core, gbps) or not top):
                continue
            models, media = (leaf, spine, core), (mid, top)
            floors = (
                {y.t: cost_floor(duals, attachment, y, models, node, media, gbps, need[y.t]) for y in builds}
                if duals
                else None
            )
            apart = (
                gbps != link or _apart({(node.module_a, node.split)}, mid),
                core is not None and _apart({(m.module_b, m.split) for m in mid}, top),
            )
            over = tuple(pair[1 if core else 0] for pair in tables)
            key = gbps, apart[0], core is None
            if key not in room:
                room[key] = tuple(table.most_uplinks(leaf, link, gbps, apart[0]) for table in over)
            yield SwitchSet(leaf, spine, core, gbps, len(mid) > 1, apart, over, room[key], floors)


def _apart(below: set[tuple[str, bool]], above: list[Medium]) -> bool:
    """Whether links below and above a switch can't share cages: modules or fibres differ, or cables do
    without modules. ``below`` are the (module, splitter) kinds at the switch.

    Where bundles of several sizes take several media, one that differs is enough: then a design may be
    given more cages than it needs, never fewer.
    """
    return below != {(m.module_a, m.split) for m in above} or ("", False) in below or ("", True) in below


@dataclass(frozen=True, slots=True)
class UplinkChoice:
    """A stem under a trunk with the uplinks that it may have, and the floor (USD) under what comes of it."""

    rated: RatedLeafLayer
    up: Uplinks
    usd: float

    @property
    def layer(self) -> LeafLayer:
        """The leaf with its endpoints."""
        return self.rated.layer


def uplink_choices(
    space: DesignSpace, switch_set: SwitchSet, position: int, year: YearDemand, limit_usd: float
) -> Iterator[UplinkChoice]:
    """The stems of a build year (the one at ``position``), each with its uplinks, of which the floor is
    within a limit."""
    table = switch_set.tables[position]
    rows, least, most = _uplink_numbers(space, switch_set, table, switch_set.most_up[position])
    usd = _floor_usd(space, switch_set, table, year, rows, least, most)
    for i in np.flatnonzero(usd <= limit_usd):
        rated = table.rated[rows[i]]
        yield UplinkChoice(
            rated, _uplinks(switch_set, rated.layer, int(least[i]), int(most[i])), float(usd[i])
        )


def least_choice_floor_usd(
    space: DesignSpace, switch_set: SwitchSet, position: int, year: YearDemand
) -> float:
    """The least floor (USD) of any way in a build year; infinite where there is none."""
    table = switch_set.tables[position]
    rows, least, most = _uplink_numbers(space, switch_set, table, switch_set.most_up[position])
    usd = _floor_usd(space, switch_set, table, year, rows, least, most)
    return float(usd.min(initial=inf))


def _uplink_numbers(
    space: DesignSpace, switch_set: SwitchSet, table: LeafLayerTable, most: Ints
) -> tuple[Ints, Ints, Ints]:
    """(row of the table, least, most uplinks). With a credit for output other numbers than the least have a
    turn of their own: every one, or those of the listed ratios."""
    factor = switch_set.gbps // _link_gbps(table) if table.rated else 1
    least = table.fewest_uplinks(factor)
    if space.credit is None:
        rows = np.flatnonzero(least <= most)
        return rows, least[rows], most[rows]
    found = []
    for row in np.flatnonzero(least <= most):
        lo, hi, down = int(least[row]), int(most[row]), int(table.down[row])
        listed = {lo, *(fewest_uplinks(down, factor, r) for r in RATIOS)}
        numbers = range(lo, hi + 1) if space.every_ratio else sorted(n for n in listed if lo <= n <= hi)
        found += [(int(row), u) for u in numbers]
    pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1], pairs[:, 1]


def _link_gbps(table: LeafLayerTable) -> int:
    return table.rated[0].layer.wiring.link_gbps


def _floor_usd(
    space: DesignSpace,
    switch_set: SwitchSet,
    table: LeafLayerTable,
    year: YearDemand,
    rows: Ints,
    least: Ints,
    most: Ints,
) -> Floats:
    """The floor below every wiring of each row; infinite where it has none, 0 without a budget.

    At the very least: every port of spines and cores used, and pods that come out even.
    """
    spine_radix, leaves = radix(switch_set.spine, switch_set.gbps), table.leaves[rows]
    links, fewest = leaves * least, space.rules.min_spines
    if switch_set.core is None:
        fit = leaves <= spine_radix
        spines = np.maximum(fewest, -(-links // spine_radix))
        above = cores = np.zeros(len(rows), dtype=np.int64)
    else:
        over, under = (part[rows] for part in table.spine_ratio)
        core_radix = radix(switch_set.core, switch_set.gbps)
        fit = leaves <= spine_radix * over // (over + under) * core_radix
        above = -(-links * under // over)
        spines = -(-(links + above) // spine_radix)
        cores = np.maximum(fewest, -(-above // core_radix))
    if switch_set.floors is None:
        return np.where(fit, 0.0, inf)
    usd = switch_set.floors[year.t].usd(np.stack([leaves, 2 * links, spines, 2 * above, cores], axis=1))
    if space.credit is not None:
        pairs = zip(rows, most, strict=True)
        best = (highest_output_wiring(switch_set, table.rated[row].layer, int(up)) for row, up in pairs)
        usd = usd - np.array([output_credit_usd(space, wiring, year) for wiring in best])
    return np.where(fit, usd, inf)


def _uplinks(switch_set: SwitchSet, layer: LeafLayer, least: int, most: int) -> Uplinks:
    return Uplinks(
        gbps=switch_set.gbps,
        factor=switch_set.gbps // layer.wiring.link_gbps,
        least=least,
        most=most,
        spine_radix=radix(switch_set.spine, switch_set.gbps),
        spine_breakout=breakout_for(switch_set.spine, switch_set.gbps) or 1,
        leaf_cage=switch_end(switch_set.leaf, switch_set.gbps).links_per_cage,
        spine_cage=switch_end(switch_set.spine, switch_set.gbps).links_per_cage,
        spine_apart=switch_set.apart[1],
    )


def output_credit_usd(space: DesignSpace, wiring: Wiring, year: YearDemand) -> float:
    """Credit (USD) for what a wiring delivers; 0 where only cost counts."""
    if space.credit is None or space.duals is None:
        return 0.0
    return space.duals.credit_usd * space.credit(wiring, year)


def highest_output_wiring(switch_set: SwitchSet, layer: LeafLayer, most_up: int) -> Wiring:
    """A wiring of a stem that delivers no less than any other: every uplink that the leaf has room for."""
    return replace(
        layer.wiring,
        tiers=2 if switch_set.core is None else 3,
        up=most_up,
        uplink_gbps=switch_set.gbps,
        spines=1,
        leaves_per_pod=0 if switch_set.core is None else 1,
        spine_up=0 if switch_set.core is None else most_up,
    )


def size_floor_usd(
    space: DesignSpace, switch_set: SwitchSet, year: YearDemand, wiring: Wiring, size: Size
) -> float:
    """The floor of a wiring's size, less its credit; 0 without a budget."""
    if space.duals is None or switch_set.floors is None:
        return 0.0
    key = size.leaves, 2 * size.leaf_spine_links, size.spines, 2 * size.spine_core_links, size.cores
    return float(switch_set.floors[year.t].usd(key)) - output_credit_usd(space, wiring, year)


def pieces_of_nodes(
    space: DesignSpace, attachment: NicAttachment, year: YearDemand, medium: Medium
) -> Mapping[str, int]:
    """Pieces by SKU that every fabric takes for the nodes alone: NICs, their modules and cables, and what
    those need beside them. More switches never take fewer of any."""
    base, nodes = attachment.base, year.site_nodes
    use = {("node", attachment.nic.id): nodes * base.sites * attachment.nics_per_node}
    modules = nodes * base.sites * attachment.nic_cages_per_node if medium.module_b else 0
    if modules:
        use["node", medium.module_b] = modules
    endpoints = nodes * base.endpoints_per_node
    use["node-leaf", medium.cable] = medium.cables(endpoints * base.copies)
    pieces = Pieces(use, modules, 0)
    if space.ancillaries:
        size = Size(nodes, endpoints, 0, 0, 0, 0, 0, 0)
        pieces = space.ancillaries(pieces, base, size, year)
    return pieces.by_sku()


def single_switch_floor_usd(
    space: DesignSpace, attachment: NicAttachment, leaf: SwitchModel, year: YearDemand
) -> float:
    """The floor of a single switch; infinite where it is too small."""
    node = node_medium(space, attachment, leaf)
    if node is None or not any(one_tier(attachment.base, leaf, year.site_nodes, space.rules)):
        return inf
    if space.duals is None:
        return 0.0
    need = pieces_of_nodes(space, attachment, year, node)
    floor = cost_floor(space.duals, attachment, year, (leaf, None, None), node, ([], []), 0, need)
    single = next(iter(one_tier(attachment.base, leaf, year.site_nodes, space.rules)))
    return float(floor.usd((1, 0, 0, 0, 0))) - output_credit_usd(space, single, year)


def least_floors(space: DesignSpace, over: SwitchSets, builds: tuple[YearDemand, ...]) -> dict[int, float]:
    """The least floor (USD) of any wiring in each build year; infinite where there is none.

    ``space.duals`` gives the worth of pieces; its limits are not looked at.
    """
    least = {y.t: inf for y in builds}
    for attachment, found in over.items():
        for position, year in enumerate(builds):
            usd = [least_choice_floor_usd(space, switch_set, position, year) for switch_set in found]
            leaves = (s for s in space.switches if radix(s, attachment.base.link_gbps))
            usd += [single_switch_floor_usd(space, attachment, leaf, year) for leaf in leaves]
            least[year.t] = min([least[year.t], *usd])
    return least
