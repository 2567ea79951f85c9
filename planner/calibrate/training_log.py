"""A training log (Megatron, NeMo, DeepSpeed, torchtitan, or plain "step N time ...") -> a run's readings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from planner.calibrate.log_lines import Line
from planner.calibrate.readings import Faults, LogFormat, RowError, Run, is_decimal_comma
from planner.calibrate.step_times import Kind, Printed, UnitError, printed_times, seconds

_BEGUN = re.compile(r"\biteration\s+\d+\s*/\s*\d+\s*\|")  # Megatron's and NeMo's line of a step
_IS = r"\s*(?:[:=]|\.{2,}|\s)\s*"
_SETTINGS = re.compile(
    rf"\bworld[ _]size{_IS}(?P<world_size>\d+)|starting with (?P<processes>\d+) processes\b"
    rf"|\bMEMBER: \d+/(?P<member>\d+)|\brank \d+ of (?P<ranks>\d+)\b"
    rf"|\bglobal[ _]batch[ _]size{_IS}(?P<global_batch_sequences>\d+)"
    rf"|\bseq(?:uence)?[ _]len(?:gth)?{_IS}(?P<sequence>\d+)"
    rf"|\bnum_layers{_IS}(?P<layers>\d+)|\bhidden_size{_IS}(?P<hidden>\d+)"
    r"|\bGPU capacity: (?P<device>[^(\n]*[^(\s])",
    re.IGNORECASE,
)
_SETTING_WORDS = re.compile("size|processes|member|rank|len|layers|gpu capacity", re.IGNORECASE)
_SAME = {"processes": "world_size", "member": "world_size", "ranks": "world_size"}
_CONSUMED = re.compile(r"\bconsumed[ _]samples\s*[:=]\s*(\d+)", re.IGNORECASE)
_TFLOPS = re.compile(r"(?:\bTFLOP/s/GPU\)|\btflops)\s*[:=]\s*(\d[\d,]*\.?\d*)", re.IGNORECASE)
_FRACTION = re.compile(r"(?<![\w.,:-])\d+\.\d+(?:e[+-]?\d+)?(?![\w.,:-])", re.IGNORECASE)
_COMMA = re.compile(
    r"(?<![\w.,:-])\d+,(?:\d\d?|\d{4,})(?:e[+-]?\d+)?(?![\w.,:-])", re.IGNORECASE
)  # no thousand
_FEWEST = 2  # steps: of one, nothing says whether it was the warm-up
_FEWEST_ON_A_LINE = 4
_BEST: Sequence[Kind] = ("step", "time", "rate")


@dataclass(frozen=True, slots=True)
class _Found:
    """A line's time or rate, as printed."""

    line: Line
    printed: Printed


def training_run(lines: Sequence[Line], faults: Faults) -> Run | None:
    """The step times in s (or tokens a second and GPU), None where none can be used; faults are noted."""
    found = _of_one_task([_Found(line, one) for line in lines for one in printed_times(line.text)])
    chosen = _of_the_step(found)
    if not chosen:
        said = ", ".join(f'"{label}"' for label in dict.fromkeys(one.printed.label for one in found))
        faults.error(found[0].line.number, "no_results", f"no time here is said to be the step's: {said}")
        return None
    _check_begun(lines, chosen, faults)
    rows = _rows(chosen, faults)
    if len(rows) < _FEWEST:
        if not faults.serious:
            at = rows[0]["line"] if rows else lines[-1].number
            faults.error(at, "no_results", f"fewer than {_FEWEST} step times")
        return None
    _check_times(rows, chosen, faults)
    settings = _settings(lines)
    batch = _batch(rows, chosen, settings["global_batch_sequences"], faults)
    return _run(rows, chosen, {**settings, "global_batch_sequences": batch})


def _of_one_task(found: Sequence[_Found]) -> list[_Found]:
    """Where every rank prints its steps, those of the one that printed the most (the first of several)."""
    by_label = Counter(one.line.label for one in found)
    first = max(by_label, key=lambda label: by_label[label], default="")
    return [one for one in found if one.line.label == first]


def _of_the_step(found: Sequence[_Found]) -> list[_Found]:
    """The times of one kind and label: what is said to be the step's, else plain times, else rates."""
    for kind in _BEST:
        labels = Counter(one.printed.label for one in found if one.printed.kind == kind)
        if labels:
            usual = labels.most_common(1)[0][0]
            return [one for one in found if (one.printed.kind, one.printed.label) == (kind, usual)]
    return []


