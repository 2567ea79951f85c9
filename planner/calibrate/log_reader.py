"""Log files -> readings.

A new format of logs is a module with its ``FORMAT``, and its place in ``FORMATS``.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from planner.calibrate import nccl_tests, perftest, training_log
from planner.calibrate.decimal_commas import with_points
from planner.calibrate.log_lines import Line, log_lines
from planner.calibrate.readings import Diagnostic, Faults, LogFormat, Reading, Run, Status
from pricing.guarded_files import file_bytes

_LOG = logging.getLogger(__name__)

FORMATS = (nccl_tests.FORMAT, perftest.FORMAT, training_log.FORMAT)
_TABULAR = [(known, known.table) for known in FORMATS if known.table]
_WHOLE = [known for known in FORMATS if known.table is None]


def read_log(name: str, raw: bytes) -> Reading:
    """Reads a log; never raises: what is wrong stands in the reading, with its line.

    A log may hold several runs. ``name`` is what the reading calls the log.
    """
    faults = Faults()
    lines = log_lines(raw)
    runs = _runs(lines, faults)
    faults.found.sort(key=lambda fault: fault.line)
    status: Status = "ok"
    if faults.serious or not runs:
        status = "partial" if runs else "error"
    return Reading(name, status, tuple(faults.found), tuple(runs))


def _runs(lines: Sequence[Line], faults: Faults) -> list[Run]:
    if all(line.blank for line in lines):
        faults.error(0, "empty_file", "nothing is in it")
        return []
    streams = [part for stream in _streams(lines) for part in _parts(stream)]
    parts = [(found, part) for part in streams if (found := _tabular_format(part))]
    if parts:
        return _tables(lines, parts, faults)
    for found in _WHOLE:
        if any(found.marked(line.text) for line in lines):
            run = found.read(lines, faults)
            return [run] if run else []
    first = next(line.number for line in lines if not line.blank)
    *others, last = (known.said for known in FORMATS)
    faults.error(first, "unsupported_tool", f"no output of {', of '.join(others)} or of {last}")
    return []


def _tables(
    lines: Sequence[Line], parts: Sequence[tuple[LogFormat, list[Line]]], faults: Faults
) -> list[Run]:
    """The runs of a log's tables; lines that are no text are told, where no row was lost for them."""
    runs = []
    for found, part in parts:
        own = Faults()
        pointed = with_points(part, found.table.headed, own) if found.table else part
        run = found.read(pointed, own)
        faults.found.extend(own.found)
        runs += [run] if run else []
    reported = {fault.line for fault in faults.found}
    for line in lines:
        if not line.readable and line.number not in reported:
            faults.warning(line.number, "undecodable_line", "bytes that are no text")
    return runs


def _tabular_format(part: Sequence[Line]) -> LogFormat | None:
    """The format of these lines, by the first mark of a tool that prints tables."""
    marks = (found for line in part for found, _ in _TABULAR if found.marked(line.text))
    return next(marks, None)


def _streams(lines: Sequence[Line]) -> list[Sequence[Line]]:
    """The lines that belong together: where several tasks or hosts each print a table, those of each alone.

    Lines without a label are the launcher's own and stand in all of them, unless they hold a table too.
    """
    headed = {line.label for line in lines if any(table.headed(line.text) for _, table in _TABULAR)}
    if len(headed) < 2:
        return [lines]
    labels = dict.fromkeys(line.label for line in lines if line.label in headed)
    return [
        [line for line in lines if line.label == label or not line.label and "" not in headed]
        for label in labels
    ]


def _parts(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of each run: a run ends with its summary, or where the next one's first line is."""
    parts: list[list[Line]] = [[]]
    in_table = False
    for line in lines:
        if in_table and any(table.begins(line.text) for _, table in _TABULAR):
            parts.append([])
            in_table = False
        parts[-1].append(line)
        in_table = in_table or any(table.headed(line.text) for _, table in _TABULAR)
        if in_table and any(table.ended(line.text) for _, table in _TABULAR):
            parts.append([])
            in_table = False
    return parts


MAX_LOG_BYTES = 200_000_000


def read_log_file(path: Path) -> Reading:
    """Reads a log file; one that cannot be opened is a reading with that fault."""
    try:
        return read_log(path.name, file_bytes(path, MAX_LOG_BYTES))
    except OSError as error:
        _LOG.info("%s cannot be read: %s", path.name, error)
        why = error.strerror or "cannot be read"
    return Reading(path.name, "error", (Diagnostic("error", 0, "unreadable_file", why),), ())
