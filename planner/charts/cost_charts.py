"""Charts of money: by kind, by year, as it is paid, against the work that it buys."""

from __future__ import annotations

import altair as alt
import pandas as pd

from planner.charts.chart_style import (
    AROUND_PIXELS,
    BAR_PIXELS,
    COLOURS,
    PIXELS,
    names_axis,
    technology_colours,
    technology_lines,
    technology_shapes,
    value_colours,
    years_axis,
)

_MARGIN = 0.04
_POINTS_PIXELS = 380


def cost_by_kind(frame: pd.DataFrame) -> alt.Chart:
    """Stacked bars, one a technology. Columns: technology (as shown), kind, npv_usd, rank."""
    kinds = list(frame.sort_values("rank")["kind"].drop_duplicates())
    order = list(frame["technology"].drop_duplicates())
    money_axis = alt.Axis(format="$~s", tickCount=6)
    bars = alt.Chart(frame).mark_bar()
    chart: alt.Chart = bars.encode(
        y=alt.Y("technology:N", title=None, sort=order, axis=names_axis()),
        x=alt.X("npv_usd:Q", title="NPV in the base year, USD", stack=True, axis=money_axis),
        color=value_colours("kind", kinds),
        order=alt.Order("rank:Q"),
        tooltip=[
            alt.Tooltip("technology:N", title="Technology"),
            alt.Tooltip("kind:N", title="Kind"),
            alt.Tooltip("npv_usd:Q", title="NPV, USD", format="$,.0f"),
        ],
    ).properties(height=BAR_PIXELS * len(order) + AROUND_PIXELS)
    return chart


def value_for_money(frame: pd.DataFrame) -> alt.LayerChart:
    """Cost against throughput, both relative to the best; the dashed line is equal levelised cost.

    Columns: technology (as shown), throughput_ratio, tco_ratio, levelised_usd.
    """
    ratios = frame[["throughput_ratio", "tco_ratio"]]
    ends = [float(ratios.min().min()) - _MARGIN, float(ratios.max().max()) + _MARGIN]
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    axis = alt.Axis(format="%", tickCount=6)
    x = alt.X("throughput_ratio:Q", scale=scale, title="Effective throughput", axis=axis)
    y = alt.Y("tco_ratio:Q", scale=scale, title="TCO", axis=axis)
    diagonal = alt.Chart(pd.DataFrame({"throughput_ratio": ends, "tco_ratio": ends}))
    equal = diagonal.mark_line(strokeDash=[6, 4], color=COLOURS[-1]).encode(x=x, y=y)
    return alt.LayerChart(layer=[equal, _points(frame, x, y)], height=_POINTS_PIXELS)


def _points(frame: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    names = list(frame["technology"])
    marks = alt.Chart(frame).mark_point(size=170, filled=True, opacity=0.9)
    chart: alt.Chart = marks.encode(
        x=x,
        y=y,
        color=technology_colours(names),
        shape=technology_shapes(names),
        tooltip=[
            alt.Tooltip("technology:N", title="Technology"),
            alt.Tooltip("throughput_ratio:Q", title="Throughput against the best", format=".1%"),
            alt.Tooltip("tco_ratio:Q", title="TCO against the best", format=".1%"),
            alt.Tooltip("levelised_usd:Q", title="Levelised cost, USD", format="$,.2f"),
        ],
    )
    return chart


def cost_by_year(frame: pd.DataFrame) -> alt.Chart:
    """Cost by kind and year, stacked. Columns: year, kind, amount_usd, rank."""
    kinds = list(frame.sort_values("rank")["kind"].drop_duplicates())
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=years_axis(),
            y=alt.Y("amount_usd:Q", title="Nominal USD", axis=alt.Axis(format="$~s", tickCount=6)),
            color=value_colours("kind", kinds),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("year:O", title="Year"),
                alt.Tooltip("kind:N", title="Kind"),
                alt.Tooltip("amount_usd:Q", title="USD", format="$,.0f"),
            ],
        )
        .properties(height=PIXELS + 40)
    )
    return chart


def cash_flow(frame: pd.DataFrame) -> alt.LayerChart:
    """What was paid up to each year, a stepped line a technology. Columns: technology, year, paid_usd."""
    axis = alt.Axis(format="$~s", tickCount=6)
    y = alt.Y("paid_usd:Q", title="Paid so far, nominal USD", axis=axis)
    told = alt.Tooltip("paid_usd:Q", title="Paid, USD", format="$,.0f")
    return technology_lines(frame, years_axis("Start of year"), y, told, "step-after")
