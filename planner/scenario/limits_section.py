"""[constraints] and [[installed]]: what a committee sets, and what is there already."""

from __future__ import annotations

from planner.scenario.form import Form
from planner.scenario.scenario import Installed, Limits
from planner.scenario.schema import Constraints, InstalledRow
from pricing.price_book import PriceBook


def limits(form: Form, section: Constraints, own_vendor: str | None, book: str) -> Limits:
    """What a committee sets; ``own_vendor`` is the vendor of own switches, None where there are none."""
    vendors = {switch.vendor for switch in form.sources.catalog.switches.values()}
    vendors |= {own_vendor} if own_vendor else set()
    for i, vendor in enumerate(section.switch_vendors or ()):
        form.known_id(("constraints", "switch_vendors", i), vendor, vendors, "switch vendor")
    skus = _skus(form, book)
    for sku in section.available_from or {}:
        form.known_id(("constraints", "available_from", sku), sku, skus, "SKU")
    return Limits(
        switch_vendors=None if section.switch_vendors is None else tuple(section.switch_vendors),
        capex_usd_per_year=section.capex_usd_per_year,
        network_power_kw=section.network_power_kw,
        rack_units=section.rack_units,
        available_from=dict(section.available_from or {}),
    )


def installed(
    form: Form, rows: list[InstalledRow], base_year: int | None, book: str
) -> tuple[Installed, ...]:
    """Pieces bought before the base year; their SKUs must be priced, for they may be sold."""
    skus, found = _skus(form, book), list[Installed]()
    for i, row in enumerate(rows):
        form.required(("installed", i, "sku"), row.sku, "write the SKU, as in the bill of materials")
        form.required(("installed", i, "quantity"), row.quantity, "write how many pieces there are")
        form.required(("installed", i, "bought_year"), row.bought_year, "write the year they were bought in")
        if row.sku is None or row.quantity is None or row.bought_year is None:
            continue
        form.known_id(("installed", i, "sku"), row.sku, skus, "SKU")
        if base_year is not None and row.bought_year >= base_year:
            form.fault(
                ("installed", i, "bought_year"), "is not before base_year", f"write a year before {base_year}"
            )
        found.append(Installed(row.sku, row.quantity, row.bought_year))
    return tuple(found)


def _skus(form: Form, book: str) -> set[str]:
    """SKUs of the price book and of the scenario's own switches."""
    own = {str(row.get("id")) for row in form.given_rows("switch")}
    return set(form.sources.books.get(book, PriceBook(book)).prices) | own
