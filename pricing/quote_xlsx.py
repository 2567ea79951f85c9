"""The sheets of an XLSX workbook as cells. Formulas and macros are never run."""

from __future__ import annotations

import datetime as dt
import io
import re
import warnings
import zipfile
from decimal import Decimal
from typing import Any

from openpyxl import load_workbook

from pricing.quote_types import TAKE, Cell, Doubt, QuoteError, RawRow

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
