"""Tables with filters and a CSV, charts and drawings with their downloads: the same on every page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import altair as alt
import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from planner.charts import exports
from planner.text import format as form
from planner.ui.content import sentences

Chart = alt.Chart | alt.LayerChart
_Data = bytes | Callable[[], bytes]
_HEADER_PIXELS, _ROW_PIXELS, _MOST_PIXELS = 38, 35, 440


def table(
    frame: pd.DataFrame,
    columns: dict[str, ColumnConfig],
    name: str,
    filters: Sequence[str] = (),
    alt_text: str = "",
) -> None:
    """A table that is sorted by a click on a heading, filtered above it and downloaded as it is shown.

    ``filters`` are columns to pick values of; ``name`` is the file's and must be unique on the page.
    """
    shown = filtered(frame, columns, name, filters)
    height = min(_MOST_PIXELS, _HEADER_PIXELS + _ROW_PIXELS * max(len(shown), 1))
    st.dataframe(
        exports.inert(shown),
        hide_index=True,
        column_config=dict(columns),
        column_order=[c for c in columns if c in frame],
        height=height,
        alt=alt_text or name.replace("_", " "),
        placeholder="",
    )
    csv(shown, len(frame), name)


def csv(shown: pd.DataFrame, rows: int, name: str) -> None:
    """The download of a table as it is shown, of ``rows`` rows in all."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Table (CSV)", exports.csv_text(shown).encode("utf-8"), f"{name}.csv", "text/csv",
            key=f"{name}:csv", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
        st.caption(f"{form.count(len(shown))} of {form.counted(rows, 'row')}. Click a heading to sort.")


def filtered(
    frame: pd.DataFrame, columns: dict[str, ColumnConfig], name: str, filters: Sequence[str]
) -> pd.DataFrame:
    """The rows that the words and the picked values leave."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input(
            "Filter rows", key=f"{name}:words", placeholder="Words that a row must hold", width=260
        )
        kept = frame
        for column in filters:
            values = list(frame[column].drop_duplicates())
            label = (columns[column].get("label") or column) if columns.get(column) else column
            picked = st.multiselect(str(label), values, key=f"{name}:{column}", placeholder="All", width=230)
            kept = kept[kept[column].isin(picked)] if picked else kept
    return kept[_holds(kept, words)] if words else kept


def _holds(frame: pd.DataFrame, words: str) -> pd.Series:
    """Whether each row holds every word, in any column, in any case."""
    rows = frame.astype("str").agg(" ".join, axis=1).str.lower() if len(frame) else pd.Series(dtype="str")
    found = pd.Series(True, index=frame.index)
    for word in words.lower().split():
        found &= rows.str.contains(word, regex=False)
    return found


def chart(title: str, made: Chart, name: str, note: str = "") -> None:
    """A chart under its finding, with the picture to take away."""
    st.markdown(f"**{sentences.escaped(title)}**")
    if note:
        st.caption(sentences.escaped(note))
    st.altair_chart(made, width="stretch", alt=title)
    _downloads(name, partial(exports.chart_svg, made, title), partial(exports.chart_png, made, title))


def drawing(svg: str, shown_svg: str, title: str, name: str) -> None:
    """A drawing; ``shown_svg`` has the colours of the page, ``svg`` those of paper."""
    st.image(shown_svg, alt=title, width="stretch")
    _downloads(name, svg.encode("utf-8"), partial(exports.drawing_png, svg))


def _downloads(name: str, svg: _Data, png: _Data) -> None:
    """Pictures are made when they are asked for, not with the page."""
    with st.container(horizontal=True):
        for label, data, suffix, kind in (
            ("SVG", svg, "svg", "image/svg+xml"),
            ("PNG", png, "png", "image/png"),
        ):
            st.download_button(
                f"{label}", data, f"{name}.{suffix}", kind, key=f"{name}:{suffix}", on_click="ignore",
                type="tertiary", icon=":material/download:", help=f"Download this picture as {label}",
            )  # fmt: skip
