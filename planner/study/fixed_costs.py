"""What no design of the compute fabric changes: servers, side fabrics, engineers of a tuned fabric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology
from planner.cost.bom import BomLine, bom_lines, sorted_lines
from planner.cost.management_network import NetworkGear
from planner.cost.tariff import Tariff
from planner.cost.tco import CostLine, network_costs, plan_power_w, server_costs, tuning_costs
from planner.fabric.demand import demand
from planner.fabric.design import Plan
from planner.planning.task import PlanOptions
from planner.scenario.scenario import Scenario
from planner.study.side_fabrics import KnownSideFabrics, SideFabric, other_gear, side_fabrics_of


@dataclass(frozen=True, slots=True)
class FixedCosts:
    """Cost lines, what they lack, the side fabrics planned, and what these add to the management network."""

    lines: tuple[CostLine, ...]
    missing: tuple[str, ...]
    sides: tuple[SideFabric, ...]
    other_gear: Mapping[int, NetworkGear]

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
    technology: Technology,
    rates: Tariff,
    options: PlanOptions,
    known: KnownSideFabrics,
) -> FixedCosts:
    """Everything of a technology's bill that is known before its fabric is planned."""
    years = demand(scenario)
    servers = server_costs(scenario, years, rates)
    sides = side_fabrics_of(scenario, technology, sources, options, known)
    planned = tuple(s for s in sides if s.plan.designs)
    lines = (
        *servers.lines,
        *tuning_costs(scenario, technology, years),
        *(line for side in planned for line in network_costs(side.plan, side.tariff)),
    )
    missing = (*servers.missing, *(text for side in sides for text in side.missing))
    units = {s.id: s.rack_units for s in sources.catalog.switches.values() if s.rack_units is not None}
    return FixedCosts(lines, missing, planned, other_gear(scenario, planned, units))


def whole_bom(plan: Plan, rates: Tariff, sides: Sequence[SideFabric]) -> tuple[BomLine, ...]:
    """The compute fabric's lines and those of the side fabrics, under one technology.

    A part has one line in a place: managers and licences of several subnets are added up.
    """
    others = [row for side in sides for row in bom_lines(side.plan, side.tariff, side.section)]
    renamed = (replace(row, technology=plan.name) for row in others)
    found = dict[tuple[int, str, str, str], BomLine]()
    for row in (*bom_lines(plan, rates), *renamed):
        key = row.year, row.section, row.tier, row.sku
        one = found.get(key)
        more = (one.quantity + row.quantity, one.spares + row.spares) if one else (row.quantity, row.spares)
        found[key] = replace(row, quantity=more[0], spares=more[1])
    return sorted_lines(found.values())


def whole_power_w(plan: Plan, rates: Tariff, sides: Sequence[SideFabric]) -> list[float]:
    """Average draw (W) of all network gear by year."""
    parts = [plan_power_w(plan, rates), *(plan_power_w(side.plan, side.tariff) for side in sides)]
    return [sum(watts) for watts in zip(*parts, strict=True)]
