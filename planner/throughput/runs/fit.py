"""Fits the few free constants of the throughput model: ``python -m planner.throughput.runs.fit``.

Least mean absolute log error of the step times of the runs named in ``data/training_runs_fit.csv``, each
published table with the same weight, by coordinate descent from the shipped values within their bands.
Prints the values for ``data/throughput.csv`` and the errors of all published runs; writes nothing.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from planner.catalog.data_files import data_dir
from planner.catalog.parts import Catalog
from planner.catalog.sources import load_sources
from planner.throughput.constants import constants, trial_values
from planner.throughput.runs.estimate import ANCHOR, anchored, predict
from planner.throughput.runs.rows import Row


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def training_runs() -> list[Row]:
    """The runs that came with the model, fitted ones among them."""
    return _rows(data_dir() / "training_runs.csv")


def more_training_runs() -> list[Row]:
    """Runs gathered from other public tables; none of them is fitted on."""
    return _rows(data_dir() / "training_runs_more.csv")


def fitted_prefixes() -> tuple[str, ...]:
    """Beginnings of the names of the series that the constants are fitted on."""
    return tuple(row["series_prefix"] for row in _rows(data_dir() / "training_runs_fit.csv"))


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


def scores(rows: Sequence[Row], catalog: Catalog, fitted: tuple[str, ...] = ()) -> list[Score]:
    """A score of every run that has a time and a prediction."""
    found = [predict(row, catalog) for row in rows]
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
        out.append(Score(series, group_of(series), plain.run.gpus, mark, error, again))
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


FITTED = ("kappa", "elementwise_passes", "exposed_ratio", "fp8_derate", "a100.attention_2023")
_FIRST_STEP, _LAST_STEP = 0.1, 1e-3


def loss(values: Mapping[str, float], rows: Sequence[Row], catalog: Catalog) -> float:
    """Mean |log(predicted / measured)|, every published table weighing the same."""
    sizes = Counter(group_of(row["series"]) for row in rows)
    with trial_values(values):
        found = [predict(row, catalog) for row in rows]
    total = 0.0
    for row, prediction in zip(rows, found, strict=True):
        if prediction.step_s is None or prediction.run is None or prediction.run.measured_s is None:
            raise ValueError(f"{row['series']}: {prediction.reason or 'no measured time'}")
        error = math.log(prediction.step_s / prediction.run.measured_s)
        total += abs(error) / sizes[group_of(row["series"])]
    return total / len(sizes)


def _moved(values: Mapping[str, float], key: str, step: float) -> dict[str, float]:
    band = constants()[key]
    return {**values, key: min(band.high, max(band.low, values[key] * math.exp(step)))}


def fit(rows: Sequence[Row], catalog: Catalog, keys: Sequence[str] = FITTED) -> dict[str, float]:
    """The constants that fit the rows best; each stays within its band."""
    values = {key: constants()[key].value for key in keys}
    best, step = loss(values, rows, catalog), dict.fromkeys(keys, _FIRST_STEP)
    while max(step.values()) > _LAST_STEP:
        for key in keys:
            trials = [_moved(values, key, sign * step[key]) for sign in (1, -1)]
            losses = [loss(trial, rows, catalog) for trial in trials]
            least = min(losses)
            if least < best - 1e-9:
                values, best = trials[losses.index(least)], least
            else:
                step[key] /= 2
    return values


def main() -> None:
    """Fits, and prints the constants and what they reach."""
    catalog, prefixes = load_sources().catalog, fitted_prefixes()
    rows = [row for row in training_runs() if row["series"].startswith(prefixes)]
    values = fit(rows, catalog)
    print("constant,shipped,fitted")
    for key, found in values.items():
        print(f"{key},{constants()[key].value:g},{found:.4g}")
    with trial_values(values):
        runs = scores([*training_runs(), *more_training_runs()], catalog, prefixes)
    outside = [run for run in runs if not run.fitted]
    print(table([*by_group(runs), summary("all outside the fit", outside), summary("all", runs)]))
    print(table(by_series(runs)))


if __name__ == "__main__":
    main()
