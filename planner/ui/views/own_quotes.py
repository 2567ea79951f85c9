"""The user's own quotes: a price file that is put into the scenario, since the app reads none by its name."""

from __future__ import annotations

import logging

import streamlit as st

from planner.library import scenarios
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_document, text_of
from planner.ui.content import library as words
from planner.ui.session import answers, state
from planner.ui.views import saving

_LOG = logging.getLogger(__name__)
_KEY, _BY_NAME = "quotes_csv", "quotes"
_HELP = (
    "A file that the command fabric-planner quotes has written from a vendor's price list. What it holds "
    "goes into the scenario, over all books, and is never discounted."
)


def show() -> None:
    """The upload, and the way back where the scenario has quotes."""
    with st.expander("Your quotes"):
        key = state.widget_key("quotes_file")
        st.file_uploader(
            "Quotes (CSV)", ["csv"], key=key, on_change=_take, args=(key,), max_upload_size=1, help=_HELP
        )
        if state.value("prices", _KEY) is not None:
            st.button("Take your quotes out", on_click=_take_out)


def _take(key: str) -> None:
    """The file's text into the scenario; one with faults is refused whole, and nothing changes."""
    uploaded = st.session_state[key]
    if uploaded is None:
        return
    try:
        text = text_of(uploaded.getvalue(), uploaded.name, scenarios.MAX_BYTES)
    except ScenarioError as refused:
        _LOG.info("a file of quotes cannot be read", exc_info=True)
        saving.told("error", f"Not taken: {words.faults(refused)}.")
        return
    text = "\n".join(text.splitlines()) + "\n"
    prices = {**state.document().get("prices", {}), _KEY: text}
    prices.pop(_BY_NAME, None)
    try:
        scenario_from_document({**state.document(), "prices": prices}, answers.sources(), answers.FILE)
    except ScenarioError as refused:
        own = tuple(fault for fault in refused.faults if fault.key == f"prices.{_KEY}")
        if own:
            _LOG.info("a file of quotes has faults", exc_info=True)
            saving.told("error", f"Not taken: {words.faults(ScenarioError(own))}.")
            return
    state.set_section("prices", prices)
    saving.told("done", f"The prices of {uploaded.name} are in the scenario now.")


def _take_out() -> None:
    state.set_value("prices", _KEY, None)
    saving.told("done", "Your quotes are out of the scenario.")
