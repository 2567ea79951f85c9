"""Measured times and the line through them, and what they move, as frames and charts without Streamlit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import altair as alt
import pandas as pd

from planner.calibrate.alpha_beta_fit import Series
from planner.charts.chart_style import COLOURS, technology_colours
from planner.text import format as form

_COLUMNS = ("log", "size_bytes", "measured_us", "fitted_us")
_PIXELS, _LEGEND_PIXELS, _LEGEND_COLUMNS = 360, 22, 2  # Streamlit counts axis and legend into the height
_BAR_PIXELS, _AROUND_PIXELS = 16, 110
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_LABEL_PIXELS = 320
_NO_LINE = "No line: a line needs three message sizes of one run."


def fit_frame(series: Sequence[Series]) -> pd.DataFrame:
    """A row a point: log, size_bytes, measured_us, fitted_us (missing where no line was fitted).

    The second run of a log is told from its first by a number.
    """
    rows: list[tuple[str, float, float, float | None]] = []
    seen: Counter[str] = Counter()
    for one in series:
        seen[one.log] += 1
        name = one.log if seen[one.log] == 1 else f"{one.log} ({seen[one.log]})"
        rows += [(name, x, y, one.fit.time_us(x) if one.fit else None) for x, y in sorted(one.points)]
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    return frame.astype({"size_bytes": float, "measured_us": float, "fitted_us": float})


def fit_chart(frame: pd.DataFrame) -> alt.LayerChart:
    """Points and fitted lines on logarithmic axes, a colour and a mark a run. Columns as of ``fit_frame``."""
    logarithmic = alt.Scale(type="log", nice=False, padding=12)
    x = alt.X("size_bytes:Q", scale=logarithmic, title="Bytes", axis=alt.Axis(format="~s", tickCount=6))
    names = list(frame["log"].drop_duplicates())
    legend = alt.Legend(orient="bottom", columns=_LEGEND_COLUMNS, labelLimit=_LABEL_PIXELS)
    colour = alt.Color("log:N", title=None, sort=names, scale=_scale(names, COLOURS), legend=legend)
    shape = alt.Shape("log:N", title=None, sort=names, scale=_scale(names, _SHAPES), legend=legend)
    measured = alt.Y("measured_us:Q", scale=logarithmic, title="Time, us", axis=alt.Axis(format="~g"))
    tips = [
        alt.Tooltip("log:N", title="Log"),
        alt.Tooltip("size_bytes:Q", title="Bytes", format=",.0f"),
        alt.Tooltip("measured_us:Q", title="Measured, us", format=",.2f"),
        alt.Tooltip("fitted_us:Q", title="Fitted, us", format=",.2f"),
    ]
    points = alt.Chart(frame).mark_point(filled=True, opacity=0.85, size=45)
    lines = alt.Chart(frame.dropna(subset=["fitted_us"])).mark_line()
    layers = [
        lines.encode(x=x, y=alt.Y("fitted_us:Q", scale=logarithmic), color=colour),
        points.encode(x=x, y=measured, color=colour, shape=shape, tooltip=tips),
    ]
    legend_rows = -(-len(names) // _LEGEND_COLUMNS)
    return alt.LayerChart(layer=layers, height=_PIXELS + _LEGEND_PIXELS * legend_rows)


def fit_title(series: Sequence[Series]) -> str:
    """The finding above the fit plot."""
    lines = [one.fit for one in series if one.fit]
    if not lines:
        return _NO_LINE
    worst = form.percent(max(line.residual_ratio for line in lines))
    many = f"{form.counted(len(lines), 'line')} for {form.counted(len(series), 'run')}"
    return f"{many}: the points lie {worst} off their line at most (root mean square)"


def effects_chart(frame: pd.DataFrame) -> alt.Chart:
    """Bars from 0: what each constant changes, by technology (as shown).

    Columns: constant, technology, year, before_tflops, after_tflops, change_ratio; one year.
    """
    order, names = (list(frame[key].drop_duplicates()) for key in ("constant", "technology"))
    change = alt.Axis(format="+.2~%", tickCount=6)
    plain = alt.Axis(labelLimit=_LABEL_PIXELS, ticks=False, domain=False)
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            y=alt.Y("constant:N", title=None, sort=order, axis=plain),
            yOffset=alt.YOffset("technology:N", sort=names),
            x=alt.X("change_ratio:Q", title="Change of effective TFLOP/s", axis=change),
            color=technology_colours(names),
            tooltip=[
                alt.Tooltip("constant:N", title="Constant"),
                alt.Tooltip("technology:N", title="Technology"),
                alt.Tooltip("before_tflops:Q", title="Before, TFLOP/s", format=",.0f"),
                alt.Tooltip("after_tflops:Q", title="After, TFLOP/s", format=",.0f"),
                alt.Tooltip("change_ratio:Q", title="Change", format="+.2%"),
            ],
        )
        .properties(height=len(order) * (10 + _BAR_PIXELS * len(names)) + _AROUND_PIXELS)
    )
    return chart


def _scale(names: Sequence[str], palette: Sequence[str]) -> alt.Scale:
    """Each name its own of a palette, in turn."""
    return alt.Scale(domain=list(names), range=[palette[i % len(palette)] for i in range(len(names))])
