"""What a price list says of all its prices, in headings and notes: tax, scale, time, validity, discounts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal

from pricing.quotes.amount_cell import amounts_in
from pricing.quotes.amounts import currencies_in_words, read_amount, read_dates, take_currency
from pricing.quotes.columns import is_line_total, is_of_a_piece
from pricing.quotes.doubt_answers import Answers
from pricing.quotes.quote_values import (
    SKIP,
    TAKE,
    Cell,
    ColumnMap,
    Doubt,
    QuoteError,
    RawRow,
    RawTable,
    Settings,
    Terms,
)
from pricing.quotes.words import (
    is_discount,
    is_for_a_length,
    is_for_a_time,
    is_not_new,
    is_of_prices,
    percent_in,
    scales_in,
    scales_of_prices,
    share_of,
    tax_in,
    validity,
)

PER_LINE, PER_PIECE = "per-line", "per-piece"
_NEAR = 10
_OF_NO_MONEY = re.compile(
    r"qty|quantity|menge|anzahl|数量|stock|lager|weight|gewicht|power|watt|length|länge|\bports?\b|\bean\b|\bupc\b|gtin"
    r"|^pos|line|\bno\b|\bnr\b|^#|moq|lead|delivery|year|date|序号",
    re.IGNORECASE,
)


def settle_terms(table: RawTable, mapping: ColumnMap, settings: Settings, answers: Answers) -> Terms:
    """The terms of a list, as its headings and notes say and the user has answered.

    Raises QuoteError where the user leaves the whole list out, or answers with no percentage.
    """
    for doubt in (
        *table.doubts,
        *_discounts(table, mapping),
        *_other_amounts(table, mapping),
        *_ends(table, mapping, settings),
    ):
        _or_leave(answers.ask(doubt))
    if "column.price" in answers.open:  # the heading that the others are asked about is not settled
        return Terms()
    for doubt in (*_hidden(table, mapping), *_kinds(table, mapping)):
        _or_leave(answers.ask(doubt))
    return Terms(
        scale=_scale(table, mapping, answers),
        tax_share=_tax_share(table, mapping, answers),
        per_line=_is_per_line(table, mapping, answers),
    )


def is_note(row: RawRow, mapping: ColumnMap) -> bool:
    """A row that prices nothing: above the headings, or without a SKU or a price."""
    columns = mapping.columns
    priced = row.cell(columns["sku"]).text and row.cell(columns["price"]).text
    return row.line < mapping.header_line or row.line > mapping.last_heading_line and not priced


def currency_doubts(table: RawTable, mapping: ColumnMap, taken: frozenset[str]) -> Iterator[Doubt]:
    """Notes that name a currency which prices were not ``taken`` in."""
    sku = mapping.columns["sku"]
    unpriced = {row.line for row in table.rows if row.line > mapping.last_heading_line and row.cell(sku).text}
    for line, note in _notes(table, mapping):
        named = currencies_in_words(note)
        other = sorted(taken - set(named))
        if named and other and is_of_prices(note) and line not in unpriced:
            said = f"the list speaks of {' or '.join(named)}; prices in {', '.join(other)} were taken"
            yield Doubt("note.currency", line, note, said, (TAKE, SKIP))


def limit_doubt(text: str, settings: Settings) -> str | None:
    """Whether a last day in a text is before the day on which a quote must hold: ended, unknown or None."""
    days, limit = read_dates(text), settings.limit_day
    if days and min(days) >= limit:
        return None
    return "ended" if days and max(days) < limit else "unknown"


def _or_leave(answer: str | None) -> str | None:
    if answer == SKIP:
        raise QuoteError("the whole price list is left out, as you said")
    return answer


def _notes(table: RawTable, mapping: ColumnMap) -> Iterator[tuple[int, str]]:
    """The line and text of every cell that is a note."""
    for row in table.rows:
        if is_note(row, mapping):
            yield from ((row.line, cell.text) for cell in row.cells if cell.text)


def _price_heading(mapping: ColumnMap) -> str:
    column = mapping.columns["price"]
    return mapping.headings[column] if column < len(mapping.headings) else ""


def _first(
    table: RawTable, mapping: ColumnMap, in_heading: Callable[[str], object], in_note: Callable[[str], object]
) -> tuple[int, str] | None:
    """The first place that says something: the heading of the price, else a note."""
    heading = _price_heading(mapping)
    if in_heading(heading):
        return mapping.header_line, heading
    return next(((line, note) for line, note in _notes(table, mapping) if in_note(note)), None)


def _other_amounts(table: RawTable, mapping: ColumnMap) -> Iterator[Doubt]:
    """Columns that nothing reads and that hold amounts near the prices: Promo, Surcharge, a blank heading."""
    columns, offered = mapping.columns, {c for doubt in mapping.doubts for c in doubt.choices}
    unread = (
        {"total"} if "quantity" not in columns else set[str]()
    )  # a total without a quantity checks nothing
    read = {column for name, column in columns.items() if name not in unread}
    rows = [r for r in table.rows if r.line > mapping.last_heading_line and not is_note(r, mapping)]
    for column in sorted({i for row in rows for i in range(len(row.cells))} - read):
        heading = mapping.headings[column] if column < len(mapping.headings) else ""
        if str(column + 1) in offered or is_discount(heading) or _OF_NO_MONEY.search(heading):
            continue
        filled = [row for row in rows if row.cell(column).text]
        near = [row for row in filled if _is_near(row.cell(columns["price"]), row.cell(column))]
        if near and 2 * len(near) >= len(filled):
            said = f"column {column + 1} holds other amounts; take those of column {columns['price'] + 1}?"
            yield Doubt(f"heading.{column + 1}", mapping.header_line, heading, said, (TAKE, SKIP))


def _is_near(price: Cell, other: Cell) -> bool:
    """Another amount than the price: in a currency, or from a tenth to ten times of it."""
    prices, others = amounts_in(price), amounts_in(other)
    if not prices or not others or set(prices) & set(others):
        return False
    if other.currency or take_currency(other.text)[0]:
        return True
    return any(p > 0 and p / _NEAR <= o <= p * _NEAR for p in prices for o in others)


def _hidden(table: RawTable, mapping: ColumnMap) -> Iterator[Doubt]:
    """Columns that are read and that the workbook does not show."""
    found = [name for name, column in mapping.columns.items() if column in table.hidden_columns]
    if found:
        said = f"the workbook hides the column of the {', '.join(found)}"
        yield Doubt("hidden_columns", mapping.header_line, _price_heading(mapping), said, (TAKE, SKIP))


def _kinds(table: RawTable, mapping: ColumnMap) -> Iterator[Doubt]:
    """Prices that are for a time or a length, goods that are not new, whatever the row."""
    kinds = (
        ("period", "prices seem to be for a time, rents or part payments", is_for_a_time,
         lambda n: is_for_a_time(n) and is_of_prices(n)),
        ("length", "prices seem to be for a length, not a piece", is_for_a_length,
         lambda n: is_for_a_length(n) and is_of_prices(n)),
        ("condition", "the goods seem to be used or refurbished", is_not_new, is_not_new),
    )  # fmt: skip
    for key, said, in_heading, in_note in kinds:
        found = _first(table, mapping, in_heading, in_note)
        if found:
            yield Doubt(key, found[0], found[1], said, (TAKE, SKIP))
    if is_not_new(table.sheet):
        yield Doubt("condition", None, table.sheet, "the goods seem to be used or refurbished", (TAKE, SKIP))


def _discounts(table: RawTable, mapping: ColumnMap) -> Iterator[Doubt]:
    """Columns of discounts, and notes on a discount."""
    found = next(((line, note) for line, note in _notes(table, mapping) if is_discount(note)), None)
    if found:
        said = "speaks of a discount; take prices as they are written?"
        yield Doubt("discount", *found, said, (TAKE, SKIP))
    for column, heading in enumerate(mapping.headings):
        if column != mapping.columns["price"] and is_discount(heading):
            said = "there is a column of discounts; take prices without them?"
            yield Doubt(f"heading.{column + 1}", mapping.header_line, heading, said, (TAKE, SKIP))


def _ends(table: RawTable, mapping: ColumnMap, settings: Settings) -> Iterator[Doubt]:
    """Notes on until when the list is valid, in any row."""
    for row in table.rows:
        if mapping.header_line <= row.line <= mapping.last_heading_line:
            continue
        for column, cell in enumerate(row.cells):
            after = validity(cell.text)
            if after is None or column == mapping.columns.get("valid_until") and not is_note(row, mapping):
                continue
            beside = row.cell(column + 1).text
            said_so = (
                after
                or beside
                or is_note(row, mapping)
                and re.search(r"\d|expired", cell.text, re.IGNORECASE)
            )
            state = limit_doubt(after or beside, settings) if said_so else None
            if state is not None:
                when = "ended" if state == "ended" else "may have ended"
                said = f"the list {when} before {settings.limit_day}"
                given = cell.text if after else f"{cell.text} {beside}"
                yield Doubt(f"{row.line}.list", row.line, given, said, (TAKE, SKIP))


def _scale(table: RawTable, mapping: ColumnMap, answers: Answers) -> Decimal:
    """What amounts are multiplied by; 1 while that is not answered."""
    found = _first(table, mapping, scales_in, scales_of_prices)
    if found is None:
        return Decimal(1)
    line, text = found
    factors = scales_in(text)
    said = f"amounts seem to be x {' or x '.join(factors)}: multiply them by what?"
    answer = _or_leave(answers.ask(Doubt("scale", line, text, said, (*factors, "1", SKIP))))
    return Decimal(answer or 1)


def _tax_share(table: RawTable, mapping: ColumnMap, answers: Answers) -> Decimal:
    """The tax in prices as a share of them without it; 0 where there is none, or while that is open."""
    found = _first(table, mapping, lambda h: tax_in(h, heading=True) == "with", lambda n: tax_in(n) == "with")
    if found is None:
        found = _taxed_row(table, mapping)
    if found is None or tax_in(_price_heading(mapping), heading=True) == "without":
        return Decimal(0)
    line, text = found
    rate = percent_in(text)
    said = (
        "prices seem to include tax, which the planner adds by its own rate: answer with the rate to take "
        f"off, as {rate or 19}%, or {TAKE} them as they are written"
    )
    answer = _or_leave(answers.ask(Doubt("tax", line, text, said, (f"{rate}%", TAKE, SKIP) if rate else ())))
    if answer in (None, TAKE):
        return Decimal(0)
    try:
        return share_of(answer)
    except ValueError:
        raise QuoteError(f"{answer!r} is no answer to tax: a percentage as 19%, {TAKE} or {SKIP}") from None


def _taxed_row(table: RawTable, mapping: ColumnMap) -> tuple[int, str] | None:
    """A row of prices one of whose cells says that tax is in them."""
    rows = (row for row in table.rows if row.line > mapping.last_heading_line)
    return next(((r.line, c.text) for r in rows for c in r.cells if tax_in(c.text) == "with"), None)


def _is_per_line(table: RawTable, mapping: ColumnMap, answers: Answers) -> bool:
    """Whether amounts are for the quantity of their row, as the user says where headings leave it open."""
    heading, quantity = _price_heading(mapping), mapping.columns.get("quantity")
    if is_of_a_piece(heading) or "total" in mapping.columns and not is_line_total(heading):
        return False
    rows = [row for row in table.rows if row.line > mapping.last_heading_line and not is_note(row, mapping)]
    several = quantity is not None and any(_is_several(row.cell(quantity)) for row in rows)
    if not (several or is_line_total(heading)):
        return False
    choices = (PER_LINE, PER_PIECE, SKIP) if quantity is not None else (PER_PIECE, SKIP)
    beside = (
        f"the quantity in column {quantity + 1}"
        if quantity is not None
        else "a quantity that no column gives"
    )
    said = f"is this the price of a piece, or of {beside}?"
    return _or_leave(answers.ask(Doubt("basis", mapping.header_line, heading, said, choices))) == PER_LINE


def _is_several(cell: Cell) -> bool:
    """A quantity other than 1, or one that cannot be read."""
    found = (cell.number,) if cell.number is not None else read_amount(re.sub(r"[^\d.,' ]", "", cell.text))
    return bool(cell.text) and found != (Decimal(1),)
