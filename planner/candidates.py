"""Which fat-trees could serve the demand of each build year under one technology."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

from planner.demand import Variant, YearDemand
from planner.design import Size, Wiring
from planner.frontier import (
    Rules,
    Uplinks,
    one_tier,
    two_tier,
    with_spines,
)
from planner.frontier_set import Frontier
from planner.media import kit_of
from planner.parts import Kit, Pieces, pieces_of
from planner.pods import three_tier
from planner.search import Search
from planner.topology import fits, radix, size_of
from planner.trunks import (
    RATIOS,
    CappedStem,
    Trunk,
    best_of,
    earned_usd,
    least_usd,
    rungs,
    too_dear,
    trunks,
    uplinks_of,
)

QUICK = 3  # wirings of a frontier that a first plan is made of


@dataclass(frozen=True, slots=True)
class Built:
    """A wiring at the size of one build year."""

    size: Size
    pieces: Pieces
    need: Mapping[str, int]  # SKU -> pieces


@dataclass(frozen=True, slots=True)
class Candidate:
    """A wiring with its parts, at the size of every build year (by t) in which it can serve."""

    wiring: Wiring
    kit: Kit
    built: Mapping[int, Built]


def candidates(
    search: Search, variants: tuple[Variant, ...], years: tuple[YearDemand, ...]
) -> list[Candidate]:
    """Every wiring on some build year's frontier, at every build year that it can serve.

    A wiring of one year is a candidate in the others too: built early it saves recabling, kept it
    saves moving. Two-tier wirings are also offered with the spine counts of other years.
    """
    builds = tuple(y for y in years if y.decides)
    found: dict[Wiring, tuple[Variant, Trunk | None]] = {}
    for variant in variants:
        for wiring, trunk in _wirings(search, variant, builds):
            found.setdefault(wiring, (variant, trunk))
    made = (_candidate(search, wiring, *of, builds) for wiring, of in found.items())
    return [c for c in made if c is not None]


def _wirings(
    search: Search, variant: Variant, builds: tuple[YearDemand, ...]
) -> Iterator[tuple[Wiring, Trunk | None]]:
    """The frontiers of all build years under every combination of switch models, with their trunks."""
    for leaf in search.switches:
        if radix(leaf, variant.base.link_gbps):
            for year in builds:
                for wiring in one_tier(variant.base, leaf, year.site_nodes, search.rules):
                    yield wiring, None
    two: dict[tuple[str, str, int], list[Frontiers]] = {}
    counts: dict[tuple[str, str, int], set[int]] = {}
    over = list(trunks(search, variant, builds))
    for trunk in over:  # two tiers come first: they beat three of the same models
        key = trunk.leaf.id, trunk.spine.id, trunk.gbps
        if trunk.core is None:
            two[key] = [_two_tier(search, trunk, y, r) for y, r in zip(builds, trunk.stem_sets, strict=True)]
            found = _short(search, two[key])
        else:
            sets = zip(builds, trunk.stem_sets, two[key], strict=True)
            found = [w for y, r, f in sets for w in _three_tier(search, trunk, y, r, f)]
        counts.setdefault(key, set()).update(w.spines for w in found)
        yield from ((w, trunk) for w in found)
    for trunk in over:
        if trunk.core is None:
            key = trunk.leaf.id, trunk.spine.id, trunk.gbps
            others = _with_other_spines(search, trunk, _short(search, two[key]), counts[key])
            yield from ((w, trunk) for w in others)


def _short(search: Search, years: list[Frontiers]) -> list[Wiring]:
    """The two-tier wirings of all build years."""
    return [w for frontiers in years for frontier in frontiers.values() for w in _taken(search, frontier)]


def _taken(search: Search, frontier: Frontier) -> Iterable[Wiring]:
    """A frontier's wirings; only the smallest few for a first plan."""
    return frontier.smallest(QUICK) if search.quick else frontier.wirings()


# by Stem.wide: a wide unit keeps other nodes in place than the least one, and is not beaten by it
Frontiers = dict[bool, Frontier]


def _affordable(
    search: Search, trunk: Trunk, year: YearDemand, row: CappedStem, ratio: Fraction
) -> Iterator[Uplinks]:
    """The uplinks of a stem with which some wiring could be part of a plan cheaper than the one known."""
    up = uplinks_of(trunk, row, ratio)
    limit = search.budget.limit.get(year.t, inf) if search.budget else inf
    for rung in rungs(search, up, row.stem.wiring.down) if up else ():
        if least_usd(search, trunk, year, row, rung) <= limit:
            yield rung


def _two_tier(search: Search, trunk: Trunk, year: YearDemand, rows: list[CappedStem]) -> Frontiers:
    out: Frontiers = {}
    for row in rows:
        for up in _affordable(search, trunk, year, row, row.ratio):
            frontier = out.setdefault(row.stem.wide, _frontier(search, trunk))
            two_tier(row.stem, trunk.spine, up, search.rules, frontier)
    return out