def _check_begun(lines: Sequence[Line], chosen: Sequence[_Found], faults: Faults) -> None:
    """A line of Megatron's form that has no time was cut."""
    known = {one.line.number for one in chosen}
    for line in lines:
        if line.label == chosen[0].line.label and line.number not in known and _BEGUN.search(line.text):
            faults.error(line.number, "truncated_row", "the line of a step without its time")


def _rows(chosen: Sequence[_Found], faults: Faults) -> list[dict[str, Any]]:
    """The rows that can be used; a figure without a unit is taken as seconds, and that is said."""
    rows = []
    decimal_comma = _all_commas(chosen)
    if decimal_comma:
        faults.warning(
            chosen[0].line.number, "decimal_comma", "every fraction has a comma: read as its point"
        )
    for one in chosen:
        printed, number = one.printed, one.line.number
        try:
            if not one.line.readable:
                raise RowError("undecodable_line", "a step's line holds bytes that are no text")
            if not one.line.ended:
                raise RowError("truncated_row", "the log ends within this line")
            figure = _rate(printed) if printed.kind == "rate" else _seconds(printed, decimal_comma)
        except RowError as error:
            faults.error(number, error.code, str(error))
            continue
        if printed.kind != "rate" and not printed.unit and not printed.clock:
            faults.warning(number, "unit_assumed", "a step's time without a unit is taken as seconds")
        name = "tokens_per_gpu_per_s" if printed.kind == "rate" else "step_time_s"
        rows.append({"line": number, "step": printed.step, name: figure})
    return rows


def _all_commas(chosen: Sequence[_Found]) -> bool:
    """Whether every fraction on these lines has a decimal comma; "1,234" alone may be a thousand."""
    times = [one.printed for one in chosen if one.printed.kind != "rate"]
    sure = any(is_decimal_comma(one.figure) and _COMMA.search(f" {one.figure} {one.rest}") for one in times)
    return sure and not any(_FRACTION.search(one.rest) for one in times)


def _seconds(printed: Printed, decimal_comma: bool) -> float:
    """The time of a step. Raises RowError."""
    if printed.clock and printed.kind != "step":
        raise RowError("validation_failed", f'"{printed.figure}" may be a time of day')
    try:
        value = seconds(printed, decimal_comma)
    except UnitError as error:
        raise RowError("unknown_unit", f'"{error}" is no unit of time that is known') from error
    except ValueError as error:
        code = "decimal_comma" if is_decimal_comma(printed.figure) else "truncated_row"
        raise RowError(code, f'"{printed.figure}" is no figure with a decimal point') from error
    if not 0 < value < 1e9:
        raise RowError("validation_failed", f"{printed.figure} is no time of a step")
    return value


def _rate(printed: Printed) -> float:
    """Tokens a second and GPU: whole numbers, printed with commas between thousands. Raises RowError."""
    try:
        value = float(printed.figure.replace(",", ""))
    except ValueError as error:
        raise RowError("truncated_row", f'"{printed.figure}" is no figure') from error
    if not 0 < value < 1e9:
        raise RowError("validation_failed", f"{printed.figure} is no rate of tokens")
    return value


def _check_times(rows: Sequence[Mapping[str, Any]], chosen: Sequence[_Found], faults: Faults) -> None:
    """Times that grow or fall by the same from line to line count from the start, or to the end."""
    if chosen[0].printed.kind == "rate":
        return
    times = [row["step_time_s"] for row in rows]
    steps = [b - a for a, b in pairwise(times)]
    if counts_on(times):
        ways = "from the start" if steps[0] > 0 else "down"
        said = f'"{chosen[0].printed.label}" grows with every step: it counts {ways}, and is no step\'s'
        faults.error(rows[0]["line"], "cumulative_time", said)
    apart = {b["step"] - a["step"] for a, b in pairwise(rows)}
    if chosen[0].printed.kind == "time" and apart == {max(apart)} and max(apart) > 1:
        said = f"the lines are {max(apart)} steps apart: each time is taken as that of one step"
        faults.warning(rows[0]["line"], "steps_between", said)


