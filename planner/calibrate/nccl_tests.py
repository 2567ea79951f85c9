"""nccl-tests output (every *_perf programme, versions 1.0 to 2.19) -> a run's readings.

The whole of the format: ``nccl_header`` reads what stands above its table, ``nccl_rows`` the table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from planner.calibrate.log_lines import Line
from planner.calibrate.nccl_header import Header, collective, header
from planner.calibrate.nccl_rows import Columns, headings, pieces, row, row_fault
from planner.calibrate.readings import Faults, LogFormat, RowError, Run, TableMarks, last_line

_HOST = r"(?P<host>[A-Za-z0-9_.-]+)"
_TEXTS = (
    re.compile(r"(?:\[[^\[\]]{8,40}\] ?)?" + _HOST + r":\d+:\d+ \[\d+\] (?:\S+ )?NCCL [A-Z]+"),
    re.compile(_HOST + r": Test (?:\w+ )*failure"),
    re.compile(r"\.\. " + _HOST + r" pid \d+: Test failure"),
    re.compile(r"(?P<host>)NCCL version \d"),
)
_FAILURE = re.compile(r"Test (?:\w+ )*failure")
# a figure printed just before, with nothing between it and the host's name
_FIGURE = re.compile(r"N/A|-?\d+(?:\.\d+)?(?:e[+-]\d+)?", re.IGNORECASE)


def without_debug(text: str, hosts: Collection[str]) -> str:
    """What nccl-tests itself printed on a line; ``hosts`` are those of its device lines.

    >>> without_debug("  -1node-a:7:8 [0] NCCL INFO x", ["node-a"])
    '  -1'
    """
    starts = [_start(found, hosts) for pattern in _TEXTS if (found := pattern.search(text))]
    return text[: min(starts)] if starts else text


def _start(found: re.Match[str], hosts: Collection[str]) -> int:
    """Where the other text begins: the figure that its host's name is glued to is not part of it."""
    host, at = found["host"], found.start("host")
    if not host or host in hosts:
        return found.start()
    known = max((name for name in hosts if host.endswith(name)), key=len, default=None)
    if known is not None:
        return at + len(host) - len(known)
    figure = _FIGURE.match(host)
    return at + figure.end() if figure else found.start()


def is_failure(text: str) -> bool:
    """Whether the line says that the test itself failed."""
    return _FAILURE.search(text) is not None


_STARTS = re.compile(r"#\s*(?:nccl-tests version|Collective test starting|nThread \d)")
_END = re.compile(r"#\s*Avg bus bandwidth")
_SUMMARY = re.compile(r"#\s*Out of bounds values\s*:")
_BOUNDS = re.compile(r"#\s*Out of bounds values\s*:\s*(\d+)\s+(OK|FAILED)\s*")
_AVERAGE = re.compile(r"#\s*Avg bus bandwidth\s*:\s*(\d[\d.]*(?:e[+-]?\d+)?)\s*(OK|FAILED)?\s*")
_UNITS = re.compile(r"#\s*\(B\)\s")
_ROW = re.compile(r"\s*\S+\s+\S+\s+[A-Za-z]\w*(?:\s|$)")
_FRONT = re.compile(r"\s*\d+\s+\d+\s+[A-Za-z]\w*(?:\s|$)")
_CELL = re.compile(r"N/A|-?\d[\d.,]*(?:e[+-]?\d+)?", re.IGNORECASE)


def nccl_run(lines: Sequence[Line], faults: Faults) -> Run | None:
    """One run out of its lines, None where it has no row that can be used; faults are noted."""
    head = header(lines)
    found = ((i, columns) for i, line in enumerate(lines) if (columns := headings(line.text)))
    place, columns = next(found, (None, None))
    if place is None or columns is None:
        _no_results(lines, faults, "there is no table")
        return None
    if head.ranks == 1:
        first = head.first_rank_line or lines[place].number
        faults.error(first, "no_results", "one rank a table: built without MPI, so nothing crossed a link")
        return None
    table = lines[place + 1 :]
    if not _units_known(table, lines[place].number, faults):
        return None
    rows, dtypes = _rows(table, columns, head, faults)
    if rows:
        return _run(lines, head, columns, rows, dtypes, faults)
    if faults.serious:
        _footer(lines, rows, faults)
    else:
        _no_results(lines, faults, "the table has no row")
    return None


