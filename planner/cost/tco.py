"""BOM + prices + operations -> cost lines a year -> TCO."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from planner.catalog.technologies import Technology
from planner.cost.cheapest_holdings import cheapest_holdings
from planner.cost.finance import UnitCost, capex_factor, opex_factor, sale_factor
from planner.cost.recabling_cost import move_rates
from planner.cost.spares import is_spare
from planner.cost.tariff import Tariff, power_usd_per_year
from planner.fabric.demand import YearDemand
from planner.fabric.design import Holding, Plan
from planner.scenario.generations import nodes_by_server
from planner.scenario.scenario import Scenario
from pricing.price_book import ItemClass

Flow = Literal["capex", "opex", "residual"]


@dataclass(frozen=True, slots=True)
class CostLine:
    """One kind of cost in one year. Capex falls at the year's start, opex and residual at its end.

    ``amount_usd`` is nominal; a residual or a sale is negative. ``npv_usd`` is discounted to the
    base year. ``network``: counts into the network's share (False for servers and their power).
    """

    year: int
    kind: str  # servers | switches | NICs | transceivers | cables | fibre | services | electricity | ...
    flow: Flow
    network: bool
    amount_usd: float
    npv_usd: float


@dataclass(frozen=True, slots=True)
class YearTotals:
    """The money and power of one year, nominal."""

    year: int
    capex_usd: float
    network_capex_usd: float
    opex_usd: float
    network_power_kw: float


KINDS: Mapping[ItemClass, str] = {
    "switch": "switches",
    "nic": "NICs",
    "transceiver": "transceivers",
    "cable": "cables",
    "fibre": "fibre",
    "server": "servers",
    "service": "services",
    "manager": "fabric managers",
    "rack": "racks",
    "licence": "licences",
}


@dataclass(frozen=True, slots=True)
class ServerCosts:
    """Cost lines of the servers and the wide link, which no network choice changes.

    ``missing`` names the parts without a price or power: then a total can't be given.
    """

    lines: tuple[CostLine, ...]
    missing: tuple[str, ...]

    @property
    def npv_usd(self) -> float:
        """Present value (USD) of what is known."""
        return sum(line.npv_usd for line in self.lines)


@dataclass(frozen=True, slots=True)
class Timing:
    """Cost lines of each flow, discounted as ``planner.cost.finance`` says. Years (t) from ``base_year``."""

    base_year: int
    rate: float

    def capex(self, t: int, kind: str, usd: float, *, network: bool) -> CostLine:
        """A purchase or service at the start of year t."""
        npv = usd * capex_factor(self.rate, t)
        return CostLine(self.base_year + t, kind, "capex", network=network, amount_usd=usd, npv_usd=npv)

    def opex(self, t: int, kind: str, usd: float, *, network: bool) -> CostLine:
        """A running cost of year t, paid at its end."""
        npv = usd * opex_factor(self.rate, t)
        return CostLine(self.base_year + t, kind, "opex", network=network, amount_usd=usd, npv_usd=npv)

    def residual(self, t: int, kind: str, usd: float, *, network: bool) -> CostLine:
        """What pieces bring at the start of year t, which is the end of the year before: in its books."""
        year, npv = self.base_year + max(0, t - 1), -usd * sale_factor(self.rate, t)
        return CostLine(year, kind, "residual", network=network, amount_usd=-usd, npv_usd=npv)


def timing_of(scenario: Scenario) -> Timing:
    """The timing of a scenario's money."""
    return Timing(scenario.base_year, scenario.finance.discount_rate)


