"""The amount that a row's price cell holds, and the pieces that it is for."""

from __future__ import annotations

import re
from decimal import Decimal

from pricing.quotes.amounts import read_amount, take_currency
from pricing.quotes.doubt_answers import Left
from pricing.quotes.packs import packs_in, priced_per
from pricing.quotes.quote_values import PACK_RULES, SKIP, Cell, RawRow
from pricing.quotes.reader import Reader
from pricing.quotes.words import half_width, scales_in

_ONE = frozenset((
    "", "1", "each", "ea", "ea.", "pc", "pc.", "pcs", "piece", "stk", "stk.", "stück", "st", "st.", "unit",
    "units", "pièce", "pce", "unité", "u", "unidad", "ud", "pieza", "pezzo", "pz", "nr",
    "台", "个", "個", "只", "条", "根", "块", "件", "支",
))  # fmt: skip
_OF_ONE_PIECE = re.compile(
    r"(?:/\s*|\b(?:per|pro|je|par|por|a)\s+)?\b(?:each|ea|pcs?|pieces?|stk|stück|units?|unité|unidad|net|netto)\b\.?"
    r"|/?\s*[台个個只条根块件支]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d(?:[\d.,']| (?=\d{3}(?!\d)))*\d|\d")
_MOST_NAMED = 6
_NEAR = Decimal("0.005")  # of a line total against price x quantity: rounding, no discount
_PRICE, _TOTAL = "price", "total"


def read_price(row: RawRow, reader: Reader) -> Decimal:
    """The amount of the price cell, by the terms of the list. Raises Left where it is none, Open in doubt."""
    cell = reader.cell(row, "price")
    if not cell.text:
        raise Left("no price, which is never 0")
    if "%" in cell.shown_as or re.fullmatch(r"[\d.,\s]+%", half_width(cell.text)):
        raise Left(
            f"{cell.text} is a percentage, no price"
            + (f" (shown as {cell.shown_as})" if cell.shown_as else "")
        )
    amount = cell.number if cell.number is not None else _written(row, cell, reader)
    if amount < 0:
        raise Left(f"{cell.text} is negative")
    if cell.shown_as:
        said = f"is shown in the format {cell.shown_as}, which is no plain amount"
        reader.ask(row, "format", cell.text, said, general="format")
    ask_about_formula(row, cell, reader)
    if cell.struck:
        reader.ask(row, "struck", cell.text, "is struck through")
    if amount == 0:
        reader.ask(row, "zero", cell.text, "the price is 0: a gift, or a price that is missing?")
    return amount * reader.terms.scale


def ask_about_formula(row: RawRow, cell: Cell, reader: Reader) -> None:
    """Asks about a formula's stored result."""
    if cell.formula:
        reader.ask(row, "formula", cell.text, "is the stored result of a formula, which is not run")


def _written(row: RawRow, cell: Cell, reader: Reader) -> Decimal:
    """An amount in text: read with the stated decimal mark, else only where it has one meaning."""
    _, body = take_currency(half_width(cell.text))
    body = _OF_ONE_PIECE.sub(" ", body).strip()
    decimal = reader.settings.decimal or reader.answers.known("decimal")
    found = read_amount(body, decimal)
    said = "may be either amount; state the decimal mark of the file, or this row's amount"
    if not found and decimal:
        found = read_amount(body)
        said = f"is not written with the decimal mark {decimal!r} that you stated"
    elif len(found) == 1:
        return found[0]
    if not found:
        return _among_words(row, cell, body, reader)
    choices = (*(f"{value:f}" for value in found), SKIP)
    return Decimal(reader.ask(row, "price", cell.text, said, choices))


def _among_words(row: RawRow, cell: Cell, body: str, reader: Reader) -> Decimal:
    """The amount that the user takes from a cell with several, or with words beside it: from 1,000; 3.4万."""
    amounts = dict.fromkeys(f"{value:f}" for number in _NUMBER.findall(body) for value in read_amount(number))
    if not amounts or re.fullmatch(r"[-\u2212\u2013(]\s*[\d.,' ]+\)?", body):
        raise Left(f"{cell.text!r} is no price")
    perhaps = ", ".join(list(amounts)[:_MOST_NAMED])
    said = f"holds more than one plain amount; answer with the price of a piece (perhaps {perhaps}) or {SKIP}"
    answer = reader.ask(row, "price", cell.text, said, ())
    found = read_amount(answer, ".")
    if len(found) != 1:
        raise Left(f"your answer {answer!r} is no amount")
    return found[0]


