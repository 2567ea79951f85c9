"""Sets of switch models over which fat-trees are enumerated, and floors under their cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import inf

from planner.cabling import Medium
from planner.catalog import SwitchModel
from planner.cost_bound import Floor, floor_of, least_two_tier
from planner.demand import Variant, YearDemand
from planner.design import Size, Wiring
from planner.frontier import Stem, Uplinks, one_tier, stems, uplinks
from planner.media import layer_media, node_medium
from planner.pods import least_three_tier
from planner.search import Search
from planner.topology import fewest_uplinks, radix, uplink_rates

RATIOS = tuple(Fraction(n, 4) for n in (4, 5, 6, 8, 12, 16))  # tried where output earns a credit


@dataclass(frozen=True, slots=True)
class CappedStem:
    """A stem with the leaf ratio that scenario and headroom allow it, and the cap of the ratios' product."""

    stem: Stem
    ratio: Fraction
    core_ratio: Fraction | None


@dataclass(frozen=True, slots=True)
class Trunk:
    """One set of switch models and an uplink rate, over the stems of every build year.

    ``core`` None: two tiers. ``floors`` are by build year (t), None without a budget.
    """

    leaf: SwitchModel
    spine: SwitchModel
    core: SwitchModel | None
    gbps: int
    by_bundle: bool
    apart: tuple[bool, bool]  # at a leaf, and at a spine: links below and above never share a cage
    stem_sets: list[list[CappedStem]]
    floors: Mapping[int, Floor] | None


def trunks(search: Search, variant: Variant, builds: tuple[YearDemand, ...]) -> Iterator[Trunk]:
    """Sets of models whose layers can all be cabled: of a leaf and spine, two tiers before three."""
    if search.rules.max_tiers < 2:
        return
    growing = len(builds) > 1 and not search.quick
    for leaf in search.switches:
        node = node_medium(search, variant, leaf) if radix(leaf, variant.base.link_gbps) else None
        if node:
            stem_sets = [_capped_stems(search, variant, leaf, y, growing) for y in builds]
            yield from _over(search, variant, builds, leaf, node, stem_sets)


def _over(
    search: Search,
    variant: Variant,
    builds: tuple[YearDemand, ...],
    leaf: SwitchModel,
    node: Medium,
    stem_sets: list[list[CappedStem]],
) -> Iterator[Trunk]:
    """The trunks over one leaf model."""
    link, layout, budget = variant.base.link_gbps, search.layout, search.budget
    for gbps, spine in product(uplink_rates(leaf, link), search.switches):
        mid = layer_media(search, leaf, spine, gbps, layout.leaf_spine_m) if radix(spine, gbps) else []
        for core in (None, *(search.switches if search.rules.max_tiers > 2 else ())) if mid else ():
            top = layer_media(search, spine, core, gbps, layout.spine_core_m) if core else []
            if core and (not radix(core, gbps) or not top or (search.quick and core.id != spine.id)):
                continue
            models, media = (leaf, spine, core), (mid, top)
            floors = (
                {y.t: floor_of(budget, variant, y, models, node, media, gbps) for y in builds}
                if budget
                else None
            )
            apart = (
                gbps != link or _apart({(node.module_a, node.split)}, mid),
                core is not None and _apart({(m.module_b, m.split) for m in mid}, top),
            )
            yield Trunk(leaf, spine, core, gbps, len(mid) > 1, apart, stem_sets, floors)


def _apart(below: set[tuple[str, bool]], above: list[Medium]) -> bool:
    """Whether links below and above a switch can't share cages: modules or fibres differ, or cables do
    without modules. ``below`` are the (module, splitter) kinds at the switch.

    Where bundles of several sizes take several media, one that differs is enough: then a design may be
    given more cages than it needs, never fewer.
    """
    return below != {(m.module_a, m.split) for m in above} or ("", False) in below or ("", True) in below


def _capped_stems(
    search: Search, variant: Variant, leaf: SwitchModel, year: YearDemand, growing: bool
) -> list[CappedStem]:
    """A year's stems with the leaf ratio that the scenario and the headroom allow each."""
    caps, most = search.caps(variant, year), search.rules.max_oversubscription
    if caps is None:
        return []
    rows = []
    for stem in stems(variant.base, leaf, year.site_nodes, search.rules, growing=growing):
        inside = stem.wiring.nodes_per_unit >= caps.job_nodes
        ratio = most if inside or caps.leaf is None else min(most, caps.leaf)
        if search.quick and uplinks(stem, leaf, leaf, variant.base.link_gbps, ratio) is None:
            continue
        rows.append(CappedStem(stem, ratio, None if inside else caps.core))
        if search.quick and len(rows) == 4:
            break
    return rows


