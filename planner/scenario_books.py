"""[prices] books, quotes and discounts: price files beside the scenario, and what is taken off."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from planner.scenario_faults import suggest
from planner.scenario_form import Form
from planner.scenario_schema import PricesSection
from pricing.csv_rows import DataFileError
from pricing.discounts import split_key
from pricing.price_book import ITEM_CLASSES, PriceBook
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


def stacked_books(form: Form, section: PricesSection, classes: Mapping[str, str]) -> tuple[PriceBook, ...]:
    """The books above the lowest one, in their order: shipped ones by id, others as files."""
    found = []
    for i, name in enumerate((section.books or [])[1:], start=1):
        known = form.sources.books.get(name)
        book = known or _file(form, ("prices", "books", i), name, classes)
        found += [book] if book else []
    return tuple(found)


def quotes_book(form: Form, section: PricesSection, classes: Mapping[str, str]) -> PriceBook | None:
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
    form: Form, path: tuple[str, ...] | tuple[str, str, int], name: str, classes: Mapping[str, str]
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
