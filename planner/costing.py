"""Unit costs of every SKU a technology may use: prices by year and yearly running cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planner.catalog import Catalog, SwitchModel
from planner.finance import UnitCost, eroded_price, residual_usd
from planner.scenario import Scenario
from pricing.discounts import net_prices
from pricing.price_book import PriceBook
from pricing.price_files import Counterpart
from pricing.ratios import infiniband_prices

HOURS_PER_YEAR = 8760.0
INSTALL_LINK = "svc-install-link"
RECABLE_LINK = "svc-recable-link"


@dataclass(frozen=True, slots=True)
class Tariff:
    """Prices and power of a technology's parts in one scenario.

    ``book`` holds the reference prices, the InfiniBand rule's where it acts, and the user's own on
    top. ``power_w`` is a piece's average draw; a SKU that is not in it has no known power.
    """

    scenario: Scenario
    book: PriceBook
    power_w: Mapping[str, float]

    def price_usd(self, sku: str) -> float | None:
        """Base-year price of a piece, None where there is none."""
        price = self.book.price(sku)
        return price.mid_usd if price else None

    def price_in_year(self, sku: str, t: int) -> float:
        """Price (USD) in year t. Raises KeyError for a SKU without a price."""
        price = self.book.prices[sku]
        return eroded_price(
            price.mid_usd, self.scenario.prices.erosion_per_year.get(price.item_class, 0.0), t
        )

    def electricity_usd(self, sku: str) -> float:
        """Yearly electricity (USD) of one piece in service, through the PUE."""
        return electricity_usd_per_year(self.power_w.get(sku, 0.0), self.scenario)

    def support_usd(self, sku: str) -> float:
        """Yearly support (USD) of one switch: a share of its base-year price; 0 for other classes."""
        price = self.book.prices[sku]
        share = self.scenario.finance.support_ratio_per_year if price.item_class == "switch" else 0.0
        return price.mid_usd * share

    def unit_cost(self, sku: str) -> UnitCost:
        """The SKU's cost over the horizon. Raises KeyError where it has no price."""
        finance = self.scenario.finance
        opex = self.electricity_usd(sku) + self.support_usd(sku)
        return UnitCost(
            sku=sku,
            price_usd=tuple(self.price_in_year(sku, t) for t in range(finance.horizon_years + 1)),
            opex_usd=(opex,) * finance.horizon_years,
            life_years=finance.life_years,
            discount_rate=finance.discount_rate,
            residual_rule=finance.residual,
            market_resale_ratio=finance.market_resale_ratio,
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
        """First year (t) in which the SKU can be had."""
        base = self.scenario.base_year
        return max(0, self.scenario.limits.available_from.get(sku, base) - base)


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
    return Tariff(scenario, book, _power_w(scenario, catalog))


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
    power |= {a.id: 2 * a.power_w_per_end for a in catalog.assemblies.values()}
    return power | dict.fromkeys(catalog.fibres, 0.0)
