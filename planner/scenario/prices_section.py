"""[prices], and the prices that other sections give -> the prices asked for."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from planner.catalog.parts import ServerModel
from planner.scenario.faults import suggest
from planner.scenario.form import Form
from planner.scenario.scenario import PriceAsk
from planner.scenario.schema import Cluster, PricesSection
from pricing.csv_rows import DataFileError
from pricing.discounts import split_key
from pricing.price_book import ITEM_CLASSES, ItemClass, Price, PriceBook
from pricing.price_files import load_book
from pricing.provenance import Grade

DEFAULT_BOOK = "reference"


def lowest_book(form: Form, section: PricesSection) -> str:
    """The id of the book that all others lie on: ``book``, or the first of ``books``."""
    if not section.books:
        book: str = form.value("prices", section, "book", DEFAULT_BOOK)
        return book
    if section.book is not None and section.book != section.books[0]:
        form.fault(("prices", "book"), "is not the first of books", "leave it out: books says it all")
    return section.books[0]


def stacked_books(
    form: Form, section: PricesSection, classes: Mapping[str, ItemClass]
) -> tuple[PriceBook, ...]:
    """The books above the lowest one, in their order: shipped ones by id, others as files."""
    found = []
    for i, name in enumerate((section.books or [])[1:], start=1):
        known = form.sources.books.get(name)
        book = known or _file(form, ("prices", "books", i), name, classes)
        found += [book] if book else []
    return tuple(found)


def quotes_book(form: Form, section: PricesSection, classes: Mapping[str, ItemClass]) -> PriceBook | None:
    """The user's own quotes, every row of grade quote."""
    if section.quotes is None:
        return None
    book = _file(form, ("prices", "quotes"), section.quotes, classes)
    for price in book.prices.values() if book else ():
        if price.source.grade is not Grade.QUOTE:
            said = f"has {price.sku} with the grade {price.source.grade}, which is no quote"
            form.fault(("prices", "quotes"), said, "name the file under books, or grade its rows quote")
            return None
    return book


def _file(
    form: Form, path: tuple[str, ...] | tuple[str, str, int], name: str, classes: Mapping[str, ItemClass]
) -> PriceBook | None:
    """A price file, relative to the scenario's; every fault in it becomes one of the scenario."""
    try:
        book = load_book(Path(form.file).parent / name)
    except DataFileError as error:
        for fault in error.faults:
            form.fault(path, f"cannot be read: {fault}", "give the columns and words of the reference book")
        return None
    except (OSError, ValueError, csv.Error) as error:
        form.fault(path, f"cannot be read: {error}", "name a CSV file in UTF-8, relative to the scenario")
        return None
    for sku, price in book.prices.items():
        if sku not in classes:
            form.fault(path, f"prices the unknown SKU {sku}", suggest(sku, classes))
        elif classes[sku] != price.item_class:
            said = f"prices {sku} as a {price.item_class}, but it is a {classes[sku]}"
            form.fault(path, said, f"write {classes[sku]} as its item_class")
    return book


def discounts(form: Form, section: PricesSection, books: tuple[PriceBook, ...]) -> dict[str, float]:
    """The shares taken off, by vendor, class or vendor/class; an unknown vendor is a fault."""
    vendors = {price.manufacturer for book in books for price in book.prices.values()} - {""}
    found = dict(section.discounts or {})
    for key in found:
        vendor, item_class = split_key(key)
        if vendor is not None and vendor not in vendors:
            known = vendors if item_class else {*vendors, *ITEM_CLASSES}
            remedy = suggest(vendor, known, 20)
            form.fault(("prices", "discounts", key), "names no vendor of the books", remedy)
    return found


