"""perftest output (ib_write_bw, ib_send_lat and their kin, of all years) -> a run's readings."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from planner.calibrate.log_lines import Line
from planner.calibrate.readings import (
    Faults,
    LogFormat,
    RowError,
    Run,
    TableMarks,
    is_decimal_comma,
    last_line,
    whole_number,
)

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
    size, average = whole_number(cells["size"]), figure(cells["bw_avg"])
    peak = figure(cells["bw_peak"]) if "bw_peak" in cells else None
    messages = figure(cells["msg_rate"]) if "msg_rate" in cells else None
    if average == 0 or (peak and peak < 0.99 * average):
        raise RowError("validation_failed", "an average bandwidth of 0, or above its peak")
    row = {
        "size_bytes": size,
        "iterations": whole_number(cells["iterations"]),
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
    row: dict[str, Any] = {
        "size_bytes": whole_number(cells["size"]),
        "iterations": whole_number(cells["iterations"]),
    }
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


_TITLE_LINE = re.compile(r"\s+(RDMA_Write|RDMA_Read|Send|Atomic|RDMA_Atomic)\b[\w ]* Test\s*")
_RULE = re.compile(r"-{20,}\s*")
_FAILURE = re.compile(
    r"Completion with error|Failed status|Unable to (?:init|open|write|read)|Couldn't connect"
    r"|Failed to (?:exchange|modify)"
)
_FIELD = re.compile(r"([A-Za-z][\w.* ]*?)\s*:\s+(\S+)")
_ROW = re.compile(r"\s*\d+\s+\d+\s")
_FIGURE = re.compile(r"-?\d[\d.,]*(?:e[+-]?\d+)?|-?nan|-?inf", re.IGNORECASE)
_VERBS = {"RDMA_Write": "write", "RDMA_Read": "read", "Send": "send"}
_LINK_LAYERS = {"IB": "InfiniBand"}
_UNITS = {
    "MB/sec": ("2^20 byte/s", 2**20 * 8 / 1e9),
    "MiB/sec": ("2^20 byte/s", 2**20 * 8 / 1e9),
    "Gb/sec": ("1e9 bit/s", 1.0),
}


def perftest_run(lines: Sequence[Line], faults: Faults) -> Run | None:
    """One run out of its lines, None where it has no row that can be used; faults are noted."""
    start = next((i for i, line in enumerate(lines) if _TITLE_LINE.fullmatch(line.text)), None)
    place = next((i for i, line in enumerate(lines) if titles(line.text)), None)
    if start is None or place is None:
        _no_results(lines, faults, "there is no table" if start is not None else "there is no title")
        return None
    run = _described(lines[: place + 1], lines[start].text)
    columns = titles(lines[place].text)
    if run["kind"] == "bandwidth":
        unit = next((unit for name, unit in columns if name == "bw_avg"), "")
        if unit not in _UNITS:
            faults.error(lines[place].number, "no_results", f'the unit of bandwidth "{unit}" is not known')
            return None
        run |= {"unit_label": unit, "unit_means": _UNITS[unit][0]}
        run["bw_counts"] = "sum of both directions" if run["bidirectional"] else "one direction"
    else:
        whole = run["verb"] in ("read", "atomic")
        run["latency_is"] = "the whole round trip" if whole else "half the round trip"
    names = [name for name, _ in columns]
    run["rows"] = _rows(lines[place + 1 :], names, run, faults)
    ended = any(_RULE.fullmatch(line.text) for line in lines[place + 1 :])
    run["complete"] = ended
    if not run["rows"] and not faults.serious:
        _no_results(lines, faults, "the table has no row")
    elif not ended:
        end = last_line(lines)
        faults.error(end, "missing_footer", f"the log ends at line {end} without the table's closing line")
    return run if run["rows"] else None


def _no_results(lines: Sequence[Line], faults: Faults, why: str) -> None:
    failure = next((line for line in lines if _FAILURE.search(line.text)), None)
    said = f"{why}: {failure.text.strip()[:80]}" if failure else why
    faults.error(failure.number if failure else last_line(lines), "no_results", said)


def _described(above: Sequence[Line], title: str) -> dict[str, Any]:
    """What the lines above the table say of the test."""
    fields: dict[str, str] = {}
    for line in above:
        for name, value in _FIELD.findall(line.text.replace("\t", "   ")):
            fields.setdefault(name.strip().lower(), value)
    found = _TITLE_LINE.fullmatch(title)
    verb = _VERBS.get(found[1] if found else "", "atomic")
    latency = "Latency" in title
    mtu, gid = fields.get("mtu", ""), fields.get("gid index", "")
    layer = fields.get("link type")
    waits = any("Waiting for client to connect" in line.text for line in above)
    return {
        "tool": "perftest",
        "test": f"ib_{verb}_{'lat' if latency else 'bw'}",
        "kind": "latency" if latency else "bandwidth",
        "verb": verb,
        "bidirectional": "Bidirectional" in title,
        "qps": _whole(fields.get("number of qps", "")),
        "connection": fields.get("connection type"),
        "link_layer": _LINK_LAYERS.get(layer, layer) if layer else None,
        "gid_index": _whole(gid),
        "device": fields.get("device"),
        "mtu_bytes": _whole(mtu.partition("[")[0]),
        "side": "server" if waits else "client",
        "complete": False,
    }


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def _rows(table: Sequence[Line], names: Sequence[str], run: dict[str, Any], faults: Faults) -> list[Any]:
    rows = []
    per_unit = _UNITS[run["unit_label"]][1] if run["kind"] == "bandwidth" else None
    for line in table:
        if _RULE.fullmatch(line.text):
            break
        cells = line.text.split()
        if not _is_row(line, cells, names):
            if not line.readable:
                faults.warning(line.number, "undecodable_line", "bytes that are no text")
            continue
        try:
            _check_cells(line, cells, names)
            by_name = dict(zip(names, cells, strict=True))
            figures = latency_row(by_name) if per_unit is None else bandwidth_row(by_name, per_unit)
        except RowError as error:
            faults.error(line.number, error.code, str(error))
            continue
        rows.append({"line": line.number, **figures})
    _check_sizes(rows, faults)
    return rows


def _check_sizes(rows: Sequence[dict[str, Any]], faults: Faults) -> None:
    """Sizes double from row to row (-a), or stay the same (a row each interval): else one is missing."""
    sizes = [row["size_bytes"] for row in rows]
    if faults.serious or len(set(sizes)) == 1:
        return
    for row, before in zip(rows[1:], sizes, strict=False):
        if row["size_bytes"] != 2 * before:
            faults.error(row["line"], "validation_failed", "not twice the size before: a row is missing")


def _is_row(line: Line, cells: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a line is meant as a row, however damaged."""
    figures = sum(1 for cell in cells if _FIGURE.fullmatch(cell))
    indented = figures == len(cells) and line.text[:1].isspace()
    return bool(cells) and (bool(_ROW.match(line.text)) or figures >= len(names) - 2 or indented)


def _check_cells(line: Line, cells: Sequence[str], names: Sequence[str]) -> None:
    if not line.readable:
        raise RowError("undecodable_line", "a row holds bytes that are no text")
    comma = next((cell for cell in cells if is_decimal_comma(cell)), None)
    if comma is not None:
        raise RowError("decimal_comma", f'"{comma}" has a comma: figures have a decimal point')
    if not line.ended:
        raise RowError("truncated_row", "the log ends within this row")
    if len(cells) != len(names):
        raise RowError("truncated_row", f"{len(cells)} cells of {len(names)}")


def _begins(text: str) -> bool:
    return _TITLE_LINE.fullmatch(text) is not None


def _headed(text: str) -> bool:
    return bool(titles(text))


def _ended(text: str) -> bool:
    return _RULE.fullmatch(text) is not None


def _marked(text: str) -> bool:
    return _begins(text) or _headed(text) or _FAILURE.search(text) is not None


FORMAT = LogFormat("perftest", "perftest", _marked, perftest_run, TableMarks(_begins, _headed, _ended))
