"""Measured times and the line through them, as a frame and as a chart, without Streamlit."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from planner.calibrate.measured import Series

_COLUMNS = ("log", "size_bytes", "measured_us", "fitted_us")
_PIXELS = 320


def fit_frame(series: Sequence[Series]) -> pd.DataFrame:
    """A row a point: log, size_bytes, measured_us, fitted_us (missing where no line was fitted)."""
    rows = [
        (one.log, size, time, one.fit.time_us(size) if one.fit else None)
        for one in series
        for size, time in sorted(one.points)
    ]
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    return frame.astype({"size_bytes": float, "measured_us": float, "fitted_us": float})


def fit_chart(frame: pd.DataFrame) -> alt.LayerChart:
    """Points and fitted lines on logarithmic axes, a colour a log. Columns as of ``fit_frame``."""
    logarithmic = alt.Scale(type="log", nice=False)
    x = alt.X("size_bytes:Q", scale=logarithmic, title="Bytes", axis=alt.Axis(format="~s"))
    colour = alt.Color("log:N", title=None, legend=alt.Legend(orient="bottom", columns=2, labelLimit=320))
    tips = [alt.Tooltip(f"{name}:Q", format=",.2f") for name in _COLUMNS[1:]]
    measured = alt.Y("measured_us:Q", scale=logarithmic, title="Time, us")
    points = alt.Chart(frame).mark_point(filled=True, opacity=0.8)
    lines = alt.Chart(frame.dropna(subset=["fitted_us"])).mark_line()
    layers = [
        lines.encode(x=x, y=alt.Y("fitted_us:Q", scale=logarithmic), color=colour),
        points.encode(x=x, y=measured, color=colour, tooltip=["log:N", *tips]),
    ]
    return alt.LayerChart(layer=layers, height=_PIXELS)
