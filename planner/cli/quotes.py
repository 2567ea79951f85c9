"""``fabric-planner quotes``: a vendor's price list -> a price file of one's own."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from planner.catalog.sources import Sources, load_sources
from planner.cli.inputs import InputError
from planner.cli.output import say_line
from planner.report.write_files import write_all
from pricing.quotes.amounts import CODES
from pricing.quotes.columns import map_columns, propose_mapping
from pricing.quotes.doubt_answers import Left
from pricing.quotes.files import load_quote, store_original
from pricing.quotes.intake import accept, nothing_taken, preview, quotes_csv
from pricing.quotes.quote_values import (
    FIELDS,
    PACK_RULES,
    SKIP,
    ColumnMap,
    PackRule,
    Part,
    QuoteError,
    QuotePreview,
    Rate,
    RawTable,
    Settings,
)
from pricing.quotes.rows import read_rate


def quote_parts(sources: Sources) -> Mapping[str, Part]:
    """Every SKU that the planner can price, with the order numbers that mean exactly it."""
    catalog, book = sources.catalog, sources.books["reference"]
    found = [
        *(
            Part(s.id, "switch", s.name, s.vendor, (s.name, *_ordered_as(s.name)))
            for s in catalog.switches.values()
        ),
        *(Part(n.id, "nic", n.name, n.vendor, (n.name,)) for n in catalog.nics.values()),
        *(Part(s.sku, "server", s.name, "", (s.name,)) for s in catalog.servers.values()),
        *(Part(sku, "transceiver") for sku in catalog.transceivers),
        *(Part(sku, "cable") for sku in catalog.assemblies),
        *(Part(sku, "fibre") for sku in catalog.fibres),
    ]
    parts = {part.sku: part for part in found}
    for sku, price in book.prices.items():
        ordered = price.order_as.partition(", ")[0].split(" or ")
        exact = tuple(n for n in ordered if n and "xxx" not in n and not n.endswith(" equivalent"))
        exact += tuple(_of_length(n, sku) for n in ordered if n.endswith("-Nxxx equivalent"))
        known = parts[sku].numbers if sku in parts else ()
        numbers = (*known, *exact)
        parts[sku] = Part(
            sku, price.item_class, price.description, price.manufacturer, numbers, price.mid_usd
        )
    return parts


# what an order number adds to a Quantum switch's name: network rate, two supplies, air to or from the ports
_QUANTUM = {"QM87": "HS2", "QM97": "NS2"}


def _ordered_as(name: str) -> tuple[str, ...]:
    """The order numbers of a switch that differ in the way of the air only: MQM9700-NS2F and MQM9700-NS2R.

    >>> _ordered_as("QM9790"), _ordered_as("SN3700")
    (('MQM9790-NS2F', 'MQM9790-NS2R'), ())
    """
    made = _QUANTUM.get(name[:4])
    return tuple(f"M{name}-{made}{air}" for air in "FR") if made else ()


def _of_length(number: str, sku: str) -> str:
    """A family's order number with the length that a fibre's SKU ends in.

    >>> _of_length("MFP7E10-Nxxx equivalent", "fibre-mpo12-om4-straight-30m")
    'MFP7E10-N030'
    """
    metres = sku.rpartition("-")[2].removesuffix("m")
    return number.replace("Nxxx equivalent", f"N{int(metres):03d}")


_DAY = click.DateTime(["%Y-%m-%d"])


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--sheet", metavar="NAME", help="Of a workbook; default: the first filled one.")
@click.option(
    "--encoding", metavar="NAME", help="Of a text that is not UTF-8: gb18030, cp1252, shift_jis and so on."
)
@click.option("--header", type=click.IntRange(min=1), metavar="LINE", help="The line with the headings.")
@click.option("--map", "maps", multiple=True, metavar="FIELD=COLUMN", help=f"One of {', '.join(FIELDS)}.")
@click.option("--currency", "rates", multiple=True, metavar="EUR=1.08@DAY", help="1 EUR in USD, and the day.")
@click.option("--in", "unnamed", metavar="CODE", help="The currency of amounts that name none or a bare $.")
@click.option("--decimal", type=click.Choice([",", "."]), help="The decimal mark of the file.")
@click.option("--packs", type=click.Choice(PACK_RULES), help="What prices of packs are for.")
@click.option("--alias", "aliases", multiple=True, metavar="THEIRS=OURS", help="A vendor's SKU and ours.")
@click.option("--answer", "answers", multiple=True, metavar="DOUBT=ANSWER", help="Answers one doubt.")
@click.option("--needed-on", type=_DAY, metavar="DAY", help="Quotes must hold on this day; default today.")
@click.option("--today", type=_DAY, metavar="DAY", help="The day of reading; default today.")
@click.option("--out", type=click.Path(path_type=Path), metavar="CSV", help="Written once no doubt is open.")
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Where the file itself is kept;"
              " default: originals beside --out.")  # fmt: skip
def quotes(
    file: Path,
    sheet: str | None,
    encoding: str | None,
    header: int | None,
    maps: tuple[str, ...],
    rates: tuple[str, ...],
    unnamed: str | None,
    decimal: str | None,
    packs: PackRule | None,
    aliases: tuple[str, ...],
    answers: tuple[str, ...],
    needed_on: dt.datetime | None,
    today: dt.datetime | None,
    out: Path | None,
    keep: Path | None,
) -> None:
    """Reads the price list FILE (CSV or XLSX) and shows what would be taken, and every doubt.

    Nothing is written while a doubt is open. Exit status: 0 no doubt is open; 1 doubts are open; 2 FILE
    or an option is at fault, or no price was taken. The result is what [prices] quotes of a scenario names.
    """
    try:
        table = load_quote(file, sheet, encoding)
        mapping = _mapping(table, header, maps)
        settings = Settings(
            today=(today or dt.datetime.now()).date(),
            rates=dict(_rate(text) for text in rates),
            decimal=decimal,
            currency=_code(unnamed),
            pack_rule=packs,
            aliases=dict(_pair(text, "--alias") for text in aliases),
            needed_on=needed_on.date() if needed_on else None,
        )
        given = dict(_pair(text, "--answer") for text in answers)
        shown = preview(table, mapping, settings, quote_parts(load_sources()), given)
        for line in preview_lines(shown):
            say_line(line)
        if not shown.doubts and not shown.good:
            raise QuoteError(nothing_taken(shown))
        if out and not shown.doubts:
            kept = store_original(table, keep or out.parent / "originals")
            write_all({out: quotes_csv(accept(shown))})
            say_line(f"{len(shown.good)} prices written to {out}; {file.name} is kept as {kept}")
    except QuoteError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"cannot be written: {error.filename}: {error.strerror}") from error
    sys.exit(1 if shown.doubts else 0)


def preview_lines(shown: QuotePreview) -> list[str]:
    """A preview in words: columns, prices that are sure, rows left out, doubts with their keys."""
    headings = shown.mapping.headings
    lines = [f"{shown.table.name}: headings in line {shown.mapping.header_line}"]
    for name, column in shown.mapping.columns.items():
        title = headings[column] if column < len(headings) else ""
        sure = shown.mapping.confidence.get(name, 1.0)
        lines.append(f'  {name} = column {column + 1} "{title}"{"" if sure == 1 else " (not sure)"}')
    lines.append(f"Taken ({len(shown.good)}):")
    for row in shown.good:
        pack = f" for {row.pack} pieces" if row.pack > 1 else ""
        paid = ", ".join((f"{row.amount:f} {row.currency}{pack}", *row.steps))
        lines.append(f"  line {row.line}: {row.vendor_sku} is {row.sku}: {paid} = {row.usd:,.2f} USD a piece")
    lines.append(f"Left out ({len(shown.rejected)}):")
    lines += [f"  line {row.line}: {row.reason} ({row.given[:60]})" for row in shown.rejected]
    lines.append(f"Doubts ({len(shown.doubts)}); answer each with --answer KEY=ANSWER:")
    for doubt in shown.doubts:
        place = f"line {doubt.line}: " if doubt.line else ""
        choices = f" [{' | '.join(doubt.choices[:8])}]" if doubt.choices else f" [... | {SKIP}]"
        lines.append(f"  {doubt.key}: {place}{doubt.given[:60]!r} {doubt.message}{choices}")
    return lines


def _mapping(table: RawTable, header: int | None, maps: Sequence[str]) -> ColumnMap:
    """The proposal, with what the user maps by hand; columns count from 1 or go by their headings."""
    pairs = [_pair(text, "--map") for text in maps]
    unknown = [name for name, _ in pairs if name not in FIELDS]
    if unknown:
        raise QuoteError(f"--map {unknown[0]} is no field; known: {', '.join(FIELDS)}")
    line = header or (table.rows[0].line if {"sku", "price"} <= {n for n, _ in pairs} else None)
    if header is None:
        try:
            line = propose_mapping(table).header_line
        except QuoteError:
            if line is None:
                raise
    row = next((r for r in table.rows if r.line == line), table.rows[0])
    titles = [cell.text for cell in row.cells]
    given = {}
    for name, column in pairs:
        if not column.isdecimal() and column not in titles:
            raise QuoteError(f"--map {name}={column}: no heading of line {row.line} is {column!r}")
        given[name] = int(column) - 1 if column.isdecimal() else titles.index(column)
    return map_columns(table, row.line if line is None else line, given)


def _rate(text: str) -> tuple[str, Rate]:
    code, value = _pair(text, "--currency")
    try:
        return code.upper(), read_rate(value)
    except Left as fault:
        raise QuoteError(f"--currency {code}: {fault}") from None


def _code(text: str | None) -> str | None:
    if text is not None and text.upper() not in CODES:
        raise QuoteError(f"--in {text} is no currency; known: {', '.join(CODES)}")
    return text.upper() if text else None


def _pair(text: str, option: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise QuoteError(f"{option} {text!r} is not written as NAME=VALUE")
    return key.strip(), value.strip()
