"""Sets of switch models over which fat-trees are enumerated, and floors under their cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf

import numpy as np

from planner.candidates.cost_floors import Floats, Floor, floor_of
from planner.candidates.design_space import Search
from planner.candidates.layer_media import layer_media, node_medium
from planner.candidates.leaf_layers import RATIOS, Ints, Option, StemTable, stem_tables
from planner.candidates.two_tier import Stem, Uplinks, one_tier
from planner.catalog.parts import SwitchModel
from planner.fabric.cabling import Medium
from planner.fabric.demand import Variant, YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.fat_tree import breakout_for, fewest_uplinks, radix, uplink_rates
from planner.fabric.part_counts import Pieces, switch_end


@dataclass(frozen=True, slots=True)
class Trunk:
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
    tables: tuple[StemTable, ...]
    most_up: tuple[Ints, ...]
    floors: Mapping[int, Floor] | None


Trunks = Mapping[Variant, Sequence[Trunk]]


def all_trunks(search: Search, variants: tuple[Variant, ...], builds: tuple[YearDemand, ...]) -> Trunks:
    """The trunks of every variant: of a leaf and spine, two tiers before three."""
    return {variant: tuple(_trunks(search, variant, builds)) for variant in variants}


def _trunks(search: Search, variant: Variant, builds: tuple[YearDemand, ...]) -> Iterator[Trunk]:
    """Sets of models whose layers can all be cabled."""
    if search.rules.max_tiers < 2:
        return
    for leaf in search.switches:
        node = node_medium(search, variant, leaf) if radix(leaf, variant.base.link_gbps) else None
        if node:
            tables = [stem_tables(search, variant, leaf, y, len(builds) > 1) for y in builds]
            yield from _over(search, variant, builds, leaf, node, tables)


def _over(
    search: Search,
    variant: Variant,
    builds: tuple[YearDemand, ...],
    leaf: SwitchModel,
    node: Medium,
    tables: list[tuple[StemTable, StemTable]],
) -> Iterator[Trunk]:
    """The trunks over one leaf model."""
    link, layout, budget = variant.base.link_gbps, search.layout, search.budget
    need = {y.t: nodes_need(search, variant, y, node) for y in builds} if budget else {}
    room: dict[tuple[int, bool, bool], tuple[Ints, ...]] = {}
    for gbps, spine in product(uplink_rates(leaf, link), search.switches):
        mid = layer_media(search, leaf, spine, gbps, layout.leaf_spine_m) if radix(spine, gbps) else []
        for core in (None, *(search.switches if search.rules.max_tiers > 2 else ())) if mid else ():
            top = layer_media(search, spine, core, gbps, layout.spine_core_m) if core else []
            if core and (not radix(core, gbps) or not top):
                continue
            models, media = (leaf, spine, core), (mid, top)
            floors = (
                {y.t: floor_of(budget, variant, y, models, node, media, gbps, need[y.t]) for y in builds}
                if budget
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
            yield Trunk(leaf, spine, core, gbps, len(mid) > 1, apart, over, room[key], floors)


def _apart(below: set[tuple[str, bool]], above: list[Medium]) -> bool:
    """Whether links below and above a switch can't share cages: modules or fibres differ, or cables do
    without modules. ``below`` are the (module, splitter) kinds at the switch.

    Where bundles of several sizes take several media, one that differs is enough: then a design may be
    given more cages than it needs, never fewer.
    """
    return below != {(m.module_a, m.split) for m in above} or ("", False) in below or ("", True) in below


@dataclass(frozen=True, slots=True)
class Way:
    """A stem under a trunk with the uplinks that it may have, and the floor (USD) under what comes of it."""

    option: Option
    up: Uplinks
    usd: float

    @property
    def stem(self) -> Stem:
        """The leaf with its endpoints."""
        return self.option.stem


def ways(search: Search, trunk: Trunk, position: int, year: YearDemand, limit_usd: float) -> Iterator[Way]:
    """The stems of a build year (the one at ``position``), each with its uplinks, of which the floor is
    within a limit."""
    table = trunk.tables[position]
    rows, least, most = _rungs(search, trunk, table, trunk.most_up[position])
    usd = _floor_usd(search, trunk, table, year, rows, least, most)
    for i in np.flatnonzero(usd <= limit_usd):
        option = table.options[rows[i]]
        yield Way(option, _uplinks(trunk, option.stem, int(least[i]), int(most[i])), float(usd[i]))


def least_way_usd(search: Search, trunk: Trunk, position: int, year: YearDemand) -> float:
    """The least floor (USD) of any way in a build year; infinite where there is none."""
    table = trunk.tables[position]
    rows, least, most = _rungs(search, trunk, table, trunk.most_up[position])
    usd = _floor_usd(search, trunk, table, year, rows, least, most)
    return float(usd.min(initial=inf))


def _rungs(search: Search, trunk: Trunk, table: StemTable, most: Ints) -> tuple[Ints, Ints, Ints]:
    """(row of the table, least, most uplinks). With a credit for output other numbers than the least have a
    turn of their own: every one, or those of the listed ratios."""
    factor = trunk.gbps // _link_gbps(table) if table.options else 1
    least = table.fewest_uplinks(factor)
    if search.credit is None:
        rows = np.flatnonzero(least <= most)
        return rows, least[rows], most[rows]
    found = []
    for row in np.flatnonzero(least <= most):
        lo, hi, down = int(least[row]), int(most[row]), int(table.down[row])
        listed = {lo, *(fewest_uplinks(down, factor, r) for r in RATIOS)}
        numbers = range(lo, hi + 1) if search.every_ratio else sorted(n for n in listed if lo <= n <= hi)
        found += [(int(row), u) for u in numbers]
    pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1], pairs[:, 1]


def _link_gbps(table: StemTable) -> int:
    return table.options[0].stem.wiring.link_gbps


def _floor_usd(
    search: Search, trunk: Trunk, table: StemTable, year: YearDemand, rows: Ints, least: Ints, most: Ints
) -> Floats:
    """The floor below every wiring of each row; infinite where it has none, 0 without a budget.

    At the very least: every port of spines and cores used, and pods that come out even.
    """
    spine_radix, leaves = radix(trunk.spine, trunk.gbps), table.leaves[rows]
    links, fewest = leaves * least, search.rules.min_spines
    if trunk.core is None:
        fit = leaves <= spine_radix
        spines = np.maximum(fewest, -(-links // spine_radix))
        above = cores = np.zeros(len(rows), dtype=np.int64)
    else:
        over, under = (part[rows] for part in table.spine_ratio)
        core_radix = radix(trunk.core, trunk.gbps)
        fit = leaves <= spine_radix * over // (over + under) * core_radix
        above = -(-links * under // over)
        spines = -(-(links + above) // spine_radix)
        cores = np.maximum(fewest, -(-above // core_radix))
    if trunk.floors is None:
        return np.where(fit, 0.0, inf)
    usd = trunk.floors[year.t].usd(np.stack([leaves, 2 * links, spines, 2 * above, cores], axis=1))
    if search.credit is not None:
        pairs = zip(rows, most, strict=True)
        best = (best_of(trunk, table.options[row].stem, int(up)) for row, up in pairs)
        usd = usd - np.array([earned_usd(search, wiring, year) for wiring in best])
    return np.where(fit, usd, inf)


def _uplinks(trunk: Trunk, stem: Stem, least: int, most: int) -> Uplinks:
    return Uplinks(
        gbps=trunk.gbps,
        factor=trunk.gbps // stem.wiring.link_gbps,
        least=least,
        most=most,
        spine_radix=radix(trunk.spine, trunk.gbps),
        spine_breakout=breakout_for(trunk.spine, trunk.gbps) or 1,
        leaf_cage=switch_end(trunk.leaf, trunk.gbps).links_per_cage,
        spine_cage=switch_end(trunk.spine, trunk.gbps).links_per_cage,
        spine_apart=trunk.apart[1],
    )


def earned_usd(search: Search, wiring: Wiring, year: YearDemand) -> float:
    """Credit (USD) for what a wiring delivers; 0 where only cost counts."""
    if search.credit is None or search.budget is None:
        return 0.0
    return search.budget.credit_usd * search.credit(wiring, year)


def best_of(trunk: Trunk, stem: Stem, most_up: int) -> Wiring:
    """A wiring of a stem that delivers no less than any other: every uplink that the leaf has room for."""
    return replace(
        stem.wiring,
        tiers=2 if trunk.core is None else 3,
        up=most_up,
        uplink_gbps=trunk.gbps,
        spines=1,
        leaves_per_pod=0 if trunk.core is None else 1,
        spine_up=0 if trunk.core is None else most_up,
    )


def size_usd(search: Search, trunk: Trunk, year: YearDemand, wiring: Wiring, size: Size) -> float:
    """The floor of a wiring's size, less its credit; 0 without a budget."""
    if search.budget is None or trunk.floors is None:
        return 0.0
    key = size.leaves, 2 * size.leaf_spine_links, size.spines, 2 * size.spine_core_links, size.cores
    return float(trunk.floors[year.t].usd(key)) - earned_usd(search, wiring, year)


