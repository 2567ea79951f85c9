"""[prices], and the prices that other sections give -> the prices asked for."""

from __future__ import annotations

from collections.abc import Mapping

from planner.catalog import ServerModel
from planner.scenario import PriceAsk
from planner.scenario_books import discounts, lowest_book, quotes_book, stacked_books
from planner.scenario_form import Form
from planner.scenario_schema import Cluster, PricesSection
from pricing.price_book import ITEM_CLASSES, Price, PriceBook


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
        shares = {}
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


def _classes(form: Form, book: PriceBook, own: Mapping[str, Price]) -> dict[str, str]:
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
    form: Form, given: Mapping[str, float], book: PriceBook, classes: Mapping[str, str]
) -> dict[str, Price]:
    """The user's prices by SKU; a SKU that neither book nor catalog knows is a fault."""
    found = {}
    for sku, usd in given.items():
        if form.known_id(("prices", "overrides", sku), sku, classes, "SKU"):
            found[sku] = own_price(form, sku, classes[sku], usd, book.price(sku))
    return found


def own_price(form: Form, sku: str, item_class: str, usd: float, listed: Price | None) -> Price:
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