def server_costs(scenario: Scenario, years: Sequence[YearDemand], tariff: Tariff) -> ServerCosts:
    """Servers bought and powered, and the link between sites, over the horizon."""
    lines, missing, timing = list[CostLine](), list[str](), timing_of(scenario)
    span = range(years[0].year, years[-1].year + 1)
    for server, nodes in nodes_by_server(scenario, span):
        if tariff.price_usd(server.sku) is None:
            missing.append(f"{server.sku}: no price")
        else:
            units = [0] * years[0].t + [-(-n // server.nodes_per_price_unit) for n in nodes]
            unit = tariff.unit_cost(server.sku)
            for bought, until, quantity in cheapest_holdings(unit, units).bought:
                lines += _holding_lines(timing, unit, (bought, until), quantity, "servers", network=False)
        if server.power_w is None:
            missing.append(f"{server.sku}: no power")
        else:
            lines += _server_power(scenario, server.power_w, years, nodes)
    if scenario.wan.sites > 1:
        usd = scenario.wan.usd_per_year
        if usd is None:
            missing.append("wan.usd_per_year: no price of the link between the sites")
        else:
            lines += [timing.opex(y.t, "link between sites", usd, network=True) for y in years]
    return ServerCosts(tuple(lines), tuple(missing))


def _server_power(
    scenario: Scenario, power_w: float, years: Sequence[YearDemand], nodes: Sequence[int]
) -> Iterator[CostLine]:
    """Electricity and space of so many nodes a year."""
    watts = power_w * scenario.finance.server_power_use_ratio
    for year, n in zip(years, nodes, strict=True):
        for kind, usd in power_usd_per_year(watts, scenario, year.t).items():
            name = kind.replace("network", "server") if "network" in kind else f"server {kind}"
            if usd or kind == "network electricity":
                yield timing_of(scenario).opex(year.t, name, n * usd, network=False)


def _holding_lines(
    timing: Timing, unit: UnitCost, span: tuple[int, int], quantity: int, kind: str, *, network: bool
) -> Iterator[CostLine]:
    """Pieces held over a span [bought, until): their price, the charges on it, and what they bring."""
    bought, until = span
    paid, back = quantity * unit.price_usd[bought], quantity * unit.resale_usd(bought, until)
    yield timing.capex(bought, kind, paid, network=network)
    if unit.charges_ratio:
        name = "charges" if network else f"{kind[:-1]} charges"
        yield timing.capex(bought, name, paid * unit.charges_ratio, network=network)
    if back:
        yield timing.residual(until, kind, back, network=network)


def _sale_lines(tariff: Tariff, holding: Holding, kind: str) -> Iterator[CostLine]:
    """What pieces that were there before bring when they go; what they cost is spent already."""
    until = holding.until_year - tariff.scenario.base_year
    usd = holding.quantity * tariff.installed_resale_usd(holding.sku, holding.bought_year, until)
    if usd:
        yield timing_of(tariff.scenario).residual(until, kind, usd, network=True)


def network_costs(plan: Plan, tariff: Tariff) -> tuple[CostLine, ...]:
    """Cost lines of the fabric: purchases, residuals, services, electricity, support, downtime.

    Computed from the plan's designs and holdings, without the solver.
    """
    scenario, lines, timing = tariff.scenario, list[CostLine](), timing_of(tariff.scenario)
    for h in plan.holdings:
        kind = "spares" if is_spare(h.sku) else KINDS[tariff.book.prices[h.sku].item_class]
        span = h.bought_year - scenario.base_year, h.until_year - scenario.base_year
        if span[0] < 0:
            lines += _sale_lines(tariff, h, kind)
        else:
            lines += _holding_lines(timing, tariff.unit_cost(h.sku), span, h.quantity, kind, network=True)
    rates = move_rates(tariff)
    for design in plan.designs:
        change, t = design.change, design.year - scenario.base_year
        labour = rates.services_usd(t, change)
        if labour:
            lines.append(timing.capex(t, "services", labour, network=True))
        running = Counter[str]({"downtime": rates.downtime_usd(change)})
        for sku, n in design.need.items():
            running.update({kind: n * usd for kind, usd in tariff.opex_usd(sku, t).items()})
        lines += [timing.opex(t, kind, usd, network=True) for kind, usd in running.items() if usd]
    return merged(lines)


def tuning_costs(
    scenario: Scenario, technology: Technology, years: Sequence[YearDemand]
) -> tuple[CostLine, ...]:
    """Engineers who keep a tuned RoCE fabric tuned: some for each thousand GPUs, whatever its design."""
    bill, run = scenario.bill, scenario.operations
    if technology != "roce" or run.roce_tuning != "tuned" or not bill.staff.enabled:
        return ()
    each = run.roce_engineers_per_1000_gpus / 1_000.0 * run.engineer_usd_per_year
    rise = 1.0 + bill.escalation.labour
    timing = timing_of(scenario)
    lines = (timing.opex(y.t, "RoCE tuning", y.gpus * each * rise**y.t, network=True) for y in years)
    return tuple(line for line in lines if line.amount_usd)


def merged(lines: Sequence[CostLine]) -> tuple[CostLine, ...]:
    """One line for each year, kind and flow."""
    sums: dict[tuple[int, str, Flow, bool], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for line in lines:
        amounts = sums[line.year, line.kind, line.flow, line.network]
        amounts[0] += line.amount_usd
        amounts[1] += line.npv_usd
    return tuple(CostLine(*key, *amounts) for key, amounts in sorted(sums.items()))


def plan_power_w(plan: Plan, tariff: Tariff) -> tuple[float, ...]:
    """Average draw (W, without PUE) of a plan's pieces in service, by year; spares draw none."""
    power = tariff.power_w
    return tuple(sum(n * power.get(sku, 0.0) for sku, n in d.need.items()) for d in plan.designs)


def year_totals(plan: Plan, lines: Sequence[CostLine], power_w: Sequence[float]) -> tuple[YearTotals, ...]:
    """Nominal capex, opex and average network power (kW, without PUE) of each year."""
    rows = []
    for design, watts in zip(plan.designs, power_w, strict=True):
        year = [x for x in lines if x.year == design.year]
        capex = [x for x in year if x.flow == "capex"]
        rows.append(
            YearTotals(
                year=design.year,
                capex_usd=sum(x.amount_usd for x in capex),
                network_capex_usd=sum(x.amount_usd for x in capex if x.network),
                opex_usd=sum(x.amount_usd for x in year if x.flow == "opex"),
                network_power_kw=watts / 1000.0,
            )
        )
    return tuple(rows)
