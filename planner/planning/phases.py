"""Technologies over the build years: one for all of them, or one before a change and another from it on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from planner.candidates.collapsed_pair import with_pair_floors
from planner.candidates.design_space import DesignSpace
from planner.candidates.enumeration import Candidate, SizedWiring, SizeFloor, candidates
from planner.candidates.switch_sets import SwitchSets, all_switch_sets, least_floors
from planner.fabric.demand import YearDemand
from planner.fabric.nic_attachment import NicAttachment

Narrow = Callable[[list[SizedWiring]], list[SizedWiring]]


@dataclass(frozen=True, slots=True)
class Phase:
    """One technology's part of the horizon: how its fat-trees are looked for, the ways to use the nodes' NIC
    ports under it, and the build years (by t) in which its fat-trees may serve."""

    space: DesignSpace
    attachments: tuple[NicAttachment, ...]
    serves: frozenset[int]


Phases = tuple[Phase, ...]


def with_spaces(phases: Phases, change: Callable[[DesignSpace], DesignSpace]) -> Phases:
    """The same spans, each looking in another way."""
    return tuple(replace(phase, space=change(phase.space)) for phase in phases)


def phase_at(phases: Phases, t: int) -> Phase:
    """The span that serves the build year at ``t``."""
    return next(phase for phase in phases if t in phase.serves)


def switch_sets_of(phases: Phases, builds: tuple[YearDemand, ...]) -> tuple[SwitchSets, ...]:
    """The trunks of each span. Every build year counts in them, also those of another technology: shapes
    that only growth wants are wanted where the change is the growth."""
    return tuple(all_switch_sets(phase.space, phase.attachments, builds) for phase in phases)


def floors_by_year(
    phases: Phases, over: Sequence[SwitchSets], builds: tuple[YearDemand, ...]
) -> dict[int, float]:
    """The least floor (USD) of each build year, under the technology of that year."""
    floors: dict[int, float] = {}
    for phase, switch_sets in zip(phases, over, strict=True):
        found = with_pair_floors(
            phase.space, least_floors(phase.space, switch_sets, builds), switch_sets, builds
        )
        floors |= {t: usd for t, usd in found.items() if t in phase.serves}
    return dict(sorted(floors.items()))


def limited(space: DesignSpace, serves: frozenset[int]) -> DesignSpace:
    """A search that passes over every build year that it does not serve."""
    duals = space.duals
    if duals is None:
        return space
    limit = {t: usd if t in serves else float("-inf") for t, usd in duals.limit.items()}
    return replace(space, duals=replace(duals, limit=limit))


def candidates_of_phases(
    phases: Phases, over: Sequence[SwitchSets], years: tuple[YearDemand, ...], narrow: Narrow = list
) -> list[Candidate]:
    """The candidates of all spans, each at the build years of its own technology alone.

    ``narrow`` sees the shapes of all of them together, for a plan goes through every span: that of one is
    asked when those of the others are known, before any part is counted. Where two technologies wire the
    same switches and NICs alike it is one wiring, with the parts of each in its years.
    """
    found: list[Candidate] = []

    def from_span(position: int, before: list[SizedWiring]) -> list[SizedWiring]:
        if position == len(phases):
            return narrow(before)
        phase, kept = phases[position], list[SizedWiring]()

        def own(sized_wirings: list[SizedWiring]) -> list[SizedWiring]:
            served = (replace(s, built=_served(s, phase)) for s in sized_wirings)
            kept.extend(from_span(position + 1, [*before, *(s for s in served if s.built)]))
            return [s for s in kept if s.built.keys() <= phase.serves]

        found.extend(candidates(limited(phase.space, phase.serves), over[position], years, own))
        return kept

    from_span(0, [])
    return merged(found)


def _served(sized_wiring: SizedWiring, phase: Phase) -> dict[int, SizeFloor]:
    return {t: sized for t, sized in sized_wiring.built.items() if t in phase.serves}


def merged(found: Sequence[Candidate]) -> list[Candidate]:
    """One candidate a wiring, with all of its build years; of two for a year the later one counts."""
    rows: dict[object, Candidate] = {}
    for c in found:
        known = rows.get(c.wiring)
        rows[c.wiring] = replace(c, built={**known.built, **c.built}) if known else c
    return list(rows.values())
