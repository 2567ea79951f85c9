"""Opening a shipped scenario or a file, resetting, taking back, downloading."""

from __future__ import annotations

import logging

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.library import scenarios
from planner.scenario.faults import ScenarioError
from planner.scenario.load import checked_text, document_of, shipped_scenarios, shipped_text
from planner.ui.content import sentences
from planner.ui.session import answers, state

_LOG = logging.getLogger(__name__)
_REFUSED = "file_refused"


def start() -> None:
    """Puts a scenario into a new session: the one that the address asks for, else the first shipped one."""
    state.start(shipped_text(next(iter(shipped_scenarios()))))


def show() -> DeltaGenerator:
    """The scenario's name and where it comes from. Returns the place of ``show_steps``."""
    st.subheader("Scenario", anchor=False)
    key = state.widget_key("name")
    name = str(state.document().get("name", ""))
    st.text_input("Name", name, key=key, max_chars=200, on_change=_renamed, args=(key,))
    with st.expander("Open another scenario"):
        chosen = st.selectbox(
            "Shipped scenario", list(shipped_scenarios()), format_func=shipped_name, key="shipped_scenario"
        )
        st.button("Open this scenario", on_click=_open_shipped, args=(chosen,), width="stretch")
        key = state.widget_key("scenario_file")
        st.file_uploader(
            "Or a scenario file (TOML)",
            ["toml"],
            key=key,
            on_change=_open_file,
            args=(key,),
            max_upload_size=1,
        )
        for line in st.session_state.get(_REFUSED, ()):
            st.error(sentences.escaped(line))
    return st.container()


def show_steps() -> None:
    """Undo and redo, of whichever page the edits were made on. To be shown after every input was read."""
    back, forth = state.steps()
    with st.container(horizontal=True):
        st.button(
            "Undo", icon=":material/undo:", on_click=state.undo, disabled=not back, help="The last edit"
        )
        st.button(
            "Redo", icon=":material/redo:", on_click=state.redo, disabled=not forth, help="What was undone"
        )
        if state.has_edits():
            words = "Back to the scenario as opened or saved; Undo brings the edits again"
            st.button("Undo all edits", on_click=state.reset, help=words)


@st.cache_data(show_spinner=False)
def shipped_name(scenario_id: str) -> str:
    """What a shipped scenario calls itself."""
    return str(document_of(shipped_text(scenario_id), scenario_id).get("name", scenario_id))


def _renamed(key: str) -> None:
    state.set_name(st.session_state[key])


def _open_shipped(scenario_id: str) -> None:
    st.session_state[_REFUSED] = ()
    state.open_text(shipped_text(scenario_id))


def _open_file(key: str) -> None:
    """Opens an uploaded file; a file with faults is refused whole, and nothing on the page changes."""
    uploaded = st.session_state[key]
    if uploaded is None:
        return
    try:
        text = checked_text(uploaded.getvalue(), uploaded.name, answers.sources(), scenarios.MAX_BYTES)
    except ScenarioError as refused:
        _LOG.info("an opened file has faults", exc_info=True)
        st.session_state[_REFUSED] = tuple(str(fault) for fault in refused.faults)
    else:
        st.session_state[_REFUSED] = ()
        state.open_text(text)
