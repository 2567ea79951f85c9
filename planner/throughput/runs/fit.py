"""Fits the few free constants of the throughput model: ``python -m planner.throughput.runs.fit``.

Least mean absolute log error of the step times of the runs named in ``data/training_runs_fit.csv``, each
published table with the same weight, by coordinate descent from the shipped values within their bands.
Prints the values for ``data/throughput.csv`` and the errors of all published runs; writes nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from planner.catalog.parts import Catalog
from planner.catalog.sources import load_sources
from planner.throughput.constants import Constants, load_constants, with_values
from planner.throughput.runs.accuracy import by_group, by_series, group_of, scores, summary, table
from planner.throughput.runs.prediction import predict
from planner.throughput.runs.rows import Row, fitted_prefixes, more_training_runs, training_runs

FITTED = ("kappa", "elementwise_passes", "exposed_ratio", "fp8_derate", "a100.attention_2023")
_FIRST_STEP, _LAST_STEP = 0.1, 1e-3  # of a constant, relative
_GAIN = 1e-9  # of the loss: less is rounding


def loss(constants: Constants, rows: Sequence[Row], catalog: Catalog) -> float:
    """Mean |log(predicted / measured)|, every published table weighing the same."""
    sizes = Counter(group_of(row["series"]) for row in rows)
    total = 0.0
    for row in rows:
        prediction = predict(row, catalog, constants)
        if prediction.step_s is None or prediction.run is None or prediction.run.measured_s is None:
            raise ValueError(f"{row['series']}: {prediction.reason or 'no measured time'}")
        error = math.log(prediction.step_s / prediction.run.measured_s)
        total += abs(error) / sizes[group_of(row["series"])]
    return total / len(sizes)


def _moved(constants: Constants, key: str, step: float) -> Constants:
    """With one constant a relative step away, inside its band."""
    row = constants.rows[key]
    return with_values(constants, {key: min(row.high, max(row.low, row.value * math.exp(step)))})


def fit(rows: Sequence[Row], catalog: Catalog, start: Constants, keys: Sequence[str] = FITTED) -> Constants:
    """The constants from which no step of a single one, up or down, fits the rows better.

    A step that brings nothing is halved, down to a thousandth; each constant stays within its band.
    """
    best, least, step = start, loss(start, rows, catalog), dict.fromkeys(keys, _FIRST_STEP)
    while max(step.values()) > _LAST_STEP:
        for key in keys:
            trials = [_moved(best, key, sign * step[key]) for sign in (1, -1)]
            losses = [loss(trial, rows, catalog) for trial in trials]
            if min(losses) < least - _GAIN:
                least = min(losses)
                best = trials[losses.index(least)]
            else:
                step[key] /= 2
    return best


def main() -> None:
    """Fits, and prints the constants and what they reach."""
    catalog, shipped, prefixes = load_sources().catalog, load_constants(), fitted_prefixes()
    fitted = fit([row for row in training_runs() if row["series"].startswith(prefixes)], catalog, shipped)
    print("constant,shipped,fitted")
    for key in FITTED:
        print(f"{key},{shipped.rows[key].value:g},{fitted.rows[key].value:.4g}")
    runs = scores([*training_runs(), *more_training_runs()], catalog, fitted, prefixes)
    outside = [run for run in runs if not run.fitted]
    print(table([*by_group(runs), summary("all outside the fit", outside), summary("all", runs)]))
    print(table(by_series(runs)))


if __name__ == "__main__":
    main()
