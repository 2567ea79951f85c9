"""Fits the few free constants of the throughput model: ``python -m planner.fit_throughput``.

Least mean absolute log error of the step times of the runs named in ``data/training_runs_fit.csv``, each
published table with the same weight, by coordinate descent from the shipped values within their bands.
Prints the values for ``data/throughput.csv`` and the errors of all published runs; writes nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from planner.catalog import Catalog
from planner.estimate_runs import predict
from planner.run_rows import Row
from planner.sources import load_sources
from planner.throughput_constants import constants, trial_values
from planner.throughput_scores import by_group, by_series, group_of, scores, summary, table
from planner.training_runs_file import fitted_prefixes, more_training_runs, training_runs

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
