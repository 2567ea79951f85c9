"""What planning one technology takes, and what its enumeration has to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from planner.candidates.budget import UNLIMITED, Budget
from planner.candidates.design_space import DesignSpace, RatioCaps, WiringRules
from planner.candidates.switch_models import rates_in_use, switch_choice, without_dominated_models
from planner.catalog.parts import Catalog
from planner.catalog.technologies import Technology, TechnologyPath
from planner.cost.tariff import Tariff
from planner.fabric.demand import YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.nic_attachment import NicAttachment, NicAttachments, nic_attachments
from planner.fabric.part_counts import Pieces
from planner.optimize.solve import Solver
from planner.planning.bandwidth_headroom import ratio_caps
from planner.planning.infeasibility import Refusal
from planner.planning.limits import limit_check
from planner.scenario.scenario import Objective, Scenario


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How to plan. ``technologies`` None: those of the scenario. ``lp_dir``: where LP files go.

    ``ratio_usd``: what an effective TFLOP/s-year is worth while the least ratio of several islands is looked
    for. ``budget``: time and memory of everything that is planned with these options, together.
    """

    technologies: tuple[Technology, ...] | None = None
    objective: Objective = "tco"
    solver: Solver = "highs"
    budget: Budget = UNLIMITED
    lp_dir: Path | None = None
    ratio_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One technology of a scenario. ``constant_usd``: servers and whatever no network choice changes.

    ``output(wiring, year)``: effective TFLOP/s of the training job on a wiring in a year. ``ancillaries``:
    what a design needs beside its links; ``caps``: in place of those of the training job; ``shared``: switch
    models that serve under another technology in other years, too. ``keep_dominated``: False leaves out
    designs that another of the same year dominates, though they might spare moves. ``path``: where the
    technology changes midway; ``technology`` is the first then. ``impossible``: why no design is whole, of
    whatever fat-tree; "" where one may be.
    """

    scenario: Scenario
    technology: Technology
    catalog: Catalog
    tariff: Tariff
    constant_usd: float
    output: Callable[[Wiring, YearDemand], float]
    server_capex_usd: tuple[float, ...] = ()
    ancillaries: Callable[[Pieces, Wiring, Size, YearDemand], Pieces] | None = None
    caps: Callable[[NicAttachment, YearDemand], RatioCaps | None] | None = None
    shared: frozenset[str] = frozenset()
    keep_dominated: bool = True
    path: TechnologyPath | None = None
    impossible: str = ""

    @property
    def name(self) -> str:
        """What files and answers call it: the technology's id, or the path's name."""
        return self.path.name if self.path else self.technology

    @property
    def ways(self) -> NicAttachments:
        """The ways to use the nodes' NIC ports."""
        return nic_attachments(self.scenario, self.technology, self.catalog, self.tariff.price_usd)


def design_space_of(task: Task) -> tuple[DesignSpace, tuple[str, ...], Refusal | None]:
    """The enumeration's inputs, what is excluded, and a refusal where nothing is left to plan with."""
    scenario, price = task.scenario, task.tariff.price_usd
    ask, ways = scenario.fabric, task.ways
    chosen = switch_choice(scenario, task.technology, task.catalog, price)
    units = {s.id: task.tariff.unit_cost(s.id) for s in chosen.models}
    check = limit_check(task.tariff, {s.id: s for s in chosen.models})
    space = DesignSpace(
        catalog=task.catalog,
        technology=task.technology,
        switches=without_dominated_models(
            chosen.models,
            units,
            rates_in_use(chosen.models, frozenset(way.base.link_gbps for way in ways.found)),
            limited=check is not None,
            populated=scenario.layout.populate_all_cages,
            installed=task.shared.union(row.sku for row in scenario.installed),
        ),
        rules=WiringRules(
            ask.max_oversubscription,
            ask.spine_oversubscription,
            ask.max_tiers,
            ask.min_spines,
            ask.nodes_per_scalable_unit,
            ask.reserved_fabric_ports,
            ask.collapsed_pair,
        ),
        layout=scenario.layout,
        price=price,
        caps=task.caps or ratio_caps(scenario, task.catalog.accelerators),
        ancillaries=task.ancillaries,
        within_limits=check,
    )
    impossible = Refusal("infeasible", task.impossible) if task.impossible else None
    refusal = _refusal(chosen.models, chosen.excluded, ways) or impossible
    return space, (*chosen.excluded, *ways.excluded), refusal


def _refusal(models: tuple[object, ...], excluded: tuple[str, ...], ways: NicAttachments) -> Refusal | None:
    if not models and excluded:
        left, remedy = "; ".join(excluded), "give prices in [prices.overrides] or [[switch]]"
        if "no power" in left:
            remedy += ", power_w in a [[switch]]"
        if "rack height" in left:
            remedy += ", or take constraints.rack_units out"
        return Refusal("unpriced", f"no switch with price and power is left: {left}; {remedy}")
    if not ways.found and ways.excluded:
        left = "; ".join(ways.excluded)
        remedy = "give prices in [prices.overrides]; one without power can't be planned"
        return Refusal("unpriced", f"no NIC with price and power is left: {left}; {remedy}")
    if not ways.found:
        apart = "planes, nic_port_split and link_gbps do not go together; write one value of each"
        return Refusal("infeasible", "; ".join(ways.reasons) or apart)
    return None