def uplinks_of(trunk: Trunk, row: CappedStem, ratio: Fraction) -> Uplinks | None:
    """The uplinks that a stem may have under a trunk at a leaf ratio."""
    return uplinks(row.stem, trunk.leaf, trunk.spine, trunk.gbps, ratio, trunk.apart)


def least_usd(search: Search, trunk: Trunk, year: YearDemand, row: CappedStem, up: Uplinks | None) -> float:
    """The floor below every wiring of a stem with such uplinks; infinite where it has none, 0 without a
    budget."""
    if up is None:
        return inf
    rules = search.rules
    if trunk.core is None:
        key = least_two_tier(row.stem.leaves, up.least, up.spine_radix, rules.min_spines)
    else:
        key = least_three_tier(row.stem, up, rules, radix(trunk.core, trunk.gbps))
    if key is None or trunk.floors is None:
        return inf if key is None else 0.0
    return float(trunk.floors[year.t].usd(key)) - earned_usd(search, best_of(trunk, row, up), year)


def earned_usd(search: Search, wiring: Wiring, year: YearDemand) -> float:
    """Credit (USD) for what a wiring delivers; 0 where only cost counts."""
    if search.credit is None or search.budget is None:
        return 0.0
    return search.budget.credit_usd * search.credit(wiring, year)


def best_of(trunk: Trunk, row: CappedStem, up: Uplinks) -> Wiring:
    """A wiring of a stem that delivers no less than any other: every uplink that the leaf has room for."""
    return replace(
        row.stem.wiring,
        tiers=2 if trunk.core is None else 3,
        up=up.most,
        uplink_gbps=up.gbps,
        spines=1,
        leaves_per_pod=0 if trunk.core is None else 1,
        spine_up=0 if trunk.core is None else up.most,
    )


def too_dear(search: Search, trunk: Trunk, year: YearDemand, wiring: Wiring, size: Size) -> bool:
    """Whether the floor of a wiring's size, less its credit, exceeds what the build year may cost."""
    if search.budget is None or trunk.floors is None:
        return False
    key = size.leaves, 2 * size.leaf_spine_links, size.spines, 2 * size.spine_core_links, size.cores
    usd = float(trunk.floors[year.t].usd(key)) - earned_usd(search, wiring, year)
    return usd > search.budget.limit.get(year.t, inf)


def rungs(search: Search, up: Uplinks, down: int) -> Iterator[Uplinks]:
    """The least uplinks; with a credit for output other numbers too, one at a time: every one, or those of
    the listed ratios."""
    if search.credit is None:
        yield up
        return
    numbers = {up.least, *(fewest_uplinks(down, up.factor, r) for r in RATIOS)}
    every = range(up.least, up.most + 1)
    for u in every if search.every_ratio else sorted(n for n in numbers if n in every):
        yield replace(up, least=u, most=u)


def _row_usd(search: Search, trunk: Trunk, year: YearDemand, row: CappedStem) -> float:
    """The floor below every wiring of a stem."""
    up = uplinks_of(trunk, row, row.ratio)
    if up is None:
        return inf
    return min(least_usd(search, trunk, year, row, rung) for rung in rungs(search, up, row.stem.wiring.down))


def _single_usd(search: Search, variant: Variant, leaf: SwitchModel, year: YearDemand) -> float:
    """The floor of a single switch; infinite where it is too small."""
    node = node_medium(search, variant, leaf)
    if node is None or not any(one_tier(variant.base, leaf, year.site_nodes, search.rules)):
        return inf
    if search.budget is None:
        return 0.0
    floor = floor_of(search.budget, variant, year, (leaf, None, None), node, ([], []), 0)
    single = next(iter(one_tier(variant.base, leaf, year.site_nodes, search.rules)))
    return float(floor.usd((1, 0, 0, 0, 0))) - earned_usd(search, single, year)


def least_floors(
    search: Search, variants: tuple[Variant, ...], builds: tuple[YearDemand, ...]
) -> dict[int, float]:
    """The least floor (USD) of any wiring in each build year; infinite where there is none.

    ``search.budget`` gives the worth of pieces; its limits are not looked at.
    """
    least = {y.t: inf for y in builds}
    for variant in variants:
        for trunk in trunks(search, variant, builds):
            for year, rows in zip(builds, trunk.stem_sets, strict=True):
                usd = min((_row_usd(search, trunk, year, row) for row in rows), default=inf)
                least[year.t] = min(least[year.t], usd)
        for leaf in (s for s in search.switches if radix(s, variant.base.link_gbps)):
            for year in builds:
                least[year.t] = min(least[year.t], _single_usd(search, variant, leaf, year))
    return least
