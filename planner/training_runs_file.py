"""Loader of the published training runs and of what the constants were fitted on."""

from __future__ import annotations

import csv
from pathlib import Path

from planner.resources import data_dir

Row = dict[str, str]


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
