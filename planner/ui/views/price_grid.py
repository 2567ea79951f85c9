"""The grid in which the user types prices of their own: it edits [prices.overrides] of the document."""

from __future__ import annotations

import hashlib

import pandas as pd
import streamlit as st

from planner.report.price_frame import OWN
from planner.ui.content import column_configs
from planner.ui.content.typed_numbers import read_typed
from planner.ui.session import state

_SOURCE = "price_grid_source"
_EDITED = "price_grid_edited:{}"  # rows of an editor that it last held an edit of


def show(frame: pd.DataFrame) -> None:
    """The grid. Its source stays as it was while the rows are the same ones.

    What is typed goes into the document before the page runs, so that the planning sees it; the editor
    keeps its own edits on top of its source, which is why no edit may change the source.
    """
    rows = hashlib.sha256("\n".join(frame["sku"] + frame["book"]).encode()).hexdigest()[:12]
    key = state.widget_key(f"prices:{rows}")
    if key not in st.session_state or st.session_state.get(_SOURCE, ("",))[0] != key:
        st.session_state[_SOURCE] = (key, frame)
    source: pd.DataFrame = st.session_state[_SOURCE][1]
    st.data_editor(
        source,
        key=key,
        hide_index=True,
        num_rows="fixed",
        disabled=[c for c in source.columns if c != OWN],
        column_config=dict(column_configs.prices()),
        column_order=[c for c in column_configs.prices() if c in source],
        on_change=_typed,
        args=(key,),
        height=460,
        placeholder="",
        alt="Prices of the parts; the column Your price can be edited",
    )


def _typed(key: str) -> None:
    """Takes the edited cells into the document; an emptied cell takes the user's price out.

    A cell that is typed back to what the source holds is no edit to the editor any more: it goes back.
    """
    source: pd.DataFrame = st.session_state[_SOURCE][1]
    edited = {
        int(row): cells[OWN] for row, cells in st.session_state[key]["edited_rows"].items() if OWN in cells
    }
    back = {
        row: source.iloc[row][OWN]
        for row in st.session_state.get(_EDITED.format(key), ())
        if row not in edited
    }
    for row, typed in {**back, **edited}.items():
        text = "" if pd.isna(typed) else str(typed).strip()
        state.set_override(str(source.iloc[row]["sku"]), read_typed("decimal", text) if text else None)
    st.session_state[_EDITED.format(key)] = tuple(edited)