def _no_results(lines: Sequence[Line], faults: Faults, why: str) -> None:
    failure = next((line.number for line in lines if is_failure(line.text)), None)
    faults.error(failure or last_line(lines), "no_results", f"{why}{': the test failed' if failure else ''}")


def _units_known(table: Sequence[Line], line: int, faults: Faults) -> bool:
    units = next((x for x in table if _UNITS.match(x.text)), None)
    known = units is not None and re.findall(r"\(([^)]*/s|\w?s)\)", units.text)
    if known and set(known) <= {"us", "GB/s"}:
        return True
    faults.error(units.number if units else line, "no_results", "the units (us), (GB/s) are not named")
    return False


def _rows(
    table: Sequence[Line], columns: Columns, head: Header, faults: Faults
) -> tuple[list[dict[str, Any]], list[tuple[str, ...]]]:
    """The rows that can be used, and of each its type, redop and root as printed."""
    rows, fronts = [], []
    for first, last, cells in _assembled(table, columns, head, faults):
        try:
            if not first.ended or not last.ended:
                raise RowError("truncated_row", "the log ends within this row")
            found = row(cells, columns)
        except RowError as error:
            faults.error(first.number, error.code, str(error))
            continue
        front = dict(zip(columns.front, cells, strict=False))
        damage = row_fault(found, front.get("type", ""), head.group_ranks)
        if damage:
            faults.error(first.number, "validation_failed", damage)
            continue
        more = {"continued_on_line": last.number} if last is not first else {}
        rows.append({"line": first.number, **found, **more})
        fronts.append(tuple(front.get(name, "") for name in ("type", "redop", "root")))
    return rows, fronts


def _assembled(
    table: Sequence[Line], columns: Columns, head: Header, faults: Faults
) -> Iterator[tuple[Line, Line, list[str]]]:
    """Each row with its first and last line: debug output may fall between a row's three pieces."""
    open_row: tuple[Line, list[str]] | None = None
    for line in table:
        own = without_debug(line.text, head.hosts)
        cells = pieces(own, columns)
        if not cells:
            continue
        if not line.readable:
            _unreadable(line, own, faults)
            open_row = None
            continue
        if open_row is not None:
            first, begun = open_row
            if all(map(_CELL.fullmatch, cells)) and not _FRONT.match(own):
                begun = [*begun, *cells]
                open_row = (first, begun) if len(begun) < columns.width else None
                if open_row is None:
                    yield first, line, begun
                continue
            yield first, first, begun
            open_row = None
        if own.lstrip().startswith("#"):
            continue
        if len(cells) < columns.width and _FRONT.match(own) and not _has_words(cells[5:]):
            open_row = (line, cells)
        elif _is_row(own, cells):
            yield line, line, cells
    if open_row is not None:
        yield open_row[0], open_row[0], open_row[1]


def _has_words(cells: Sequence[str]) -> bool:
    return not all(map(_CELL.fullmatch, cells))


def _is_row(own: str, cells: Sequence[str]) -> bool:
    """Whether a line is meant as a row, however damaged: mostly figures, or the start of one."""
    figures = sum(1 for cell in cells if _CELL.fullmatch(cell))
    return bool(_FRONT.match(own)) or figures >= 6 or (figures == len(cells) and own[:1].isspace())


def _unreadable(line: Line, own: str, faults: Faults) -> None:
    if _is_row(own, own.split()) or (_ROW.match(own) and own[:1].isspace()):
        faults.error(line.number, "undecodable_line", "a row holds bytes that are no text")
    else:
        faults.warning(line.number, "undecodable_line", "bytes that are no text")


