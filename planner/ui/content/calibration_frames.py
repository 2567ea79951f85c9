"""Readings, constants and moves -> the frames of the calibration page. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from planner.calibrate.constants import Constant, shipped_value
from planner.calibrate.effects import Effect
from planner.calibrate.readings import Reading
from planner.ui.content import calibration as words
from planner.ui.content import texts


def readings(found: Sequence[Reading]) -> pd.DataFrame:
    """A row a run, or a log without one. Columns: log, used, run, rows, fault."""
    rows = []
    for reading in found:
        fault, used = next(iter(words.faults(reading)), ""), words.status(reading)
        rows += [(reading.log, used, words.run(run), len(run["rows"]), fault) for run in reading.runs]
        rows += [] if reading.runs else [(reading.log, used, "", 0, fault)]
    return pd.DataFrame(rows, columns=["log", "used", "run", "rows", "fault"])


def constants(found: Sequence[Constant]) -> pd.DataFrame:
    """A row a constant. Columns: constant, holds_for, value, low, high, shipped, unit, how, logs."""
    rows = [
        (words.constant(c.name), words.holds_for(c), c.value, c.low, c.high, shipped_value(c), c.unit, c.how,
         ", ".join(c.logs))
        for c in found
    ]  # fmt: skip
    names = ["constant", "holds_for", "value", "low", "high", "shipped", "unit", "how", "logs"]
    return pd.DataFrame(rows, columns=names).astype({"shipped": float})


def effects(found: Sequence[Effect]) -> pd.DataFrame:
    """A row a constant, technology and year. Columns: constant, technology (as shown), year, before_tflops,
    after_tflops, change_ratio."""
    rows = [
        (words.constant(m.constant), texts.technology(m.technology), m.year, m.before_tflops, m.after_tflops,
         m.change_ratio)
        for m in found
        if m.constant != words.A_CHECK
    ]  # fmt: skip
    names = ["constant", "technology", "year", "before_tflops", "after_tflops", "change_ratio"]
    return pd.DataFrame(rows, columns=names)
