"""Opening a shipped scenario or a file, resetting, taking back, downloading."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.library import scenarios
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_text
from planner.ui.content import sentences
from planner.ui.session import answers, drafts, state

_REFUSED = "file_refused"


def first_text(shipped: Mapping[str, Path]) -> str:
    """The scenario that a new visitor sees."""
    return drafts.read_shipped(next(iter(shipped.values())))


def show(shipped: Mapping[str, Path]) -> DeltaGenerator:
    """The scenario's name and where it comes from. Returns the place of ``show_steps``."""
    st.subheader("Scenario", anchor=False)
    key = state.widget_key("name")
    name = str(state.document().get("name", ""))
    st.text_input("Name", name, key=key, max_chars=200, on_change=_renamed, args=(key,))
    with st.expander("Open another scenario"):
        chosen = st.selectbox(
            "Shipped scenario", list(shipped), format_func=lambda k: _name(shipped[k]), key="shipped_scenario"
        )
        st.button("Open this scenario", on_click=_open_shipped, args=(shipped[chosen],), width="stretch")
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
def _name(path: Path) -> str:
    """What a shipped scenario calls itself."""
    return str(tomllib.loads(drafts.read_shipped(path)).get("name", path.stem))


def _renamed(key: str) -> None:
    state.set_name(st.session_state[key])


def _open_shipped(path: Path) -> None:
    st.session_state[_REFUSED] = ()
    state.open_text(drafts.read_shipped(path))


def _open_file(key: str) -> None:
    """Opens an uploaded file; a file with faults is refused whole, and nothing on the page changes."""
    uploaded = st.session_state[key]
    if uploaded is None:
        return
    try:
        text = scenarios.text_of_file(uploaded.getvalue())
        scenario_from_text(text, answers.sources(), uploaded.name)
    except ScenarioError as refused:
        st.session_state[_REFUSED] = tuple(str(fault) for fault in refused.faults)
    except ValueError as refused:
        st.session_state[_REFUSED] = (f"{uploaded.name}: {refused}",)
    else:
        st.session_state[_REFUSED] = ()
        state.open_text(text)