def counts_on(times: Sequence[float]) -> bool:
    """Whether times are those of a clock that runs on: all rise (or fall), by steps that are much alike.

    >>> counts_on([12.3, 24.6, 36.9]), counts_on([2.5, 2.6, 2.5]), counts_on([2.5, 2.6, 2.65])
    (True, False, False)
    """
    steps = [b - a for a, b in pairwise(times)]
    one_way = all(step > 0 for step in steps) or all(step < 0 for step in steps)
    if len(steps) < 2 or not one_way:
        return False
    sizes = [abs(step) for step in steps]
    from_start = steps[0] > 0 and median(sizes) > 0.5 * times[0]  # the first is itself about a step
    alike = len(times) >= _FEWEST_ON_A_LINE and max(sizes) < 1.5 * min(sizes)
    return from_start or alike


def _batch(
    rows: Sequence[Mapping[str, Any]], chosen: Sequence[_Found], named: int | None, faults: Faults
) -> int | None:
    """Sequences a step: as the log names them, and as the samples grow that it says were consumed."""
    texts = {one.line.number: one.printed.rest for one in chosen}
    seen = [(row, int(match[1])) for row in rows if (match := _CONSUMED.search(texts[row["line"]]))]
    pairs = [
        (b, (y - x) / (b["step"] - a["step"])) for (a, x), (b, y) in pairwise(seen) if b["step"] > a["step"]
    ]
    grown = {samples for _, samples in pairs}
    if len(grown) != 1:
        return named
    each = grown.pop()
    if named is None:
        return int(each) if each >= 1 and each == int(each) else None
    if each != named:
        said = f"consumed samples grow by {each:g} a step, and the global batch size is said to be {named}"
        faults.error(pairs[0][0]["line"], "validation_failed", said)
    return named


def _settings(lines: Sequence[Line]) -> dict[str, Any]:
    """What the log says of its job; None where it does not, or names several."""
    found: dict[str, set[str]] = {}
    for line in lines:
        if _SETTING_WORDS.search(line.text):
            for match in _SETTINGS.finditer(line.text):
                name = match.lastgroup or ""
                found.setdefault(_SAME.get(name, name), set()).add(match[name].strip())
    only = {name: values.pop() for name, values in found.items() if len(values) == 1}
    whole = ("world_size", "global_batch_sequences", "sequence", "layers", "hidden")
    counts = {name: int(only[name]) if len(only.get(name, "x" * 10)) < 10 else None for name in whole}
    return {**counts, "device": only.get("device")}


def _run(rows: list[dict[str, Any]], chosen: Sequence[_Found], settings: Mapping[str, Any]) -> Run:
    tflops = [
        float(match[1].replace(",", "")) for one in chosen if (match := _TFLOPS.search(one.printed.rest))
    ]
    run: dict[str, Any] = {
        "tool": "training-log",
        "kind": "token-rates" if chosen[0].printed.kind == "rate" else "step-times",
        "world_size": settings["world_size"],
        "global_batch_sequences": settings["global_batch_sequences"],
        "complete": True,
        "rows": rows,
    }
    steady = steady_times(run)
    if run["kind"] == "token-rates":
        run["steady_tokens_per_gpu_per_s"] = median(1 / time for time in steady)
    else:
        run["steady_step_time_s"] = median(steady)
    run["steady_steps"] = len(steady)
    more = {name: settings[name] for name in ("sequence", "layers", "hidden", "device") if settings[name]}
    if tflops:
        more["tflops_per_gpu"] = median(tflops)
    return {**run, **more}


def steady_times(run: Run) -> Sequence[float]:
    """Seconds of each step (of a log of rates: a token and GPU) without the warm-up.

    That is the first tenth, at least one step, at most ten, and what follows at more than twice the median.
    """
    rates = run["kind"] == "token-rates"
    rows = run["rows"]
    times = [1 / row["tokens_per_gpu_per_s"] if rates else row["step_time_s"] for row in rows]
    rest = times[min(10, max(1, len(times) // 10)) :]
    limit = 2 * median(rest)
    first = next(i for i, time in enumerate(rest) if time <= limit)
    return rest[first:]


def _marked(text: str) -> bool:
    return bool(printed_times(text))


FORMAT = LogFormat("training-log", "a training run", _marked, training_run)
