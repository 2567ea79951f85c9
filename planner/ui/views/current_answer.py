"""The answer that every page shows: of the scenario as edited, else of the last one without faults."""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.scenario.faults import Fault, ScenarioError
from planner.scenario.load import scenario_from_document
from planner.study.study import Study
from planner.ui.content import fields, sentences
from planner.ui.session import answers, state
from planner.ui.views import inputs, opening

_LOG = logging.getLogger(__name__)


def faults(groups: tuple[fields.Group, ...]) -> list[Fault]:
    """What cannot be read, then what the planner refuses, each place once."""
    found = inputs.typed_faults(state.document(), [field for group in groups for field in group.fields])
    try:
        scenario_from_document(state.document(), answers.sources(), answers.FILE)
    except ScenarioError as refused:
        _LOG.info("the scenario has faults", exc_info=True)
        places = {fault.key for fault in found}
        found += [fault for fault in refused.faults if fault.key not in places]
    return found


def answer(found: list[Fault], labels: sentences.Names, messages: DeltaGenerator) -> Study | None:
    """The answer to the scenario; where it has faults, the last answer, marked as such."""
    if not found:
        study = answers.planned(state.text())
        state.set_planned(state.text())
        return study
    older = state.planned_text()
    messages.error(sentences.faults(found, labels, older_answer=older is not None))
    try:
        return None if older is None else answers.planned(older)
    except ScenarioError:  # kept by an older version, with other parts in its catalog
        _LOG.info("the last scenario with an answer has faults now", exc_info=True)
        return None


def page(title: str, meaning: str, grid: Callable[[], None] = lambda: None) -> Study | None:
    """The head of a page beside the first: title, whose answer it is, faults. Returns the answer.

    None where there is none, which is then said. ``grid`` draws inputs that must run before the planning.
    """
    st.header(title, anchor=False)
    st.markdown(meaning)
    messages, steps = st.container(), st.container()
    grid()
    with steps:
        opening.show_steps()
    groups = fields.groups(answers.sources())
    found = faults(groups)
    not_kept = state.keep()
    study = answer(found, fields.labels(groups), messages)
    not_kept = state.keep() or not_kept
    if not_kept:
        messages.warning(sentences.escaped(sentences.not_kept(not_kept)))
    if study is None:
        messages.info("There is no answer to show yet: put the scenario right on the Plan page.")
    else:
        scenario = study.scenario
        messages.caption(sentences.escaped(f"{scenario.name} — {sentences.headline(scenario)}"))
    return study
