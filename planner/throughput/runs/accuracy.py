"""How far predictions lie from published runs: by run, by published table, by series."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from planner.catalog.parts import Catalog
from planner.throughput.constants import Constants
from planner.throughput.runs.prediction import ANCHOR, anchored, predict
from planner.throughput.runs.rows import Row

_GROUPS = (
    (r"(Foundry-[^-]+)-(?:A100-)?((?:40|80)GB)?.*-(bf16|fp8)$", r"\1-\2-\3"),
    (r"(SC21-T\d(?:-PTD|-ZeRO3)?)-.*", r"\1"),
    (r"(MCore-H100(?:-strong)?)-.*", r"\1"),
    (r"(RAR22|MegaScale)-.*", r"\1"),
    (r"(Experts-Bridge)-.*", r"\1"),
    (r"(NeMo-[\d.]+|Bridge-[\d.]+-[^-]+)-.*", r"\1"),
    (r"(MLPerf)-.*-(v[\d.]+)", r"\1-\2"),
)


@dataclass(frozen=True, slots=True)
class Score:
    """One run: predicted over measured time less 1, absolute and anchored (None: an anchor, or no series)."""

    series: str
    group: str
    gpus: int
    fitted: bool
    error: float
    anchored_error: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """Mean absolute errors of a group, and the mean and median of its anchored ones (None: no such run)."""

    name: str
    fitted: bool
    runs: int
    absolute: float
    bias: float
    anchored_runs: int
    anchored_mean: float | None
    anchored_median: float | None


def group_of(series: str) -> str:
    """The published table that a series is of.

    >>> group_of("SC21-T2-PTD-GPT 175B"), group_of("Foundry-A100-A100-40GB-MPT-7b-s512-full-fsdp-bf16")
    ('SC21-T2-PTD', 'Foundry-A100-40GB-bf16')
    """
    for pattern, name in _GROUPS:
        match = re.fullmatch(pattern, series)
        if match:
            return match.expand(name).replace("--", "-")
    return series


def scores(
    rows: Sequence[Row], catalog: Catalog, constants: Constants, fitted: tuple[str, ...] = ()
) -> list[Score]:
    """A score of every run that has a time and a prediction."""
    found = [predict(row, catalog, constants) for row in rows]
    out = []
    for row, plain, fixed in zip(rows, found, anchored(rows, found), strict=True):
        if plain.run is None or plain.step_s is None or plain.run.measured_s is None:
            continue
        measured, again = plain.run.measured_s, None
        if fixed.reason != ANCHOR and fixed.step_s is not None:
            again = fixed.step_s / measured - 1
        series = row["series"]
        mark = bool(fitted) and series.startswith(fitted)
        error = plain.step_s / measured - 1
        out.append(Score(series, group_of(series), plain.run.cluster.gpus, mark, error, again))
    return out


def summary(name: str, runs: Sequence[Score]) -> Summary:
    """The errors of some runs."""
    again = [abs(run.anchored_error) for run in runs if run.anchored_error is not None]
    return Summary(
        name=name,
        fitted=all(run.fitted for run in runs),
        runs=len(runs),
        absolute=fmean(abs(run.error) for run in runs),
        bias=fmean(run.error for run in runs),
        anchored_runs=len(again),
        anchored_mean=fmean(again) if again else None,
        anchored_median=median(again) if again else None,
    )


def by_group(runs: Sequence[Score]) -> list[Summary]:
    """A summary of each published table, in the order of the runs."""
    groups: dict[str, list[Score]] = defaultdict(list)
    for run in runs:
        groups[run.group].append(run)
    return [summary(name, members) for name, members in groups.items()]


def by_series(runs: Sequence[Score]) -> list[Summary]:
    """A summary of each series that has more than its anchor."""
    groups: dict[str, list[Score]] = defaultdict(list)
    for run in runs:
        groups[run.series].append(run)
    several = {name: members for name, members in groups.items() if len(members) > 1}
    return [summary(name, members) for name, members in several.items()]


def table(summaries: Sequence[Summary]) -> str:
    """The summaries as text, errors in percent; * marks what was fitted."""
    lines = [f"{'':54s} runs  abs %  bias % | anchored  mean %  median %"]
    for s in summaries:
        anchor = ""
        if s.anchored_mean is not None and s.anchored_median is not None:
            anchor = f"{s.anchored_runs:9d} {100 * s.anchored_mean:7.1f} {100 * s.anchored_median:9.1f}"
        name = f"{'* ' if s.fitted else '  '}{s.name}"
        lines.append(f"{name[:54]:54s} {s.runs:4d} {100 * s.absolute:6.1f} {100 * s.bias:7.1f} |{anchor}")
    return "\n".join(lines)
