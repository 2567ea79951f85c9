"""Charts of the training job: where a step's time goes, how the wait for the fabric grows."""

from __future__ import annotations

import altair as alt
import pandas as pd

from planner.charts.chart_style import (
    AROUND_PIXELS,
    BAR_PIXELS,
    names_axis,
    technology_lines,
    value_colours,
    years_axis,
)


def step_shares(frame: pd.DataFrame) -> alt.Chart:
    """Stacked bars of a step's time, one a technology. Columns: technology (as shown), part, share, rank."""
    parts = list(frame.sort_values("rank")["part"].drop_duplicates())
    order = list(frame["technology"].drop_duplicates())
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            y=alt.Y("technology:N", title=None, sort=order, axis=names_axis()),
            x=alt.X(
                "seconds:Q", title="Seconds of one training step", stack=True, axis=alt.Axis(tickCount=6)
            ),
            color=value_colours("part", parts),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("technology:N", title="Technology"),
                alt.Tooltip("part:N", title="Part of the step"),
                alt.Tooltip("share:Q", title="Share", format=".1%"),
                alt.Tooltip("seconds:Q", title="Seconds", format=".3f"),
            ],
        )
        .properties(height=BAR_PIXELS * len(order) + AROUND_PIXELS)
    )
    return chart


def shares_over_years(frame: pd.DataFrame) -> alt.LayerChart:
    """The share of a step that waits for the fabric, a line a technology.

    Columns: technology (as shown), year, share.
    """
    x = years_axis()
    y = alt.Y("share:Q", title="Share of a step", axis=alt.Axis(format="%", tickCount=5))
    told = alt.Tooltip("share:Q", title="Share", format=".1%")
    return technology_lines(frame, x, y, told, "linear")
