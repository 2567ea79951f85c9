"""Every price with its source, and the user's own in their place."""

from __future__ import annotations

import hashlib

import pandas as pd
import streamlit as st

from planner.charts import exports
from planner.report.price_frame import OWN, price_frame
from planner.study.study import Study
from planner.text import format as form
from planner.ui.content import column_configs, sentences
from planner.ui.content.typed_numbers import read_typed
from planner.ui.session import answers, state
from planner.ui.views import current_answer, opening, own_quotes, saving, tables_and_charts
from planner.ui.views import infiniband_ratio_examined as infiniband_ratio

_USED, _GUESSED, _BOOK = "Parts of this plan", "Guesses of this plan", "Whole price book"
_SOURCE = "price_grid_source"
_EDITED = "price_grid_edited:{}"  # rows of an editor that it last held an edit of


def render() -> None:
    """The grid first; what was typed is planned with before the page shows what came of it."""
    opening.start()
    study = current_answer.page(
        "Prices",
        "Type into **Your price** or paste a column from a spreadsheet: your prices are taken as they are, "
        "for one piece in the base year, and every page follows. Empty a cell to return to the book.",
    )
    saving.say()
    saving.forget()
    own_quotes.show()
    if study is None:
        return
    whole = price_frame(study, answers.sources(), state.overrides(), whole_book=False)
    if whole.empty:
        st.info("No technology has a design. A missing price may be why: the whole price book is below.")
    picked = st.segmented_control(
        "Rows", [_USED, _GUESSED, _BOOK], default=_USED, required=True, key="price_rows"
    )
    frame = _rows(study, whole, str(picked))
    shown = tables_and_charts.filtered(frame, column_configs.prices(), "prices", ["item_class", "grade"])
    _show_grid(shown.reset_index(drop=True))
    tables_and_charts.csv(shown.drop(columns="guess"), len(frame), "prices")
    _changed(whole)
    _guesses(whole)
    if study.ratios is not None:
        infiniband_ratio.show(study.ratios)


def _rows(study: Study, whole: pd.DataFrame, picked: str) -> pd.DataFrame:
    if picked == _BOOK or whole.empty:
        return price_frame(study, answers.sources(), state.overrides(), whole_book=True)
    return whole[whole["guess"] != ""].reset_index(drop=True) if picked == _GUESSED else whole


def _show_grid(frame: pd.DataFrame) -> None:
    """The grid. Its source stays as it was while the rows are the same ones.

    What is typed goes into the document before the page runs, so that the planning sees it; the editor
    keeps its own edits on top of its source, which is why no edit may change the source.
    """
    rows = hashlib.sha256("\n".join(frame["sku"] + frame["book"]).encode()).hexdigest()[:12]
    key = state.widget_key(f"prices:{rows}")
    if key not in st.session_state or st.session_state.get(_SOURCE, ("",))[0] != key:
        st.session_state[_SOURCE] = (key, exports.inert(frame))
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


def _changed(frame: pd.DataFrame) -> None:
    """Which prices are the user's: the marks of the changed cells."""
    own = state.overrides()
    with st.container():
        if not own:
            st.caption("No price is yours yet: every figure is the price book's.")
            return
        st.markdown(f"**● {form.counted(len(own), 'price')} of yours**")
        listed = {sku: rows["mid_usd"].dropna().tolist() for sku, rows in frame.groupby("sku")}
        lines = [sentences.own_price(sku, typed, listed.get(sku, [])) for sku, typed in own.items()]
        st.markdown(sentences.bullets(lines))


def _guesses(frame: pd.DataFrame) -> None:
    """How much of the money rests on guesses."""
    guessed = frame[frame["guess"] != ""]
    if len(guessed):
        st.warning(sentences.escaped(sentences.guessed_prices(list(guessed["sku"]))))
