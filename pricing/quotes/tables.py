"""The bytes of a price list -> a raw table. Nothing is run, nothing is understood yet."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import io
import re
import warnings
import zipfile
from collections import Counter
from decimal import Decimal
from typing import Any

from openpyxl import load_workbook

from pricing.quotes.values import TAKE, Cell, Doubt, QuoteError, RawRow, RawTable

MAX_UNPACKED_BYTES = 200_000_000
MAX_MEMBERS = 2_000
MAX_PACKING = 250  # unpacked / packed bytes of one member; sheets of text reach about 30
MAX_ROWS = 50_000
MAX_COLUMNS = 200
_SMALL_BYTES = 1_000_000
_FORMAT_SIGN = re.compile(r'\[\$([^\-\]]+)(?:-[0-9A-Fa-f]+)?\]|"([^"]{1,4})"|([€£$¥])')


def sheet_rows(data: bytes, name: str, sheet: str | None) -> tuple[str, list[RawRow], list[Doubt]]:
    """The filled sheet's name, its rows, and doubts. Raises QuoteError for what is no safe workbook."""
    _check_size(data, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of a workbook that hold no prices
            shown = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
            inner = load_workbook(io.BytesIO(data), read_only=True, data_only=False, keep_links=False)
            filled = [s.title for s in shown.worksheets if _is_filled(s)]
            if sheet is not None and sheet not in shown.sheetnames:
                raise QuoteError(f"{name} has no sheet {sheet!r}; it has {', '.join(shown.sheetnames)}")
            taken = sheet or (filled or shown.sheetnames)[0]
            rows = _rows(shown[taken], inner[taken], name)
    except QuoteError:
        raise
    except Exception as error:  # a broken workbook fails in any of the reader's layers
        raise QuoteError(f"{name} is no readable XLSX workbook: {error}") from None
    others = [title for title in filled if title != taken]
    doubts = []
    if others and sheet is None:
        said = f"sheet {taken!r} was taken; {', '.join(map(repr, others))} has cells too"
        doubts.append(Doubt("sheet", None, taken, said, (TAKE,)))
    return taken, rows, doubts


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


def _rows(shown: Any, inner: Any, name: str) -> list[RawRow]:
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
        rows.append(RawRow(line, tuple(cells)))
    return rows


def _cell(shown: Any, source: Any) -> Cell:
    """One cell: the stored value, and whether a formula made it."""
    value = shown.value
    formula = source.data_type == "f"
    if value is None:
        return Cell("(formula without a stored result)" if formula else "", formula=formula)
    if isinstance(value, dt.datetime | dt.date):
        day = value.date() if isinstance(value, dt.datetime) else value
        return Cell(day.isoformat(), date=day, formula=formula)
    if isinstance(value, int | float) and not isinstance(value, bool):
        sign = _FORMAT_SIGN.search(str(shown.number_format or ""))
        currency = next((part for part in sign.groups() if part), "") if sign else ""
        number = Decimal(repr(value))
        return Cell(f"{number:f}", number=number, formula=formula, currency=currency)
    return Cell(str(value).strip(), formula=formula)


MAX_BYTES = 20_000_000
_DELIMITERS = (";", ",", "\t", "|")
_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"


def read_quote(data: bytes, name: str, sheet: str | None = None) -> RawTable:
    """A CSV file or an XLSX workbook as a table of cells, with its lines.

    Of a workbook with several filled sheets the first is read unless ``sheet`` names one, and that is a
    doubt. Raises QuoteError where the bytes are no such file or too many.
    """
    if len(data) > MAX_BYTES:
        raise QuoteError(f"{name} is larger than {MAX_BYTES:,} bytes")
    if data.startswith(_OLD_WORKBOOK):
        raise QuoteError(f"{name} is a workbook of the old kind or encrypted: save it as XLSX")
    if data.startswith(b"PK\x03\x04"):
        taken, rows, doubts = sheet_rows(data, name, sheet)
    else:
        taken, (rows, doubts) = "", _text_rows(data, name)
    if len(rows) > MAX_ROWS or any(len(row.cells) > MAX_COLUMNS for row in rows):
        raise QuoteError(f"{name} has more than {MAX_ROWS:,} rows or {MAX_COLUMNS} columns")
    filled = tuple(row for row in rows if any(c.text.strip() for c in row.cells))
    if not filled:
        raise QuoteError(f"{name} is empty")
    return RawTable(name, data, hashlib.sha256(data).hexdigest(), filled, taken, tuple(doubts))


def _text_rows(data: bytes, name: str) -> tuple[list[RawRow], list[Doubt]]:
    text, doubts = _decoded(data, name)
    hint = text[:6].lower()
    first = 1
    if hint.startswith("sep=") and len(text) > 4:  # a spreadsheet's own note of the delimiter
        delimiter, first = text[4], 2
        text = text.partition("\n")[2]
    else:
        delimiter, others = _delimiter(text)
        if others:
            names = tuple(repr(d) for d in (delimiter, *others))
            said = f"cells may be parted by {' or '.join(names)}; {names[0]} was taken"
            doubts.append(Doubt("delimiter", None, "", said, (TAKE,)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows, line = list[RawRow](), first
    try:
        for cells in reader:
            rows.append(RawRow(line, tuple(Cell(cell.strip()) for cell in cells)))
            line = first + reader.line_num
    except csv.Error as error:
        raise QuoteError(f"{name}, line {line}: {error}") from None
    return rows, doubts


def _decoded(data: bytes, name: str) -> tuple[str, list[Doubt]]:
    """The text, by its byte order mark, as UTF-8, else as Windows-1252, which is a doubt."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16"), []
        except UnicodeDecodeError:
            raise QuoteError(f"{name} is no UTF-16 text") from None
    if b"\0" in data:
        raise QuoteError(f"{name} is neither text nor an XLSX workbook")
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        said = f"is not UTF-8 (line {line}); read as Windows-1252, so look at signs beyond a to z"
        return data.decode("cp1252", errors="replace"), [Doubt("encoding", line, "", said, (TAKE,))]


def _delimiter(text: str) -> tuple[str, tuple[str, ...]]:
    """The delimiter that gives most rows the same number of columns, and others just as good."""
    lines = text.splitlines()[:2000]
    scores = {}
    for delimiter in _DELIMITERS:
        try:
            widths = Counter(len(r) for r in csv.reader(lines, delimiter=delimiter) if any(r))
        except csv.Error:
            continue
        wide = {width: n for width, n in widths.items() if width > 1}
        best = max(wide, key=lambda width: (wide[width], width), default=0)
        scores[delimiter] = (wide.get(best, 0), best)
    if not scores or max(scores.values())[0] == 0:
        return ",", ()
    rows = max(n for n, _ in scores.values())
    good = sorted((d for d, (n, _) in scores.items() if n == rows), key=lambda d: -scores[d][1])
    return good[0], tuple(good[1:])
