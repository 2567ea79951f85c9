"""Readers of the price files: price books, order numbers, defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pricing.csv_rows import Row, raise_faults, read_rows
from pricing.price_book import ITEM_CLASSES, Price, PriceBook
from pricing.provenance import Source

BOOK_COLUMNS = (
    "sku", "item_class", "description", "manufacturer", "unit", "currency", "low_usd", "mid_usd",
    "high_usd", "price_date", "source", "grade", "note",
)  # fmt: skip
_DEFAULTS = ("key", "value", "low", "high", "unit", "source", "date", "grade", "note")
_PART_NUMBERS = ("sku", "part_number", "length_m", "connector", "source", "date", "grade", "note")


@dataclass(frozen=True, slots=True)
class Default:
    """A value that holds where the scenario says nothing, with its band (None: no band known)."""

    key: str
    value: float
    low: float | None
    high: float | None
    unit: str
    source: Source
    note: str = ""


def load_book(path: Path) -> PriceBook:
    """The price book in a CSV file, named after the file.

    Raises DataFileError with every fault of the file: file, line, column.
    """
    faults: list[str] = []
    prices = [_price(row, path.stem) for row in read_rows(path, BOOK_COLUMNS, "sku", faults)]
    raise_faults(faults)
    return PriceBook(path.stem, {price.sku: price for price in prices})


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


def load_defaults(path: Path) -> Mapping[str, Default]:
    """The defaults by key. Raises DataFileError with every fault of the file."""
    faults: list[str] = []
    found = {row.maybe("key"): _default(row) for row in read_rows(path, _DEFAULTS, "key", faults)}
    raise_faults(faults)
    return found


def _default(row: Row) -> Default:
    value = row.signed("value")
    low, high = (row.signed(c) if row.maybe(c) else None for c in ("low", "high"))
    if (low is not None and low > value) or (high is not None and high < value):
        row.fault("value", f"{value:g} is outside its band")
    return Default(
        key=row.text("key"),
        value=value,
        low=low,
        high=high,
        unit=row.text("unit"),
        source=row.source(),
        note=row.maybe("note"),
    )
