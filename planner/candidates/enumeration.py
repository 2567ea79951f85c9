"""Which fat-trees could serve the demand of each build year under one technology."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from planner.candidates.collapsed_pair import pair_usd, pairs
from planner.candidates.design_space import Search
from planner.candidates.dominance import MOST_KEPT, Frontier, TooManyError
from planner.candidates.layer_media import kit_of
from planner.candidates.switch_sets import Trunk, Trunks, Way, best_of, earned_usd, single_usd, size_usd, ways
from planner.candidates.three_tier import three_tier
from planner.candidates.two_tier import one_tier, two_tier
from planner.catalog.parts import SwitchModel
from planner.fabric.demand import Variant, YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.fat_tree import fits, radix, size_of
from planner.fabric.part_counts import Kit, Pieces, pieces_of


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


@dataclass(frozen=True, slots=True)
class Sized:
    """A size in one build year, and the floor (USD, present worth) under what its pieces are worth."""

    size: Size
    floor_usd: float


@dataclass(frozen=True, slots=True)
class Shape:
    """A wiring before its parts are counted, at the size of every build year (by t) that it fits."""

    wiring: Wiring
    variant: Variant
    built: Mapping[int, Sized]


def candidates(
    search: Search,
    over: Trunks,
    years: tuple[YearDemand, ...],
    narrow: Callable[[list[Shape]], list[Shape]] = list,
) -> list[Candidate]:
    """Every wiring on some build year's frontier, at every build year that it can serve.

    A wiring of one year is a candidate in the others too: built early it saves recabling, kept it
    saves moving. ``over``: the trunks of every variant of the demand; ``narrow``: what may take some away
    before their parts are counted. Raises TooManyError where every move is to be looked at and that is too
    much.
    """
    builds = tuple(y for y in years if y.decides)
    found: dict[Wiring, tuple[Variant, Trunk | None]] = {}
    for variant, trunks in over.items():
        for wiring, trunk in _wirings(search, variant, trunks, builds):
            found.setdefault(wiring, (variant, trunk))
            if search.every_move and len(found) > MOST_KEPT:
                raise TooManyError
    shapes = (_shape(search, wiring, *of, builds) for wiring, of in found.items())
    made = (_candidate(search, shape, builds) for shape in narrow([s for s in shapes if s.built]))
    return [c for c in made if c is not None]


def serving(
    search: Search, wiring: Wiring, variant: Variant, years: Sequence[YearDemand]
) -> Candidate | None:
    """A known wiring in the years in which it can serve, whatever it costs; None where it can in none."""
    builds = tuple(years)
    return _candidate(search, _shape(search, wiring, variant, None, builds), builds)


def least_worth(search: Search, candidate: Candidate, year: YearDemand) -> float:
    """What a floor bounds from below (USD, present worth): a candidate's pieces in a build year, the labour
    that every link of the last one takes, less the credit for its output. Needs a budget."""
    budget, built, wiring = search.budget, candidate.built[year.t], candidate.wiring
    if budget is None:
        return 0.0
    usd = sum(n * budget.worth(sku, year.t) for sku, n in built.need.items())
    if year.t == budget.last_t:
        size = built.size
        above = size.switch_links * wiring.uplink_factor
        usd += (size.endpoints + above) * wiring.copies * budget.install_usd
    return usd - earned_usd(search, wiring, year)


def _wirings(
    search: Search, variant: Variant, over: Sequence[Trunk], builds: tuple[YearDemand, ...]
) -> Iterator[tuple[Wiring, Trunk | None]]:
    """The frontiers of all build years under every combination of switch models, with their trunks."""
    for leaf in search.switches:
        if radix(leaf, variant.base.link_gbps):
            for year in builds:
                single = one_tier(variant.base, leaf, year.site_nodes, search.rules)
                yield from ((wiring, None) for wiring in (*single, *pairs(search, variant, leaf, year)))
    two: dict[tuple[str, str, int], list[Frontier]] = {}
    for trunk in over:  # two tiers come first: they beat three of the same models
        key = trunk.leaf.id, trunk.spine.id, trunk.gbps
        if trunk.core is None:
            two[key] = [_two_tier(search, trunk, j, year) for j, year in enumerate(builds)]
            found = [w for frontier in two[key] for w in frontier.wirings()]
        else:
            found = [
                w
                for j, year in enumerate(builds)
                for w in _three_tier(search, trunk, trunk.core, j, year, two[key][j])
            ]
        yield from ((w, trunk) for w in found)


def _limit_usd(search: Search, year: YearDemand) -> float:
    """What the pieces of a wiring may be worth in a build year; infinite without a budget."""
    return search.budget.limit.get(year.t, inf) if search.budget else inf


def _two_tier(search: Search, trunk: Trunk, position: int, year: YearDemand) -> Frontier:
    """Two tiers of a trunk in a build year."""
    floor = trunk.floors[year.t] if trunk.floors else None
    limit = _limit_usd(search, year)
    out = Frontier(
        by_bundle=trunk.by_bundle, by_ratio=search.credit is not None, everything=search.every_move
    )
    for way in ways(search, trunk, position, year, limit):
        most = limit + _most_earned_usd(search, trunk, way, year)
        two_tier(way.stem, trunk.spine, way.up, search.rules, out, floor, most)
    return out


def _most_earned_usd(search: Search, trunk: Trunk, way: Way, year: YearDemand) -> float:
    """Credit (USD) for the output of the best wiring of a way; 0 where only cost counts."""
    if search.credit is None:
        return 0.0
    return earned_usd(search, best_of(trunk, way.stem, way.up.most), year)


def _three_tier(
    search: Search, trunk: Trunk, core: SwitchModel, position: int, year: YearDemand, two: Frontier
) -> Iterator[Wiring]:
    """Three tiers of a trunk. A two-tier wiring of the same leaf and spine that takes no more of either
    beats them: it is on the frontier from the start."""
    floor = trunk.floors[year.t] if trunk.floors else None
    limit = _limit_usd(search, year)
    out = two.copy()
    for way in ways(search, trunk, position, year, limit):
        most = limit + _most_earned_usd(search, trunk, way, year)
        three_tier(way.stem, trunk.spine, core, way.up, way.option.rules, out, floor, most)
    yield from (w for w in out.wirings() if w.tiers == 3)


def _shape(
    search: Search, wiring: Wiring, variant: Variant, trunk: Trunk | None, builds: tuple[YearDemand, ...]
) -> Shape:
    """A wiring at its sizes. Years that it does not fit, or in which it could not be part of a cheaper plan
    than the one known, are left out."""
    models = search.by_id
    spine_radix = radix(models[wiring.spine], wiring.uplink_gbps) if wiring.spine else 0
    core_radix = radix(models[wiring.core], wiring.uplink_gbps) if wiring.core else 0
    built = {}
    for year in builds:
        size = size_of(wiring, year.site_nodes, search.rules.reserved_fabric_ports)
        if trunk:
            usd = size_usd(search, trunk, year, wiring, size)
        elif wiring.pair_links:
            usd = pair_usd(search, variant, wiring, year)
        else:
            usd = single_usd(search, variant, models[wiring.leaf], year)
        if usd > _limit_usd(search, year) or not fits(wiring, size, spine_radix, core_radix):
            continue
        if _admitted(search, wiring, variant, year):
            built[year.t] = Sized(size, usd)
    return Shape(wiring, variant, built)


def _candidate(search: Search, shape: Shape, builds: tuple[YearDemand, ...]) -> Candidate | None:
    """A shape with its parts; None where a medium is lacking or the limits allow it in no year."""
    wiring, built = shape.wiring, {}
    kit = kit_of(search, wiring, shape.variant)
    for year in builds if kit else ():
        if kit is None or year.t not in shape.built:
            continue
        size = shape.built[year.t].size
        pieces = pieces_of(wiring, size, kit)
        if search.extras:
            pieces = search.extras(pieces, wiring, size, year)
        need = pieces.by_sku()
        if search.allow is None or search.allow(need, year):
            built[year.t] = Built(size, pieces, need)
    return Candidate(wiring, kit, built) if kit and built else None


def _admitted(search: Search, wiring: Wiring, variant: Variant, year: YearDemand) -> bool:
    """Whether the headroom holds at every tier in this year."""
    caps = search.caps(variant, year)
    if caps is None:
        return False
    if not wiring.leaf_up or wiring.nodes_per_unit >= caps.job_nodes:
        return True
    if caps.leaf is not None and wiring.oversubscription > caps.leaf:
        return False
    through = wiring.oversubscription * wiring.spine_oversubscription
    return wiring.tiers < 3 or caps.core is None or through <= caps.core
