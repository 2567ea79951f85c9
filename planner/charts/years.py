"""Frame -> Altair chart for the pages on growth, money, throughput and ports. No Streamlit."""

from __future__ import annotations

from typing import Literal

import altair as alt
import pandas as pd

from planner.charts.comparison import COLOURS, technology_colours, technology_dashes, technology_shapes

_PIXELS = 300
_BAR_PIXELS = 44
_AROUND_PIXELS = 130  # axis and legend: Streamlit counts them into a chart's height
TIER_COLOURS = {"leaf": COLOURS[0], "spine": COLOURS[1], "core": COLOURS[2]}
_USE_COLOURS = {"down": COLOURS[0], "up": COLOURS[1], "dark": "#999999"}


def step_shares(frame: pd.DataFrame) -> alt.Chart:
    """Stacked bars of a step's time, one a technology. Columns: technology (as shown), part, share, rank."""
    parts = list(frame.sort_values("rank")["part"].drop_duplicates())
    order = list(frame["technology"].drop_duplicates())
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            y=alt.Y("technology:N", title=None, sort=order, axis=_names()),
            x=alt.X(
                "seconds:Q", title="Seconds of one training step", stack=True, axis=alt.Axis(tickCount=6)
            ),
            color=_colour("part", parts),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("technology:N", title="Technology"),
                alt.Tooltip("part:N", title="Part of the step"),
                alt.Tooltip("share:Q", title="Share", format=".1%"),
                alt.Tooltip("seconds:Q", title="Seconds", format=".3f"),
            ],
        )
        .properties(height=_BAR_PIXELS * len(order) + _AROUND_PIXELS)
    )
    return chart


def _names() -> alt.Axis:
    return alt.Axis(labelLimit=200, ticks=False, domain=False)


def _years(title: str | None = None) -> alt.X:
    return alt.X("year:O", title=title, axis=alt.Axis(labelAngle=0, ticks=False))


def _colour(field: str, values: list[str], palette: dict[str, str] | None = None) -> alt.Color:
    """A colour a value, in the order of the values."""
    known = palette or dict(zip(values, COLOURS, strict=False))
    scale = alt.Scale(domain=values, range=[known[v] for v in values])
    legend = alt.Legend(orient="bottom", columns=4, labelLimit=220, offset=8)
    return alt.Color(f"{field}:N", title=None, sort=values, scale=scale, legend=legend)


def shares_over_years(frame: pd.DataFrame) -> alt.LayerChart:
    """The share of a step that waits for the fabric, a line a technology.

    Columns: technology (as shown), year, share.
    """
    x = _years()
    y = alt.Y("share:Q", title="Share of a step", axis=alt.Axis(format="%", tickCount=5))
    told = alt.Tooltip("share:Q", title="Share", format=".1%")
    return _lines(frame, x, y, told, "linear")


def _lines(
    frame: pd.DataFrame, x: alt.X, y: alt.Y, told: alt.Tooltip, interpolate: Literal["linear", "step-after"]
) -> alt.LayerChart:
    """A line a technology, dashed each in its way, and its marks on top."""
    names = list(frame["technology"].drop_duplicates())
    colours = technology_colours(names)
    base = alt.Chart(frame)
    lines = base.mark_line(interpolate=interpolate).encode(
        x=x, y=y, color=colours, strokeDash=technology_dashes(names)
    )
    marks = base.mark_point(size=90, filled=True, opacity=1).encode(
        x=x,
        y=y,
        color=colours,
        shape=technology_shapes(names),
        tooltip=[alt.Tooltip("technology:N", title="Technology"), alt.Tooltip("year:O", title="Year"), told],
    )
    return alt.LayerChart(layer=[lines, marks], height=_PIXELS)


def switches(frame: pd.DataFrame) -> alt.Chart:
    """Switches in service by tier and year. Columns: year, gpus, tier, switches, rank."""
    tiers = list(frame.sort_values("rank")["tier"].drop_duplicates())
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=_years(),
            y=alt.Y(
                "switches:Q",
                title="Switches in service",
                axis=alt.Axis(format=",d", tickCount=5, tickMinStep=1),
            ),
            color=_colour("tier", tiers, TIER_COLOURS),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("year:O", title="Year"),
                alt.Tooltip("tier:N", title="Tier"),
                alt.Tooltip("switches:Q", title="Switches", format=","),
                alt.Tooltip("gpus:Q", title="GPUs", format=","),
            ],
        )
        .properties(height=_PIXELS)
    )
    return chart


def gpus(frame: pd.DataFrame) -> alt.Chart:
    """GPUs in service by year. Columns: year, gpus."""
    once = frame[["year", "gpus"]].drop_duplicates()
    chart: alt.Chart = (
        alt.Chart(once)
        .mark_bar(color=COLOURS[4])
        .encode(
            x=_years(),
            y=alt.Y(
                "gpus:Q", title="GPUs in service", axis=alt.Axis(format=",d", tickCount=5, tickMinStep=1)
            ),
            tooltip=[alt.Tooltip("year:O", title="Year"), alt.Tooltip("gpus:Q", title="GPUs", format=",")],
        )
        .properties(height=_PIXELS)
    )
    return chart


def cost_by_year(frame: pd.DataFrame) -> alt.Chart:
    """Cost by kind and year, stacked. Columns: year, kind, amount_usd, rank."""
    kinds = list(frame.sort_values("rank")["kind"].drop_duplicates())
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=_years(),
            y=alt.Y("amount_usd:Q", title="Nominal USD", axis=alt.Axis(format="$~s", tickCount=6)),
            color=_colour("kind", kinds),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("year:O", title="Year"),
                alt.Tooltip("kind:N", title="Kind"),
                alt.Tooltip("amount_usd:Q", title="USD", format="$,.0f"),
            ],
        )
        .properties(height=_PIXELS + 40)
    )
    return chart


def cash_flow(frame: pd.DataFrame) -> alt.LayerChart:
    """What was paid up to each year, a stepped line a technology. Columns: technology, year, paid_usd."""
    axis = alt.Axis(format="$~s", tickCount=6)
    y = alt.Y("paid_usd:Q", title="Paid so far, nominal USD", axis=axis)
    told = alt.Tooltip("paid_usd:Q", title="Paid, USD", format="$,.0f")
    return _lines(frame, _years("Start of year"), y, told, "step-after")


def port_use(frame: pd.DataFrame) -> alt.Chart:
    """Ports of each tier by use, as shares. Columns: tier, use, ports, share, rank."""
    tiers = list(frame["tier"].drop_duplicates())
    uses = [use for use in _USE_COLOURS if use in set(frame["use"])]
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            y=alt.Y("tier:N", title=None, sort=tiers, axis=_names()),
            x=alt.X("share:Q", title="Share of the tier's ports", stack=True,
                    axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(domain=[0, 1])),
            color=_colour("use", uses, _USE_COLOURS),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("tier:N", title="Tier"),
                alt.Tooltip("use:N", title="Use"),
                alt.Tooltip("ports:Q", title="Ports", format=","),
                alt.Tooltip("share:Q", title="Share", format=".1%"),
            ],
        )
        .properties(height=_BAR_PIXELS * len(tiers) + _AROUND_PIXELS)
    )  # fmt: skip
    return chart
