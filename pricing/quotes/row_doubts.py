"""What a row says of its goods beside the price, and that makes the price another one."""

from __future__ import annotations

import re

from pricing.quotes.amount_cell import ask_about_scale
from pricing.quotes.amounts import read_dates
from pricing.quotes.quote_values import SKIP, RawRow
from pricing.quotes.reader import Reader
from pricing.quotes.words import (
    is_condition,
    is_for_a_length,
    is_for_a_time,
    is_maker,
    is_new,
    is_not_new,
    is_other_make,
    is_service,
    is_term,
)

_FAR = 5.0  # times off the known price, from which on a quote is asked about
_MOVES_AMOUNTS = frozenset(("column.price", "scale", "tax", "basis"))  # the price is not settled before them
_NO_MAKER = {"generic", "any", "various", "named"}
_BESIDE = re.compile(
    r"(?:\bincl\w*\.?|\binkl\w*\.?|\bwith\b|\bmit\b|\bavec\b|\bplus\b|\+|&|含)\s*(?:\d+\s*[x×]?\s*)?([\w.-]{5,})",
    re.I,
)


def ask_in_place(row: RawRow, reader: Reader) -> bool:
    """Asks where a delimiter inside a number (1,234.50 without quotes) may have moved the cells."""
    price, words = reader.mapping.columns["price"], reader.mapping.columns.get("description")
    extra = [c.text for c in row.cells[len(reader.mapping.headings) :] if c.text]
    after = row.cell(price + 1).text if words == price + 1 else ""
    if extra or re.fullmatch(r"\d{1,3}(?:[.,]\d+)?", after):
        cells = " | ".join(c.text for c in row.cells)
        reader.ask(row, "cells", cells, "has cells out of place: a delimiter in a number?")
    return True


def ask_about_goods(row: RawRow, reader: Reader) -> bool:
    """Asks about goods that are hidden, not new, of another make, rented, a service, or sold with others."""
    words, unit = reader.cell(row, "description").text, reader.cell(row, "pack").text
    texts = [cell.text for i, cell in enumerate(row.cells) if i != reader.mapping.columns["price"]]
    states = (text for text in reader.under(row, is_condition) if not is_new(text))
    worn = next((t for t in texts if is_not_new(t)), None) or next(states, None)
    other_make = next((t for t in texts if is_other_make(t)), None) or _other_maker(row, reader)
    timed = next((t for t in (words, unit) if is_for_a_time(t)), None) or next(
        iter(reader.under(row, is_term)), None
    )
    by_length = next((t for t in (words, unit) if is_for_a_length(t)), None)
    if row.hidden:
        reader.ask(
            row, "hidden", " | ".join(filter(None, texts)), "the workbook hides this row", general="hidden"
        )
    ask_about_scale(row, reader)
    for key, given, said in (
        ("condition", worn, "the goods seem to be used or refurbished"),
        ("make", other_make, "the part seems to be another maker's"),
        ("period", timed, "the price seems to be for a time, a rent or a part payment"),
        ("length", by_length, "the price seems to be for a length, not a piece"),
        ("service", words if is_service(words) else None, "the row seems to be for a service, not the part"),
        ("bundle", words if _is_bundle(row, reader) else None, "the row names another part beside this one"),
    ):
        if given is not None:
            reader.ask(row, key, given, said, general=key)
    return True


def _other_maker(row: RawRow, reader: Reader) -> str | None:
    """A maker that is not the part's own, where a column names makers."""
    own = reader.part_of(row)
    words = set(re.findall(r"\w+", own.manufacturer.casefold())) if own else set()
    words |= {"nvidia", "mellanox"} if words & {"nvidia", "mellanox"} else set()
    if not words or words & _NO_MAKER:
        return None
    return next(
        (t for t in reader.under(row, is_maker) if not words & set(re.findall(r"\w+", t.casefold()))), None
    )


def _is_bundle(row: RawRow, reader: Reader) -> bool:
    """A description that adds another part: QM9700 incl. 32x MMA4Z00-NS."""
    own = set(reader.names.get(reader.cell(row, "sku").text.casefold(), ()))
    named = _BESIDE.findall(reader.cell(row, "description").text)
    return any(set(reader.names.get(name.casefold(), ())) - own for name in named)


def ask_in_force(row: RawRow, reader: Reader) -> bool:
    """Asks about a quote that has ended, or may have."""
    cell, limit = reader.cell(row, "valid_until"), reader.settings.limit_day
    if not cell.text:
        return True
    days = (cell.date,) if cell.date else read_dates(cell.text)
    if days and min(days) >= limit:
        return True
    if days and max(days) < limit:
        said, key = f"the quote ended before {limit.isoformat()}", "expired"
    else:
        said, key = f"cannot tell whether the quote holds on {limit.isoformat()}", "valid_until"
    reader.ask(row, key, cell.text, said, general=key)
    return True


def read_date(row: RawRow, reader: Reader) -> str:
    """The day of the price; the day it was read where the row has none. A day to come is asked about."""
    cell = reader.cell(row, "date")
    if not cell.text:
        return reader.settings.today.isoformat()
    days = (cell.date,) if cell.date else read_dates(cell.text)
    if len(days) != 1:
        choices = (*(day.isoformat() for day in days), SKIP) if days else ()
        said = "may be either day" if days else "is no day: which one is it?"
        return reader.ask(row, "date", cell.text, said, choices)
    if days[0] > reader.settings.limit_day:
        reader.ask(
            row,
            "future",
            cell.text,
            f"the price is of a day after {reader.settings.limit_day}",
            general="future",
        )
    return days[0].isoformat()


def ask_if_far(row: RawRow, reader: Reader, sku: str, usd: float) -> None:
    """Asks about a price that is 5 times the known one or a fifth of it: another unit, part or mark?"""
    known = reader.parts[sku].usd
    if reader.answers.open.keys() & _MOVES_AMOUNTS:
        return
    if not known or not usd or 1 / _FAR < usd / known < _FAR:
        return
    times = f"{usd / known:,.3g} times" if usd > known else f"1/{known / usd:,.3g} of"
    said = f"{usd:,.2f} USD a piece is {times} the {known:,.2f} USD that are known for {sku}"
    reader.ask(row, "book", reader.cell(row, "price").text, said)
