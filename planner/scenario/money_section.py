"""[finance], [prices], [constraints], [[installed]] -> rates, the prices that hold, limits, owned pieces.

Prices that other sections give (of own switches, of a node) join those of [prices].
"""

from __future__ import annotations

import csv
import logging
from collections.abc import Mapping
from math import ceil
from pathlib import PurePath

from planner.catalog.parts import ServerModel
from planner.scenario.attributes import MAX_HORIZON_YEARS
from planner.scenario.cluster_keys import ClusterSection, InstalledSection
from planner.scenario.document_reader import DocumentReader
from planner.scenario.faults import Path, suggest
from planner.scenario.money_keys import ConstraintsSection, FinanceSection, PricesSection
from planner.scenario.scenario import FinanceAsk, GrowthStep, Installed, Limits, PriceAsk
from pricing.csv_rows import DataFileError
from pricing.discounts import split_key
from pricing.price_book import ITEM_CLASSES, ItemClass, Price, PriceBook
from pricing.price_files import book_of
from pricing.provenance import Grade

_LOG = logging.getLogger(__name__)
_YEARS_AFTER_GROWTH = 3
_INSTALLED_PER_PORT = 16  # pieces of a SKU for each NIC port: three tiers of links, two modules each, spares
_FEW_INSTALLED = 1_000  # that a small cluster may have all the same
_MOST_BOOK_BYTES = 20_000_000
_MOST_FAULTS = 50  # of one price book


def finance(reader: DocumentReader, growth: tuple[GrowthStep, ...]) -> FinanceAsk | None:
    """Money and time. Without a horizon, the usual one or three years from the last growth step."""
    section = reader.table(FinanceSection)
    span = growth[-1].year - growth[0].year if growth else 0
    horizon: int = reader.value(section, "horizon_years")
    if section.horizon_years is None and horizon < span + _YEARS_AFTER_GROWTH:
        horizon = span + _YEARS_AFTER_GROWTH
        reader.defaults_used[-1] = (
            f"finance.horizon_years = {horizon} (three years from the last growth step)"
        )
    values = reader.filled(section, FinanceAsk, frozenset({"horizon_years"}))
    if horizon <= span:
        message = f"ends before the growth step of {growth[-1].year}"
        reader.fault(("finance", "horizon_years"), message, f"write at least {span + 1}")
    if horizon > MAX_HORIZON_YEARS:
        message = f"makes a horizon of {horizon} years"
        reader.fault(("growth", len(growth) - 1, "year"), message, f"plan at most {MAX_HORIZON_YEARS} years")
    return FinanceAsk(horizon_years=horizon, **values) if None not in values.values() else None


def lowest_book(reader: DocumentReader, section: PricesSection) -> str:
    """The id of the book that all others lie on: ``book``, or the first of ``books``."""
    if not section.books:
        book: str = reader.value(section, "book")
        return book
    if section.book is not None and section.book != section.books[0]:
        reader.fault(("prices", "book"), "is not the first of books", "leave it out: books says it all")
    return section.books[0]


def stacked_books(
    reader: DocumentReader, section: PricesSection, classes: Mapping[str, ItemClass]
) -> tuple[PriceBook, ...]:
    """The books above the lowest one, in their order: shipped ones by id, those carried by name, files."""
    found, carried = [], section.books_csv or {}
    for name in carried:
        if name in reader.sources.books or name not in (section.books or [])[1:]:
            at, id_ = ("prices", "books_csv", name), name in reader.sources.books
            said = "has the name of a shipped book" if id_ else "is not one of books"
            reader.fault(at, said, 'give it another name, and name it in books, as ["reference", "own"]')
    for i, name in enumerate((section.books or [])[1:], start=1):
        known = reader.sources.books.get(name)
        book = known or _book_of(reader, ("prices", "books", i), name, carried.get(name), classes)
        found += [book] if book else []
    return tuple(found)


