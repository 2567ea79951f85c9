"""One row of a price list -> a price that is sure, a doubt, or a reason to leave it out."""

from __future__ import annotations

import datetime as dt
import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from typing import TypeVar

from pricing.quotes.amounts import CODES, USD, packs_in, read_amount, read_dates, take_currency, to_usd
from pricing.quotes.answers import Answers, Left, Open, wanted
from pricing.quotes.values import (
    PACK_RULES,
    SKIP,
    TAKE,
    Cell,
    ColumnMap,
    Doubt,
    GoodRow,
    Part,
    Rate,
    RawRow,
    Settings,
)

Read = TypeVar("Read")
_ONE = frozenset(("", "1", "each", "ea", "ea.", "pc", "pcs", "piece", "stk", "stk.", "stück", "st", "unit"))
_PER = re.compile(r"(?:\b(?:per|pro|par|je|for|für)|/)\s*(\d{1,4})\b", re.IGNORECASE)  # "price per 100"
_MOST_SUGGESTIONS = 3
_MOST_SEARCHED = 500  # open doubts, after which the search for near SKUs would take minutes


@dataclass(frozen=True, slots=True)
class Reader:
    """What every row is read with."""

    mapping: ColumnMap
    settings: Settings
    parts: Mapping[str, Part]
    answers: Answers
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # folded SKU or number -> SKUs

    def cell(self, row: RawRow, name: str) -> Cell:
        """The cell of a field."""
        return row.cell(self.mapping.columns.get(name))

    def heading(self, name: str) -> str:
        """The heading of a field's column; "" where it has none."""
        column, headings = self.mapping.columns.get(name), self.mapping.headings
        return headings[column] if column is not None and column < len(headings) else ""

    def ask(
        self,
        row: RawRow,
        about: str,
        given: str,
        message: str,
        choices: tuple[str, ...] = (TAKE, SKIP),
        general: str | None = None,
    ) -> str:
        """The user's answer to a doubt about a row, or to the ``general`` one for the whole file.

        Raises Open where there is none yet, Left where the row is left out.
        """
        doubt = Doubt(f"{row.line}.{about}", row.line, given, message, choices)
        return wanted(self.answers.ask(doubt, general))


def names_of(parts: Mapping[str, Part]) -> dict[str, tuple[str, ...]]:
    """What may stand in a price list for exactly one SKU: its id and its order numbers, folded."""
    found: dict[str, tuple[str, ...]] = {}
    for part in parts.values():
        for name in {n.casefold() for n in (part.sku, *part.numbers)}:
            found[name] = (*found.get(name, ()), part.sku)
    return found


def read_row(row: RawRow, reader: Reader) -> GoodRow | None:
    """The row's price; None where a doubt is open. Every doubt of a row is asked at once.

    Raises Left where the row is no price or the user left it out.
    """
    price_cell, vendor_sku = reader.cell(row, "price"), reader.cell(row, "sku").text
    if not vendor_sku:
        raise Left("no SKU")
    if price_cell.text.casefold() == reader.heading("price").casefold():
        raise Left("repeats the headings")
    in_place = _unless_open(_in_place, row, reader)
    amount = _unless_open(_amount, row, reader)
    sku = _unless_open(_sku, row, reader)
    currency = _unless_open(_currency, row, reader)
    pack = _unless_open(_pack, row, reader)
    in_force = _unless_open(_in_force, row, reader)
    date = _unless_open(_date, row, reader)
    rate = _unless_open(_rate, row, reader)
    if amount is None or sku is None or currency is None or pack is None or date is None or rate is None:
        return None
    if not in_place or not in_force:
        return None
    usd = to_usd(amount, rate, pack)
    if not isfinite(usd):
        raise Left("the price is not finite")
    return GoodRow(
        line=row.line,
        sku=sku,
        vendor_sku=vendor_sku,
        amount=amount,
        currency=currency,
        pack=pack,
        rate=rate,
        usd=usd,
        date=date,
    )


def _unless_open(read: Callable[[RawRow, Reader], Read], row: RawRow, reader: Reader) -> Read | None:
    """What is read of a row, None where its doubt is open."""
    try:
        return read(row, reader)
    except Open:
        return None


