"""What stands above a table of nccl-tests: who took part, and which collective was run."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.calibrate.log_lines import Line

DTYPE_BYTES = {
    "int8": 1, "uint8": 1, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8, "half": 2, "float": 4,
    "double": 8, "bfloat16": 2, "f8e4m3": 1, "f8e5m2": 1, "fp8_e4m3": 1, "fp8_e5m2": 1,
}  # fmt: skip
_TIMES = ("time", "cputime")
_FRONT = ("size", "count")
_FIGURES = ("algbw", "busbw")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d\S*)?|\d\d:\d\d:\d\d\S*")
_TOLERANCE = 0.003  # the tool computes the bandwidth from the time that it prints


class RowError(ValueError):
    """A row that cannot be used; ``code`` is the diagnostic's."""

    def __init__(self, code: str, message: str) -> None:
        """Takes the diagnostic's code and words."""
        super().__init__(message)
        self.code = code


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
    found: dict[str, Any] = {"size_bytes": _whole(front["size"]), "count": _whole(front["count"])}
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


def _whole(cell: str) -> int:
    if not cell.isascii() or not cell.isdecimal() or len(cell) > 18:
        raise RowError("truncated_row", f'"{cell[:40]}" is not a whole number')
    return int(cell)


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


_RANK = re.compile(
    r"#\s+Rank\s+(?P<rank>\d+)(?:\s+Group\s+(?P<group>\d+))?\s+Pid\s+(?P<pid>\d+)\s+on\s+(?P<host>\S+)"
    r"\s+device\s+\d+\s+\[[^\]]*\]\s+(?P<device>.*\S)"
)
_VERSION = re.compile(r"#\s*nccl-tests version\s+(\S+)")
_NAMED = re.compile(r"#\s*Collective test starting:\s*(\w+?)_perf")
_COMMAND = re.compile(r"(?:^|[/\s])(\w+?)_perf(?:_mpi)?(?:\s|$)")
_SETTINGS = re.compile(r"#\s*nThread\s+(\d+)\s+nGpus\s+(\d+)\s")
_VALIDATION = re.compile(r"\bvalidation:\s*(\d)")

_RING = {"all_reduce": 2.0} | dict.fromkeys(
    ("all_gather", "reduce_scatter", "alltoall", "gather", "scatter"), 1.0
)
_DIRECT = ("sendrecv", "broadcast", "reduce")


@dataclass(frozen=True, slots=True)
class Header:
    """``ranks`` is None where no device line says; ``groups`` above 1: the ranks ran in so many rings."""

    version: str | None
    ranks: int | None
    hosts: tuple[str, ...]
    device: str | None
    groups: int
    validation: bool | None
    first_rank_line: int | None

    @property
    def group_ranks(self) -> int | None:
        """Ranks of one collective."""
        return self.ranks // self.groups if self.ranks else None


def header(lines: Sequence[Line]) -> Header:
    """Reads the lines above the first table."""
    above = []
    for line in lines:
        if headings(line.text):
            break
        above.append(line)
    found = [(line, match) for line in above if (match := _RANK.match(line.text))]
    devices = {match["device"] for _, match in found}
    settings = _first(_VALIDATION, above)
    return Header(
        version=_first(_VERSION, above),
        ranks=_ranks(above, [match for _, match in found]),
        hosts=tuple(dict.fromkeys(match["host"] for _, match in found)),
        device=devices.pop() if len(devices) == 1 else None,
        groups=len({match["group"] for _, match in found}) or 1,
        validation=None if settings is None else settings != "0",
        first_rank_line=found[0][0].number if found else None,
    )


def _first(pattern: re.Pattern[str], lines: Sequence[Line]) -> str | None:
    return next((match[1] for line in lines if (match := pattern.search(line.text))), None)


