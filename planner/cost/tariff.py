"""Prices where the technology changes midway: each year's are those of the technology of that year."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from planner.catalog.parts import Catalog, NicModel, SwitchModel
from planner.cost.finance import UnitCost, eroded_price, residual_usd
from planner.cost.spares import is_spare, part_of
from planner.scenario.scenario import Scenario
from pricing.discounts import net_prices
from pricing.infiniband_ratio import infiniband_prices
from pricing.price_book import Price, PriceBook
from pricing.price_files import Counterpart
from pricing.provenance import Grade, Source

HOURS_PER_YEAR = 8760.0
INSTALL_LINK = "svc-install-link"
RECABLE_LINK = "svc-recable-link"
MOVE_CORD = "svc-move-cord"  # a link moved at a patch panel
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
        the technology changes midway (``planner.cost.tariff``)."""
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


@dataclass(frozen=True, slots=True)
class PathTariff(Tariff):
    """Two technologies' prices, one after the other. ``change_t``: first year (t) of the later one.

    What is bought, run, replaced or supported in a year is at the price of that year's technology; so is the
    replacement price that caps what a piece brings when it is sold. ``book``, and with it ``price_usd``, by
    which media and NICs are chosen, are of the technology that a search is for.
    """

    before: Tariff
    after: Tariff
    change_t: int

    def at(self, t: int) -> Tariff:
        """The tariff of the technology of year t."""
        return self.before if t < self.change_t else self.after

    def price_in_year(self, sku: str, t: int) -> float:
        """Price (USD) in year t under the technology of that year. Raises KeyError without a price."""
        return self.at(t).price_in_year(sku, t)

    def opex_usd(self, sku: str, t: int) -> dict[str, float]:
        """Running cost (USD) of a piece in service in year t, by kind, under that year's technology."""
        return self.at(t).opex_usd(sku, t)

    def dearer_from(self, sku: str) -> int | None:
        """The year (t) of the change, for a part that the later technology prices higher."""
        part = part_of(sku)
        old, new = self.before.price_usd(part), self.after.price_usd(part)
        return self.change_t if old is not None and new is not None and new > old else None


def path_tariffs(
    before: Tariff, after: Tariff, change_t: int, own: tuple[Collection[str], Collection[str]]
) -> tuple[PathTariff, PathTariff]:
    """The prices of a path as the search for the first and for the later technology sees them.

    ``own``: the SKUs that only the first, and only the later technology uses. They are at its price in every
    year; a part that a technology has no price for is at the other's.
    """
    first, later = before.book, after.book
    merged_first = later.over(first.prices).over({s: later.prices[s] for s in own[1] if s in later.prices})
    merged_later = first.over(later.prices).over({s: first.prices[s] for s in own[0] if s in first.prices})
    early, late = replace(before, book=merged_first), replace(after, book=merged_later)
    power_w = {**after.power_w, **before.power_w}
    args = power_w, early, late, change_t
    return (
        PathTariff(before.scenario, merged_first, *args),
        PathTariff(before.scenario, merged_later, *args),
    )


def own_parts(
    scenario: Scenario, catalog: Catalog, first: str, later: str
) -> tuple[frozenset[str], frozenset[str]]:
    """Switches and NICs that only the first, and only the later of two technologies uses."""
    parts: list[SwitchModel | NicModel] = [
        *catalog.switches.values(),
        *scenario.own_switches,
        *catalog.nics.values(),
    ]
    return (
        frozenset(p.id for p in parts if first in p.technologies and later not in p.technologies),
        frozenset(p.id for p in parts if later in p.technologies and first not in p.technologies),
    )