def quotes_book(
    reader: DocumentReader, section: PricesSection, classes: Mapping[str, ItemClass]
) -> PriceBook | None:
    """The user's own quotes, every row of grade quote."""
    if section.quotes is not None and section.quotes_csv is not None:
        reader.fault(("prices", "quotes"), "stands beside quotes_csv", "leave one of the two out")
        return None
    key = "quotes" if section.quotes is not None else "quotes_csv"
    name = section.quotes or "quotes"
    if section.quotes is None and section.quotes_csv is None:
        return None
    book = _book_of(reader, ("prices", key), name, section.quotes_csv, classes)
    for price in book.prices.values() if book else ():
        if price.source.grade is not Grade.QUOTE:
            said = f"has {price.sku} with the grade {price.source.grade}, which is no quote"
            reader.fault(("prices", key), said, "name the file under books, or grade its rows quote")
            return None
    return book


def _book_of(
    reader: DocumentReader, path: Path, name: str, carried: str | None, classes: Mapping[str, ItemClass]
) -> PriceBook | None:
    """A price book that the scenario carries, else the one in the file of that name; every fault in it
    becomes one of the scenario."""
    try:
        if carried is not None:
            book = book_of(carried, name, name)
        else:
            raw = reader.file_named(path, name, f"prices.{path[1]}_csv", _MOST_BOOK_BYTES)
            if raw is None:
                return None
            book = book_of(raw.decode("utf-8-sig"), PurePath(name).stem, PurePath(name).name)
    except DataFileError as error:
        _LOG.info("the price book %s has faults: %s", name, error)
        for fault in error.faults[:_MOST_FAULTS]:
            reader.fault(path, f"cannot be read: {fault}", "give the columns and words of the reference book")
        return None
    except (ValueError, csv.Error) as error:
        _LOG.info("the price book %s cannot be read", name, exc_info=True)
        reader.fault(path, f"cannot be read: {error}", "give a CSV text in UTF-8")
        return None
    _check_skus(reader, path, book, classes)
    return book


def _check_skus(
    reader: DocumentReader, path: Path, book: PriceBook, classes: Mapping[str, ItemClass]
) -> None:
    """Every SKU of a price book is a known one, and a part of its own class."""
    wrong = [p for sku, p in book.prices.items() if classes.get(sku) != p.item_class]
    for price in wrong[:_MOST_FAULTS]:  # each looks for near words, which takes its time
        sku = price.sku
        if sku not in classes:
            reader.fault(path, f"prices the unknown SKU {sku}", suggest(sku, classes))
        else:
            said = f"prices {sku} as a {price.item_class}, but it is a {classes[sku]}"
            reader.fault(path, said, f"write {classes[sku]} as its item_class")


def discounts(
    reader: DocumentReader, section: PricesSection, books: tuple[PriceBook, ...]
) -> dict[str, float]:
    """The shares taken off, by vendor, class or vendor/class; an unknown vendor is a fault."""
    vendors = {price.manufacturer for book in books for price in book.prices.values()} - {""}
    found = dict(section.discounts or {})
    for key in found:
        vendor, item_class = split_key(key)
        if vendor is not None and vendor not in vendors:
            known = vendors if item_class else {*vendors, *ITEM_CLASSES}
            remedy = suggest(vendor, known, 20)
            reader.fault(("prices", "discounts", key), "names no vendor of the books", remedy)
    return found


def prices(reader: DocumentReader, server: ServerModel | None, own: Mapping[str, Price]) -> PriceAsk:
    """Which prices hold. ``own`` are those of the user's own switches.

    [prices.overrides] wins over them, and they over the user's quotes.
    """
    section = reader.table(PricesSection)
    book = lowest_book(reader, section)
    own = {**own, **_node_price(reader, server, book)}
    stacked: tuple[PriceBook, ...] = ()
    taken_off: dict[str, float] = {}
    at = ("prices", "books", 0) if section.books else ("prices", "book")
    if reader.known_id(at, book, reader.sources.books, "price book"):
        lowest = reader.sources.books[book]
        classes = _classes(reader, lowest, own)
        stacked = stacked_books(reader, section, classes)
        quotes = quotes_book(reader, section, classes)
        own = {**(quotes.prices if quotes else {}), **own}
        own = {**own, **_overrides(reader, section.overrides or {}, lowest.under(stacked), classes)}
        taken_off = discounts(reader, section, (lowest, *stacked))
    return PriceAsk(
        book=book,
        infiniband_pricing=reader.value(section, "infiniband_pricing"),
        infiniband_price_ratio=_ratio_of_prices(reader, section),
        erosion_per_year=_erosion(reader, section),
        overrides=own,
        stacked=stacked,
        discounts=taken_off,
    )


