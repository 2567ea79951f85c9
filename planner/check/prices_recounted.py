"""Prices, running costs and residuals worked out again, from the book, the catalog and the scenario alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from planner.catalog.parts import Catalog, ServerModel
from planner.catalog.technologies import Technology
from planner.cost.price_list import MANAGER
from planner.cost.spares import is_spare, part_of
from planner.fabric.design import Design
from planner.scenario.scenario import Scenario
from pricing.price_book import Price, PriceBook

HOURS = 24.0 * 365.0
TOLERANCE = 1e-6  # relative, of the contract


def unequal(name: str, found: float | None, right: float, whose: str = "computed again") -> Iterator[str]:
    """The fault of a figure that is missing or not what ``whose`` figure says."""
    if found is None or abs(found - right) > TOLERANCE * max(abs(found), abs(right)) + 1e-6:
        said = "missing" if found is None else f"{found:,.4f}"
        yield f"{name} is {said}, {whose} {right:,.4f}"


@dataclass(frozen=True, slots=True)
class Ledger:
    """The money of one plan: that of the compute fabric, or of a side fabric with its own prices.

    ``later``: the prices from ``from_year`` on, where the technology changes midway; ``installed``: those of
    pieces that were there before the base year.
    """

    scenario: Scenario
    catalog: Catalog
    book: PriceBook
    later: PriceBook | None = None
    from_year: int = 0
    installed: PriceBook | None = None

    def row(self, sku: str, year: int) -> Price:
        """The price of a part under the technology of a year; the other's where that one has none."""
        part = part_of(sku)
        books = [self.book, self.later or self.book]
        if year >= self.from_year:
            books.reverse()
        return books[0].prices.get(part) or books[1].prices[part]

    def kind(self, sku: str) -> str:
        """The item class of a SKU, of its part where it is a spare."""
        return self.row(sku, self.scenario.base_year).item_class

    def price_usd(self, sku: str, year: int) -> float:
        """Price in a year: eroded, and risen with wages or licence fees."""
        return self._in_year(self.row(sku, year), year)

    def _in_year(self, price: Price, year: int) -> float:
        after = year - self.scenario.base_year
        keeps = 1.0 - self.scenario.prices.erosion_per_year.get(price.item_class, 0.0)
        rises = self.scenario.bill.escalation
        if price.item_class == "service":
            keeps *= 1.0 + rises.labour
        elif price.item_class == "licence":
            keeps *= 1.0 + rises.support
        return float(price.mid_usd * keeps**after)

    def present_value(self, usd: float, year: int) -> float:
        """Present value of an amount at the start of a year."""
        return float(usd / (1.0 + self.scenario.finance.discount_rate) ** (year - self.scenario.base_year))

    def is_hardware(self, sku: str) -> bool:
        """What is shipped and can be sold again: neither labour nor a licence."""
        return self.kind(sku) not in ("service", "licence")

    def charges(self) -> dict[str, float]:
        """Each named rate as a share of the hardware's price."""
        rates = self.scenario.bill.charges
        shipped = 1.0 + rates.freight_ratio
        cleared = shipped + shipped * rates.duty_ratio
        return {
            "freight": rates.freight_ratio,
            "duty": cleared - shipped,
            "sales-tax": cleared * rates.sales_tax_ratio,
            "contingency": rates.contingency_ratio,
        }

    def resale_usd(self, sku: str, bought: int, until: int) -> float:
        """What a piece brings at the start of year ``until``, nominal."""
        finance = self.scenario.finance
        if finance.residual == "none" or self.kind(sku) == "licence":
            return 0.0
        left = max(0.0, 1.0 - (until - bought) / finance.life_years)
        if bought < self.scenario.base_year and self.installed:
            row = self.installed.prices[sku]
            paid, new = self._in_year(row, bought), self._in_year(row, until)
        else:
            paid, new = self.price_usd(sku, bought), self.price_usd(sku, until)
        cap = new if finance.residual == "unexpired-life" else finance.market_resale_ratio * new * left
        return min(paid * left, new, cap)

    def power_w(self, sku: str) -> float:
        """Average draw of a piece; 0 for what draws nothing."""
        c = self.catalog
        if sku == MANAGER:
            return self.scenario.bill.management.manager_power_w
        own = {s.id: s for s in self.scenario.own_switches}
        part = own.get(sku) or c.switches.get(sku) or c.nics.get(sku) or c.transceivers.get(sku)
        if part is not None:
            return part.power_w or 0.0
        return 2.0 * c.assemblies[sku].power_w_per_end if sku in c.assemblies else 0.0

    def power_usd(self, watts: float, year: int) -> float:
        """Electricity and space of an average load in one year, nominal."""
        finance, bill = self.scenario.finance, self.scenario.bill
        after, kw = year - self.scenario.base_year, watts / 1000.0
        rises, space = bill.escalation, bill.colocation
        total = 12.0 * space.usd_per_kw_month * kw * (1.0 + rises.colocation) ** after
        if not space.includes_power:
            price = finance.electricity_usd_per_kwh * (1.0 + rises.electricity) ** after
            total += kw * finance.pue * HOURS * price
        return total

    def piece_opex_usd(self, sku: str, year: int) -> float:
        """Support, engineers and replacements of a piece in one year, nominal; its power is apart."""
        bill, finance = self.scenario.bill, self.scenario.finance
        after, kind = year - self.scenario.base_year, self.kind(sku)
        if kind in ("switch", "manager"):
            renewals = after // bill.upkeep.support_term_years
            signed = renewals * bill.upkeep.support_term_years
            fee = self.row(sku, year).mid_usd * finance.support_ratio_per_year
            total = fee * (1.0 + bill.escalation.support) ** signed
            if kind == "switch" and bill.staff.enabled:
                wage = bill.staff.labour_usd_per_hour * (1.0 + bill.escalation.labour) ** after
                total += bill.staff.hours_per_switch_year * wage
            return total
        if not bill.upkeep.replace_failures:
            return 0.0
        unpaid = min(1.0, bill.upkeep.warranty_years / finance.life_years)
        failing = bill.spares.failures_per_year.get(kind, 0.0)
        return failing * (1.0 - unpaid) * self.price_usd(sku, year)

    def network_opex_usd(self, design: Design) -> float:
        """Running cost and downtime of one plan's year, nominal."""
        run, change = self.scenario.operations, design.change
        idle = change.idled_gpus - change.panel_idled_gpus
        idle += self.scenario.layout.panel_downtime_ratio * change.panel_idled_gpus
        total = idle * run.recabling_downtime_hours * run.gpu_hour_usd
        for sku, n in design.need.items():
            if not is_spare(sku):
                usd = self.power_usd(self.power_w(sku), design.year) + self.piece_opex_usd(sku, design.year)
                total += n * usd
        return total

    def fixed_opex_usd(self, design: Design, technology: Technology) -> float:
        """The link between sites, and the engineers of a tuned RoCE fabric, nominal."""
        sites, run, bill = self.scenario.wan, self.scenario.operations, self.scenario.bill
        total = (sites.usd_per_year or 0.0) if sites.sites > 1 else 0.0
        if technology == "roce" and run.roce_tuning == "tuned" and bill.staff.enabled:
            engineers = design.gpus * run.roce_engineers_per_1000_gpus / 1000.0
            wage = (1.0 + bill.escalation.labour) ** (design.year - self.scenario.base_year)
            total += engineers * run.engineer_usd_per_year * wage
        return total

    def server_opex_usd(self, design: Design) -> float:
        """Power and space of the servers in one year, nominal; 0 where their power is not known."""
        use = self.scenario.finance.server_power_use_ratio
        watts = sum(nodes * (server.power_w or 0.0) for server, nodes in servers_of(self.scenario, design))
        return self.power_usd(watts * use, design.year)

    def servers_usd(self, designs: Sequence[Design]) -> float:
        """Present value of the servers' purchases less resale.

        Nodes never leave before the horizon ends, so each is held from its first year on, or from one
        before it where that is cheaper, in the cheapest series of holdings.
        """
        kinds = servers_of(self.scenario, designs[-1])
        return sum(self._kind_usd(designs, i) for i in range(len(kinds)))

    def _kind_usd(self, designs: Sequence[Design], kind: int) -> float:
        """The same of the servers of one generation."""
        server, first = servers_of(self.scenario, designs[-1])[kind][0], self.scenario.growth[0].year
        sku = server.sku
        end, life = self.scenario.years.stop, self.scenario.finance.life_years
        landed = 1.0 + sum(self.charges().values())

        @cache
        def cheapest_usd(year: int) -> float:
            paid = self.present_value(self.price_usd(sku, year) * landed, year)
            ways = [
                paid - self.present_value(self.resale_usd(sku, year, until), until) + cheapest_usd(until)
                for until in range(year + 1, min(year + life, end) + 1)
            ]
            return min(ways, default=0.0) if year < end else 0.0

        total, held = 0.0, 0
        for design in designs:
            units = -(-servers_of(self.scenario, design)[kind][1] // server.nodes_per_price_unit)
            total += max(0, units - held) * min(map(cheapest_usd, range(first, design.year + 1)))
            held = max(held, units)
        return total


def servers_of(scenario: Scenario, design: Design) -> list[tuple[ServerModel, int]]:
    """The servers of each generation and their nodes in the year of a design; else all of one server."""
    if not scenario.generations:
        return [(scenario.server, design.nodes)]
    rows = [(s.year, s.gpus) for s in scenario.growth if s.year <= design.year]
    starts = [g.first_year for g in scenario.generations]
    found = []
    for kind, start, end in zip(scenario.generations, starts, [*starts[1:], design.year + 1], strict=True):
        below = max((gpus for year, gpus in rows if year < start), default=0)
        reached = max((gpus for year, gpus in rows if start <= year < end), default=below)
        found.append((kind.server, -(-(reached - below) // kind.server.gpus_per_node)))
    return found
