"""Every price with its source, and the user's own in their place."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from planner.report import price_frame
from planner.study.study import Study
from planner.text import format as form
from planner.ui.content import chart_titles, column_configs, texts
from planner.ui.session import answers, state
from planner.ui.views import current_answer, display, infiniband_ratio, price_grid

_USED, _GUESSED, _BOOK = "Parts of this plan", "Guesses of this plan", "Whole price book"


def render() -> None:
    """The grid first; what was typed is planned with before the page shows what came of it."""
    current_answer.start()
    study = current_answer.page(
        "Prices",
        "Type into **Your price** or paste a column from a spreadsheet: your prices are taken as they are, "
        "for one piece in the base year, and every page follows. Empty a cell to return to the book.",
    )
    if study is None:
        return
    whole = price_frame.frame(study, answers.sources(), state.overrides(), whole_book=False)
    if whole.empty:
        st.info("No technology has a design. A missing price may be why: the whole price book is below.")
    picked = st.segmented_control(
        "Rows", [_USED, _GUESSED, _BOOK], default=_USED, required=True, key="price_rows"
    )
    frame = _rows(study, whole, str(picked))
    shown = display.filtered(frame, column_configs.prices(), "prices", ["item_class", "grade"])
    price_grid.show(shown.reset_index(drop=True))
    display.csv(shown.drop(columns="guess"), len(frame), "prices")
    _changed(whole)
    _guesses(whole)
    if study.ratios is not None:
        infiniband_ratio.show(study.ratios)


def _rows(study: Study, whole: pd.DataFrame, picked: str) -> pd.DataFrame:
    if picked == _BOOK or whole.empty:
        return price_frame.frame(study, answers.sources(), state.overrides(), whole_book=True)
    return whole[whole["guess"] != ""].reset_index(drop=True) if picked == _GUESSED else whole


def _changed(frame: pd.DataFrame) -> None:
    """Which prices are the user's: the marks of the changed cells."""
    own = state.overrides()
    with st.container():
        if not own:
            st.caption("No price is yours yet: every figure is the price book's.")
            return
        st.markdown(f"**● {form.counted(len(own), 'price')} of yours**")
        listed = {sku: rows["mid_usd"].dropna().tolist() for sku, rows in frame.groupby("sku")}
        lines = [chart_titles.own_price(sku, typed, listed.get(sku, [])) for sku, typed in own.items()]
        st.markdown("\n".join(f"- {texts.escaped(line)}" for line in lines))


def _guesses(frame: pd.DataFrame) -> None:
    """How much of the money rests on guesses."""
    guessed = frame[frame["guess"] != ""]
    if len(guessed):
        skus = ", ".join(guessed["sku"].drop_duplicates())
        st.warning(
            texts.escaped(
                f"{form.counted(len(guessed), 'price is a guess', 'prices are guesses')}: nobody said "
                f"them. Ask for quotes of these first: {skus}."
            )
        )
