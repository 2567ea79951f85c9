"""Unit costs of every SKU a technology may use: prices by year and yearly running cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from planner.catalog import Catalog, SwitchModel
from planner.finance import UnitCost, eroded_price, residual_usd
from planner.scenario import Scenario
from pricing.discounts import net_prices
from pricing.price_book import Price, PriceBook
from pricing.price_files import Counterpart
from pricing.provenance import Grade, Source
from pricing.ratios import infiniband_prices

HOURS_PER_YEAR = 8760.0
INSTALL_LINK = "svc-install-link"
RECABLE_LINK = "svc-recable-link"
MOVE_CORD = "svc-move-cord"  # a link moved at a patch panel
SPARE = "spare:"  # before the SKU of pieces that lie in stock
MANAGER, LICENCE, RACK = "fabric-manager-server", "ufm-licence-endpoint-year", "network-rack"
SUPPORTED = frozenset({"switch", "manager"})  # item classes with a support contract
INTANGIBLE = frozenset({"service", "licence"})  # neither shipped nor sold on


@dataclass(frozen=True, slots=True)
class Tariff:
    """Prices and power of a technology's parts in one scenario.

    ``book`` holds the reference prices, the InfiniBand rule's where it acts, and the user's own on
    top. ``power_w`` is a piece's average draw; a SKU that is not in it has no known power.
    """

    scenario: Scenario
    book: PriceBook
    power_w: Mapping[str, float]

    def at(self, t: int) -> Tariff:
        """What the purchases and running costs of year t are priced with; the same in every year but where
        the technology changes midway (``planner.path_tariff``)."""
        return self

    def dearer_from(self, sku: str) -> int | None:
        """The first year (t) of a technology that prices a part higher than the one before; None: none does.

        What is needed from then on only is not bought before: a price rule for a technology would otherwise
        be dodged by buying the same card a year ahead.
        """
        return None

    def price_usd(self, sku: str) -> float | None:
        """Base-year price of a piece, None where there is none."""
        price = self.book.price(sku)
        return price.mid_usd if price else None

    def price_in_year(self, sku: str, t: int) -> float:
        """Price (USD) in year t: eroded; labour and licences rise instead with their escalation.

        Raises KeyError for a SKU without a price.
        """
        price = self.book.prices[part_of(sku)]
        erosion = self.scenario.prices.erosion_per_year.get(price.item_class, 0.0)
        rises = self.scenario.bill.escalation
        rise = {"service": rises.labour, "licence": rises.support}.get(price.item_class, 0.0)
        return eroded_price(price.mid_usd, erosion, t) * (1.0 + rise) ** t

    def opex_usd(self, sku: str, t: int) -> dict[str, float]:
        """Running cost (USD) of one piece in service in year t, by kind. A spare runs free of cost.

        Support is a share of a switch's or manager's base-year price at the latest renewal; other failed
        parts are bought anew, the share of their life under warranty free of charge.
        """
        price, bill, finance = self.book.prices[part_of(sku)], self.scenario.bill, self.scenario.finance
        if sku != part_of(sku):
            return {}
        rises, term = bill.escalation, bill.upkeep.support_term_years
        supported = price.item_class in SUPPORTED
        hours = bill.staff.hours_per_switch_year if price.item_class == "switch" else 0.0
        failing = bill.spares.failures_per_year.get(price.item_class, 0.0)
        failing *= 0.0 if supported else max(0.0, 1.0 - bill.upkeep.warranty_years / finance.life_years)
        support = price.mid_usd * finance.support_ratio_per_year if supported else 0.0
        return {
            **power_usd_per_year(self.power_w.get(sku, 0.0), self.scenario, t),
            "support": support * (1.0 + rises.support) ** (t // term * term),
            "network staff": hours * self.hourly_usd(t),
            "replacements": failing * self.price_in_year(sku, t) if bill.upkeep.replace_failures else 0.0,
        }

    def hourly_usd(self, t: int) -> float:
        """What an hour of a network engineer costs in year t; 0 where staff is switched off."""
        bill = self.scenario.bill
        rate = bill.staff.labour_usd_per_hour if bill.staff.enabled else 0.0
        return rate * (1.0 + bill.escalation.labour) ** t

    def charges_ratio(self, sku: str) -> float:
        """Freight, duty, tax and contingency as a share of the price; none on services and licences."""
        if self.book.prices[part_of(sku)].item_class in INTANGIBLE:
            return 0.0
        return sum(self.scenario.bill.charges.shares().values())

    def unit_cost(self, sku: str) -> UnitCost:
        """The SKU's cost over the horizon. Raises KeyError where it has no price.

        A licence lasts a year and is worth nothing after it.
        """
        finance = self.scenario.finance
        licence = self.book.prices[part_of(sku)].item_class == "licence"
        return UnitCost(
            sku=sku,
            price_usd=tuple(self.price_in_year(sku, t) for t in range(finance.horizon_years + 1)),
            opex_usd=tuple(sum(self.opex_usd(sku, t).values()) for t in range(finance.horizon_years)),
            life_years=1 if licence else finance.life_years,
            discount_rate=finance.discount_rate,
            residual_rule="none" if licence else finance.residual,
            market_resale_ratio=finance.market_resale_ratio,
            charges_ratio=self.charges_ratio(sku),
            first_t=self.first_t(sku),
        )

    def installed_resale_usd(self, sku: str, bought_year: int, t: int) -> float:
        """Nominal resale (USD) at the start of year t of a piece that was bought before the base year, at the
        price of that year."""
        finance, base = self.scenario.finance, self.scenario.base_year
        price = self.book.prices[sku]
        erosion = self.scenario.prices.erosion_per_year.get(price.item_class, 0.0)
        return residual_usd(
            eroded_price(price.mid_usd, erosion, bought_year - base),
            base + t - bought_year,
            finance.life_years,
            self.price_in_year(sku, t),
            finance.residual,
            finance.market_resale_ratio,
        )

    def first_t(self, sku: str) -> int:
        """First year (t) in which the SKU can be had: nothing is bought before the first build year."""
        base, first = self.scenario.base_year, self.scenario.growth[0].year
        return max(first, self.scenario.limits.available_from.get(part_of(sku), base)) - base


def part_of(sku: str) -> str:
    """The part behind a SKU: spares are held under a name of their own.

    >>> part_of("spare:qm9700")
    'qm9700'
    """
    return sku.removeprefix(SPARE)


def power_usd_per_year(watts: float, scenario: Scenario, t: int) -> dict[str, float]:
    """Electricity and space (USD) of an average IT load in year t. Space with power in has no electricity."""
    space, rises = scenario.bill.colocation, scenario.bill.escalation
    rent = watts / 1000.0 * 12.0 * space.usd_per_kw_month
    power = 0.0 if space.includes_power else electricity_usd_per_year(watts, scenario)
    return {
        "network electricity": power * (1.0 + rises.electricity) ** t,
        "colocation": rent * (1.0 + rises.colocation) ** t,
    }


def electricity_usd_per_year(watts: float, scenario: Scenario) -> float:
    """Electricity (USD a year) of an average IT load in watts, through the PUE."""
    finance = scenario.finance
    return watts / 1000.0 * HOURS_PER_YEAR * finance.pue * finance.electricity_usd_per_kwh


def tariff(
    scenario: Scenario,
    technology: str,
    catalog: Catalog,
    book: PriceBook,
    counterparts: Mapping[str, Counterpart],
) -> Tariff:
    """Prices and power for one technology.

    The scenario's own books lie on ``book``; the InfiniBand ratio acts on reference prices only, and
    discounts on everything but the user's own prices, which lie on top.
    """
    book = book.under(scenario.prices.stacked)
    if technology == "infiniband" and scenario.prices.infiniband_pricing == "ratio":
        capacity = capacity_gbps(catalog)
        ratio = scenario.prices.infiniband_price_ratio
        book = book.over(infiniband_prices(book, counterparts, capacity, ratio))
    book = net_prices(book, scenario.prices.discounts).over(dict(scenario.prices.overrides))
    return Tariff(scenario, book.over(_cord_price(scenario, book)), _power_w(scenario, catalog))


def _cord_price(scenario: Scenario, book: PriceBook) -> dict[str, Price]:
    """The labour of a link moved at a panel: a share of that of a direct cable; none without panels."""
    direct = book.price(RECABLE_LINK)
    if direct is None or not scenario.layout.panels:
        return {}
    ratio = scenario.layout.panel_labour_ratio
    low, mid, high = (ratio * usd for usd in (direct.low_usd, direct.mid_usd, direct.high_usd))
    said = f"{ratio:g} x {RECABLE_LINK} ([layout] panel_labour_ratio)"
    cord = replace(
        direct,
        sku=MOVE_CORD,
        low_usd=low,
        mid_usd=mid,
        high_usd=high,
        source=Source(said, direct.source.date, Grade.GUESS),
        description="move one patch cord at a panel, relabel and test",
    )
    return {MOVE_CORD: cord}


def capacity_gbps(catalog: Catalog) -> dict[str, float]:
    """Port-Gb/s of every switch box and NIC: what the InfiniBand ratio is a price of."""
    boxes = {s.id: float(s.ports * s.port_gbps * s.switches_per_box) for s in catalog.switches.values()}
    return boxes | {n.id: float(n.ports * n.port_gbps) for n in catalog.nics.values()}


def _power_w(scenario: Scenario, catalog: Catalog) -> dict[str, float]:
    """Average draw of a piece by SKU; parts without a known figure are left out."""
    known: list[SwitchModel] = [*catalog.switches.values(), *scenario.own_switches]
    power = {s.id: s.power_w for s in known if s.power_w is not None}
    power |= {n.id: n.power_w for n in catalog.nics.values() if n.power_w is not None}
    power |= {m.id: m.power_w for m in catalog.transceivers.values()}
    power[MANAGER] = scenario.bill.management.manager_power_w
    power |= {a.id: 2 * a.power_w_per_end for a in catalog.assemblies.values()}
    return power | dict.fromkeys((*catalog.fibres, *catalog.panels), 0.0)
