"""Strict reading of data files: every fault of a file at once, each with file, line and column."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TypeVar, cast

from pricing.guarded_files import file_text
from pricing.provenance import Grade, Source

Word = TypeVar("Word", bound=str)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


class DataFileError(ValueError):
    """A data file is at fault; ``faults`` has one line a fault, as the message does."""

    def __init__(self, faults: Collection[str]) -> None:
        """Joins the faults to one message."""
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a data file. Its readers note a fault and hand back a stand-in, so that one pass
    finds all; ``read_rows`` and ``raise_faults`` never let a stand-in out."""

    file: str
    line: int
    cells: Mapping[str, str]
    faults: list[str]

    def fault(self, column: str, problem: str) -> None:
        """Notes a fault of this row."""
        self.faults.append(f"{self.file}, line {self.line}, column {column}: {problem}")

    def maybe(self, column: str) -> str:
        """The cell, which may be empty."""
        return self.cells.get(column, "")

    def text(self, column: str) -> str:
        """The cell, which must not be empty."""
        if not self.maybe(column):
            self.fault(column, "is empty")
        return self.maybe(column)

    def number(self, column: str) -> float:
        """A finite number, 0 or more."""
        value = self.signed(column)
        if value < 0:
            self.fault(column, f"{value:g} is negative")
        return value

    def signed(self, column: str) -> float:
        """A finite number of either sign."""
        text = self.text(column)
        try:
            value = float(text)
        except ValueError:
            if text:
                self.fault(column, f"{text!r} is not a number")
            return 0.0
        if not isfinite(value):
            self.fault(column, f"{text!r} is not finite")
        return value

    def number_or_none(self, column: str) -> float | None:
        """A number, None where the cell is empty (which is never 0)."""
        return self.number(column) if self.maybe(column) else None

    def one_of(self, column: str, known: Collection[Word]) -> Word:
        """A word out of ``known``; whatever the cell has stands in for it where that is none of them."""
        text = self.text(column)
        if text and text not in known:
            self.fault(column, f"{text!r} is none of {', '.join(sorted(known))}")
        return cast(Word, text)

    def source(self, prefix: str = "", date: str | None = None) -> Source:
        """The provenance in the columns source, date and grade (``prefix`` before each)."""
        grade = self.one_of(f"{prefix}grade", tuple(Grade))
        return Source(
            text=self.text(f"{prefix}source"),
            date=self.text(date or f"{prefix}date"),
            grade=Grade(grade) if grade in tuple(Grade) else Grade.GUESS,
        )


def read_rows(path: Path, columns: Collection[str], key: str | None, faults: list[str]) -> Iterator[Row]:
    """The rows of a CSV file, as ``rows_of``; a missing file is a fault. Raises OSError too."""
    try:
        text = file_text(path)
    except FileNotFoundError:
        faults.append(f"{path.name}: is missing")
        return
    yield from rows_of(text, path.name, columns, key, faults)


def rows_of(
    text: str, name: str, columns: Collection[str], key: str | None, faults: list[str]
) -> Iterator[Row]:
    """The rows of a CSV text that has exactly these columns; ``key``, if any, must be unique in it.

    Faults, which call the text ``name``, are appended to ``faults``; rows with too few or too many cells
    are left out. Raises csv.Error where it is no CSV.
    """
    lines = csv.reader(io.StringIO(text, newline=""))
    header = next(lines, [])
    for column in sorted(set(columns) ^ set(header)):
        known = "is not known" if column in header else "is missing"
        faults.append(f"{name}, line 1, column {column}: {known}")
    seen: set[str] = set()
    for cells in lines:
        if len(cells) != len(header):
            faults.append(f"{name}, line {lines.line_num}: {len(cells)} cells of {len(header)}")
            continue
        row = Row(name, lines.line_num, dict(zip(header, cells, strict=True)), faults)
        for column, cell in row.cells.items():
            if not cell.isprintable() and _CONTROL.search(cell):
                row.fault(column, f"{cell[:40]!r} holds a line break or another control character")
        if key and row.text(key) in seen:
            row.fault(key, f"{row.maybe(key)!r} is there twice")
        seen.add(row.maybe(key or ""))
        yield row


def raise_faults(faults: Collection[str]) -> None:
    """Raises DataFileError where there are faults, each named once."""
    if faults:
        raise DataFileError(tuple(dict.fromkeys(faults)))
