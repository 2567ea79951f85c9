"""One's own quotes: a vendor's price list -> a price book, with every doubt shown before it is taken.

read_quote -> propose_mapping -> preview -> (answers) -> accept. Nothing is guessed: what the file does
not say for sure is a Doubt, and ``accept`` refuses while one is open.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence

from pricing.price_book import Price, PriceBook
from pricing.price_files import BOOK_COLUMNS
from pricing.provenance import Grade, Source
from pricing.quotes.columns import settled
from pricing.quotes.doubt_answers import Answers, Left
from pricing.quotes.quote_values import (
    PACK_RULES,
    SKIP,
    ColumnMap,
    Doubt,
    GoodRow,
    Part,
    QuoteError,
    QuotePreview,
    RawTable,
    Rejected,
    Settings,
)
from pricing.quotes.reader import Reader, names_of
from pricing.quotes.rows import read_row
from pricing.quotes.terms import currency_doubts, settle_terms
from pricing.spreadsheet_text import defused

BOOK = "quotes"
_GENERAL = (
    "decimal", "currency", "pack", "expired", "valid_until", "future", "total", "format", "hidden",
    "condition", "make", "period", "length", "service", "bundle",
)  # fmt: skip


def preview(
    table: RawTable,
    mapping: ColumnMap,
    settings: Settings,
    parts: Mapping[str, Part],
    answers: Mapping[str, str] | None = None,
) -> QuotePreview:
    """What would be taken from a price list, what is in doubt, and what is left out and why.

    ``answers`` go by the keys of doubts of an earlier preview; decimal, currency, pack, expired and others
    without a line answer for the whole file. Raises QuoteError for an answer that fits no question.
    """
    asked = Answers(answers or {})
    for mark in (settings.decimal, asked.known("decimal")):
        if mark not in (None, ",", "."):
            raise QuoteError(f"{mark!r} is no decimal mark: write , or .")
    if settings.pack_rule not in (None, *PACK_RULES):
        raise QuoteError(f"{settings.pack_rule!r} is no rule for packs: write {' or '.join(PACK_RULES)}")
    mapping = settled(mapping, asked)
    terms = settle_terms(table, mapping, settings, asked)
    good, rejected = list[GoodRow](), list[Rejected]()
    reader = Reader(mapping, terms, settings, parts, asked, names_of(parts))
    for row in (r for r in table.rows if r.line > mapping.last_heading_line):
        try:
            found = read_row(row, reader)
        except Left as reason:
            rejected.append(Rejected(row.line, " | ".join(c.text for c in row.cells if c.text), str(reason)))
            continue
        good += [found] if found else []
    for doubt in currency_doubts(table, mapping, frozenset(row.currency for row in good)):
        if asked.ask(doubt) == SKIP:
            raise QuoteError("the whole price list is left out, as you said")
    good, repeats = _without_repeats(good, asked)
    asked.check(_GENERAL)
    left = tuple(sorted((*rejected, *repeats), key=lambda r: r.line))
    return QuotePreview(table, mapping, settings, parts, tuple(good), tuple(asked.open.values()), left)


def _without_repeats(rows: Sequence[GoodRow], answers: Answers) -> tuple[list[GoodRow], list[Rejected]]:
    """One row a SKU: repeats at the same price are dropped, at another price they are asked about."""
    groups: defaultdict[str, list[GoodRow]] = defaultdict(list)
    for row in rows:
        groups[row.sku].append(row)
    kept, dropped = list[GoodRow](), list[Rejected]()
    for sku, group in groups.items():
        first = group[0]
        same = all((r.usd, r.currency) == (first.usd, first.currency) for r in group)
        answer = str(first.line) if same else _which(sku, group, answers)
        for row in group:
            if str(row.line) == answer:
                kept.append(row)
            elif answer is not None:
                why = f"repeats line {answer} at the same price" if same else f"line {answer} holds for {sku}"
                why = "left out, as you said" if answer == SKIP else why
                dropped.append(Rejected(row.line, row.vendor_sku, why))
    return sorted(kept, key=lambda r: r.line), dropped


def _which(sku: str, group: Sequence[GoodRow], answers: Answers) -> str | None:
    prices = ", ".join(f"line {r.line}: {r.amount:f} {r.currency} for {r.pack}" for r in group)
    choices = (*(str(r.line) for r in group), SKIP)
    said = f"{sku} is there more than once at different prices ({prices}): which line holds?"
    return answers.ask(Doubt(f"duplicate.{sku}", group[0].line, group[0].vendor_sku, said, choices))


def accept(shown: QuotePreview, answers: Mapping[str, str] | None = None) -> PriceBook:
    """The price book of the good rows, every price of grade quote. ``answers`` as in ``preview``.

    Raises QuoteError while a doubt is open, naming each, and where no price was taken.
    """
    final = preview(shown.table, shown.mapping, shown.settings, shown.parts, answers) if answers else shown
    if final.doubts:
        raise QuoteError("not answered yet: " + "; ".join(f"{d.key}: {d.message}" for d in final.doubts))
    if not final.good:
        raise QuoteError(nothing_taken(final))
    prices = {row.sku: _price(row, final) for row in final.good}
    return PriceBook(BOOK, prices)


def nothing_taken(shown: QuotePreview) -> str:
    """Says that no row of a list is a price, and why the first was left out."""
    first = f"; line {shown.rejected[0].line}: {shown.rejected[0].reason}" if shown.rejected else ""
    return f"{shown.table.name}: no price was taken, {len(shown.rejected)} rows were left out{first}"


def _price(row: GoodRow, shown: QuotePreview) -> Price:
    part, table = shown.parts[row.sku], shown.table
    pack = f" for {row.pack} pieces" if row.pack > 1 else ""
    steps = "".join(f", {step}" for step in row.steps)
    rate = "" if row.currency == "USD" else f" at {row.rate.usd!r} USD/{row.currency} of {row.rate.date}"
    where = f"{table.name}, {f'sheet {table.sheet}, ' if table.sheet else ''}line {row.line}"
    text = (
        f"{where}: {row.vendor_sku} {row.amount:f} {row.currency}{pack}{steps}{rate}; sha256 {table.sha256}"
    )
    return Price(
        row.sku, part.item_class, row.usd, row.usd, row.usd, Source(text, row.date, Grade.QUOTE), BOOK,
        description=part.description or row.sku, manufacturer=part.manufacturer or "not named",
    )  # fmt: skip


def quotes_csv(book: PriceBook) -> str:
    """A price book as the CSV text that ``load_book`` reads: exact prices, one row a SKU."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(BOOK_COLUMNS)
    for sku, p in sorted(book.prices.items()):
        usd = (repr(p.low_usd), repr(p.mid_usd), repr(p.high_usd))
        words = (sku, p.item_class, p.description, p.manufacturer, p.unit, "USD")
        row = (*words, *usd, p.source.date, p.source.text, p.source.grade, "")
        writer.writerow([defused(cell) for cell in row])  # a source begins with the name of somebody's file
    return stream.getvalue()