def nodes_need(search: Search, variant: Variant, year: YearDemand, medium: Medium) -> Mapping[str, int]:
    """Pieces by SKU that every fabric takes for the nodes alone: NICs, their modules and cables, and what
    those need beside them. More switches never take fewer of any."""
    base, nodes = variant.base, year.site_nodes
    use = {("node", variant.nic.id): nodes * base.sites * variant.nics_per_node}
    modules = nodes * base.sites * variant.nic_cages_per_node if medium.module_b else 0
    if modules:
        use["node", medium.module_b] = modules
    endpoints = nodes * base.endpoints_per_node
    use["node-leaf", medium.cable] = medium.cables(endpoints * base.copies)
    pieces = Pieces(use, modules, 0)
    if search.extras:
        size = Size(nodes, endpoints, 0, 0, 0, 0, 0, 0)
        pieces = search.extras(pieces, base, size, year)
    return pieces.by_sku()


def single_usd(search: Search, variant: Variant, leaf: SwitchModel, year: YearDemand) -> float:
    """The floor of a single switch; infinite where it is too small."""
    node = node_medium(search, variant, leaf)
    if node is None or not any(one_tier(variant.base, leaf, year.site_nodes, search.rules)):
        return inf
    if search.budget is None:
        return 0.0
    need = nodes_need(search, variant, year, node)
    floor = floor_of(search.budget, variant, year, (leaf, None, None), node, ([], []), 0, need)
    single = next(iter(one_tier(variant.base, leaf, year.site_nodes, search.rules)))
    return float(floor.usd((1, 0, 0, 0, 0))) - earned_usd(search, single, year)


def least_floors(search: Search, over: Trunks, builds: tuple[YearDemand, ...]) -> dict[int, float]:
    """The least floor (USD) of any wiring in each build year; infinite where there is none.

    ``search.budget`` gives the worth of pieces; its limits are not looked at.
    """
    least = {y.t: inf for y in builds}
    for variant, found in over.items():
        for position, year in enumerate(builds):
            usd = [least_way_usd(search, trunk, position, year) for trunk in found]
            leaves = (s for s in search.switches if radix(s, variant.base.link_gbps))
            usd += [single_usd(search, variant, leaf, year) for leaf in leaves]
            least[year.t] = min([least[year.t], *usd])
    return least
