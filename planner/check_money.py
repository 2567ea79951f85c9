"""The money of an answer computed again, from its BOM, holdings and prices, with a discounting of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from planner.bom import BomLine
from planner.catalog import Catalog
from planner.costing import INSTALL_LINK, RECABLE_LINK
from planner.design import Design, Plan
from planner.scenario import Scenario
from pricing.price_book import PriceBook

TOLERANCE = 1e-6  # relative, of the contract


class YearMoney(Protocol):
    """The money of one year of an answer."""

    @property
    def capex_usd(self) -> float: ...  # noqa: D102
    @property
    def network_capex_usd(self) -> float: ...  # noqa: D102
    @property
    def opex_usd(self) -> float: ...  # noqa: D102
    @property
    def network_power_kw(self) -> float: ...  # noqa: D102


class Cost(Protocol):
    """One cost line of an answer."""

    @property
    def year(self) -> int: ...  # noqa: D102
    @property
    def flow(self) -> str: ...  # noqa: D102
    @property
    def network(self) -> bool: ...  # noqa: D102
    @property
    def amount_usd(self) -> float: ...  # noqa: D102
    @property
    def npv_usd(self) -> float: ...  # noqa: D102


class Answer(Protocol):
    """One technology's answer, as far as its money is looked at."""

    @property
    def plan(self) -> Plan: ...  # noqa: D102
    @property
    def bom(self) -> Sequence[BomLine]: ...  # noqa: D102
    @property
    def costs(self) -> Sequence[Cost]: ...  # noqa: D102
    @property
    def years(self) -> Sequence[YearMoney]: ...  # noqa: D102
    @property
    def tco_usd(self) -> float | None: ...  # noqa: D102
    @property
    def network_tco_usd(self) -> float | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Ledger:
    """Prices and running costs, worked out from the book and the catalog alone."""

    scenario: Scenario
    catalog: Catalog
    book: PriceBook

    def price_usd(self, sku: str, year: int) -> float:
        """Price in a year, after erosion."""
        price = self.book.prices[sku]
        keeps = 1.0 - self.scenario.prices.erosion_per_year.get(price.item_class, 0.0)
        return float(price.mid_usd * keeps ** (year - self.scenario.base_year))

    def worth(self, usd: float, year: int) -> float:
        """Present worth of an amount at the start of a year."""
        return float(usd / (1.0 + self.scenario.finance.discount_rate) ** (year - self.scenario.base_year))

    def resale_usd(self, sku: str, bought: int, until: int) -> float:
        """What a piece brings at the start of year ``until``, nominal."""
        finance = self.scenario.finance
        if finance.residual == "none":
            return 0.0
        left = max(0.0, 1.0 - (until - bought) / finance.life_years)
        new = self.price_usd(sku, until)
        cap = new if finance.residual == "unexpired-life" else finance.market_resale_ratio * new * left
        return min(self.price_usd(sku, bought) * left, new, cap)

    def power_w(self, sku: str) -> float:
        """Average draw of a piece; 0 for what draws nothing."""
        c = self.catalog
        own = {s.id: s for s in self.scenario.own_switches}
        part = own.get(sku) or c.switches.get(sku) or c.nics.get(sku) or c.transceivers.get(sku)
        if part is not None:
            return part.power_w or 0.0
        return 2.0 * c.assemblies[sku].power_w_per_end if sku in c.assemblies else 0.0

    def network_opex_usd(self, design: Design) -> float:
        """Electricity, support of switches and downtime of one year, nominal."""
        finance, operations = self.scenario.finance, self.scenario.operations
        kw = sum(n * self.power_w(sku) for sku, n in design.need.items()) / 1000.0
        switches = sum(
            n * self.book.prices[sku].mid_usd
            for sku, n in design.need.items()
            if self.book.prices[sku].item_class == "switch"
        )
        idle_hours = design.change.idled_gpus * operations.recabling_downtime_hours
        sites = self.scenario.wan
        link = (sites.usd_per_year or 0.0) if sites.sites > 1 else 0.0
        return (
            kw * 8760.0 * finance.pue * finance.electricity_usd_per_kwh
            + switches * finance.support_ratio_per_year
            + idle_hours * operations.gpu_hour_usd
            + link
        )

    def server_opex_usd(self, design: Design) -> float:
        """Electricity of the servers in one year, nominal; 0 where their power is not known."""
        finance = self.scenario.finance
        kw = (self.scenario.server.power_w or 0.0) * finance.server_power_use_ratio / 1000.0
        return design.nodes * kw * 8760.0 * finance.pue * finance.electricity_usd_per_kwh

    def servers_usd(self, designs: Sequence[Design]) -> float:
        """Present worth of the servers' purchases less resale.

        Nodes never leave before the horizon ends, so each is held from its first year on, or from one
        before it where that is cheaper, in the cheapest series of holdings.
        """
        sku, first = self.scenario.server.sku, self.scenario.base_year
        end, life = first + self.scenario.finance.horizon_years, self.scenario.finance.life_years

        @cache
        def cheapest_usd(year: int) -> float:
            paid = self.worth(self.price_usd(sku, year), year)
            ways = [
                paid - self.worth(self.resale_usd(sku, year, until), until) + cheapest_usd(until)
                for until in range(year + 1, min(year + life, end) + 1)
            ]
            return min(ways, default=0.0) if year < end else 0.0

        total, held = 0.0, 0
        for design in designs:
            units = -(-design.nodes // self.scenario.server.nodes_per_price_unit)
            total += max(0, units - held) * min(map(cheapest_usd, range(first, design.year + 1)))
            held = max(held, units)
        return total


def money_faults(
    answer: Answer, scenario: Scenario, catalog: Catalog, book: PriceBook, objective: str
) -> Iterator[str]:
    """Every figure of the answer that the BOM, the holdings and the prices do not give, in words."""
    ledger = Ledger(scenario, catalog, book)
    yield from _bom_faults(answer, ledger)
    full = answer.tco_usd is not None
    servers_usd = ledger.servers_usd(answer.plan.designs) if full else 0.0
    network_usd = 0.0
    for design, year in zip(answer.plan.designs, answer.years, strict=True):
        rows = [r for r in answer.bom if r.year == design.year]
        capex = sum(r.unit_price_usd * (r.quantity + r.spares) for r in rows)
        opex, servers_opex = ledger.network_opex_usd(design), ledger.server_opex_usd(design)
        network_usd += ledger.worth(capex, design.year) + ledger.worth(opex, design.year + 1)
        servers_usd += ledger.worth(servers_opex, design.year + 1)
        kw = sum(n * ledger.power_w(sku) for sku, n in design.need.items()) / 1000.0
        at = f"{design.year}: "
        yield from _unequal(at + "network_capex_usd", year.network_capex_usd, capex)
        yield from _unequal(at + "network_power_kw", year.network_power_kw, kw)
        if full:
            others = [
                x for x in answer.costs if x.year == design.year and x.flow == "capex" and not x.network
            ]
            bought = sum(x.amount_usd for x in others)
            yield from _unequal(at + "capex_usd", year.capex_usd, capex + bought)
            yield from _unequal(at + "opex_usd", year.opex_usd, opex + servers_opex)
    for h in answer.plan.holdings:
        resale = ledger.resale_usd(h.sku, h.bought_year, h.until_year)
        network_usd -= h.quantity * ledger.worth(resale, h.until_year)
    if full:
        yield from _unequal("network_tco_usd", answer.network_tco_usd, network_usd)
        yield from _unequal("tco_usd", answer.tco_usd, network_usd + servers_usd)
        yield from _unequal("costs npv_usd", sum(x.npv_usd for x in answer.costs), network_usd + servers_usd)
    yield from _solver_faults(answer.plan, network_usd + servers_usd if full else None, objective)


def _bom_faults(answer: Answer, ledger: Ledger) -> Iterator[str]:
    """Quantities as bought, installed and moved; prices as in the book."""
    listed = Counter[tuple[int, str]]()
    for row in answer.bom:
        listed[row.year, row.sku] += row.quantity
        at = f"{row.year}: {row.sku} unit_price_usd"
        yield from _unequal(at, row.unit_price_usd, ledger.price_usd(row.sku, row.year))
    for design in answer.plan.designs:
        change = design.change
        services = {INSTALL_LINK: change.installed_links, RECABLE_LINK: change.recabled_links}
        for sku, quantity in {**change.bought, **services}.items():
            if listed.pop((design.year, sku), 0) != quantity:
                yield f"{design.year}: the BOM does not list the {quantity} x {sku} of the plan"
    for (year, sku), quantity in sorted(listed.items()):
        if quantity:
            yield f"{year}: the BOM lists {quantity} x {sku} that the plan does not buy"


def _solver_faults(plan: Plan, tco_usd: float | None, objective: str) -> Iterator[str]:
    """The programme's own value against the money counted again, and its bound below it."""
    value, bound = plan.solver.objective_usd, plan.solver.bound_usd
    if tco_usd is not None and objective == "tco" and plan.status == "optimal":
        yield from _unequal("objective_usd", value, tco_usd)
    if value is not None and bound is not None and bound > value + abs(value) * TOLERANCE:
        yield f"the solver's bound {bound:,.2f} is above its objective {value:,.2f}"


def _unequal(name: str, found: float | None, right: float) -> Iterator[str]:
    if found is None or abs(found - right) > TOLERANCE * max(abs(found), abs(right)) + 1e-6:
        said = "missing" if found is None else f"{found:,.4f}"
        yield f"{name} is {said}, computed again {right:,.4f}"
