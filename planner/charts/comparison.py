"""Frame -> Altair chart, without Streamlit. Colours are Okabe and Ito's, safe for the colour-blind."""

from __future__ import annotations

import altair as alt
import pandas as pd

from planner.catalog.technologies import TECHNOLOGY_NAMES

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
_SHAPES = ("circle", "square", "triangle-up", "diamond")
_DASHES = ([1, 0], [8, 4], [3, 3], [10, 3, 2, 3])
_MARGIN = 0.04
_POINTS_PIXELS = 380
_BAR_PIXELS = 44
_AROUND_PIXELS = 130  # axis and legend: Streamlit counts them into a chart's height


def cost_by_kind(frame: pd.DataFrame) -> alt.Chart:
    """Stacked bars, one a technology. Columns: technology (as shown), kind, npv_usd, rank."""
    kinds = list(frame.sort_values("rank")["kind"].drop_duplicates())
    order = list(frame["technology"].drop_duplicates())
    plain_axis = alt.Axis(labelLimit=200, ticks=False, domain=False)
    money_axis = alt.Axis(format="$~s", tickCount=6)
    bars = alt.Chart(frame).mark_bar()
    chart: alt.Chart = bars.encode(
        y=alt.Y("technology:N", title=None, sort=order, axis=plain_axis),
        x=alt.X("npv_usd:Q", title="NPV in the base year, USD", stack=True, axis=money_axis),
        color=alt.Color(
            "kind:N",
            title=None,
            sort=kinds,
            scale=alt.Scale(domain=kinds, range=list(COLOURS[: len(kinds)])),
            legend=alt.Legend(orient="bottom", columns=4, labelLimit=220, offset=8),
        ),
        order=alt.Order("rank:Q"),
        tooltip=[
            alt.Tooltip("technology:N", title="Technology"),
            alt.Tooltip("kind:N", title="Kind"),
            alt.Tooltip("npv_usd:Q", title="NPV, USD", format="$,.0f"),
        ],
    ).properties(height=_BAR_PIXELS * len(order) + _AROUND_PIXELS)
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


def technology_colours(names: list[str]) -> alt.Color:
    """The colour of each technology (as shown): the same in every chart."""
    places = _places()
    ordered = sorted(names, key=lambda name: places[name])
    scale = alt.Scale(domain=ordered, range=[COLOURS[places[name]] for name in ordered])
    legend = alt.Legend(orient="bottom", symbolStrokeWidth=0)
    return alt.Color("technology:N", title=None, sort=ordered, scale=scale, legend=legend)


def technology_shapes(names: list[str]) -> alt.Shape:
    """The mark of each technology, so that colour is not all that tells them apart."""
    places = _places()
    ordered = sorted(names, key=lambda name: places[name])
    scale = alt.Scale(domain=ordered, range=[_SHAPES[places[name]] for name in ordered])
    return alt.Shape("technology:N", title=None, sort=ordered, scale=scale)


def technology_dashes(names: list[str]) -> alt.StrokeDash:
    """The stroke of each technology's line: where lines lie on each other, both show."""
    places = _places()
    ordered = sorted(names, key=lambda name: places[name])
    scale = alt.Scale(domain=ordered, range=[_DASHES[places[name]] for name in ordered])
    return alt.StrokeDash("technology:N", title=None, sort=ordered, scale=scale, legend=None)


def _places() -> dict[str, int]:
    return {name: place for place, name in enumerate(TECHNOLOGY_NAMES.values())}


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
