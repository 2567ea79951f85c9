"""The bytes of a price list -> a raw table. Nothing is run, nothing is understood yet."""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
from collections import Counter
from dataclasses import replace

from pricing.quotes.quote_values import SKIP, TAKE, Cell, Doubt, QuoteError, RawRow, RawTable
from pricing.quotes.workbook import MAX_COLUMNS, MAX_ROWS, Sheet, read_sheet

MAX_BYTES = 20_000_000
MAX_CELL = 1_000  # characters; words are looked for in each, in time that grows with its square
_DELIMITERS = (";", ",", "\t", "|")
_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"


def read_quote(data: bytes, name: str, sheet: str | None = None, encoding: str | None = None) -> RawTable:
    """A CSV file or an XLSX workbook as a table of cells, with its lines.

    Of a workbook with several filled sheets the first is read unless ``sheet`` names one, and that is a
    doubt; so is the encoding of a text that is not UTF-8, unless ``encoding`` names it. Raises QuoteError
    where the bytes are no such file or too many.
    """
    if len(data) > MAX_BYTES:
        raise QuoteError(f"{name} is larger than {MAX_BYTES:,} bytes")
    if data.startswith(_OLD_WORKBOOK):
        raise QuoteError(f"{name} is a workbook of the old kind or encrypted: save it as XLSX")
    if data.startswith(b"PK\x03\x04"):
        found = read_sheet(data, name, sheet)
    else:
        found = Sheet("", *_text_rows(data, name, encoding))
    rows = found.rows
    if len(rows) > MAX_ROWS or any(len(row.cells) > MAX_COLUMNS for row in rows):
        raise QuoteError(f"{name} has more than {MAX_ROWS:,} rows or {MAX_COLUMNS} columns")
    filled = tuple(row for row in rows if any(c.text.strip() for c in row.cells))
    if not filled:
        raise QuoteError(f"{name} is empty")
    long = [row.line for row in filled if any(len(cell.text) > MAX_CELL for cell in row.cells)]
    if long:
        said = f"has a cell of more than {MAX_CELL:,} characters; what is after them was not read"
        found.doubts.append(Doubt("long", long[0], f"{len(long)} rows", said, (TAKE, SKIP)))
        filled = tuple(replace(row, cells=tuple(map(_shortened, row.cells))) for row in filled)
    digest = hashlib.sha256(data).hexdigest()
    return RawTable(name, data, digest, filled, found.name, tuple(found.doubts), found.hidden_columns)


def _shortened(cell: Cell) -> Cell:
    return replace(cell, text=cell.text[:MAX_CELL])


def _text_rows(
    data: bytes, name: str, encoding: str | None
) -> tuple[list[RawRow], frozenset[int], list[Doubt]]:
    text, doubts = _decoded(data, name, encoding)
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
    return rows, frozenset(), doubts


def _decoded(data: bytes, name: str, encoding: str | None) -> tuple[str, list[Doubt]]:
    """The text, as stated, by its byte order mark, as UTF-8, else as looks right, which is a doubt."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decoded_as("utf-16", data, name), []
    if b"\0" in data:
        raise QuoteError(f"{name} is neither text nor an XLSX workbook")
    if encoding is not None:
        return _decoded_as(encoding, data, name), []
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
    chinese = _is_chinese(data)
    text = data.decode("gb18030") if chinese else data.decode("cp1252", errors="replace")
    shown = next((row.strip() for row in text.splitlines() if not row.isascii()), "")
    taken = "GB18030" if chinese else "Windows-1252"
    said = (
        f"is not UTF-8 (line {line}); read as {taken}: look at its signs beyond a to z, or state the encoding"
    )
    return text, [Doubt("encoding", line, shown, said, (TAKE,))]


def _decoded_as(encoding: str, data: bytes, name: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        raise QuoteError(f"{name} is no {encoding.upper()} text") from None


def _is_chinese(data: bytes) -> bool:
    """Whether bytes read as GB18030 are common Chinese signs, as letters with accents are not."""
    try:
        signs = [c for c in data.decode("gb18030") if not c.isascii()]
    except UnicodeDecodeError:
        return False
    common = sum(_is_common(sign) for sign in signs)
    return 5 * common >= 4 * len(signs)


def _is_common(sign: str) -> bool:
    """A punctuation mark or one of the 3,755 most used signs of GB 2312."""
    try:
        first = sign.encode("gb2312")[0]
    except UnicodeEncodeError:
        return False
    return 0xA1 <= first <= 0xA3 or 0xB0 <= first <= 0xD7


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
