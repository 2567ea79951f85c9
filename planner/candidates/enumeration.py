"""Which fat-trees could serve the demand of each build year under one technology.

Three steps: the wirings of every build year, each at its size in the years that it fits (``sized_wirings``);
what a caller leaves of them; and their parts (``with_parts``). A wiring of one year is a candidate in the
others too: built early it saves recabling, kept it saves moving.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planner.candidates.design_space import DesignSpace
from planner.candidates.dominance import MOST_WIRINGS, ParetoSet, TooManyWiringsError
from planner.candidates.layer_media import kit_of
from planner.candidates.switch_sets import SwitchSet, SwitchSets
from planner.candidates.three_tier import add_three_tier
from planner.candidates.two_tier import add_two_tier
from planner.candidates.uplinks import uplink_choices
from planner.candidates.year_floors import leaves_floor_usd, tree_floor_usd, without_spines
from planner.catalog.parts import SwitchModel
from planner.fabric.demand import YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.fat_tree import fits, radix, size_of
from planner.fabric.nic_attachment import NicAttachment
from planner.fabric.part_counts import Pieces, pieces_of
from planner.fabric.patch_panels import panelled

_SIZING = "sizing fat-trees for every build year"
_COUNTING = "counting the parts of fat-trees"


@dataclass(frozen=True, slots=True)
class Built:
    """A wiring at the size of one build year, with its parts."""

    size: Size
    pieces: Pieces
    need: Mapping[str, int]  # SKU -> pieces

    @property
    def panelled(self) -> tuple[bool, bool, bool]:
        """Whether the links of each layer run over patch panels."""
        return panelled(self.pieces.by_tier)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A wiring with its parts, at the size of every build year (by t) in which it can serve."""

    wiring: Wiring
    built: Mapping[int, Built]


@dataclass(frozen=True, slots=True)
class SizeFloor:
    """A size in one build year, and the floor (USD, present worth) under what its pieces cost."""

    size: Size
    floor_usd: float

    @property
    def panelled(self) -> tuple[bool, bool, bool]:
        """Taken to run over panels where they may: the moves are then never dearer than they will be."""
        return False, True, True


@dataclass(frozen=True, slots=True)
class SizedWiring:
    """A wiring before its parts are counted, at the size of every build year (by t) that it fits."""

    wiring: Wiring
    attachment: NicAttachment
    built: Mapping[int, SizeFloor]


def candidates(
    space: DesignSpace, switch_sets: SwitchSets, builds: tuple[YearDemand, ...]
) -> list[Candidate]:
    """Every wiring of some build year that may be left in, at every build year that it can serve.

    Raises TooManyWiringsError where dominated ones are kept and that is too much, and BudgetSpentError.
    """
    return with_parts(space, sized_wirings(space, switch_sets, builds), builds)


def sized_wirings(
    space: DesignSpace, switch_sets: SwitchSets, builds: tuple[YearDemand, ...]
) -> list[SizedWiring]:
    """The wirings of every build year at their sizes, before their parts are counted.

    Years that a wiring does not fit, or in which it costs more than the cutoff, are left out. Raises
    TooManyWiringsError as ``candidates``, and BudgetSpentError.
    """
    found: dict[Wiring, tuple[NicAttachment, SwitchSet | None]] = {}
    for attachment, sets in switch_sets.items():
        for wiring, switch_set in _wirings(space, attachment, sets, builds):
            found.setdefault(wiring, (attachment, switch_set))
            if space.keep_dominated and len(found) > MOST_WIRINGS:
                raise TooManyWiringsError
    rows = (_sized(space, wiring, *of, builds) for wiring, of in found.items())
    return [row for row in rows if row.built]


def with_parts(
    space: DesignSpace, rows: Iterable[SizedWiring], builds: tuple[YearDemand, ...]
) -> list[Candidate]:
    """The sized wirings with their parts; without those that lack a medium, or that the limits allow in no
    year. Raises BudgetSpentError."""
    made = (_candidate(space, row, builds) for row in rows)
    return [c for c in made if c is not None]


def candidate_for(
    space: DesignSpace, wiring: Wiring, attachment: NicAttachment, builds: Sequence[YearDemand]
) -> Candidate | None:
    """A known wiring in the years in which it can serve, whatever it costs; None where it can in none."""
    sizes = {y.t: _size(space, wiring, y) for y in builds}
    serves = (y.t for y in builds if _serves(space, wiring, sizes[y.t], attachment, y))
    row = SizedWiring(wiring, attachment, {t: SizeFloor(sizes[t], 0.0) for t in serves})
    return _candidate(space, row, builds)


