"""What a technology costs: what no design of its compute fabric changes, and the whole bill of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology
from planner.cost.bom_lines import CHARGE, BomLine, bom_lines, sorted_lines
from planner.cost.management_network import NetworkGear
from planner.cost.price_grades import PriceGrades, price_grades
from planner.cost.tariff import Tariff
from planner.cost.tco import (
    CostLine,
    YearTotals,
    merged,
    network_costs,
    plan_power_w,
    server_costs,
    tuning_costs,
    year_totals,
)
from planner.fabric.demand import demand
from planner.fabric.design import Plan
from planner.planning.planning_task import PlanOptions
from planner.scenario.scenario import Scenario
from planner.study.side_fabrics import KnownSideFabrics, SideFabric, other_gear, side_fabrics_of


@dataclass(frozen=True, slots=True)
class FixedCosts:
    """Cost lines, what they lack, the side fabrics planned, and what these add to the management network.

    ``asked``: the side fabrics that were looked for, those without a plan among them.
    """

    lines: tuple[CostLine, ...]
    missing: tuple[str, ...]
    sides: tuple[SideFabric, ...]
    other_gear: Mapping[int, NetworkGear]
    asked: tuple[SideFabric, ...] = ()

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
    return FixedCosts(lines, missing, planned, other_gear(scenario, planned, units), sides)


@dataclass(frozen=True, slots=True)
class Bill:
    """What a plan costs: parts, cost lines, the money of each year, and how sure its prices are."""

    bom: tuple[BomLine, ...]
    costs: tuple[CostLine, ...]
    years: tuple[YearTotals, ...]
    grades: PriceGrades


def bill_of(plan: Plan, rates: Tariff, fixed: FixedCosts, sources: Sources) -> Bill:
    """What the plan costs with all that no design changes."""
    costs = merged((*fixed.lines, *network_costs(plan, rates)))
    bom = _whole_bom(plan, rates, fixed.sides)
    return Bill(
        bom=bom,
        costs=costs,
        years=year_totals(plan, costs, _whole_power_w(plan, rates, fixed.sides)),
        grades=price_grades(bom, costs, rates, sources.defaults),
    )


def _whole_bom(plan: Plan, rates: Tariff, sides: Sequence[SideFabric]) -> tuple[BomLine, ...]:
    """The compute fabric's lines and those of the side fabrics, under one technology."""
    others = [row for side in sides for row in bom_lines(side.plan, side.tariff, side.section)]
    return added_lines((*bom_lines(plan, rates), *(replace(row, technology=plan.name) for row in others)))


def added_lines(rows: Iterable[BomLine]) -> tuple[BomLine, ...]:
    """One line for a part in a place and year; a charge, whose price is its amount, is added to."""
    found = dict[tuple[int, str, str, str], BomLine]()
    for row in rows:
        key = row.year, row.section, row.tier, row.sku
        one = found.get(key)
        if one and row.sku.startswith(CHARGE):
            row = replace(row, unit_price_usd=one.unit_price_usd + row.unit_price_usd)
        elif one:
            row = replace(row, quantity=one.quantity + row.quantity, spares=one.spares + row.spares)
        found[key] = row
    return sorted_lines(found.values())


def _whole_power_w(plan: Plan, rates: Tariff, sides: Sequence[SideFabric]) -> list[float]:
    """Average draw (W) of all network gear by year."""
    parts = [plan_power_w(plan, rates), *(plan_power_w(side.plan, side.tariff) for side in sides)]
    return [sum(watts) for watts in zip(*parts, strict=True)]
