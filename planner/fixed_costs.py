"""What no design of the compute fabric changes: servers, side fabrics, engineers of a tuned fabric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from planner.bom import BomLine, bom_lines, sorted_lines
from planner.costing import Tariff
from planner.demand import demand
from planner.design import Plan
from planner.extras import Beside
from planner.scenario import Scenario
from planner.side import SideMemory, SidePlan, beside_of, side_plans
from planner.sources import Sources
from planner.task import PlanOptions
from planner.tco import CostLine, network_costs, plan_power_w, server_costs, tuning_costs


@dataclass(frozen=True, slots=True)
class Fixed:
    """Cost lines, what they lack, the side fabrics planned, and what these add to the management network."""

    lines: tuple[CostLine, ...]
    missing: tuple[str, ...]
    sides: tuple[SidePlan, ...]
    beside: Mapping[int, Beside]

    @property
    def npv_usd(self) -> float:
        """Present worth (USD) of what is known."""
        return sum(line.npv_usd for line in self.lines)

    def capex_usd(self, years: range) -> tuple[float, ...]:
        """Nominal capex (USD) of each year."""
        paid = [line for line in self.lines if line.flow == "capex"]
        return tuple(sum(line.amount_usd for line in paid if line.year == y) for y in years)


def fixed_costs(
    scenario: Scenario,
    sources: Sources,
    technology: str,
    rates: Tariff,
    options: PlanOptions,
    memory: SideMemory,
) -> Fixed:
    """Everything of a technology's bill that is known before its fabric is planned."""
    years = demand(scenario)
    servers = server_costs(scenario, years, rates)
    sides = side_plans(scenario, technology, sources, options, memory)
    planned = tuple(s for s in sides if s.plan.designs)
    lines = (
        *servers.lines,
        *tuning_costs(scenario, technology, years),
        *(line for side in planned for line in network_costs(side.plan, side.tariff)),
    )
    missing = (*servers.missing, *(text for side in sides for text in side.missing))
    units = {s.id: s.rack_units for s in sources.catalog.switches.values() if s.rack_units is not None}
    return Fixed(lines, missing, planned, beside_of(scenario, planned, units))


def whole_bom(plan: Plan, rates: Tariff, sides: Sequence[SidePlan]) -> tuple[BomLine, ...]:
    """The compute fabric's lines and those of the side fabrics, under one technology."""
    others = [row for side in sides for row in bom_lines(side.plan, side.tariff, side.section)]
    renamed = (replace(row, technology=plan.technology) for row in others)
    return sorted_lines([*bom_lines(plan, rates), *renamed])


def whole_power_w(plan: Plan, rates: Tariff, sides: Sequence[SidePlan]) -> list[float]:
    """Average draw (W) of all network gear by year."""
    parts = [plan_power_w(plan, rates), *(plan_power_w(side.plan, side.tariff) for side in sides)]
    return [sum(watts) for watts in zip(*parts, strict=True)]