def _ratio_of_prices(reader: DocumentReader, section: PricesSection) -> float:
    given: float | None = reader.value(section, "infiniband_price_ratio")
    if given is None:
        reader.fault(
            ("prices", "infiniband_price_ratio"), "is missing", "give it: the data has no default for it"
        )
    return given or 1.0


def _erosion(reader: DocumentReader, section: PricesSection) -> dict[ItemClass, float]:
    """The fall in price a year by item class; a class that a table leaves out does not fall."""
    given = reader.value(section, "erosion_per_year")
    if given == "by-class":
        shares: dict[ItemClass, float] = {}
        for item_class in ITEM_CLASSES:
            default = reader.sources.defaults.get(f"prices.erosion.{item_class}")
            if default is None:
                reader.fault(
                    ("prices", "erosion_per_year"),
                    f"has no default for the class {item_class}",
                    "write a number, or a table by class",
                )
                continue
            shares[item_class] = float(default.value)
            reader.defaults_used.append(
                f"prices.erosion_per_year.{item_class} = {default.value} "
                f"({default.source.grade}: {default.source.text})"
            )
        return shares
    if isinstance(given, dict):
        return {item_class: float(given.get(item_class, 0.0)) for item_class in ITEM_CLASSES}
    return dict.fromkeys(ITEM_CLASSES, float(given))


def _classes(reader: DocumentReader, book: PriceBook, own: Mapping[str, Price]) -> dict[str, ItemClass]:
    """The item class of every SKU that book, catalog or scenario knows."""
    catalog = reader.sources.catalog
    return {
        **dict.fromkeys([s.sku for s in catalog.servers.values()], "server"),
        **dict.fromkeys(catalog.fibres, "fibre"),
        **dict.fromkeys(catalog.assemblies, "cable"),
        **dict.fromkeys(catalog.transceivers, "transceiver"),
        **dict.fromkeys(catalog.nics, "nic"),
        **dict.fromkeys(catalog.switches, "switch"),
        **{row["id"]: "switch" for row in reader.given_rows("switch") if isinstance(row.get("id"), str)},
        **{sku: price.item_class for sku, price in {**book.prices, **own}.items()},
    }


def _overrides(
    reader: DocumentReader, given: Mapping[str, float], book: PriceBook, classes: Mapping[str, ItemClass]
) -> dict[str, Price]:
    """The user's prices by SKU; a SKU that neither book nor catalog knows is a fault."""
    found = {}
    for sku, usd in given.items():
        if reader.known_id(("prices", "overrides", sku), sku, classes, "SKU"):
            found[sku] = own_price(reader, sku, classes[sku], usd, book.price(sku))
    return found


def own_price(
    reader: DocumentReader, sku: str, item_class: ItemClass, usd: float, listed: Price | None
) -> Price:
    """A price that the scenario gives, taken as it is."""
    return Price(
        sku=sku,
        item_class=item_class,
        low_usd=usd,
        mid_usd=usd,
        high_usd=usd,
        source=reader.scenario_source(),
        book="scenario",
        description=listed.description if listed else sku,
        manufacturer=listed.manufacturer if listed else "",
        unit=listed.unit if listed else "each",
        order_as=listed.order_as if listed else "",
    )


def _node_price(reader: DocumentReader, server: ServerModel | None, book: str) -> dict[str, Price]:
    """``node_price_usd`` as the price of the server's SKU, which may stand for several nodes."""
    cluster = reader.table(ClusterSection)
    if cluster.node_price_usd is None or server is None:
        return {}
    sku = server.sku
    listed = reader.sources.books[book].price(sku) if book in reader.sources.books else None
    return {
        sku: own_price(reader, sku, "server", cluster.node_price_usd * server.nodes_per_price_unit, listed)
    }