def _ranks(above: Sequence[Line], found: Sequence[re.Match[str]]) -> int | None:
    """Ranks by their device lines; where a process's list was cut ("..."), by threads and GPUs each."""
    if not found:
        return None
    listed = 1 + max(int(match["rank"]) for match in found)
    sizes = next((match for line in above if (match := _SETTINGS.match(line.text))), None)
    cut = any(line.text.rstrip().endswith("...") and line.text.startswith("#") for line in above)
    if not cut:
        return listed
    processes = len({(match["host"], match["pid"]) for match in found})
    return max(listed, processes * int(sizes[1]) * int(sizes[2])) if sizes else None


def bus_factor(name: str | None, ranks: int | None) -> float | None:
    """busbw / algbw of a collective; None where it is not known.

    >>> bus_factor("all_reduce", 16)
    1.875
    """
    if name in _DIRECT:
        return 1.0
    if name not in _RING or not ranks:
        return None
    return _RING[name] * (ranks - 1) / ranks


def row_fault(row: Mapping[str, Any], dtype: str, head: Header) -> str | None:
    """What a row's own arithmetic says against it: size must be count x type, once or once a rank."""
    width, ranks = DTYPE_BYTES.get(dtype), head.group_ranks
    if width is None or ranks is None:
        return None
    one = row["count"] * width
    if row["size_bytes"] not in (one, one * ranks):
        return "size is not count x type: a figure of this row is damaged"
    for half in filter(None, (row["out_of_place"], row["in_place"])):
        alg, bus = half["algbw_gbytes_per_s"], half["busbw_gbytes_per_s"]
        factors = (1.0, *(bus_factor(name, ranks) or 1.0 for name in _RING))
        if not any(is_near(bus, alg * factor, rounding=0.0051 * (1 + factor)) for factor in factors):
            return "busbw / algbw is no collective's: a figure of this row is damaged"
    return None


def collective(
    lines: Sequence[Line],
    head: Header,
    rows: Sequence[Mapping[str, Any]],
    dtype: str | None,
    redop: str | None,
    root: str | None,
) -> tuple[str | None, str | None]:
    """(name, where it stands): the header, the command line, or the columns where they leave no doubt."""
    named = _first(_NAMED, lines)
    if named:
        return named, "header"
    typed = _first(_COMMAND, [line for line in lines if not line.text.startswith("#")])
    if typed:
        return typed, "command line"
    names = _possible(head, rows, dtype, redop, root)
    return (names[0], "columns") if len(names) == 1 else (None, None)


def _possible(
    head: Header, rows: Sequence[Mapping[str, Any]], dtype: str | None, redop: str | None, root: str | None
) -> list[str]:
    """The collectives that the columns allow."""
    ranks, largest = head.group_ranks, max(rows, key=lambda row: float(row["size_bytes"]))
    width, half = DTYPE_BYTES.get(dtype or ""), largest["out_of_place"]
    if not ranks or not width or not half["algbw_gbytes_per_s"]:
        return []
    reduces = redop not in (None, "none")
    rooted = root is not None and root.isdecimal()
    whole = largest["count"] * width == largest["size_bytes"]
    in_place = largest["in_place"]
    one_sided = in_place and in_place["wrong"] is None and half["wrong"] is not None
    names = []
    for name in (*_RING, *_DIRECT):
        factor = bus_factor(name, ranks) or 0.0
        fits = is_near(half["busbw_gbytes_per_s"], half["algbw_gbytes_per_s"] * factor, 0.0051 * (1 + factor))
        if (
            fits
            and (name in ("all_reduce", "reduce_scatter", "reduce", "sendrecv")) == reduces
            and (name in ("broadcast", "reduce", "gather", "scatter")) == rooted
            and (name in ("all_reduce", *_DIRECT)) == whole
            and not (one_sided and name not in ("alltoall", "sendrecv"))
        ):
            names.append(name)
    if names == ["all_gather", "alltoall"] and not one_sided and half["wrong"] is not None:
        return ["all_gather"]  # alltoall is not checked in place
    return names