def prices(form: Form, section: PricesSection, own: Mapping[str, Price]) -> PriceAsk:
    """Which prices hold. ``own`` are prices that other sections give.

    [prices.overrides] wins over them, and they over the user's quotes.
    """
    book = lowest_book(form, section)
    stacked: tuple[PriceBook, ...] = ()
    taken_off: dict[str, float] = {}
    at = ("prices", "books", 0) if section.books else ("prices", "book")
    if form.known_id(at, book, form.sources.books, "price book"):
        lowest = form.sources.books[book]
        classes = _classes(form, lowest, own)
        stacked = stacked_books(form, section, classes)
        quotes = quotes_book(form, section, classes)
        own = {**(quotes.prices if quotes else {}), **own}
        own = {**own, **_overrides(form, section.overrides or {}, lowest.under(stacked), classes)}
        taken_off = discounts(form, section, (lowest, *stacked))
    return PriceAsk(
        book=book,
        infiniband_pricing=form.value("prices", section, "infiniband_pricing", "ratio"),
        infiniband_price_ratio=_ratio_of_prices(form, section),
        erosion_per_year=_erosion(form, section),
        overrides=own,
        stacked=stacked,
        discounts=taken_off,
    )


def _ratio_of_prices(form: Form, section: PricesSection) -> float:
    given: float | None = form.value("prices", section, "infiniband_price_ratio")
    if given is None:
        form.fault(
            ("prices", "infiniband_price_ratio"), "is missing", "give it: the data has no default for it"
        )
    return given or 1.0


def _erosion(form: Form, section: PricesSection) -> dict[str, float]:
    """The fall in price a year by item class; a class that a table leaves out does not fall."""
    given = form.value("prices", section, "erosion_per_year", 0.0)
    if given == "by-class":
        shares: dict[str, float] = {}
        for item_class in ITEM_CLASSES:
            default = form.sources.defaults.get(f"prices.erosion.{item_class}")
            if default is None:
                form.fault(
                    ("prices", "erosion_per_year"),
                    f"has no default for the class {item_class}",
                    "write a number, or a table by class",
                )
                continue
            shares[item_class] = float(default.value)
            form.defaults_used.append(
                f"prices.erosion_per_year.{item_class} = {default.value} "
                f"({default.source.grade}: {default.source.text})"
            )
        return shares
    if isinstance(given, dict):
        return {item_class: float(given.get(item_class, 0.0)) for item_class in ITEM_CLASSES}
    return dict.fromkeys(ITEM_CLASSES, float(given))


def _classes(form: Form, book: PriceBook, own: Mapping[str, Price]) -> dict[str, ItemClass]:
    """The item class of every SKU that book, catalog or scenario knows."""
    catalog = form.sources.catalog
    return {
        **dict.fromkeys([s.sku or f"server-{s.id}" for s in catalog.servers.values()], "server"),
        **dict.fromkeys(catalog.fibres, "fibre"),
        **dict.fromkeys(catalog.assemblies, "cable"),
        **dict.fromkeys(catalog.transceivers, "transceiver"),
        **dict.fromkeys(catalog.nics, "nic"),
        **dict.fromkeys(catalog.switches, "switch"),
        **{row["id"]: "switch" for row in form.given_rows("switch") if isinstance(row.get("id"), str)},
        **{sku: price.item_class for sku, price in {**book.prices, **own}.items()},
    }


def _overrides(
    form: Form, given: Mapping[str, float], book: PriceBook, classes: Mapping[str, ItemClass]
) -> dict[str, Price]:
    """The user's prices by SKU; a SKU that neither book nor catalog knows is a fault."""
    found = {}
    for sku, usd in given.items():
        if form.known_id(("prices", "overrides", sku), sku, classes, "SKU"):
            found[sku] = own_price(form, sku, classes[sku], usd, book.price(sku))
    return found


def own_price(form: Form, sku: str, item_class: ItemClass, usd: float, listed: Price | None) -> Price:
    """A price that the scenario gives, taken as it is."""
    return Price(
        sku, item_class, usd, usd, usd, form.scenario_source(), "scenario",
        description=listed.description if listed else sku,
        manufacturer=listed.manufacturer if listed else "",
        unit=listed.unit if listed else "each",
        order_as=listed.order_as if listed else "",
    )  # fmt: skip


def node_price(form: Form, cluster: Cluster, server: ServerModel | None, book: str) -> dict[str, Price]:
    """``node_price_usd`` as the price of the server's SKU, which may stand for several nodes."""
    if cluster.node_price_usd is None or server is None:
        return {}
    sku = server.sku or f"server-{server.id}"
    listed = form.sources.books[book].price(sku) if book in form.sources.books else None
    return {sku: own_price(form, sku, "server", cluster.node_price_usd * server.nodes_per_price_unit, listed)}
