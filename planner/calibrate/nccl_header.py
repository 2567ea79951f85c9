"""What stands above a table of nccl-tests: who took part, and which collective was run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.calibrate.log_lines import Line
from planner.calibrate.nccl_rows import DIRECT, DTYPE_BYTES, RING, bus_factor, headings, is_near

_RANK = re.compile(
    r"#\s+Rank\s+(?P<rank>\d+)(?:\s+Group\s+(?P<group>\d+))?\s+Pid\s+(?P<pid>\d+)\s+on\s+(?P<host>\S+)"
    r"\s+device\s+\d+\s+\[[^\]]*\]\s+(?P<device>.*\S)"
)
_VERSION = re.compile(r"#\s*nccl-tests version\s+(\S+)")
_NAMED = re.compile(r"#\s*Collective test starting:\s*(\w+?)_perf")
_COMMAND = re.compile(r"(?:^|[/\s])(\w+?)_perf(?:_mpi)?(?:\s|$)")
_SETTINGS = re.compile(r"#\s*nThread\s+(\d+)\s+nGpus\s+(\d+)\s")
_VALIDATION = re.compile(r"\bvalidation:\s*(\d)")


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
    for name in (*RING, *DIRECT):
        factor = bus_factor(name, ranks) or 0.0
        fits = is_near(half["busbw_gbytes_per_s"], half["algbw_gbytes_per_s"] * factor, 0.0051 * (1 + factor))
        if (
            fits
            and (name in ("all_reduce", "reduce_scatter", "reduce", "sendrecv")) == reduces
            and (name in ("broadcast", "reduce", "gather", "scatter")) == rooted
            and (name in ("all_reduce", *DIRECT)) == whole
            and not (one_sided and name not in ("alltoall", "sendrecv"))
        ):
            names.append(name)
    if names == ["all_gather", "alltoall"] and not one_sided and half["wrong"] is not None:
        return ["all_gather"]  # alltoall is not checked in place
    return names
