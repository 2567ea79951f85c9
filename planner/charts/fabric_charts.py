"""Charts of the fabrics: switches and GPUs over the years, use of ports."""

from __future__ import annotations

import altair as alt
import pandas as pd

from planner.charts.chart_style import (
    AROUND_PIXELS,
    BAR_PIXELS,
    COLOURS,
    PIXELS,
    names_axis,
    value_colours,
    years_axis,
)

TIER_COLOURS = {"leaf": COLOURS[0], "spine": COLOURS[1], "core": COLOURS[2]}
_USE_COLOURS = {"down": COLOURS[0], "up": COLOURS[1], "dark": "#999999"}


def switches(frame: pd.DataFrame) -> alt.Chart:
    """Switches in service by tier and year. Columns: year, gpus, tier, switches, rank."""
    tiers = list(frame.sort_values("rank")["tier"].drop_duplicates())
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=years_axis(),
            y=alt.Y(
                "switches:Q",
                title="Switches in service",
                axis=alt.Axis(format=",d", tickCount=5, tickMinStep=1),
            ),
            color=value_colours("tier", tiers, TIER_COLOURS),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("year:O", title="Year"),
                alt.Tooltip("tier:N", title="Tier"),
                alt.Tooltip("switches:Q", title="Switches", format=","),
                alt.Tooltip("gpus:Q", title="GPUs", format=","),
            ],
        )
        .properties(height=PIXELS)
    )
    return chart


def gpus(frame: pd.DataFrame) -> alt.Chart:
    """GPUs in service by year. Columns: year, gpus."""
    once = frame[["year", "gpus"]].drop_duplicates()
    chart: alt.Chart = (
        alt.Chart(once)
        .mark_bar(color=COLOURS[4])
        .encode(
            x=years_axis(),
            y=alt.Y(
                "gpus:Q", title="GPUs in service", axis=alt.Axis(format=",d", tickCount=5, tickMinStep=1)
            ),
            tooltip=[alt.Tooltip("year:O", title="Year"), alt.Tooltip("gpus:Q", title="GPUs", format=",")],
        )
        .properties(height=PIXELS)
    )
    return chart


def port_use(frame: pd.DataFrame) -> alt.Chart:
    """Ports of each tier by use, as shares. Columns: tier, use, ports, share, rank."""
    tiers = list(frame["tier"].drop_duplicates())
    uses = [use for use in _USE_COLOURS if use in set(frame["use"])]
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            y=alt.Y("tier:N", title=None, sort=tiers, axis=names_axis()),
            x=alt.X("share:Q", title="Share of the tier's ports", stack=True,
                    axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(domain=[0, 1])),
            color=value_colours("use", uses, _USE_COLOURS),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("tier:N", title="Tier"),
                alt.Tooltip("use:N", title="Use"),
                alt.Tooltip("ports:Q", title="Ports", format=","),
                alt.Tooltip("share:Q", title="Share", format=".1%"),
            ],
        )
        .properties(height=BAR_PIXELS * len(tiers) + AROUND_PIXELS)
    )  # fmt: skip
    return chart
