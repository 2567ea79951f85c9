"""The design space of a scenario made by hand, with its candidates and without the planner's narrowing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from unittest.mock import patch

from planner.candidates.design_space import DesignSpace, DualPrices, RatioCaps, WiringRules
from planner.candidates.dominance import TooManyWiringsError
from planner.candidates.enumeration import Candidate, SizedWiring, candidates, sized_wirings
from planner.candidates.switch_sets import SwitchSets, all_switch_sets
from planner.catalog.sources import Sources
from planner.fabric.demand import YearDemand, demand
from planner.fabric.nic_attachment import NicAttachment, nic_attachments
from planner.planning import plan as plan_module
from planner.planning.infeasibility import Refusal
from planner.planning.least_cost import NoPlanError
from planner.planning.planning_task import Task
from planner.planning.technology_phases import Phases
from planner.scenario.scenario import Scenario
from planner.study.study import plan_scenario
from tests.support.making import bare_sources

NO_CAP = RatioCaps(10**6, None, None)


@dataclass(frozen=True)
class Space:
    """A design space with its build years."""

    space: DesignSpace
    attachments: tuple[NicAttachment, ...]
    builds: tuple[YearDemand, ...]

    @property
    def switch_sets(self) -> SwitchSets:
        return all_switch_sets(self.space, self.attachments, self.builds, growing=len(self.builds) > 1)

    def candidates(self) -> list[Candidate]:
        return candidates(self.space, self.switch_sets, self.builds)

    def sized(self) -> list[SizedWiring]:
        """The sized wirings; where they are too many, those that none dominates (as planned)."""
        try:
            return sized_wirings(self.space, self.switch_sets, self.builds)
        except TooManyWiringsError:
            undominated = replace(self.space, keep_dominated=False)
            return sized_wirings(undominated, self.switch_sets, self.builds)

    def priced(self, duals: DualPrices, cutoff_usd: Mapping[int, float] = {}) -> Space:
        return replace(self, space=replace(self.space, duals=duals, cutoff_usd=cutoff_usd))


def space_of(scenario: Scenario, caps: RatioCaps | None = NO_CAP, *, keep_dominated: bool = False) -> Space:
    """RoCE over the scenario's own switches, at the prices of its bare sources, which nothing here asks."""
    sources, ask = bare_sources(), scenario.fabric
    rules = WiringRules(
        ask.max_oversubscription, ask.spine_oversubscription, ask.max_tiers, ask.min_spines,
        ask.nodes_per_scalable_unit, ask.reserved_fabric_ports, ask.collapsed_pair,
    )  # fmt: skip
    space = DesignSpace(
        sources.catalog, "roce", scenario.own_switches, rules, scenario.layout, lambda sku: 1.0,
        lambda attachment, year: caps, keep_dominated=keep_dominated,
    )  # fmt: skip
    attachments = nic_attachments(scenario, "roce", sources.catalog, lambda sku: 1.0).found
    return Space(space, attachments, tuple(y for y in demand(scenario) if y.decides))


def wirings_in(found: Iterable[Candidate | SizedWiring], t: int) -> set[object]:
    """The wirings that serve in a build year."""
    return {c.wiring for c in found if t in c.built}


class _EnoughError(NoPlanError):
    def __init__(self) -> None:
        super().__init__(Refusal("infeasible", "the test has what it asked for"))


def asked_of(scenario: Scenario, sources: Sources) -> list[tuple[Task, Phases]]:
    """What the planner narrows down, technology by technology: ancillaries, tariff and all."""
    found: list[tuple[Task, Phases]] = []

    def remembered(task: Task, phases: Phases, *_: object) -> None:
        found.append((task, phases))
        raise _EnoughError

    with patch.object(plan_module, "least_cost", remembered):
        plan_scenario(scenario, sources)
    return found
