"""What the calibration page says and shows: sentences, frames, headings of its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from planner.calibrate.effects_on_answer import ALL, Effect
from planner.calibrate.measured_constants import MeasuredConstant, shipped_value
from planner.calibrate.readings import Reading, Run
from planner.catalog.technologies import TECHNOLOGIES, technology_name
from planner.text import format as form

MEANING = (
    "Test a small cluster first: what nccl-tests, perftest and a training log print there corrects the "
    "model's constants, and with them every page."
)
UPLOAD = (
    "Logs of nccl-tests, of perftest (ib_write_bw, ib_send_lat and the others), of a training run with its "
    "step times; or a calibration.json. Several at once."
)
UPLOAD_HELP = "A broken log is refused with its line; the others are still read. Logs are not kept."
NOTHING_READ = "Nothing is read yet. The model's own constants and their sources: page Method and sources."
NO_CONSTANT = "No constant: no log could be used, or none measures one."
USE_HELP = (
    "Puts the measured constants into the scenario in place of the shipped ones; every page follows. "
    "Undo takes them back."
)
OUT_HELP = "The shipped constants hold again. Undo brings the measured ones back."
LOW_HELP = "Low and high: of the logs that it was taken from, or of the two ways to take it."
SHIPPED_HELP = "What the model takes without a test bed."
USED = "The scenario is planned with the measured constants now. Undo takes them back."
TAKEN_OUT = "The scenario is planned with the shipped constants again. Undo brings the measured ones back."
NOTHING_HOLDS = "None of these constants holds for the server of this scenario, so nothing was changed."
FIT_NOTE = (
    "Points: measured. Lines: fitted by least squares of the relative error. The slope of a line gives the "
    "bandwidth, its start the latency."
)
EFFECT_NOTE = (
    "Each constant alone in place of the shipped one, then all of them; the plan itself stays. What was "
    "measured on another accelerator or technology moves nothing."
)
A_CHECK = "fabric_busbw_gbytes_per_s"  # of the model, which does not take it

_NAMES = {
    "e0": "Payload share of the link rate (e0)",
    "alpha_us": "Latency of a message, without hops (alpha)",
    "nvlink_busbw_gbytes_per_s": "NVLink all-reduce bus bandwidth",
    "nvlink_alpha_us": "NVLink all-reduce latency",
    "fabric_busbw_gbytes_per_s": "All-reduce bus bandwidth across nodes",
    "stack_factor": "Software factor of the step time",
    ALL: "All together",
}
_STATUS = {"ok": "used", "partial": "refused", "error": "refused"}


def constant(name: str) -> str:
    """What people call a constant."""
    return _NAMES.get(name, name)


def holds_for(found: MeasuredConstant) -> str:
    """What a constant holds for: a technology, an accelerator, the job."""
    if found.of in TECHNOLOGIES:
        return technology_name(found.of)
    return found.of.upper() or ("the job" if found.name == "stack_factor" else form.NOT_KNOWN)


def status(reading: Reading) -> str:
    """Whether constants are taken from a log."""
    return _STATUS.get(reading.status, reading.status)


def run(found: Run) -> str:
    """What one run of a tool measured."""
    if found["tool"] == "training-log":
        return f"step times: {form.counted(len(found['rows']), 'step')}"
    if found["tool"] == "perftest":
        ways = ", both directions" if found.get("bidirectional") else ""
        return f"{found['test']} over {found['link_layer'] or 'an unnamed link'}{ways}"
    nodes = f" of {form.counted(found['nodes'], 'node')}" if found["nodes"] else ""
    return f"{found['collective']} on {form.counted(found['ranks'], 'GPU')}{nodes}"


def faults(reading: Reading) -> list[str]:
    """What is wrong with a log, a line each."""
    return [
        f"{reading.log}{f', line {fault.line}' if fault.line else ''}: {fault.message} ({fault.code})"
        for fault in reading.diagnostics
        if fault.severity == "error"
    ]


def in_scenario(section: Mapping[str, Any]) -> str:
    """What the scenario is calibrated with."""
    names = [key.removesuffix("_by_technology") for key in section if key not in ("logs", "technologies")]
    logs = section.get("logs")
    read_from = f" Read from {', '.join(map(str, logs))}." if isinstance(logs, list) and logs else ""
    return f"This scenario is calibrated: {', '.join(constant(name) for name in names)}.{read_from}"


def moved(moves: Sequence[Effect]) -> str:
    """The finding above the chart of moves: what moves most in the last year."""
    if not moves:
        return "No technology has a design, so nothing moves"
    last = max(move.year for move in moves)
    most = max((m for m in moves if m.year == last and m.constant == ALL), key=lambda m: abs(m.change_ratio))
    return (
        f"Together they move {technology_name(most.technology)} in {last} by "
        f"{form.percent_change(most.change_ratio)}: {form.tflops(most.before_tflops)} to "
        f"{form.tflops(most.after_tflops)}"
    )


def readings_frame(found: Sequence[Reading]) -> pd.DataFrame:
    """A row a run, or a log without one. Columns: log, used, run, rows, fault."""
    rows = []
    for reading in found:
        fault, used = next(iter(faults(reading)), ""), status(reading)
        rows += [(reading.log, used, run(one), len(one["rows"]), fault) for one in reading.runs]
        rows += [] if reading.runs else [(reading.log, used, "", 0, fault)]
    return pd.DataFrame(rows, columns=["log", "used", "run", "rows", "fault"])


def constants_frame(found: Sequence[MeasuredConstant]) -> pd.DataFrame:
    """A row a constant. Columns: constant, holds_for, value, low, high, shipped, unit, how, logs."""
    rows = [
        (constant(c.name), holds_for(c), c.value, c.low, c.high, shipped_value(c), c.unit, c.how,
         ", ".join(c.logs))
        for c in found
    ]  # fmt: skip
    names = ["constant", "holds_for", "value", "low", "high", "shipped", "unit", "how", "logs"]
    return pd.DataFrame(rows, columns=names).astype({"shipped": float})


def effects_frame(found: Sequence[Effect]) -> pd.DataFrame:
    """A row a constant, technology and year. Columns: constant, technology (as shown), year, before_tflops,
    after_tflops, change_ratio."""
    rows = [
        (constant(m.constant), technology_name(m.technology), m.year, m.before_tflops, m.after_tflops,
         m.change_ratio)
        for m in found
        if m.constant != A_CHECK
    ]  # fmt: skip
    names = ["constant", "technology", "year", "before_tflops", "after_tflops", "change_ratio"]
    return pd.DataFrame(rows, columns=names)


def reading_columns() -> dict[str, ColumnConfig]:
    """The runs that were read."""
    column = st.column_config
    return {
        "log": column.TextColumn("Log", width=240),
        "used": column.TextColumn("Constants", width=85, help="Refused: no constant is taken from it."),
        "run": column.TextColumn("Run", width=300),
        "rows": column.NumberColumn("Rows", format="localized", width=65),
        "fault": column.TextColumn("First fault", width=420),
    }


def constant_columns() -> dict[str, ColumnConfig]:
    """What was measured, beside what is shipped."""
    column = st.column_config
    return {
        "constant": column.TextColumn("Constant", width=270),
        "holds_for": column.TextColumn("Holds for", width=95),
        "value": column.NumberColumn("Measured", format="%.4g", width=85),
        "low": column.NumberColumn("Low", format="%.4g", width=70, help=LOW_HELP),
        "high": column.NumberColumn("High", format="%.4g", width=70),
        "shipped": column.NumberColumn("Shipped", format="%.4g", width=80, help=SHIPPED_HELP),
        "unit": column.TextColumn("Unit", width=150),
        "how": column.TextColumn("How", width=420),
        "logs": column.TextColumn("Logs", width=300),
    }


def effect_columns() -> dict[str, ColumnConfig]:
    """The answer before and after each constant."""
    column = st.column_config
    rate = {"before_tflops": "Before, TFLOP/s", "after_tflops": "After, TFLOP/s"}
    return {
        "constant": column.TextColumn("Constant", width=270),
        "technology": column.TextColumn("Technology", width=105),
        "year": column.NumberColumn("Year", format="%d", width=60),
        **{key: column.NumberColumn(title, format="%,.0f", width=130) for key, title in rate.items()},
        "change_ratio": column.NumberColumn("Change", format="percent", width=85),
    }
