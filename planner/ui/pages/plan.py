"""The first page: a scenario, the four technologies side by side, the recommendation, the bill."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.scenario_faults import Fault, ScenarioError
from planner.scenario_file import scenario_from_document, shipped_scenarios
from planner.study import Study
from planner.ui import answer_view, answers, fields, inputs, opening, state, texts


def render() -> None:
    """Inputs at the side, the answer in the middle."""
    state.start(opening.first_text(shipped_scenarios()))
    with st.sidebar:
        steps = opening.show(shipped_scenarios())
        groups = fields.groups(answers.sources())
        faults = _show_inputs(groups)
        with steps:
            opening.show_steps()
    messages = st.container()
    not_kept = state.keep()  # before the planning, which may fail
    study = _answer(faults, fields.labels(groups), messages)
    not_kept = state.keep() or not_kept
    if not_kept:
        messages.warning(texts.escaped(texts.not_kept(not_kept)))
    if study is not None:
        answer_view.show(study)


def _show_inputs(groups: tuple[fields.Group, ...]) -> list[Fault]:
    """Every input. The growth table comes first: only its return value says what was typed."""
    growth = st.container()
    with growth:
        inputs.show_growth_table()
    faults = _faults([field for group in groups for field in group.fields])
    with growth:
        inputs.show_faults([f for f in faults if f.key.startswith("growth") or f.key == "base_year"], {})
    defaults = answers.defaults_for(state.text()) or answers.defaults_for(state.planned_text())
    for group in groups:
        inputs.show_group(group, defaults, faults)
    return faults


def _faults(every_field: list[fields.Field]) -> list[Fault]:
    """What cannot be read, then what the planner refuses, each place once."""
    found = inputs.typed_faults(state.document(), every_field)
    try:
        scenario_from_document(state.document(), answers.sources(), answers.FILE)
    except ScenarioError as refused:
        places = {fault.key for fault in found}
        found += [fault for fault in refused.faults if fault.key not in places]
    return found


def _answer(faults: list[Fault], labels: texts.Names, messages: DeltaGenerator) -> Study | None:
    """The answer to the scenario; where it has faults, the last answer, marked as such."""
    if not faults:
        study = answers.planned(state.text())
        state.set_planned(state.text())
        return study
    older = state.planned_text()
    messages.error(texts.faults(faults, labels, older_answer=older is not None))
    try:
        return None if older is None else answers.planned(older)
    except ScenarioError:  # kept by an older version, with other parts in its catalog
        return None

