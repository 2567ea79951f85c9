"""A workbook (XLSX) -> rows of cells: stored values, what is hidden or struck through; nothing is run."""

from __future__ import annotations

import datetime as dt
import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

from openpyxl import load_workbook

from pricing.quotes.quote_values import SKIP, TAKE, Cell, Doubt, QuoteError, RawRow

MAX_UNPACKED_BYTES = 200_000_000
MAX_MEMBERS = 2_000
MAX_PACKING = 250  # unpacked / packed bytes of one member; sheets of text reach about 30
MAX_ROWS = 50_000
MAX_COLUMNS = 200
_SMALL_BYTES = 1_000_000
_FORMAT_SIGN = re.compile(r'\[\$([^\-\]]+)(?:-[0-9A-Fa-f]+)?\]|"([^"]{1,4})"|([€£$¥])')
_PLAIN_FORMAT = re.compile(r"[#0?.,\s$€£¥+\-()@]*")
_SHOWN_IN_THOUSANDS = re.compile(r"[#0?],+(?![#0?.,])")


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of a sheet, the columns that it hides, and what is asked of the workbook as a whole."""

    name: str
    rows: list[RawRow]
    hidden_columns: frozenset[int]
    doubts: list[Doubt]


def read_sheet(data: bytes, name: str, sheet: str | None) -> Sheet:
    """The named sheet, else the first filled one that is shown. Raises QuoteError for an unsafe workbook."""
    _check_size(data, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of a workbook that hold no prices
            shown = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
            inner = load_workbook(io.BytesIO(data), read_only=True, data_only=False, keep_links=False)
            filled = [s.title for s in shown.worksheets if _is_filled(s)]
            if sheet is not None and sheet not in shown.sheetnames:
                raise QuoteError(f"{name} has no sheet {sheet!r}; it has {', '.join(shown.sheetnames)}")
            visible = [title for title in filled if shown[title].sheet_state == "visible"]
            taken = sheet or (visible or filled or shown.sheetnames)[0]
            hidden_rows, hidden_columns = _hidden(data, taken)
            rows = _rows(shown[taken], inner[taken], name, hidden_rows)
            doubts = list(_sheet_doubts(taken, sheet, filled, shown[taken].sheet_state == "visible"))
    except QuoteError:
        raise
    except Exception as error:  # a broken workbook fails in any of the reader's layers
        raise QuoteError(f"{name} is no readable XLSX workbook: {error}") from None
    return Sheet(taken, rows, frozenset(hidden_columns), doubts)


def _sheet_doubts(taken: str, asked: str | None, filled: list[str], visible: bool) -> Iterator[Doubt]:
    """Other sheets with cells, where none was named, and a sheet that the workbook hides."""
    others = [title for title in filled if title != taken]
    if others and asked is None:
        said = f"sheet {taken!r} was taken; {', '.join(map(repr, others))} has cells too"
        yield Doubt("sheet", None, taken, said, (TAKE,))
    if not visible:
        yield Doubt("hidden_sheet", None, taken, "the workbook hides this sheet", (TAKE, SKIP))


def _check_size(data: bytes, name: str) -> None:
    """Refuses archives that unpack to far more than a price list can be."""
    try:
        members = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError) as error:
        raise QuoteError(f"{name} is no readable XLSX workbook: {error}") from None
    unpacked = sum(m.file_size for m in members)
    bomb = any(m.file_size > _SMALL_BYTES and m.file_size > MAX_PACKING * m.compress_size for m in members)
    if bomb or unpacked > MAX_UNPACKED_BYTES or len(members) > MAX_MEMBERS:
        raise QuoteError(f"{name} unpacks to {unpacked:,} bytes in {len(members):,} parts: too much")


def _is_filled(sheet: Any) -> bool:
    rows = sheet.iter_rows(max_row=200, max_col=MAX_COLUMNS, values_only=True)
    return any(value is not None for row in rows for value in row)


def _hidden(data: bytes, sheet: str) -> tuple[set[int], set[int]]:
    """Rows (from 1) and columns (from 0) of a sheet that the workbook does not show."""
    rows, columns = set[int](), set[int]()
    packed = zipfile.ZipFile(io.BytesIO(data))
    part, line = io.BytesIO(packed.read(_part_of(packed, sheet))), 0
    for event, element in ElementTree.iterparse(part, events=("start", "end")):
        tag = element.tag.rpartition("}")[2]
        if event == "end":
            element.clear()
        elif tag == "row":
            line = int(element.get("r", line + 1))
            rows |= {line} if _is_hidden(element, "ht") else set()
        elif tag == "col" and _is_hidden(element, "width"):
            first, last = int(element.get("min", 1)), int(element.get("max", 1))
            columns |= set(range(first - 1, min(last, MAX_COLUMNS)))
    return rows, columns


def _is_hidden(element: ElementTree.Element, size: str) -> bool:
    return element.get("hidden") in ("1", "true") or float(element.get(size, 1)) == 0


def _part_of(packed: zipfile.ZipFile, sheet: str) -> str:
    """The member of the archive that holds a sheet's cells."""
    book = ElementTree.fromstring(packed.read("xl/workbook.xml"))
    links = ElementTree.fromstring(packed.read("xl/_rels/workbook.xml.rels"))
    named = next(e for e in book.iter() if e.tag.endswith("}sheet") and e.get("name") == sheet)
    link = next(value for key, value in named.attrib.items() if key.endswith("}id"))
    target = next(str(e.get("Target")) for e in links.iter() if e.get("Id") == link)
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _rows(shown: Any, inner: Any, name: str, hidden: set[int]) -> list[RawRow]:
    rows = []
    pairs = zip(
        shown.iter_rows(max_col=MAX_COLUMNS + 1), inner.iter_rows(max_col=MAX_COLUMNS + 1), strict=True
    )
    for line, (values, sources) in enumerate(pairs, start=1):
        if line > MAX_ROWS:
            raise QuoteError(f"{name} has more than {MAX_ROWS:,} rows")
        cells = [_cell(v, s) for v, s in zip(values, sources, strict=True)]
        while cells and not cells[-1].text:
            cells.pop()
        rows.append(RawRow(line, tuple(cells), line in hidden))
    return rows


