"""Questions beyond the plan, asked one by one and planned on demand: no answer waits for them."""

from __future__ import annotations

import streamlit as st

from planner.catalog.technologies import technology_name
from planner.report.further import FLIPS, FORESIGHT, PATHS, Section
from planner.ui.content import texts
from planner.ui.session import answers, state

_ASKED = "further_asked"
_LABELS = {
    PATHS: "Change technology midway?",
    FORESIGHT: "What is looking ahead worth?",
    FLIPS: "What would flip the result?",
}
_MEANINGS = {
    PATHS: "One technology first, another from a later year, beside starting with the later one.",
    FORESIGHT: "The plan against the cheapest one that takes each year as if no growth came after it.",
    FLIPS: "Planned again with another horizon and with the other residual rules.",
}
_NOTHING = "There is nothing to compare: see `paths` in the scenario, and whether the cluster grows."


def show() -> None:
    """Three questions; the one asked last is answered below them."""
    st.subheader("Looking further", anchor=False)
    for column, (question, label) in zip(st.columns(3), _LABELS.items(), strict=True):
        with column:
            st.button(label, key=f"ask_{question}", on_click=_ask, args=(question,), width="stretch")
            st.caption(_MEANINGS[question])
    text, chosen = state.planned_text(), st.session_state.get(_ASKED)
    if text is None or chosen not in _LABELS:
        return
    said = answers.asked(chosen, text)
    if said is not None:
        _answer(said)


def _ask(question: str) -> None:
    st.session_state[_ASKED] = question


def _answer(said: tuple[Section, ...]) -> None:
    if not said:
        st.info(_NOTHING)
    for heading, sentences in said:
        if heading:
            st.markdown(f"**{texts.escaped(technology_name(heading))}**")
        st.markdown("\n".join(f"- {texts.escaped(sentence)}" for sentence in sentences))
