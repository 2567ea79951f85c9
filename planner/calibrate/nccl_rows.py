"""A table of nccl-tests: its columns, its rows, and what the arithmetic of a row says against it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.calibrate.readings import RowError, whole_number

DTYPE_BYTES = {
    "int8": 1, "uint8": 1, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8, "half": 2, "float": 4,
    "double": 8, "bfloat16": 2, "f8e4m3": 1, "f8e5m2": 1, "fp8_e4m3": 1, "fp8_e5m2": 1,
}  # fmt: skip
_TIMES = ("time", "cputime")
_FRONT = ("size", "count")
_FIGURES = ("algbw", "busbw")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d\S*)?|\d\d:\d\d:\d\d\S*")
_TOLERANCE = 0.003  # the tool computes the bandwidth from the time that it prints


@dataclass(frozen=True, slots=True)
class Columns:
    """The headings of a table: those before the figures, and those of each half (out of place, in place)."""

    front: tuple[str, ...]
    halves: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        """Cells of a whole row."""
        return len(self.front) + sum(map(len, self.halves))

    @property
    def cpu_time(self) -> bool:
        """Whether the times are of the host (-C 1), and so not those of the bandwidth."""
        return any("cputime" in half for half in self.halves)


def headings(text: str) -> Columns | None:
    """The columns that a heading line names, None where the line is none.

    >>> headings("#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong").width
    13
    """
    names = text.replace("#", "", 1).split() if text.lstrip().startswith("#") else []
    starts = [i for i, name in enumerate(names) if name in _TIMES]
    if not starts or len(starts) > 2 or not set(_FRONT) <= set(names[: starts[0]]):
        return None
    ends = [*starts[1:], len(names)]
    halves = tuple(tuple(names[a:b]) for a, b in zip(starts, ends, strict=True))
    if any(not set(_FIGURES) <= set(half) or len(set(half)) < len(half) for half in halves):
        return None
    return Columns(tuple(names[: starts[0]]), halves)


def pieces(text: str, columns: Columns) -> list[str]:
    """The cells of a row; a date and time after the row (-S 1) are left out."""
    cells = text.split()
    while len(cells) > columns.width and _STAMP.fullmatch(cells[-1]):
        cells.pop()
    return cells


def row(cells: Sequence[str], columns: Columns) -> dict[str, Any]:
    """The figures of a whole row, without its line. Raises RowError."""
    comma = next((cell for cell in cells if "," in cell), None)
    if comma is not None:
        raise RowError("decimal_comma", f'"{comma}" has a comma: figures have a decimal point')
    if len(cells) != columns.width:
        raise RowError("truncated_row", f"{len(cells)} cells of {columns.width}")
    front = dict(zip(columns.front, cells, strict=False))
    found: dict[str, Any] = {"size_bytes": whole_number(front["size"]), "count": whole_number(front["count"])}
    at = len(columns.front)
    for name, half in zip(("out_of_place", "in_place"), columns.halves, strict=False):
        figures = dict(zip(half, cells[at : at + len(half)], strict=True))
        found[name] = _half(figures, found["size_bytes"], columns.cpu_time)
        at += len(half)
    found.setdefault("in_place", None)
    return found


def _half(cells: dict[str, str], size_bytes: int, cpu_time: bool) -> dict[str, Any]:
    time_us = _figure(cells.get("time", cells.get("cputime", "")))
    found: dict[str, Any] = {
        "time_us": time_us,
        "algbw_gbytes_per_s": _figure(cells["algbw"]),
        "busbw_gbytes_per_s": _figure(cells["busbw"]),
        "wrong": None,
    }
    wrong = cells.get("#wrong", cells.get("wrong", "N/A"))
    if wrong != "N/A":
        found["wrong"] = round(_figure(wrong))
    if "error" in cells:
        error = cells["error"]
        found["max_error"] = None if error == "N/A" else _figure(error)
    if time_us == 0:
        raise RowError("validation_failed", "a time of 0")
    if not cpu_time and not is_near(found["algbw_gbytes_per_s"], size_bytes / time_us / 1e3):
        raise RowError("validation_failed", "algbw is not size / time: a figure of this row is damaged")
    return found


def is_near(printed: float, computed: float, rounding: float = 0.0051) -> bool:
    """Whether a printed figure is the computed one, rounded to two decimals.

    >>> is_near(0.01, 0.0125), is_near(20.2, 20.3)
    (True, False)
    """
    return abs(printed - computed) <= rounding + _TOLERANCE * abs(computed)


def _figure(cell: str) -> float:
    try:
        value = float(cell) if cell.isascii() and "_" not in cell else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise RowError("truncated_row", f'"{cell[:40]}" is not a figure')
    if value < 0:
        raise RowError("validation_failed", f"{cell} is negative")
    return value


RING = {"all_reduce": 2.0} | dict.fromkeys(
    ("all_gather", "reduce_scatter", "alltoall", "gather", "scatter"), 1.0
)
DIRECT = ("sendrecv", "broadcast", "reduce")


def bus_factor(name: str | None, ranks: int | None) -> float | None:
    """busbw / algbw of a collective; None where it is not known.

    >>> bus_factor("all_reduce", 16)
    1.875
    """
    if name in DIRECT:
        return 1.0
    if name not in RING or not ranks:
        return None
    return RING[name] * (ranks - 1) / ranks


def row_fault(row: Mapping[str, Any], dtype: str, ranks: int | None) -> str | None:
    """What a row's own arithmetic says against it: size must be count x type, once or once a rank
    of ``ranks`` that run one collective."""
    width = DTYPE_BYTES.get(dtype)
    if width is None or ranks is None:
        return None
    one = row["count"] * width
    if row["size_bytes"] not in (one, one * ranks):
        return "size is not count x type: a figure of this row is damaged"
    for half in filter(None, (row["out_of_place"], row["in_place"])):
        alg, bus = half["algbw_gbytes_per_s"], half["busbw_gbytes_per_s"]
        factors = (1.0, *(bus_factor(name, ranks) or 1.0 for name in RING))
        if not any(is_near(bus, alg * factor, rounding=0.0051 * (1 + factor)) for factor in factors):
            return "busbw / algbw is no collective's: a figure of this row is damaged"
    return None
