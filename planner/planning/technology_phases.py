"""Phases: technologies over the build years, one for all, or one before a change and another from it on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from planner.candidates.design_space import DesignSpace, DualPrices
from planner.candidates.enumeration import Candidate, SizedWiring, sized_wirings, with_parts
from planner.candidates.switch_sets import SwitchSets, all_switch_sets
from planner.candidates.year_floors import least_floors
from planner.fabric.demand import YearDemand
from planner.fabric.nic_attachment import NicAttachment


@dataclass(frozen=True, slots=True)
class Phase:
    """One technology's part of the horizon: its fat-trees, the ways to attach the nodes' NIC ports under it,
    and the build years in which its fat-trees may serve. A build year has one phase."""

    space: DesignSpace
    attachments: tuple[NicAttachment, ...]
    builds: tuple[YearDemand, ...]


Phases = tuple[Phase, ...]


@dataclass(frozen=True, slots=True)
class PricedPhase:
    """A phase of which the design space has dual prices, and its switch sets with their floors."""

    space: DesignSpace
    switch_sets: SwitchSets
    builds: tuple[YearDemand, ...]


def phase_at(phases: Phases, t: int) -> Phase:
    """The phase of the build year at ``t``."""
    return next(phase for phase in phases if any(y.t == t for y in phase.builds))


def build_years(phases: Iterable[Phase | PricedPhase]) -> tuple[YearDemand, ...]:
    """The build years of all phases, in their order."""
    return tuple(sorted((y for phase in phases for y in phase.builds), key=lambda y: y.t))


def priced_phases(phases: Phases, duals: DualPrices) -> tuple[PricedPhase, ...]:
    """The phases with dual prices. Leaf layers that only growth wants are wanted where the change of
    technology is the growth, too."""
    growing = len(build_years(phases)) > 1
    rows = []
    for phase in phases:
        space = replace(phase.space, duals=duals)
        sets = all_switch_sets(space, phase.attachments, phase.builds, growing=growing)
        rows.append(PricedPhase(space, sets, phase.builds))
    return tuple(rows)


def floors_by_year(phases: Iterable[PricedPhase]) -> dict[int, float]:
    """The least floor (USD) of each build year (by t), under the technology of that year."""
    floors: dict[int, float] = {}
    for phase in phases:
        floors |= least_floors(phase.space, phase.switch_sets, phase.builds)
    return dict(sorted(floors.items()))


def sized_wirings_of(phases: Iterable[PricedPhase]) -> list[SizedWiring]:
    """The wirings of all phases, each in the build years of its own phase."""
    return [row for p in phases for row in sized_wirings(p.space, p.switch_sets, p.builds)]


def candidates_of(phases: Iterable[PricedPhase], rows: Sequence[SizedWiring]) -> list[Candidate]:
    """The sized wirings with their parts, those of each phase under its technology. Where two technologies
    wire the same switches and NICs alike it is one wiring, with the parts of each in its years."""
    found: list[Candidate] = []
    for phase in phases:
        own = {y.t for y in phase.builds}
        found += with_parts(phase.space, (row for row in rows if row.built.keys() <= own), phase.builds)
    return merged(found)


def merged(found: Iterable[Candidate]) -> list[Candidate]:
    """One candidate a wiring, with all of its build years; of two for a year the later one counts."""
    rows: dict[object, Candidate] = {}
    for c in found:
        known = rows.get(c.wiring)
        rows[c.wiring] = replace(c, built={**known.built, **c.built}) if known else c
    return list(rows.values())