def read_pack(row: RawRow, reader: Reader) -> int:
    """Pieces that the price is for. Raises Open where the row leaves it in doubt."""
    cell = reader.cell(row, "pack")
    plain = cell.text if cell.number is None else f"{cell.number:f}"
    words = f"{reader.cell(row, 'description').text} {reader.cell(row, 'sku').text}".strip()
    part = reader.part_of(row)
    whole = int(plain) if re.fullmatch(r"[1-9]\d{0,4}", plain, re.ASCII) else 1
    in_unit = {*packs_in(plain), *priced_per(plain), *({whole} if whole > 1 else ())}
    found = (
        in_unit
        | set(packs_in(words, part.item_class if part else None))
        | set(priced_per(reader.heading("price")))
    )
    found |= set(packs_in(reader.heading("price")))
    if plain.casefold() not in _ONE and not in_unit:
        return _answered_pieces(row, "unit", plain, "is an unknown unit: how many pieces is it?", reader)
    if not found:
        return 1
    if len(found) > 1:
        choices = (*(str(n) for n in sorted(found)), "1", SKIP)
        said = "the row names packs of different sizes: how many pieces is the price for?"
        return int(reader.ask(row, "pack", words, said, choices))
    pieces = next(iter(found))
    rule: str | None = reader.settings.pack_rule
    if rule is None:
        given = plain if in_unit else words
        said = f"a pack of {pieces}: is the price for the pack or for a piece?"
        rule = reader.ask(row, "pack", given, said, (*PACK_RULES, SKIP), "pack")
    return pieces if rule == "per-pack" else 1


def read_line_quantity(row: RawRow, reader: Reader) -> int:
    """The quantity that a line's amount is for; 1 where amounts are for a piece."""
    if not reader.terms.per_line:
        return 1
    found = amounts_in(reader.cell(row, "quantity"))
    if len(found) == 1 and found[0] > 0 and found[0] == int(found[0]):
        return int(found[0])
    said = "is no whole quantity: how many pieces is the amount for?"
    return _answered_pieces(row, "quantity", reader.cell(row, "quantity").text, said, reader)


def _answered_pieces(row: RawRow, about: str, given: str, said: str, reader: Reader) -> int:
    answer = reader.ask(row, about, given, said, ())
    if not re.fullmatch(r"[1-9]\d{0,5}", answer, re.ASCII):
        raise Left(f"your answer {answer!r} is no number of pieces")
    return int(answer)


def amounts_in(cell: Cell) -> tuple[Decimal, ...]:
    """What a cell of an amount or quantity alone can mean; none where it holds other words."""
    if cell.number is not None:
        return (cell.number,)
    return read_amount(_OF_ONE_PIECE.sub(" ", take_currency(half_width(cell.text))[1]).strip())


def against_total(row: RawRow, reader: Reader, amount: Decimal, pack: int) -> tuple[Decimal, int]:
    """The amount and the pieces it is for; the line's total and quantity where the user trusts these more.

    Price x quantity / 1 or pieces = total within half a per cent, or it is a doubt.
    """
    totals = [value * reader.terms.scale for value in amounts_in(reader.cell(row, "total"))]
    quantities = [value for value in amounts_in(reader.cell(row, "quantity")) if value > 0]
    if not totals or not quantities:
        return amount, pack
    lines = {amount * quantity / pieces for quantity in quantities for pieces in (1, pack)}
    if any(abs(line - total) <= _NEAR * total for line in lines for total in totals):
        return amount, pack
    given = f"{amount:f} x {quantities[0]:f}, total {totals[0]:f}"
    said = "price x quantity is not the total of the line: which one holds?"
    if reader.ask(row, "total", given, said, (_PRICE, _TOTAL, SKIP), "total") == _PRICE:
        return amount, pack
    if len(totals) > 1 or quantities[0] != int(quantities[0]):
        raise Left(f"{given}: the total cannot be told")
    return totals[0], int(quantities[0])


def ask_about_scale(row: RawRow, reader: Reader) -> None:
    """Asks about a scale that the row's currency or unit names: 万元, k EUR."""
    for name in ("currency", "pack"):
        text = reader.cell(row, name).text
        if scales_in(text):
            said = "names thousands, ten thousands or cents; take the amount as it is written?"
            reader.ask(row, "scale", text, said)