def _wirings(
    space: DesignSpace,
    attachment: NicAttachment,
    switch_sets: Sequence[SwitchSet],
    builds: tuple[YearDemand, ...],
) -> Iterator[tuple[Wiring, SwitchSet | None]]:
    """The wirings of all build years under every set of switch models, with their set."""
    for leaf in space.switches:
        for year in builds:
            space.budget.check(_doing(year))
            yield from ((wiring, None) for wiring in without_spines(space, attachment, leaf, year))
    two_tier: dict[tuple[str, str, int], dict[int, ParetoSet]] = {}
    for switch_set in switch_sets:  # two tiers come first: they dominate three of the same models
        space.budget.check(_doing(*builds))
        key = switch_set.leaf.id, switch_set.spine.id, switch_set.gbps
        if switch_set.core is None:
            two_tier[key] = {year.t: _two_tier(space, switch_set, year) for year in builds}
            found = [w for pareto in two_tier[key].values() for w in pareto.wirings()]
        else:
            found = [
                wiring
                for year in builds
                for wiring in _three_tier(space, switch_set, switch_set.core, year, two_tier[key][year.t])
            ]
        yield from ((wiring, switch_set) for wiring in found)


def _doing(*years: YearDemand) -> str:
    """What is being done, in words."""
    span = sorted({years[0].year, years[-1].year})
    return f"looking for fat-trees of {' to '.join(map(str, span))}"


def _two_tier(space: DesignSpace, switch_set: SwitchSet, year: YearDemand) -> ParetoSet:
    """Two tiers of a switch set in a build year."""
    found = ParetoSet(
        by_bundle=switch_set.by_bundle,
        by_ratio=space.discounted_output is not None,
        keep_dominated=space.keep_dominated,
    )
    for choice in uplink_choices(space, switch_set, year):
        space.budget.check_time(_doing(year))
        add_two_tier(found, choice, switch_set.spine, space.rules.min_spines)
    return found


def _three_tier(
    space: DesignSpace, switch_set: SwitchSet, core: SwitchModel, year: YearDemand, two_tier: ParetoSet
) -> Iterator[Wiring]:
    """Three tiers of a switch set. A two-tier wiring of the same leaf and spine that takes no more of either
    dominates them: it is in the set from the start."""
    found = two_tier.copy()
    for choice in uplink_choices(space, switch_set, year):
        space.budget.check_time(_doing(year))
        add_three_tier(found, choice, switch_set.spine, core)
    yield from (w for w in found.wirings() if w.tiers == 3)


def _sized(
    space: DesignSpace,
    wiring: Wiring,
    attachment: NicAttachment,
    switch_set: SwitchSet | None,
    builds: Iterable[YearDemand],
) -> SizedWiring:
    """A wiring at its sizes in the years that it fits and in which it is within the cutoff."""
    built = {}
    space.budget.check_time(_SIZING)
    for year in builds:
        size = _size(space, wiring, year)
        if switch_set:
            usd = tree_floor_usd(space, switch_set, year, wiring, size)
        else:
            usd = leaves_floor_usd(space, attachment, wiring, year)
        if usd <= space.cutoff(year) and _serves(space, wiring, size, attachment, year):
            built[year.t] = SizeFloor(size, usd)
    return SizedWiring(wiring, attachment, built)


def _size(space: DesignSpace, wiring: Wiring, year: YearDemand) -> Size:
    return size_of(wiring, year.site_nodes, space.rules.reserved_fabric_ports)


def _serves(
    space: DesignSpace, wiring: Wiring, size: Size, attachment: NicAttachment, year: YearDemand
) -> bool:
    """Whether a wiring can be built at its size of a build year and keeps the headroom there."""
    models = space.by_id
    spine_radix = radix(models[wiring.spine], wiring.uplink_gbps) if wiring.spine else 0
    core_radix = radix(models[wiring.core], wiring.uplink_gbps) if wiring.core else 0
    return fits(wiring, size, spine_radix, core_radix) and _keeps_headroom(space, wiring, attachment, year)


def _candidate(space: DesignSpace, row: SizedWiring, builds: Iterable[YearDemand]) -> Candidate | None:
    """A sized wiring with its parts; None where a medium is lacking or the limits allow it in no year."""
    space.budget.check_time(_COUNTING)
    wiring, built = row.wiring, {}
    kit = kit_of(space, wiring, row.attachment)
    if kit is None:
        return None
    for year in (y for y in builds if y.t in row.built):
        size = row.built[year.t].size
        pieces = pieces_of(wiring, size, kit)
        if space.ancillaries:
            pieces = space.ancillaries(pieces, wiring, size, year)
        need = pieces.by_sku()
        if space.within_limits is None or space.within_limits(need, year):
            built[year.t] = Built(size, pieces, need)
    return Candidate(wiring, built) if built else None


def _keeps_headroom(space: DesignSpace, wiring: Wiring, attachment: NicAttachment, year: YearDemand) -> bool:
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
