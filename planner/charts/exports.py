"""What is taken away from a page: tables as CSV, charts and drawings as SVG and PNG. No Streamlit."""

from __future__ import annotations

import csv
import io

import altair as alt
import pandas as pd

from planner.charts.picture_process import rendered
from pricing.spreadsheet_text import defused, shown_inert

_CHART_PIXELS = 860


def csv_text(frame: pd.DataFrame) -> str:
    """A table as RFC 4180 text with its column names; text that would run as a formula is defused."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow([str(name) for name in frame.columns])
    writer.writerows([_cell(value) for value in row] for row in frame.itertuples(index=False))
    return stream.getvalue()


def inert(frame: pd.DataFrame) -> pd.DataFrame:
    """A table for a page: Streamlit's grids offer a CSV of their own, so the text in them is defused here."""
    texts = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
    return frame.assign(**{name: frame[name].map(shown_inert, na_action="ignore") for name in texts})


def _cell(value: object) -> object:
    if isinstance(value, str):
        return defused(value)
    return "" if value is None or value is pd.NA or value != value else value


def chart_svg(chart: alt.Chart | alt.LayerChart, title: str) -> bytes:
    """A chart under its title as SVG, on white. Raises PictureError."""
    return rendered("vega-svg", _titled(chart, title), _version())


def chart_png(chart: alt.Chart | alt.LayerChart, title: str) -> bytes:
    """A chart under its title as PNG, on white. Raises PictureError."""
    return rendered("vega-png", _titled(chart, title), _version())


def drawing_png(svg: str) -> bytes:
    """An SVG drawing as PNG. Raises PictureError."""
    return rendered("svg-png", svg)


def _titled(chart: alt.Chart | alt.LayerChart, title: str) -> dict[str, object]:
    words = alt.TitleParams(title, anchor="start", fontSize=15, offset=14, limit=_CHART_PIXELS)
    whole = chart.properties(title=words, width=_CHART_PIXELS, background="white", padding=16)
    found: dict[str, object] = whole.to_dict()
    return found


def _version() -> str:
    """The Vega-Lite that altair writes, as vl-convert names it: "6.1" of "v6.1.0"."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
