"""The first page: a scenario, the four technologies side by side, the recommendation, the bill."""

from __future__ import annotations

import streamlit as st

from planner.scenario.faults import Fault
from planner.scenario.load import shipped_scenarios
from planner.ui.content import fields, texts
from planner.ui.session import answers, state
from planner.ui.views import answer as answer_view
from planner.ui.views import current_answer, growth_table, inputs, opening


def render() -> None:
    """Inputs at the side, the answer in the middle."""
    current_answer.start()
    with st.sidebar:
        steps = opening.show(shipped_scenarios())
        groups = fields.groups(answers.sources())
        faults = _show_inputs(groups)
        with steps:
            opening.show_steps()
    messages = st.container()
    not_kept = state.keep()  # before the planning, which may fail
    study = current_answer.answer(faults, fields.labels(groups), messages)
    not_kept = state.keep() or not_kept
    if not_kept:
        messages.warning(texts.escaped(texts.not_kept(not_kept)))
    if study is not None:
        answer_view.show(study)


def _show_inputs(groups: tuple[fields.Group, ...]) -> list[Fault]:
    """Every input. The growth table comes first: only its return value says what was typed."""
    growth = st.container()
    with growth:
        growth_table.show()
    faults = current_answer.faults(groups)
    with growth:
        inputs.show_faults([f for f in faults if f.key.startswith("growth") or f.key == "base_year"], {})
    defaults = answers.defaults_for(state.text()) or answers.defaults_for(state.planned_text())
    for group in groups:
        inputs.show_group(group, defaults, faults)
    return faults