def _frontier(search: Search, trunk: Trunk) -> Frontier:
    return Frontier(by_bundle=trunk.by_bundle, by_ratio=search.credit is not None)


def _three_tier(
    search: Search, trunk: Trunk, year: YearDemand, rows: list[CappedStem], two: Frontiers
) -> Iterator[Wiring]:
    """Three tiers of a trunk. A two-tier wiring of the same leaf and spine that takes no more of either
    beats them: it is on the frontier from the start."""
    core = trunk.core
    floor = trunk.floors[year.t] if trunk.floors else None
    limit = search.budget.limit.get(year.t, inf) if search.budget else inf
    out: Frontiers = {wide: frontier.copy() for wide, frontier in two.items()}
    for row in rows:
        if core is None:
            break
        for ratio, rules in _ratios(search, row):
            for up in _affordable(search, trunk, year, row, ratio):
                frontier = out.setdefault(row.stem.wide, _frontier(search, trunk))
                most = limit + earned_usd(search, best_of(trunk, row, up), year)
                three_tier(row.stem, trunk.spine, core, up, rules, frontier, floor, most)
    yield from (w for frontier in out.values() for w in _taken(search, frontier) if w.tiers == 3)


def _ratios(search: Search, row: CappedStem) -> Iterator[tuple[Fraction, Rules]]:
    """Leaf ratio and spine rules; with a credit for output also the spine ratios below the one allowed."""
    for ratio, rules in _spine_rules(search.rules, row):
        yield ratio, rules
        if search.credit is not None:
            lower = (r for r in RATIOS if r < rules.spine_oversubscription)
            yield from ((ratio, replace(rules, spine_oversubscription=r)) for r in lower)


def _spine_rules(rules: Rules, row: CappedStem) -> Iterator[tuple[Fraction, Rules]]:
    """Leaf ratio and spine rules whose product keeps the headroom's cap at the core.

    Where the cap binds, it is spent at the leaf first, or at the spine only.
    """
    cap = row.core_ratio
    if cap is None or row.ratio * rules.spine_oversubscription <= cap:
        yield row.ratio, rules
        return
    for leaf_ratio in sorted({min(row.ratio, cap), min(row.ratio, Fraction(1))}):
        spine_ratio = min(rules.spine_oversubscription, cap / leaf_ratio)
        yield leaf_ratio, replace(rules, spine_oversubscription=spine_ratio)


def _with_other_spines(
    search: Search, trunk: Trunk, short: list[Wiring], counts: set[int]
) -> Iterator[Wiring]:
    """Two-tier wirings with the spine counts of other years, on the stems that a frontier uses."""
    used = {(w.nodes_per_unit, w.leaves_per_unit, w.down) for w in short}
    for row in (row for rows in trunk.stem_sets for row in rows):
        base = row.stem.wiring
        if (base.nodes_per_unit, base.leaves_per_unit, base.down) not in used:
            continue
        up = uplinks_of(trunk, row, row.ratio)
        for count in sorted(counts) if up else ():
            wiring = with_spines(row.stem, trunk.spine, up, count) if up else None
            if wiring and count >= search.rules.min_spines:
                yield wiring


def _candidate(
    search: Search, wiring: Wiring, variant: Variant, trunk: Trunk | None, builds: tuple[YearDemand, ...]
) -> Candidate | None:
    """The wiring with its parts and sizes; None where a medium is lacking or no year can use it.

    Years in which it could not be part of a cheaper plan than the one known are left out.
    """
    kit = kit_of(search, wiring, variant)
    if kit is None:
        return None
    built = {}
    for year in builds:
        size = size_of(wiring, year.site_nodes, search.rules.reserved_fabric_ports)
        spine_radix = radix(kit.spine, wiring.uplink_gbps) if kit.spine else 0
        core_radix = radix(kit.core, wiring.uplink_gbps) if kit.core else 0
        if trunk and too_dear(search, trunk, year, wiring, size):
            continue
        if fits(wiring, size, spine_radix, core_radix) and _admitted(search, wiring, variant, year):
            pieces = pieces_of(wiring, size, kit)
            if search.extras:
                pieces = search.extras(pieces, wiring, size, year)
            need = pieces.by_sku()
            if search.allow is None or search.allow(need, year):
                built[year.t] = Built(size, pieces, need)
    return Candidate(wiring, kit, built) if built else None


def _admitted(search: Search, wiring: Wiring, variant: Variant, year: YearDemand) -> bool:
    """Whether the headroom holds at every tier in this year."""
    caps = search.caps(variant, year)
    if caps is None:
        return False
    if wiring.tiers == 1 or wiring.nodes_per_unit >= caps.job_nodes:
        return True
    if caps.leaf is not None and wiring.oversubscription > caps.leaf:
        return False
    through = wiring.oversubscription * wiring.spine_oversubscription
    return wiring.tiers < 3 or caps.core is None or through <= caps.core
