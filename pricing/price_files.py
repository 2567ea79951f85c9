"""Readers of the price files: price books and order numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pricing.csv_rows import Row, raise_faults, read_rows, rows_of
from pricing.guarded_files import file_text
from pricing.price_book import ITEM_CLASSES, Price, PriceBook

BOOK_COLUMNS = (
    "sku", "item_class", "description", "manufacturer", "unit", "currency", "low_usd", "mid_usd",
    "high_usd", "price_date", "source", "grade", "note",
)  # fmt: skip
_PART_NUMBERS = ("sku", "part_number", "length_m", "connector", "source", "date", "grade", "note")


def load_book(path: Path) -> PriceBook:
    """The price book in a CSV file, named after the file. Raises as ``book_of``, and OSError."""
    return book_of(file_text(path), path.stem, path.name)


def book_of(text: str, book: str, name: str) -> PriceBook:
    """The price book in a CSV text; faults call the text ``name``.

    Raises DataFileError with every fault: name, line, column; csv.Error where it is no CSV.
    """
    faults: list[str] = []
    prices = [_price(row, book) for row in rows_of(text, name, BOOK_COLUMNS, "sku", faults)]
    raise_faults(faults)
    return PriceBook(book, {price.sku: price for price in prices})


def _price(row: Row, book: str) -> Price:
    low, mid, high = (row.number(f"{band}_usd") for band in ("low", "mid", "high"))
    if not low <= mid <= high:
        row.fault("mid_usd", f"low {low:g} <= mid {mid:g} <= high {high:g} does not hold")
    row.one_of("currency", ("USD",))
    return Price(
        sku=row.text("sku"),
        item_class=row.one_of("item_class", ITEM_CLASSES),
        low_usd=low,
        mid_usd=mid,
        high_usd=high,
        source=row.source(date="price_date"),
        book=book,
        description=row.text("description"),
        manufacturer=row.text("manufacturer"),
        unit=row.text("unit"),
    )


def load_part_numbers(path: Path) -> Mapping[str, str]:
    """What a buyer orders a SKU by: number, connector and length (m) where known, by SKU.

    Raises DataFileError with every fault of the file.
    """
    faults: list[str] = []
    found = {}
    for row in read_rows(path, _PART_NUMBERS, "sku", faults):
        length_m = row.number_or_none("length_m")
        words = (row.text("part_number"), row.maybe("connector"), f"{length_m:g} m" if length_m else "")
        row.source()
        found[row.text("sku")] = ", ".join(word for word in words if word)
    raise_faults(faults)
    return found
