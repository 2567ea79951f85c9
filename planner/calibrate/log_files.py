"""Log files -> readings."""

from __future__ import annotations

from pathlib import Path

from planner.calibrate.log_reader import read_log
from planner.calibrate.readings import Diagnostic, Reading

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
