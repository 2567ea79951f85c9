"""One row of a price list -> a price that is sure, a doubt, or a reason to leave it out."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import TypeVar

from pricing.quotes.amount_cell import (
    against_total,
    ask_about_formula,
    read_line_quantity,
    read_pack,
    read_price,
)
from pricing.quotes.amounts import CODES, USD, read_amount, read_dates, take_currency, to_usd
from pricing.quotes.doubt_answers import Left, Open, wanted
from pricing.quotes.quote_values import SKIP, Doubt, GoodRow, Rate, RawRow
from pricing.quotes.reader import Reader
from pricing.quotes.row_doubts import ask_about_goods, ask_if_far, ask_in_force, ask_in_place, read_date
from pricing.quotes.words import half_width

Read = TypeVar("Read")
_MOST_SUGGESTIONS = 3
_MOST_SEARCHED = 500  # open doubts, after which the search for near SKUs would take minutes


def read_row(row: RawRow, reader: Reader) -> GoodRow | None:
    """The row's price; None where a doubt is open. Every doubt of a row is asked at once.

    Raises Left where the row is no price or the user left it out.
    """
    price_cell, vendor_sku = reader.cell(row, "price"), reader.cell(row, "sku").text
    if not vendor_sku:
        raise Left("no SKU")
    if price_cell.text.casefold() == reader.heading("price").casefold():
        raise Left("repeats the headings")
    asked = [_unless_open(ask, row, reader) for ask in (ask_in_place, ask_about_goods, ask_in_force)]
    amount = _unless_open(read_price, row, reader)
    sku = _unless_open(_sku, row, reader)
    currency = _unless_open(_currency, row, reader)
    pack = _unless_open(read_pack, row, reader)
    quantity = _unless_open(read_line_quantity, row, reader)
    date = _unless_open(read_date, row, reader)
    rate = _unless_open(_rate, row, reader)
    if amount is None or sku is None or currency is None or pack is None or date is None or rate is None:
        return None
    if quantity is None or None in asked:
        return None
    found = _Priced(sku, vendor_sku, currency, rate, date)
    return _unless_open(
        lambda row, reader: _good_row(row, reader, found, amount, pack * quantity), row, reader
    )


@dataclass(frozen=True, slots=True)
class _Priced:
    """What a row prices, and in which money."""

    sku: str
    vendor_sku: str
    currency: str
    rate: Rate
    date: str


def _good_row(row: RawRow, reader: Reader, priced: _Priced, amount: Decimal, pack: int) -> GoodRow:
    """The row, checked against the total of its line and the known price of the part."""
    amount, pack = against_total(row, reader, amount, pack)
    terms = reader.terms
    usd = to_usd(amount / (1 + terms.tax_share), priced.rate, pack)
    if not isfinite(usd):
        raise Left("the price is not finite")
    ask_if_far(row, reader, priced.sku, usd)
    scaled = (f"written x {terms.scale:f}",) if terms.scale != 1 else ()
    taxed = (f"less {terms.tax_share * 100:f} % tax",) if terms.tax_share else ()
    return GoodRow(
        line=row.line,
        sku=priced.sku,
        vendor_sku=priced.vendor_sku,
        amount=amount,
        currency=priced.currency,
        pack=pack,
        rate=priced.rate,
        usd=usd,
        date=priced.date,
        steps=(*scaled, *taxed),
    )


def _unless_open(read: Callable[[RawRow, Reader], Read], row: RawRow, reader: Reader) -> Read | None:
    """What is read of a row, None where its doubt is open."""
    try:
        return read(row, reader)
    except Open:
        return None


def _sku(row: RawRow, reader: Reader) -> str:
    """The planner's SKU for the vendor's: by the user's aliases, else by its id or an order number."""
    vendor_sku = reader.cell(row, "sku").text
    ask_about_formula(row, reader.cell(row, "sku"), reader)
    alias = reader.settings.aliases.get(vendor_sku)
    if alias is not None and alias in reader.parts:
        return alias
    folded = half_width(vendor_sku).strip().casefold()
    found = reader.names.get(folded, ())
    if len(found) == 1:
        return found[0]
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
