"""BOM + prices + operations -> cost lines a year -> TCO."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from planner.cost.finance import UnitCost, discount_factor
from planner.cost.holdings import cheapest_holdings
from planner.cost.recabling_cost import move_rates
from planner.cost.spares import is_spare, part_of
from planner.cost.tariff import Tariff, power_usd_per_year
from planner.fabric.demand import YearDemand
from planner.fabric.design import Holding, Plan
from planner.scenario.generations import nodes_by_server
from planner.scenario.scenario import Scenario
from pricing.price_book import ItemClass


@dataclass(frozen=True, slots=True)
class CostLine:
    """One kind of cost in one year. Capex falls at the year's start, opex and residual at its end.

    ``amount_usd`` is nominal; a residual or a sale is negative. ``npv_usd`` is discounted to the
    base year. ``network``: counts into the network's share (False for servers and their power).
    """

    year: int
    kind: str  # servers | switches | NICs | transceivers | cables | fibre | services | electricity | ...
    flow: str  # capex | opex | residual
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
        """Present worth (USD) of what is known."""
        return sum(line.npv_usd for line in self.lines)


def server_costs(scenario: Scenario, years: Sequence[YearDemand], tariff: Tariff) -> ServerCosts:
    """Servers bought and powered, and the link between sites, over the horizon."""
    lines, missing = list[CostLine](), list[str]()
    span = range(years[0].year, years[-1].year + 1)
    for server, nodes in nodes_by_server(scenario, span):
        if tariff.price_usd(server.sku) is None:
            missing.append(f"{server.sku}: no price")
        else:
            units = [0] * years[0].t + [-(-n // server.nodes_per_price_unit) for n in nodes]
            lines += _held(tariff.unit_cost(server.sku), units, scenario.base_year, "servers", network=False)
        if server.power_w is None:
            missing.append(f"{server.sku}: no power")
        else:
            lines += _server_power(scenario, server.power_w, years, nodes)
    if scenario.wan.sites > 1:
        if scenario.wan.usd_per_year is None:
            missing.append("wan.usd_per_year: no price of the link between the sites")
        else:
            usd = scenario.wan.usd_per_year
            lines += [_opex(scenario, y.t, "link between sites", usd, network=True) for y in years]
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
                yield _opex(scenario, year.t, name, n * usd, network=False)


def _held(unit: UnitCost, need: Sequence[int], base_year: int, kind: str, *, network: bool) -> list[CostLine]:
    """Purchases and residuals of the cheapest holdings for a need."""
    rows: list[CostLine] = []
    for bought, until, quantity in cheapest_holdings(unit, need).bought:
        rows += _holding_lines(unit, bought, until, quantity, base_year, kind, network=network)
    return rows


def _holding_lines(
    unit: UnitCost, bought: int, until: int, quantity: int, base_year: int, kind: str, *, network: bool
) -> Iterator[CostLine]:
    rate = unit.discount_rate
    paid, back = quantity * unit.price_usd[bought], quantity * unit.resale_usd(bought, until)
    yield CostLine(base_year + bought, kind, "capex", network, paid, paid * discount_factor(rate, bought))
    if unit.charges_ratio:
        extra = paid * unit.charges_ratio
        name = "charges" if network else f"{kind[:-1]} charges"
        yield CostLine(
            base_year + bought, name, "capex", network, extra, extra * discount_factor(rate, bought)
        )
    if back:
        yield CostLine(
            base_year + until - 1, kind, "residual", network, -back, -back * discount_factor(rate, until)
        )


def _sale_lines(tariff: Tariff, holding: Holding, kind: str) -> Iterator[CostLine]:
    """What pieces that were there before bring when they go; what they cost is spent already."""
    base, until = tariff.scenario.base_year, holding.until_year
    usd = holding.quantity * tariff.installed_resale_usd(holding.sku, holding.bought_year, until - base)
    if usd:
        factor = discount_factor(tariff.scenario.finance.discount_rate, until - base)
        yield CostLine(max(base, until - 1), kind, "residual", True, -usd, -usd * factor)


def _opex(scenario: Scenario, t: int, kind: str, usd: float, *, network: bool) -> CostLine:
    factor = discount_factor(scenario.finance.discount_rate, t + 1)
    return CostLine(scenario.base_year + t, kind, "opex", network, usd, usd * factor)


def network_costs(plan: Plan, tariff: Tariff) -> tuple[CostLine, ...]:
    """Cost lines of the fabric: purchases, residuals, services, electricity, support, downtime.

    Computed from the plan's designs and holdings, without the solver.
    """
    scenario, lines = tariff.scenario, list[CostLine]()
    base = scenario.base_year
    for h in plan.holdings:
        unit, kind = tariff.unit_cost(h.sku), KINDS[tariff.book.prices[part_of(h.sku)].item_class]
        kind = "spares" if is_spare(h.sku) else kind
        span = h.bought_year - base, h.until_year - base
        if span[0] < 0:
            lines += _sale_lines(tariff, h, kind)
            continue
        lines += _holding_lines(unit, *span, h.quantity, base, kind, network=True)
    rates = move_rates(tariff)
    for design in plan.designs:
        change, t = design.change, design.year - base
        labour = rates.services_usd(t, change)
        if labour:
            npv = labour * discount_factor(scenario.finance.discount_rate, t)
            lines.append(CostLine(design.year, "services", "capex", True, labour, npv))
        running = Counter[str]({"downtime": rates.downtime_usd(change)})
        for sku, n in design.need.items():
            running.update({kind: n * usd for kind, usd in tariff.opex_usd(sku, t).items()})
        lines += [_opex(scenario, t, kind, usd, network=True) for kind, usd in running.items() if usd]
    return merged(lines)


def tuning_costs(scenario: Scenario, technology: str, years: Sequence[YearDemand]) -> tuple[CostLine, ...]:
    """Engineers who keep a tuned RoCE fabric tuned: some for each thousand GPUs, whatever its design."""
    bill, run = scenario.bill, scenario.operations
    if technology != "roce" or run.roce_tuning != "tuned" or not bill.staff.enabled:
        return ()
    each = run.roce_engineers_per_1000_gpus / 1_000.0 * run.engineer_usd_per_year
    rise = 1.0 + bill.escalation.labour
    lines = (_opex(scenario, y.t, "RoCE tuning", y.gpus * each * rise**y.t, network=True) for y in years)
    return tuple(line for line in lines if line.amount_usd)


def merged(lines: Sequence[CostLine]) -> tuple[CostLine, ...]:
    """One line for each year, kind and flow."""
    return tuple(_merged(lines))


def _merged(lines: Sequence[CostLine]) -> Iterator[CostLine]:
    """One line for each year, kind and flow."""
    amounts: dict[tuple[int, str, str, bool], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for line in lines:
        sums = amounts[line.year, line.kind, line.flow, line.network]
        sums[0] += line.amount_usd
        sums[1] += line.npv_usd
    for (year, kind, flow, network), (amount, npv) in sorted(amounts.items()):
        yield CostLine(year, kind, flow, network, amount, npv)


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
