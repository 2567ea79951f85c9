"""Which fat-trees could serve the demand of each build year under one technology."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from planner.candidates.collapsed_pair import pair_floor_usd, pairs
from planner.candidates.design_space import DesignSpace
from planner.candidates.dominance import MOST_WIRINGS, ParetoSet, TooManyWiringsError
from planner.candidates.layer_media import kit_of
from planner.candidates.switch_sets import (
    SwitchSet,
    SwitchSets,
    UplinkChoice,
    highest_output_wiring,
    output_credit_usd,
    single_switch_floor_usd,
    size_floor_usd,
    uplink_choices,
)
from planner.candidates.three_tier import three_tier
from planner.candidates.two_tier import one_tier, two_tier
from planner.catalog.parts import SwitchModel
from planner.fabric.demand import YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.fat_tree import fits, radix, size_of
from planner.fabric.nic_attachment import NicAttachment
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
class SizeFloor:
    """A size in one build year, and the floor (USD, present worth) under what its pieces are worth."""

    size: Size
    floor_usd: float


@dataclass(frozen=True, slots=True)
class SizedWiring:
    """A wiring before its parts are counted, at the size of every build year (by t) that it fits."""

    wiring: Wiring
    attachment: NicAttachment
    built: Mapping[int, SizeFloor]


def candidates(
    space: DesignSpace,
    over: SwitchSets,
    years: tuple[YearDemand, ...],
    narrow: Callable[[list[SizedWiring]], list[SizedWiring]] = list,
) -> list[Candidate]:
    """Every wiring on some build year's frontier, at every build year that it can serve.

    A wiring of one year is a candidate in the others too: built early it saves recabling, kept it
    saves moving. ``over``: the trunks of every attachment of the demand; ``narrow``: what may take some away
    before their parts are counted. Raises TooManyError where every move is to be looked at and that is too
    much.
    """
    builds = tuple(y for y in years if y.decides)
    found: dict[Wiring, tuple[NicAttachment, SwitchSet | None]] = {}
    for attachment, switch_sets in over.items():
        for wiring, switch_set in _wirings(space, attachment, switch_sets, builds):
            found.setdefault(wiring, (attachment, switch_set))
            if space.keep_dominated and len(found) > MOST_WIRINGS:
                raise TooManyWiringsError
    sized_wirings = (_shape(space, wiring, *of, builds) for wiring, of in found.items())
    made = (
        _candidate(space, sized_wiring, builds)
        for sized_wiring in narrow([s for s in sized_wirings if s.built])
    )
    return [c for c in made if c is not None]


def candidate_for(
    space: DesignSpace, wiring: Wiring, attachment: NicAttachment, years: Sequence[YearDemand]
) -> Candidate | None:
    """A known wiring in the years in which it can serve, whatever it costs; None where it can in none."""
    builds = tuple(years)
    return _candidate(space, _shape(space, wiring, attachment, None, builds), builds)


def dual_cost_usd(space: DesignSpace, candidate: Candidate, year: YearDemand) -> float:
    """What a floor bounds from below (USD, present worth): a candidate's pieces in a build year, the labour
    that every link of the last one takes, less the credit for its output. Needs a budget."""
    duals, built, wiring = space.duals, candidate.built[year.t], candidate.wiring
    if duals is None:
        return 0.0
    usd = sum(n * duals.piece_usd(sku, year.t) for sku, n in built.need.items())
    if year.t == duals.last_t:
        size = built.size
        above = size.switch_links * wiring.uplink_factor
        usd += (size.endpoints + above) * wiring.copies * duals.install_usd
    return usd - output_credit_usd(space, wiring, year)


def _wirings(
    space: DesignSpace, attachment: NicAttachment, over: Sequence[SwitchSet], builds: tuple[YearDemand, ...]
) -> Iterator[tuple[Wiring, SwitchSet | None]]:
    """The frontiers of all build years under every combination of switch models, with their trunks."""
    for leaf in space.switches:
        if radix(leaf, attachment.base.link_gbps):
            for year in builds:
                single = one_tier(attachment.base, leaf, year.site_nodes, space.rules)
                yield from ((wiring, None) for wiring in (*single, *pairs(space, attachment, leaf, year)))
    two: dict[tuple[str, str, int], list[ParetoSet]] = {}
    for switch_set in over:  # two tiers come first: they beat three of the same models
        key = switch_set.leaf.id, switch_set.spine.id, switch_set.gbps
        if switch_set.core is None:
            two[key] = [_two_tier(space, switch_set, j, year) for j, year in enumerate(builds)]
            found = [w for pareto in two[key] for w in pareto.wirings()]
        else:
            found = [
                w
                for j, year in enumerate(builds)
                for w in _three_tier(space, switch_set, switch_set.core, j, year, two[key][j])
            ]
        yield from ((w, switch_set) for w in found)


def _limit_usd(space: DesignSpace, year: YearDemand) -> float:
    """What the pieces of a wiring may be worth in a build year; infinite without a budget."""
    return space.duals.limit.get(year.t, inf) if space.duals else inf


def _two_tier(space: DesignSpace, switch_set: SwitchSet, position: int, year: YearDemand) -> ParetoSet:
    """Two tiers of a trunk in a build year."""
    floor = switch_set.floors[year.t] if switch_set.floors else None
    limit = _limit_usd(space, year)
    out = ParetoSet(
        by_bundle=switch_set.by_bundle, by_ratio=space.credit is not None, keep_dominated=space.keep_dominated
    )
    for choice in uplink_choices(space, switch_set, position, year, limit):
        most = limit + _most_earned_usd(space, switch_set, choice, year)
        two_tier(choice.layer, switch_set.spine, choice.up, space.rules, out, floor, most)
    return out


def _most_earned_usd(
    space: DesignSpace, switch_set: SwitchSet, choice: UplinkChoice, year: YearDemand
) -> float:
    """Credit (USD) for the output of the best wiring of a way; 0 where only cost counts."""
    if space.credit is None:
        return 0.0
    return output_credit_usd(space, highest_output_wiring(switch_set, choice.layer, choice.up.most), year)


def _three_tier(
    space: DesignSpace,
    switch_set: SwitchSet,
    core: SwitchModel,
    position: int,
    year: YearDemand,
    two: ParetoSet,
) -> Iterator[Wiring]:
    """Three tiers of a trunk. A two-tier wiring of the same leaf and spine that takes no more of either
    beats them: it is on the frontier from the start."""
    floor = switch_set.floors[year.t] if switch_set.floors else None
    limit = _limit_usd(space, year)
    out = two.copy()
    for choice in uplink_choices(space, switch_set, position, year, limit):
        most = limit + _most_earned_usd(space, switch_set, choice, year)
        three_tier(choice.layer, switch_set.spine, core, choice.up, choice.rated.rules, out, floor, most)
    yield from (w for w in out.wirings() if w.tiers == 3)


def _shape(
    space: DesignSpace,
    wiring: Wiring,
    attachment: NicAttachment,
    switch_set: SwitchSet | None,
    builds: tuple[YearDemand, ...],
) -> SizedWiring:
    """A wiring at its sizes. Years that it does not fit, or in which it could not be part of a cheaper plan
    than the one known, are left out."""
    models = space.by_id
    spine_radix = radix(models[wiring.spine], wiring.uplink_gbps) if wiring.spine else 0
    core_radix = radix(models[wiring.core], wiring.uplink_gbps) if wiring.core else 0
    built = {}
    for year in builds:
        size = size_of(wiring, year.site_nodes, space.rules.reserved_fabric_ports)
        if switch_set:
            usd = size_floor_usd(space, switch_set, year, wiring, size)
        elif wiring.pair_links:
            usd = pair_floor_usd(space, attachment, wiring, year)
        else:
            usd = single_switch_floor_usd(space, attachment, models[wiring.leaf], year)
        if usd > _limit_usd(space, year) or not fits(wiring, size, spine_radix, core_radix):
            continue
        if _admitted(space, wiring, attachment, year):
            built[year.t] = SizeFloor(size, usd)
    return SizedWiring(wiring, attachment, built)


def _candidate(
    space: DesignSpace, sized_wiring: SizedWiring, builds: tuple[YearDemand, ...]
) -> Candidate | None:
    """A shape with its parts; None where a medium is lacking or the limits allow it in no year."""
    wiring, built = sized_wiring.wiring, {}
    kit = kit_of(space, wiring, sized_wiring.attachment)
    for year in builds if kit else ():
        if kit is None or year.t not in sized_wiring.built:
            continue
        size = sized_wiring.built[year.t].size
        pieces = pieces_of(wiring, size, kit)
        if space.ancillaries:
            pieces = space.ancillaries(pieces, wiring, size, year)
        need = pieces.by_sku()
        if space.allow is None or space.allow(need, year):
            built[year.t] = Built(size, pieces, need)
    return Candidate(wiring, kit, built) if kit and built else None


def _admitted(space: DesignSpace, wiring: Wiring, attachment: NicAttachment, year: YearDemand) -> bool:
    """Whether the headroom holds at every tier in this year."""
    caps = space.caps(attachment, year)
    if caps is None:
        return False
    if not wiring.leaf_up or wiring.nodes_per_unit >= caps.job_nodes:
        return True
    if caps.leaf is not None and wiring.oversubscription > caps.leaf:
        return False
    through = wiring.oversubscription * wiring.spine_oversubscription
    return wiring.tiers < 3 or caps.core is None or through <= caps.core
