"""The tables of perftest: columns by their headings, a row's cells -> its figures."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from planner.calibrate.nccl_columns import RowError

_TITLES = (
    ("size", r"#bytes"),
    ("iterations", r"#iterations"),
    ("bw_peak", r"BW peak\s*\[[^\]]*\]"),
    ("bw_avg", r"BW average\s*\[[^\]]*\]"),
    ("msg_rate", r"MsgRate\s*\[Mpps\]"),
    ("cpu", r"CPU_Util\s*\[%\]"),
    ("t_min", r"t_min\s*\[usec\]"),
    ("t_max", r"t_max\s*\[usec\]"),
    ("t_typical", r"t_typical\s*\[usec\]"),
    ("t_avg", r"t_avg\s*\[usec\]"),
    ("t_stdev", r"t_stdev\s*\[usec\]"),
    ("t_p99", r"99% percentile\s*\[usec\]"),
    ("t_p999", r"99\.9% percentile\s*\[usec\]"),
    ("tps", r"tps average"),
)
_TITLE = re.compile("|".join(f"(?P<{name}>{words})" for name, words in _TITLES))
_LATENCIES = ("t_min", "t_max", "t_typical", "t_avg", "t_stdev", "t_p99", "t_p999")
_TOLERANCE = 0.002  # the tool computes the message rate and the bandwidth from one time


def titles(text: str) -> list[tuple[str, str]]:
    """(name, unit) of each column that a heading line names, [] where it is none.

    >>> titles(" #bytes #iterations    t_avg[usec]    tps average")
    [('size', ''), ('iterations', ''), ('t_avg', 'usec'), ('tps', '')]
    """
    if "#bytes" not in text or "#iterations" not in text:
        return []
    found = list(_TITLE.finditer(text))
    left = _TITLE.sub(" ", text).split()
    columns = [(str(m.lastgroup), m[0].partition("[")[2].rstrip("]")) for m in found]
    names = [name for name, _ in columns]
    if left or len(set(names)) < len(names) or not {"bw_avg", "t_typical", "t_avg"} & set(names):
        return []
    return columns


def bandwidth_row(cells: Mapping[str, str], gbits_per_unit: float) -> dict[str, Any]:
    """A bandwidth row, rates as printed and in 1e9 bit/s. Raises RowError."""
    size, average = whole(cells["size"]), figure(cells["bw_avg"])
    peak = figure(cells["bw_peak"]) if "bw_peak" in cells else None
    messages = figure(cells["msg_rate"]) if "msg_rate" in cells else None
    if average == 0 or (peak and peak < 0.99 * average):
        raise RowError("validation_failed", "an average bandwidth of 0, or above its peak")
    row = {
        "size_bytes": size,
        "iterations": whole(cells["iterations"]),
        "bw_peak_printed": peak,
        "bw_avg_printed": average,
        "bw_peak_gbits_per_s": round(peak * gbits_per_unit, 6) if peak else None,
        "bw_avg_gbits_per_s": round(average * gbits_per_unit, 6),
        "msg_rate_mpps": messages,
    }
    if messages is not None:
        _check_rate(size, average * gbits_per_unit, 0.0051 * gbits_per_unit, messages)
    return row


def _check_rate(size_bytes: int, gbits_per_s: float, rounding: float, messages_mpps: float) -> None:
    """Message rate x size is the bandwidth, whatever the verb, the queue pairs and the directions."""
    each = size_bytes * 8 / 1e3
    allowed = rounding + 5.1e-7 * each + _TOLERANCE * gbits_per_s
    if abs(messages_mpps * each - gbits_per_s) > allowed:
        raise RowError("validation_failed", "message rate x size is not the bandwidth: a figure is damaged")


def latency_row(cells: Mapping[str, str]) -> dict[str, Any]:
    """A latency row, us; None where the version does not print a figure. Raises RowError."""
    row: dict[str, Any] = {"size_bytes": whole(cells["size"]), "iterations": whole(cells["iterations"])}
    for name in _LATENCIES:
        row[f"{name}_us"] = figure(cells[name]) if name in cells else None
    if "tps" in cells:
        row["tps"] = figure(cells["tps"])
    least, most = row["t_min_us"], row["t_max_us"]
    for name in ("t_typical", "t_avg", "t_p99", "t_p999"):
        value = row[f"{name}_us"]
        if value == 0:
            raise RowError("validation_failed", f"{name} is 0")
        if value is not None and not (least or 0) <= value <= (math.inf if most is None else most):
            raise RowError("validation_failed", f"{name} is not between t_min and t_max: a figure is damaged")
    return row


def whole(cell: str) -> int:
    """A whole number, 0 or more. Raises RowError."""
    if not cell.isascii() or not cell.isdecimal() or len(cell) > 18:
        raise RowError("truncated_row", f'"{cell[:40]}" is not a whole number')
    return int(cell)


def figure(cell: str) -> float:
    """A finite figure, 0 or more: a counter that wrapped prints less. Raises RowError."""
    try:
        value = float(cell) if cell.isascii() and "_" not in cell else None
    except ValueError:
        value = None
    if value is None:
        raise RowError("truncated_row", f'"{cell[:40]}" is not a figure')
    if not math.isfinite(value) or value < 0:
        raise RowError("validation_failed", f"{cell} is no measurement")
    return value
