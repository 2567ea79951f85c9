"""What is read out of one log, what is wrong with it, and what a format of logs has to say of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from planner.calibrate.log_lines import Line

SCHEMA = 1
Tool = Literal["nccl-tests", "perftest", "training-log"]
Severity = Literal["error", "warning"]
Status = Literal["ok", "partial", "error"]
Run = Mapping[str, Any]  # one run of a tool, as the readings' JSON has it


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A fault of a log. ``line`` counts from 1; 0 where the log has no line."""

    severity: Severity
    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One log: its runs with every row that could be read, and its faults.

    ``status``: ok; partial, with rows but also faults; error, without a row that can be used. Constants are
    taken from readings that are ok and from no others.
    """

    log: str
    status: Status
    diagnostics: tuple[Diagnostic, ...]
    runs: tuple[Run, ...]

    @property
    def usable(self) -> bool:
        """Whether constants may be taken from it."""
        return self.status == "ok"

    def runs_of(self, tool: Tool) -> tuple[Run, ...]:
        """The runs of one tool."""
        return tuple(run for run in self.runs if run["tool"] == tool)

    def document(self) -> dict[str, Any]:
        """As plain values for JSON."""
        faults = [
            {"severity": d.severity, "line": d.line, "code": d.code, "message": d.message}
            for d in self.diagnostics
        ]
        return {
            "schema": SCHEMA,
            "log": self.log,
            "status": self.status,
            "diagnostics": faults,
            "runs": [dict(run) for run in self.runs],
        }


@dataclass(slots=True)
class Faults:
    """Collects the faults of one log while it is read."""

    found: list[Diagnostic] = field(default_factory=list)
    _known: set[tuple[int, str]] = field(default_factory=set)

    def error(self, line: int, code: str, message: str) -> None:
        """Notes something that makes the log unusable, once a line and code."""
        self._add(Diagnostic("error", line, code, message))

    def warning(self, line: int, code: str, message: str) -> None:
        """Notes something that a reader should know and that changes no figure."""
        self._add(Diagnostic("warning", line, code, message))

    def _add(self, fault: Diagnostic) -> None:
        if (fault.line, fault.code) not in self._known:
            self._known.add((fault.line, fault.code))
            self.found.append(fault)

    @property
    def serious(self) -> bool:
        """Whether there is an error."""
        return any(fault.severity == "error" for fault in self.found)


def last_line(lines: Sequence[Line]) -> int:
    """The number of the last line with something on it, 0 where there is none."""
    return max((line.number for line in lines if not line.blank), default=0)


def is_decimal_comma(token: str) -> bool:
    """Whether a figure was written with a comma for its decimal point.

    >>> is_decimal_comma("36,46"), is_decimal_comma("36.46")
    (True, False)
    """
    whole, comma, part = token.partition(",")
    return bool(comma) and whole.lstrip("-").isdecimal() and part.isdecimal()


class RowError(ValueError):
    """A row that cannot be used; ``code`` is the diagnostic's."""

    def __init__(self, code: str, message: str) -> None:
        """Takes the diagnostic's code and words."""
        super().__init__(message)
        self.code = code


def whole_number(cell: str) -> int:
    """A whole number, 0 or more. Raises RowError."""
    if not cell.isascii() or not cell.isdecimal() or len(cell) > 18:
        raise RowError("truncated_row", f'"{cell[:40]}" is not a whole number')
    return int(cell)


@dataclass(frozen=True, slots=True)
class TableMarks:
    """Lines that cut a log into runs: a run ``begins``, its table is ``headed`` and ``ended`` by them."""

    begins: Callable[[str], bool]
    headed: Callable[[str], bool]
    ended: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class LogFormat:
    """How the output of one tool is known and read; ``tool`` is what its runs are called, ``said`` in words.

    A line that the tool alone writes is ``marked``. With ``table`` a log may hold several runs, each with a
    table of its own; without, the whole log is one run.
    """

    tool: Tool
    said: str
    marked: Callable[[str], bool]
    read: Callable[[Sequence[Line], Faults], Run | None]
    table: TableMarks | None = None
