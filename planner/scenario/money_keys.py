"""The attribute tables of money: finance, prices, limits, spares, charges, running costs, lease."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from planner.scenario.attributes import (
    MAX_HORIZON_YEARS,
    Content,
    Failures,
    Few,
    Listed,
    NotNegative,
    Positive,
    Rate,
    Section,
    Share,
    ShareBelowOne,
    Weeks,
    Words,
    Year,
    key,
    wrong,
)
from planner.scenario.scenario import InfinibandPricing, ResidualRule
from pricing.price_book import ITEM_CLASSES

_NO_LIMIT = "no such limit"


class FinanceSection(Section):
    """Money and time. Rates are nominal; the horizon counts from the base year."""

    header = "finance"
    horizon_years: Annotated[int, Field(ge=1, le=MAX_HORIZON_YEARS)] | None = key(
        "How many years the plan covers, from the first build year.",
        unit="years",
        rule="at least three years after the last growth step",
    )
    discount_rate: Rate | None = key(
        "How much less a payment weighs for each year that it lies ahead.", unit="fraction a year, nominal"
    )
    electricity_usd_per_kwh: NotNegative | None = key("What a kilowatt-hour costs.", unit="USD/kWh")
    pue: Annotated[float, Field(ge=1, le=10)] | None = key(
        "How much power the building draws for each watt of the machines.", unit="facility power / IT power"
    )
    residual: ResidualRule | None = key(
        "What the hardware still counts for at the end of the horizon.", default="unexpired-life"
    )
    life_years: Annotated[int, Field(ge=1, le=50)] | None = key(
        "The life of the hardware, over which its price is used up.", unit="years"
    )
    market_resale_ratio: Share | None = key(
        "What used hardware sells for, with the residual rule market.",
        unit="fraction of the replacement price",
    )
    support_ratio_per_year: Share | None = key(
        "What support of a switch costs.", unit="fraction of a switch's price a year"
    )
    server_power_use_ratio: Share | None = key(
        "What a server draws on average.", unit="average use / maximum"
    )
    fiscal_year_start_month: Annotated[int, Field(ge=1, le=12)] | None = key(
        "The month in which the fiscal year of the reports begins.", unit="month", rule="1"
    )
    declining_ratio_per_year: Annotated[float, Field(gt=0, lt=1)] | None = key(
        "The rate of declining-balance depreciation, in a report alone.", unit="fraction/year"
    )


def _erosion(value: object) -> object:
    """A share for every class, a table of shares by class, or "by-class"."""
    if value == "by-class":
        return value
    if isinstance(value, dict) and (unknown := [k for k in value if k not in ITEM_CLASSES]):
        raise wrong(f"has the unknown class {unknown[0]!s:.40}", f"known: {', '.join(ITEM_CLASSES)}")
    shares = list(value.values()) if isinstance(value, dict) else [value]
    for share in shares:
        if isinstance(share, bool) or not isinstance(share, int | float):
            raise wrong("is no erosion", 'write a number such as 0.1, a table by class, or "by-class"')
        if not -1 < share < 1:
            raise wrong("is not between -1 and 1", "write a share a year, 0.1 for 10 %")
    return value


Erosion = Annotated[
    Any, BeforeValidator(_erosion), WithJsonSchema({"words": 'number, table by item class, or "by-class"'})
]


class PricesSection(Section):
    """Which prices hold."""

    header = "prices"
    book: Words | None = key("The price book that all others lie on.", default="reference")
    infiniband_pricing: InfinibandPricing | None = key(
        "A ratio over the Ethernet part of the same specification, or the price book's own prices.",
        default="ratio",
    )
    infiniband_price_ratio: Annotated[float, Field(ge=0.2, le=20)] | None = key(
        "What an InfiniBand switch or NIC costs against its RoCE counterpart per port-Gb/s.",
        unit="times the RoCE part",
    )
    erosion_per_year: Erosion = key(
        'The fall in price; "by-class" takes the figures of data/defaults.csv.',
        unit="fraction/year",
        default=0.0,
    )
    overrides: dict[str, NotNegative] | None = key(
        "The user's own prices, by SKU; they win over all others.", unit="USD", rule="none"
    )
    books: Listed | None = key(
        "Price books on each other, the lowest first: ids, names of books_csv or, on the command line, "
        "files in the scenario's folder.",
        rule="book alone",
    )
    books_csv: dict[Words, Content] | None = key(
        "Price books that the scenario itself carries, by the name that books calls them: CSV text with the "
        "columns of the reference book.",
        rule="none",
    )
    quotes: Words | None = key(
        "A price file of the user's own quotes in the scenario's folder; on the command line alone.",
        rule="none",
    )
    quotes_csv: Content | None = key(
        "The user's own quotes, carried by the scenario: CSV text with the columns of the reference book.",
        rule="none",
    )
    discounts: dict[str, ShareBelowOne] | None = key(
        'What is taken off the books\' prices, by vendor, item class or "vendor/class".',
        unit="fraction",
        rule="none",
    )


class ConstraintsSection(Section):
    """What a committee sets."""

    header = "constraints"
    switch_vendors: Listed | None = key(
        'The vendors that switches may come from; own switches are of "own".', rule="every vendor"
    )
    capex_usd_per_year: Positive | None = key(
        "The most that may be bought in a year, servers and services included.",
        unit="USD/year",
        rule=_NO_LIMIT,
    )
    network_power_kw: Positive | None = key(
        "The most that the network may draw at average use.", unit="kW", rule=_NO_LIMIT
    )
    rack_units: Positive | None = key(
        "The most rack units that switches may fill.", unit="rack units", rule=_NO_LIMIT
    )
    available_from: dict[Words, Year] | None = key(
        "The first year in which a SKU can be had, by SKU.", unit="year", rule="every year"
    )


class SparesSection(Section):
    """Spare parts, from failure rates, replenishment time and service level."""

    header = "spares"
    enabled: bool | None = key("Whether spares are bought.", default=True)
    service_level_ratio: Annotated[float, Field(gt=0, lt=1)] | None = key(
        "How surely no part is missing while one is on its way.", unit="probability"
    )
    replenishment_weeks: Weeks | None = key("How long a part is on its way.", unit="weeks")
    switch_failures_per_year: Failures | None = key("Failures of a switch.", unit="failures/switch-year")
    nic_failures_per_year: Failures | None = key("Failures of a NIC.", unit="failures/NIC-year")
    transceiver_failures_per_year: Failures | None = key(
        "Failures of a transceiver.", unit="failures/module-year"
    )
    cable_failures_per_year: Failures | None = key(
        "Failures of a cable with fixed ends.", unit="failures/cable-year"
    )
    fibre_failures_per_year: Failures | None = key("Failures of a fibre.", unit="failures/fibre-year")


class ChargesSection(Section):
    """Named rates on bought hardware."""

    header = "charges"
    freight_ratio: Share | None = key("Freight.", unit="fraction of the price", default=0.0)
    duty_ratio: Annotated[float, Field(ge=0, le=10)] | None = key(
        "Duty.", unit="fraction of price and freight", default=0.0
    )
    sales_tax_ratio: Share | None = key("Sales tax.", unit="fraction of price, freight and duty", default=0.0)
    contingency_ratio: Share | None = key("Contingency.", unit="fraction of the price", default=0.0)


class ColocationSection(Section):
    """Space by the power drawn."""

    header = "colocation"
    usd_per_kw_month: NotNegative | None = key(
        "What a kW and month costs.", unit="USD/kW-month", rule="no colocation"
    )
    includes_power: bool | None = key(
        "Whether that price includes the electricity.", rule="none: required beside usd_per_kw_month"
    )


class EscalationSection(Section):
    """Yearly rise of each class of running cost, from the base year on."""

    header = "escalation"
    electricity: Rate | None = key("Of electricity.", unit="fraction/year", default=0.0)
    support: Rate | None = key("Of support, at each renewal.", unit="fraction/year", default=0.0)
    labour: Rate | None = key("Of labour.", unit="fraction/year", default=0.0)
    colocation: Rate | None = key("Of colocation.", unit="fraction/year")


class StaffSection(Section):
    """Network engineers."""

    header = "staff"
    enabled: bool | None = key("Whether their hours are priced.", default=True)
    hours_per_switch_year: NotNegative | None = key("Hours that a switch takes.", unit="hours/switch-year")
    labour_usd_per_hour: NotNegative | None = key("What an hour costs with overhead.", unit="USD/hour")


class UpkeepSection(Section):
    """The support's term, warranty, failed parts."""

    header = "upkeep"
    support_term_years: Few | None = key(
        "The years after which support is renewed, at the price of then.", unit="years"
    )
    warranty_years: NotNegative | None = key(
        "The years in which failed parts are replaced free.", unit="years"
    )
    replace_failures: bool | None = key(
        "Whether failed parts without support are bought anew after the warranty.", default=True
    )


class LeaseSection(Section):
    """An offer to lease what would be bought, compared with buying."""

    header = "lease"
    term_years: Few | None = key("The years of the lease.", unit="years", rule="no lease")
    rate_ratio_per_year: Annotated[float, Field(gt=0, le=10)] | None = key(
        "A year's payment, in advance.", unit="fraction of the price a year", rule="no lease"
    )
