"""A training log's step times (Megatron style, or plain "step N time ...") -> a run's readings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import Any

from planner.calibrate.log_lines import Line
from planner.calibrate.readings import Faults, LogFormat, Run, is_decimal_comma

_NUMBER = r"(?P<figure>-?(?:nan|inf|\d[\d.,]*(?:e[+-]?\d+)?))"
_MEGATRON = re.compile(
    r"\biteration\s+(?P<step>\d+)\s*/\s*\d+\s*\|.*elapsed time per iteration \((?P<unit>ms|s)\):\s*"
    + _NUMBER
    + r"(?=\s|\||$)",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"\b(?:step|iter|iteration)\b\s*[=:#]?\s*(?P<step>\d+)(?:\s*/\s*\d+)?\b.{0,200}?"
    r"\b(?:(?:step|iter|iteration|elapsed|train_step)[ _-]?)?(?:time|timing|duration)"
    r"(?:[ _]?\((?P<unit>ms|s)\))?\s*[=:]?\s*"
    + _NUMBER
    + r"\s*(?P<after>ms|msec|milliseconds?|s|secs?|seconds?)?(?=[\s,;|\])/]|$)",
    re.IGNORECASE,
)
_MEGATRON_BEGUN = re.compile(r"\biteration\s+\d+\s*/\s*\d+\s*\|")
_BATCH = re.compile(r"global[ _]batch[ _]size\s*[:=]\s*(\d+)", re.IGNORECASE)
_WORLD = re.compile(r"world[ _]size\s*[:=]\s*(\d+)", re.IGNORECASE)
_TIME = re.compile("tim(?:e|ing)|duration", re.IGNORECASE)
_LONGEST = 2_000  # characters of a line in which a step and its time are looked for
_FEWEST = 2  # steps: of one, nothing says whether it was the warm-up


def _step(line_text: str) -> re.Match[str] | None:
    """The step and its time, where a line reports them; most lines are passed over at once."""
    text = line_text[:_LONGEST]
    if not _TIME.search(text):
        return None
    return _MEGATRON.search(text) or _PLAIN.search(text)


def training_run(lines: Sequence[Line], faults: Faults) -> Run | None:
    """The step times, in seconds, None where none can be used; faults are noted."""
    rows: list[dict[str, Any]] = []
    for line in lines:
        found = _step(line.text)
        if found is None:
            if _MEGATRON_BEGUN.search(line.text):
                faults.error(line.number, "truncated_row", "the line of a step without its time")
            continue
        seconds = _seconds(found, line, faults)
        if seconds is not None:
            rows.append({"line": line.number, "step": int(found["step"]), "step_time_s": seconds})
    if len(rows) < _FEWEST:
        if not faults.serious:
            at = rows[0]["line"] if rows else lines[-1].number
            faults.error(at, "no_results", f"fewer than {_FEWEST} step times")
        return None
    return _run(lines, rows)


def _seconds(found: re.Match[str], line: Line, faults: Faults) -> float | None:
    """The time of a step; a figure without a unit is taken as seconds, and that is said."""
    groups = found.groupdict()
    printed, unit = found["figure"], (groups.get("unit") or groups.get("after") or "").lower()
    if not line.readable:
        faults.error(line.number, "undecodable_line", "a step's line holds bytes that are no text")
        return None
    if not line.ended:
        faults.error(line.number, "truncated_row", "the log ends within this line")
        return None
    if "," in printed.rstrip(","):
        code = "decimal_comma" if is_decimal_comma(printed) else "truncated_row"
        faults.error(line.number, code, f'"{printed}" is no figure with a decimal point')
        return None
    try:
        value = float(printed.rstrip(","))
    except ValueError:
        faults.error(line.number, "truncated_row", f'"{printed}" is no figure')
        return None
    if not 0 < value < 1e9:
        faults.error(line.number, "validation_failed", f"{printed} is no time of a step")
        return None
    if not unit:
        faults.warning(line.number, "unit_assumed", "a step's time without a unit is taken as seconds")
    return round(value / 1e3, 9) if unit.startswith("m") else value


def _run(lines: Sequence[Line], rows: list[dict[str, Any]]) -> Run:
    steady = steady_times([row["step_time_s"] for row in rows])
    return {
        "tool": "training-log",
        "kind": "step-times",
        "world_size": _only(_WORLD, lines),
        "global_batch_sequences": _only(_BATCH, lines),
        "complete": True,
        "rows": rows,
        "steady_step_time_s": median(steady),
        "steady_steps": len(steady),
    }


def steady_times(times_s: Sequence[float]) -> Sequence[float]:
    """The times without the warm-up: the first tenth, at least one step, at most ten."""
    return times_s[min(10, max(1, len(times_s) // 10)) :]


def _only(pattern: re.Pattern[str], lines: Sequence[Line]) -> int | None:
    """The one value that the log names, None where it names none or several."""
    found = {int(match) for line in lines for match in pattern.findall(line.text) if len(match) < 10}
    return found.pop() if len(found) == 1 else None


def _marked(text: str) -> bool:
    return _step(text) is not None


FORMAT = LogFormat("training-log", "a training run", _marked, training_run)
