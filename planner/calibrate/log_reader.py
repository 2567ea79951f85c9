"""Log files -> readings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from planner.calibrate import nccl_tests, perftest
from planner.calibrate.log_lines import Line, log_lines
from planner.calibrate.nccl_table import headings
from planner.calibrate.perftest import titles
from planner.calibrate.readings import Diagnostic, Faults, Reading, Run
from planner.calibrate.training_log import is_training_log, training_run

_NCCL_FOOTER = re.compile(r"#\s*Out of bounds values\s*:")


def read_log(name: str, raw: bytes) -> Reading:
    """Reads a log; never raises: what is wrong stands in the reading, with its line.

    A log may hold several runs. ``name`` is what the reading calls the log.
    """
    faults = Faults()
    lines = log_lines(raw)
    runs = _runs(lines, faults)
    faults.found.sort(key=lambda fault: fault.line)
    status = "ok"
    if faults.serious or not runs:
        status = "partial" if runs else "error"
    return Reading(name, status, tuple(faults.found), tuple(runs))


def _runs(lines: Sequence[Line], faults: Faults) -> list[Run]:
    if all(line.blank for line in lines):
        faults.error(0, "empty_file", "nothing is in it")
        return []
    found = [(tool, part) for part in _parts(lines) if (tool := _tool(part))]
    if not found and is_training_log(lines):
        run = training_run(lines, faults)
        return [run] if run else []
    if not found:
        first = next(line.number for line in lines if not line.blank)
        faults.error(first, "unsupported_tool", "no output of nccl-tests, of perftest or of a training run")
        return []
    runs = []
    for tool, part in found:
        own = Faults()
        run = (nccl_tests.nccl_run if tool == "nccl-tests" else perftest.perftest_run)(part, own)
        faults.found.extend(own.found)
        runs += [run] if run else []
    reported = {fault.line for fault in faults.found}
    for line in lines:
        if not line.readable and line.number not in reported:
            faults.warning(line.number, "undecodable_line", "bytes that are no text")
    return runs


def _tool(part: Sequence[Line]) -> str | None:
    """The tool that wrote these lines, by its own marks."""
    for line in part:
        text = line.text
        if nccl_tests.STARTS.match(text) or headings(text) or _NCCL_FOOTER.match(text):
            return "nccl-tests"
        if perftest.TITLE.fullmatch(text) or titles(text) or perftest.FAILURE.search(text):
            return "perftest"
    return None


def _parts(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of each run: a run ends with its summary, or where the next one's first line is."""
    parts: list[list[Line]] = [[]]
    in_table = False
    for line in lines:
        text = line.text
        starts = nccl_tests.STARTS.match(text) or perftest.TITLE.fullmatch(text)
        if in_table and starts:
            parts.append([])
            in_table = False
        parts[-1].append(line)
        in_table = in_table or bool(headings(text) or titles(text))
        if in_table and (nccl_tests.END.match(text) or perftest.RULE.fullmatch(text)):
            parts.append([])
            in_table = False
    return parts


MAX_LOG_BYTES = 200_000_000


def read_log_file(path: Path) -> Reading:
    """Reads a log file; one that cannot be opened is a reading with that fault."""
    try:
        if path.is_file() and path.stat().st_size <= MAX_LOG_BYTES:
            return read_log(path.name, path.read_bytes())
        why = "larger than 200 MB" if path.is_file() else "no file of this name"
    except OSError as error:
        why = error.strerror or "cannot be read"
    return Reading(path.name, "error", (Diagnostic("error", 0, "unreadable_file", why),), ())
