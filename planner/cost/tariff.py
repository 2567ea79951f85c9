"""What a piece costs over the years: its price, its running cost, what it brings when it is sold.

``tariff`` makes the prices of one technology, ``path_tariffs`` those of two, one after the other: each year's
are those of the technology of that year. Nothing else makes a ``Tariff``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from planner.catalog.parts import Catalog, NicModel, SwitchModel
from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology, TechnologyPath
from planner.cost.finance import UnitCost, eroded_price, residual_usd
from planner.cost.price_list import MANAGER, net_price_list, parts_own_prices
from planner.cost.spares import is_spare, part_of
from planner.scenario.scenario import Scenario
from pricing.price_book import Price, PriceBook

HOURS_PER_YEAR = 8760.0
SUPPORTED = frozenset({"switch", "manager"})  # item classes with a support contract
INTANGIBLE = frozenset({"service", "licence"})  # neither shipped nor sold on


@dataclass(frozen=True, slots=True)
class BookChange:
    """Two technologies' prices, one after the other. ``t``: first year of the later one."""

    t: int
    earlier: PriceBook
    later: PriceBook


@dataclass(frozen=True, slots=True)
class Tariff:
    """Prices and power of a technology's parts in one scenario.

    ``book`` holds the net prices that media and NICs are chosen by; ``change``: where the technology changes
    midway, the prices in force before and after. ``installed_book``: what pieces that were there before the
    base year are worth, the same under every technology. ``power_w`` is a piece's average draw; a SKU that is
    not in it has no known power.
    """

    scenario: Scenario
    book: PriceBook
    installed_book: PriceBook
    power_w: Mapping[str, float]
    change: BookChange | None = None

    def book_in(self, t: int) -> PriceBook:
        """The prices in force in year t: what is bought, run, replaced or supported then is at them."""
        if self.change is None:
            return self.book
        return self.change.earlier if t < self.change.t else self.change.later

    def dearer_from(self, sku: str) -> int | None:
        """The first year (t) of a technology that prices a part higher than the one before; None: none does.

        What is needed from then on only is not bought before: a price rule for a technology would otherwise
        be dodged by buying the same card a year ahead.
        """
        if self.change is None:
            return None
        old, new = self.change.earlier.price(part_of(sku)), self.change.later.price(part_of(sku))
        return self.change.t if old and new and new.mid_usd > old.mid_usd else None

    def price_usd(self, sku: str) -> float | None:
        """Base-year price of a piece, None where there is none."""
        price = self.book.price(sku)
        return price.mid_usd if price else None

    def price_in_year(self, sku: str, t: int) -> float:
        """Price (USD) in year t: eroded; labour and licences rise instead with their escalation.

        Raises KeyError for a SKU without a price.
        """
        return self._eroded_usd(self.book_in(t).prices[part_of(sku)], t)

    def _eroded_usd(self, price: Price, t: int) -> float:
        """A price of the base year in year t, which is below 0 before it."""
        erosion = self.scenario.prices.erosion_per_year.get(price.item_class, 0.0)
        rises = self.scenario.bill.escalation
        rise = {"service": rises.labour, "licence": rises.support}.get(price.item_class, 0.0)
        return eroded_price(price.mid_usd, erosion, t) * (1.0 + rise) ** t

    def opex_usd(self, sku: str, t: int) -> dict[str, float]:
        """Running cost (USD) of one piece in service in year t, by kind. A spare runs free of cost.

        Support is a share of a switch's or manager's base-year price at the latest renewal; other failed
        parts are bought anew, the share of their life under warranty free of charge.
        """
        price, bill, finance = self.book_in(t).prices[part_of(sku)], self.scenario.bill, self.scenario.finance
        if is_spare(sku):
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

    def installed_price_usd(self, sku: str, t: int) -> float:
        """Price (USD) in year t, which may be before the base year (below 0), of a piece that was there."""
        return self._eroded_usd(self.installed_book.prices[sku], t)

    def installed_resale_usd(self, sku: str, bought_year: int, t: int) -> float:
        """Nominal resale (USD) at the start of year t of a piece that was bought before the base year, at the
        price of that year. It does not ask which technology is planned: idle pieces bring the same."""
        finance, bought_t = self.scenario.finance, bought_year - self.scenario.base_year
        return residual_usd(
            self.installed_price_usd(sku, bought_t),
            t - bought_t,
            finance.life_years,
            self.installed_price_usd(sku, t),
            finance.residual,
            finance.market_resale_ratio,
        )

    def first_t(self, sku: str) -> int:
        """First year (t) in which the SKU can be had: nothing is bought before the first build year."""
        base, first = self.scenario.base_year, self.scenario.growth[0].year
        return max(first, self.scenario.limits.available_from.get(part_of(sku), base)) - base


def tariff(scenario: Scenario, technology: Technology, sources: Sources) -> Tariff:
    """Prices and power for one technology."""
    return Tariff(
        scenario=scenario,
        book=net_price_list(scenario, technology, sources),
        installed_book=parts_own_prices(scenario, sources),
        power_w=_power_w(scenario, sources.catalog),
    )


def path_tariffs(scenario: Scenario, path: TechnologyPath, sources: Sources) -> tuple[Tariff, Tariff]:
    """The prices of a change of technology, as the search for the first and for the later one sees them.

    A part that only one of the two uses is at its technology's price in every year; so is a part that only
    one of them has a price for.
    """
    first, later = (net_price_list(scenario, name, sources) for name in (path.first, path.later))
    own_first = _only_of(scenario, sources.catalog, path.first, path.later)
    own_later = _only_of(scenario, sources.catalog, path.later, path.first)
    earlier_book = later.over(first.prices).over(_rows(later, own_later))
    later_book = first.over(later.prices).over(_rows(first, own_first))
    change = BookChange(path.from_year - scenario.base_year, earlier_book, later_book)
    earlier = Tariff(
        scenario=scenario,
        book=earlier_book,
        installed_book=parts_own_prices(scenario, sources),
        power_w=_power_w(scenario, sources.catalog),
        change=change,
    )
    return earlier, replace(earlier, book=later_book)


def _rows(book: PriceBook, skus: Collection[str]) -> dict[str, Price]:
    """The prices of some SKUs, as far as the book has them."""
    return {sku: book.prices[sku] for sku in skus if sku in book.prices}


def _only_of(scenario: Scenario, catalog: Catalog, used_by: Technology, not_by: Technology) -> list[str]:
    """Switches and NICs that one technology uses and another does not."""
    parts: list[SwitchModel | NicModel] = [
        *catalog.switches.values(),
        *scenario.own_switches,
        *catalog.nics.values(),
    ]
    return [p.id for p in parts if used_by in p.technologies and not_by not in p.technologies]


def _power_w(scenario: Scenario, catalog: Catalog) -> dict[str, float]:
    """Average draw of a piece by SKU; parts without a known figure are left out."""
    known: list[SwitchModel] = [*catalog.switches.values(), *scenario.own_switches]
    power = {s.id: s.power_w for s in known if s.power_w is not None}
    power |= {n.id: n.power_w for n in catalog.nics.values() if n.power_w is not None}
    power |= {m.id: m.power_w for m in catalog.transceivers.values()}
    power[MANAGER] = scenario.bill.management.manager_power_w
    power |= {a.id: 2 * a.power_w_per_end for a in catalog.assemblies.values()}
    return power | dict.fromkeys((*catalog.fibres, *catalog.panels), 0.0)


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