def _in_place(row: RawRow, reader: Reader) -> bool:
    """Asks where a delimiter inside a number (1,234.50 without quotes) may have moved the cells."""
    price, words = reader.mapping.columns["price"], reader.mapping.columns.get("description")
    extra = [c.text for c in row.cells[len(reader.mapping.headings) :] if c.text]
    after = row.cell(price + 1).text if words == price + 1 else ""
    if extra or re.fullmatch(r"\d{1,3}(?:[.,]\d+)?", after):
        cells = " | ".join(c.text for c in row.cells)
        reader.ask(row, "cells", cells, "has cells out of place: a delimiter in a number?")
    return True


def _amount(row: RawRow, reader: Reader) -> Decimal:
    """The amount of the price cell."""
    cell = reader.cell(row, "price")
    if not cell.text:
        raise Left("no price, which is never 0")
    amount = cell.number if cell.number is not None else _written(row, cell, reader)
    if amount < 0:
        raise Left(f"{cell.text} is negative")
    _stored(row, cell, reader)
    if amount == 0:
        reader.ask(row, "zero", cell.text, "the price is 0: a gift, or a price that is missing?")
    return amount


def _stored(row: RawRow, cell: Cell, reader: Reader) -> None:
    """Asks about a formula's stored result."""
    if cell.formula:
        reader.ask(row, "formula", cell.text, "is the stored result of a formula, which is not run")


def _written(row: RawRow, cell: Cell, reader: Reader) -> Decimal:
    """An amount in text: read with the stated decimal mark, else only where it has one meaning."""
    _, body = take_currency(cell.text)
    decimal = reader.settings.decimal or reader.answers.known("decimal")
    found = read_amount(body, decimal)
    said = "may be either amount; state the decimal mark of the file, or this row's amount"
    if not found and decimal:
        found = read_amount(body)
        said = f"is not written with the decimal mark {decimal!r} that you stated"
    elif len(found) == 1:
        return found[0]
    if not found:
        raise Left(f"{cell.text!r} is no price")
    choices = (*(f"{value:f}" for value in found), SKIP)
    return Decimal(reader.ask(row, "price", cell.text, said, choices))


def _sku(row: RawRow, reader: Reader) -> str:
    """The planner's SKU for the vendor's: by the user's aliases, else by its id or an order number."""
    vendor_sku = reader.cell(row, "sku").text
    _stored(row, reader.cell(row, "sku"), reader)
    alias = reader.settings.aliases.get(vendor_sku)
    if alias is not None and alias in reader.parts:
        return alias
    found = reader.names.get(vendor_sku.casefold(), ())
    if len(found) == 1:
        return found[0]
    folded = vendor_sku.casefold()
    many = len(reader.answers.open) > _MOST_SEARCHED
    near = [] if many else difflib.get_close_matches(folded, list(reader.names), _MOST_SUGGESTIONS, 0.5)
    inside = [n for n in reader.names if len(n) > 4 and n in folded]
    skus = found or tuple(dict.fromkeys(s for name in (*inside, *near) for s in reader.names[name]))
    said = "may be several parts" if found else "matches no part"
    said += f"; perhaps {', '.join(skus)}" if skus else "; nothing is near"
    answer = reader.ask(row, "sku", vendor_sku, f"{said}. Answer with a SKU or {SKIP}", ())
    if answer not in reader.parts:
        raise Left(f"your answer {answer!r} is no SKU either")
    return answer


def _currency(row: RawRow, reader: Reader) -> str:
    """The currency on which cell, column and heading agree; a bare sign needs the user's word."""
    cell = reader.cell(row, "price")
    texts = [reader.cell(row, "currency").text, cell.currency or cell.text, reader.heading("price")]
    named = [codes for codes in (take_currency(text)[0] for text in texts) if codes]
    if texts[0] and not take_currency(texts[0])[0]:
        unknown = "is an unknown currency"
        return reader.ask(row, "currency", texts[0], unknown, (*CODES, SKIP), "currency")
    common = tuple(c for c in named[0] if all(c in codes for codes in named)) if named else ()
    stated = reader.settings.currency
    if len(common) == 1:
        return common[0]
    if stated is not None and (stated in common or not named):
        return stated
    if named and not common:
        said, choices = "the row names two currencies", tuple(dict.fromkeys(c for n in named for c in n))
    elif common:
        said, choices = "the sign stands for several currencies", common
    else:
        said, choices = "no currency is named", tuple(dict.fromkeys(("USD", *reader.settings.rates, *CODES)))
    return reader.ask(row, "currency", cell.text, said, (*choices, SKIP), "currency")