def _run(
    lines: Sequence[Line],
    head: Header,
    columns: Columns,
    rows: list[dict[str, Any]],
    fronts: Sequence[tuple[str, ...]],
    faults: Faults,
) -> Run:
    dtype, redop, root = (_common([front[i] for front in fronts]) for i in range(3))
    name, named_by = collective(lines, head, rows, dtype, redop, root)
    bounds, average = _footer(lines, rows, faults)
    _check_rows(rows, bounds, dtype, faults)
    nodes = len(head.hosts) or None
    even = head.ranks and nodes and head.ranks % nodes == 0
    run: dict[str, Any] = {
        "tool": "nccl-tests",
        "tool_version": head.version,
        "collective": name,
        "collective_from": named_by,
        "ranks": head.ranks,
        "nodes": nodes,
        "gpus_per_node": head.ranks // nodes if even and head.ranks and nodes else None,
        "hosts": list(head.hosts),
        "device": head.device,
        "dtype": dtype,
        "redop": redop,
        "root": int(root) if root and root.isdecimal() else None,
        "validation": head.validation,
        "complete": bounds is not None and average is not None,
        "rows": rows,
        "avg_busbw_gbytes_per_s": average,
        "out_of_bounds": bounds,
    }
    if columns.cpu_time:
        run["time_is"] = "cpu"
    if head.groups > 1:
        run["groups"] = head.groups
    return run


def _common(values: Sequence[str]) -> str | None:
    """The value that all rows share, None where they differ or have none."""
    return (values[0] or None) if len(set(values)) == 1 else None


def _footer(
    lines: Sequence[Line], rows: Sequence[dict[str, Any]], faults: Faults
) -> tuple[int | None, float | None]:
    """(values out of bounds, average bus bandwidth), each None where its line is missing."""
    bounds = average = None
    for line in lines:
        if line.ended and (found := _BOUNDS.fullmatch(line.text)):
            bounds = int(found[1])
            if found[2] == "FAILED":
                faults.error(line.number, "validation_failed", f"{bounds} wrong values: data was corrupted")
        elif found := _AVERAGE.fullmatch(line.text):
            average = float(found[1])
            if found[2] == "FAILED":
                faults.warning(line.number, "below_minimum", "below the bandwidth asked for")
            _check_average(line, average, rows, faults)
    if bounds is None or average is None:
        end = last_line(lines)
        faults.error(end, "missing_footer", f"the log ends at line {end} without the tool's summary")
    return bounds, average


def _check_average(line: Line, average: float, rows: Sequence[dict[str, Any]], faults: Faults) -> None:
    """The printed mean is a checksum: a row that was lost or changed shows in it."""
    shown = [r[half]["busbw_gbytes_per_s"] for r in rows for half in ("out_of_place", "in_place") if r[half]]
    if not faults.serious and abs(average - sum(shown) / len(shown)) > 0.0051 + 1e-4 * average:
        faults.error(line.number, "validation_failed", "not the mean of the rows: one is missing or damaged")


def _check_rows(
    rows: Sequence[dict[str, Any]], bounds: int | None, dtype: str | None, faults: Faults
) -> None:
    """Sizes never fall, size over count stays, and no value is wrong."""
    ratios = Counter(r["size_bytes"] / r["count"] for r in rows if r["count"])
    usual = ratios.most_common(1)[0][0] if ratios and dtype else None
    for found in rows:
        if usual is not None and found["count"] and found["size_bytes"] / found["count"] != usual:
            faults.error(found["line"], "validation_failed", "size over count is not that of the other rows")
    for before, after in zip(rows, rows[1:], strict=False):
        if after["size_bytes"] < before["size_bytes"]:
            faults.error(after["line"], "validation_failed", "a size below the one before: rows are damaged")
    for found in rows:
        wrong = sum(found[half]["wrong"] or 0 for half in ("out_of_place", "in_place") if found[half])
        if wrong:
            summary = ", which the summary does not count" if bounds == 0 else ": data was corrupted"
            faults.error(found["line"], "validation_failed", f"{wrong} wrong values{summary}")


def _begins(text: str) -> bool:
    return _STARTS.match(text) is not None


def _headed(text: str) -> bool:
    return headings(text) is not None


def _ended(text: str) -> bool:
    return _END.match(text) is not None


def _marked(text: str) -> bool:
    return _begins(text) or _headed(text) or _SUMMARY.match(text) is not None


FORMAT = LogFormat("nccl-tests", "nccl-tests", _marked, nccl_run, TableMarks(_begins, _headed, _ended))