def _cell(shown: Any, source: Any) -> Cell:
    """One cell: the stored value, whether a formula made it, and how it is shown."""
    value = shown.value
    formula = source.data_type == "f"
    if value is None:
        return Cell("(formula without a stored result)" if formula else "", formula=formula)
    struck = bool(getattr(shown.font, "strike", False))
    if isinstance(value, dt.datetime | dt.date):
        day = value.date() if isinstance(value, dt.datetime) else value
        return Cell(day.isoformat(), date=day, formula=formula, struck=struck)
    if isinstance(value, int | float) and not isinstance(value, bool):
        written = str(shown.number_format or "")
        sign = _FORMAT_SIGN.search(written)
        currency = next((part for part in sign.groups() if part), "") if sign else ""
        number = Decimal(repr(value))
        odd = odd_format(written)
        return Cell(
            f"{number:f}", number=number, formula=formula, currency=currency, shown_as=odd, struck=struck
        )
    return Cell(str(value).strip(), formula=formula, struck=struck)


def odd_format(written: str) -> str:
    """A number format that shows something else than the number itself in a currency; "" for any other.

    >>> odd_format("0%"), odd_format('#,##0.00 "EUR"'), odd_format('#,##0,"k"'), odd_format("General")
    ('0%', '', '#,##0,"k"', '')
    """
    first = re.sub(r"\[[^\]]*\]|[_*\\].", "", written.partition(";")[0])
    first = re.sub(r'"(?:[€£$¥]|[A-Z]{2,3}\$?|元|kr|zł|\s|Fr\.|SFr\.)*"', "", first)
    plain = _PLAIN_FORMAT.fullmatch(first.replace("General", "")) and not _SHOWN_IN_THOUSANDS.search(first)
    return "" if plain else written
