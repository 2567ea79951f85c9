"""Sample logs, and what a test looks at of a reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planner.calibrate.log_reader import read_log
from planner.calibrate.readings import Reading

LOGS = sorted((Path(__file__).parents[1] / "published" / "logs").glob("*.log"))
CASES = Path(__file__).parent / "cases"
RAW = {path.stem[:2]: path.read_bytes() for path in LOGS}


def read(raw: bytes) -> Reading:
    """The reading of a log's bytes."""
    return read_log("x.log", raw)


def codes(raw: bytes) -> list[tuple[int, str]]:
    """(line, code) of each fault."""
    return [(fault.line, fault.code) for fault in read(raw).diagnostics]


def figures(reading: Reading) -> list[Any]:
    """The runs without the lines that their rows stand on."""
    lines = ("line", "continued_on_line")
    return [
        {**run, "rows": [{k: v for k, v in row.items() if k not in lines} for row in run["rows"]]}
        for run in reading.runs
    ]


def replaced(raw: bytes, number: int, line: bytes) -> bytes:
    """The log with another line in the place of one."""
    lines = raw.split(b"\n")
    lines[number - 1] = line
    return b"\n".join(lines)


def labelled(raw: bytes, label: bytes) -> bytes:
    """The log with a launcher's label before each line."""
    return b"".join(label + line + b"\n" for line in raw.removesuffix(b"\n").split(b"\n"))