def limits(reader: DocumentReader, own_vendor: str | None, book: str) -> Limits:
    """What a committee sets; ``own_vendor`` is the vendor of own switches, None where there are none."""
    section = reader.table(ConstraintsSection)
    vendors = {switch.vendor for switch in reader.sources.catalog.switches.values()}
    vendors |= {own_vendor} if own_vendor else set()
    for i, vendor in enumerate(section.switch_vendors or ()):
        reader.known_id(("constraints", "switch_vendors", i), vendor, vendors, "switch vendor")
    skus = _skus(reader, book)
    for sku in section.available_from or {}:
        reader.known_id(("constraints", "available_from", sku), sku, skus, "SKU")
    return Limits(
        switch_vendors=None if section.switch_vendors is None else tuple(section.switch_vendors),
        capex_usd_per_year=section.capex_usd_per_year,
        network_power_kw=section.network_power_kw,
        rack_units=section.rack_units,
        available_from=dict(section.available_from or {}),
    )


def installed(
    reader: DocumentReader,
    base_year: int | None,
    growth: tuple[GrowthStep, ...],
    server: ServerModel | None,
    ask: PriceAsk,
) -> tuple[Installed, ...]:
    """Pieces bought before the base year: network gear with a price, for it may be sold; of a SKU no more
    than such a cluster can have had."""
    most = _most_installed(growth, server)
    skus, found = _skus(reader, ask.book), list[Installed]()
    for i, row in enumerate(reader.rows(InstalledSection)):
        reader.required(("installed", i, "sku"), row.sku, "write the SKU, as in the bill of materials")
        reader.required(("installed", i, "quantity"), row.quantity, "write how many pieces there are")
        reader.required(
            ("installed", i, "bought_year"), row.bought_year, "write the year they were bought in"
        )
        if row.sku is None or row.quantity is None or row.bought_year is None:
            continue
        if reader.known_id(("installed", i, "sku"), row.sku, skus, "SKU"):
            _installed_gear(reader, i, row.sku, ask)
        if row.quantity > most:
            reader.fault(
                ("installed", i, "quantity"), "is more than such a cluster can have", f"write at most {most}"
            )
        if base_year is not None and row.bought_year >= base_year:
            reader.fault(
                ("installed", i, "bought_year"), "is not before base_year", f"write a year before {base_year}"
            )
        found.append(Installed(row.sku, row.quantity, row.bought_year))
    return tuple(found)


def _most_installed(growth: tuple[GrowthStep, ...], server: ServerModel | None) -> int:
    """Pieces of a SKU beyond which a figure is a slip of the keyboard: their sale would outweigh all else."""
    gpus = max((step.gpus for step in growth), default=0)
    ports = ceil(gpus / server.gpus_per_node) * server.nic_ports_per_node if server else 0
    return max(_FEW_INSTALLED, _INSTALLED_PER_PORT * ports)


def _installed_gear(reader: DocumentReader, i: int, sku: str, ask: PriceAsk) -> None:
    """Faults of a piece that has no price, or is nothing that a network owns and sells."""
    book = reader.sources.books.get(ask.book, PriceBook(ask.book)).under(ask.stacked).over(ask.overrides)
    price = book.price(sku)
    if price is None:
        reader.fault(
            ("installed", i, "sku"), "has no price", "give the switch its price_usd, or leave it out"
        )
    elif price.item_class in ("server", "service", "licence"):
        reader.fault(
            ("installed", i, "sku"),
            f"is a {price.item_class}, no gear of the network that could be there and be sold",
            "leave it out; write switches, NICs, modules, cables, fibres, racks and managers here",
        )


def _skus(reader: DocumentReader, book: str) -> set[str]:
    """SKUs of the price book and of the scenario's own switches."""
    own = {str(row.get("id")) for row in reader.given_rows("switch")}
    return set(reader.sources.books.get(book, PriceBook(book)).prices) | own
