"""What all charts share: colours and marks, axes, sizes.

A new chart is a function of a frame in the file of its subject (cost, throughput, fabric, calibration); its
frame is made in ``planner.report``, its title, which says what it shows, in ``planner.ui.content``. The
colours are Okabe and Ito's, safe for the colour-blind.
"""

from __future__ import annotations

from typing import Literal

import altair as alt
import pandas as pd

from planner.catalog.technologies import TECHNOLOGY_NAMES

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
_SHAPES = ("circle", "square", "triangle-up", "diamond")
_DASHES = ([1, 0], [8, 4], [3, 3], [10, 3, 2, 3])
PIXELS = 300
BAR_PIXELS = 44  # of one bar
AROUND_PIXELS = 130  # axis and legend: Streamlit counts them into a chart's height


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
    scale = alt.Scale(domain=ordered, range=[_SHAPES[places[name] % len(_SHAPES)] for name in ordered])
    return alt.Shape("technology:N", title=None, sort=ordered, scale=scale)


def technology_dashes(names: list[str]) -> alt.StrokeDash:
    """The stroke of each technology's line: where lines lie on each other, both show."""
    places = _places()
    ordered = sorted(names, key=lambda name: places[name])
    scale = alt.Scale(domain=ordered, range=[_DASHES[places[name] % len(_DASHES)] for name in ordered])
    return alt.StrokeDash("technology:N", title=None, sort=ordered, scale=scale, legend=None)


def _places() -> dict[str, int]:
    return {name: place for place, name in enumerate(TECHNOLOGY_NAMES.values())}


def names_axis() -> alt.Axis:
    """An axis of names, without ticks."""
    return alt.Axis(labelLimit=200, ticks=False, domain=False)


def years_axis(title: str | None = None) -> alt.X:
    """Years from left to right."""
    return alt.X("year:O", title=title, axis=alt.Axis(labelAngle=0, ticks=False))


def value_colours(field: str, values: list[str], palette: dict[str, str] | None = None) -> alt.Color:
    """A colour a value, in the order of the values."""
    known = palette or dict(zip(values, COLOURS, strict=False))
    scale = alt.Scale(domain=values, range=[known[v] for v in values])
    legend = alt.Legend(orient="bottom", columns=4, labelLimit=220, offset=8)
    return alt.Color(f"{field}:N", title=None, sort=values, scale=scale, legend=legend)


def technology_lines(
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
    return alt.LayerChart(layer=[lines, marks], height=PIXELS)
