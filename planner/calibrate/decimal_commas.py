"""Tables with a decimal comma: read as a point where every fraction of the table has one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from planner.calibrate.log_lines import Line
from planner.calibrate.readings import Faults

_COMMA = re.compile(r"(?<![\w.,:-])(-?\d+),(\d+)(?=(?:e[+-]?\d+)?(?:\s|$))", re.IGNORECASE)
_POINT = re.compile(r"(?<![\w.,:-])-?\d+\.\d+(?=(?:e[+-]?\d+)?(?:\s|$))", re.IGNORECASE)
_AVERAGE = re.compile(r"#\s*Avg bus bandwidth\s*:")  # the one figure below a table
_WORDS = re.compile(r"[^\W\d]{2,}")
_FEWEST, _MOST_WORDS = 3, 3  # figures of a row, and words beside them (type, operation, N/A)


def with_points(lines: Sequence[Line], headed: Callable[[str], bool], faults: Faults) -> Sequence[Line]:
    """The lines of one run with a decimal point, where each fraction below the heading has a comma.

    That is a warning at the heading. Where a point stands too, the lines stay, and their rows are refused.
    """
    at = next((i for i, line in enumerate(lines) if headed(line.text)), None)
    if at is None:
        return lines
    rows = [line.text for line in lines[at + 1 :] if _of_figures(line.text)]
    if not any(map(_COMMA.search, rows)) or any(map(_POINT.search, rows)):
        return lines
    faults.warning(
        lines[at].number, "decimal_comma", "every fraction of the table has a comma: read as its point"
    )
    return [*lines[: at + 1], *(replace(line, text=_pointed(line.text)) for line in lines[at + 1 :])]


def _of_figures(text: str) -> bool:
    """Whether a line is a row of the table, or its average; other programs' lines have more words."""
    if _AVERAGE.match(text):
        return True
    figures = sum(1 for cell in text.split() if cell[0].isdigit() or cell[0] == "-")
    return figures >= _FEWEST and len(_WORDS.findall(text)) <= _MOST_WORDS


def _pointed(text: str) -> str:
    return _COMMA.sub(r"\1.\2", text)