def _rate(row: RawRow, reader: Reader) -> Rate:
    """USD for one unit of the row's currency: stated, or asked for once for the whole file."""
    currency = _currency(row, reader)
    if currency == "USD":
        return USD
    if currency in reader.settings.rates:
        return reader.settings.rates[currency]
    said = f"what is 1 {currency} in USD, and on which day? Answer as 1.08@2026-11-01"
    return read_rate(wanted(reader.answers.ask(Doubt(f"rate.{currency}", None, currency, said))))


def read_rate(text: str) -> Rate:
    """A rate and its day, as 1.08@2026-11-01. Raises Left where it is none."""
    number, _, day = text.partition("@")
    found, days = read_amount(number, "."), read_dates(day)
    if len(found) != 1 or found[0] <= 0 or len(days) != 1:
        raise Left(f"{text!r} is no rate with its day, as 1.08@2026-11-01")
    return Rate(float(found[0]), days[0].isoformat())


def _pack(row: RawRow, reader: Reader) -> int:
    """Pieces that the price is for."""
    unit = reader.cell(row, "pack").text
    words = f"{reader.cell(row, 'description').text} {reader.cell(row, 'sku').text}"
    number = reader.cell(row, "pack").number
    plain = unit if number is None else f"{number:f}"
    whole = int(plain) if re.fullmatch(r"[1-9]\d{0,3}", plain) else 1
    found = {*packs_in(unit), *packs_in(words), *({whole} if whole > 1 else ())}
    per = _PER.search(reader.heading("price"))
    found |= {int(per[1])} if per and int(per[1]) > 1 else set()
    known = plain.casefold() in _ONE or packs_in(unit) or whole > 1
    if not known:
        said = "is an unknown unit: how many pieces is it?"
        answer = reader.ask(row, "unit", unit, said, ())
        if not re.fullmatch(r"[1-9]\d{0,5}", answer):
            raise Left(f"your answer {answer!r} is no number of pieces")
        return int(answer)
    if not found:
        return 1
    if len(found) > 1:
        choices = (*(str(n) for n in sorted(found)), "1", SKIP)
        said = "the row names packs of different sizes: how many pieces is the price for?"
        return int(reader.ask(row, "pack", words, said, choices))
    pieces = next(iter(found))
    rule: str | None = reader.settings.pack_rule
    if rule is None:
        said = f"a pack of {pieces}: is the price for the pack or for a piece?"
        rule = reader.ask(row, "pack", unit or words, said, (*PACK_RULES, SKIP), "pack")
    return pieces if rule == "per-pack" else 1


def limit_day(settings: Settings) -> dt.date:
    """The day on which a quote must still hold."""
    return max(settings.today, settings.needed_on or settings.today)


def _in_force(row: RawRow, reader: Reader) -> bool:
    """Asks about a quote that has ended, or may have."""
    cell = reader.cell(row, "valid_until")
    if not cell.text:
        return True
    days, limit = (cell.date,) if cell.date else read_dates(cell.text), limit_day(reader.settings)
    if days and min(days) >= limit:
        return True
    if days and max(days) < limit:
        said, key = f"the quote ended before {limit.isoformat()}", "expired"
    else:
        said, key = f"cannot tell whether the quote holds on {limit.isoformat()}", "valid_until"
    reader.ask(row, key, cell.text, said, general=key)
    return True


def _date(row: RawRow, reader: Reader) -> str:
    """The day of the price; the day it was read where the row has none."""
    cell = reader.cell(row, "date")
    if not cell.text:
        return reader.settings.today.isoformat()
    days = (cell.date,) if cell.date else read_dates(cell.text)
    if len(days) == 1:
        return days[0].isoformat()
    choices = (*(day.isoformat() for day in days), SKIP) if days else ()
    said = "may be either day" if days else "is no day: which one is it?"
    return reader.ask(row, "date", cell.text, said, choices)
