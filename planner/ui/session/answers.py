"""What the planner says to a scenario, worked out once for each text, in processes beside the app."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.catalog.parts import SwitchModel
from planner.catalog.sources import Sources, load_sources
from planner.catalog.technologies import technology_name
from planner.decide.follow_ups import FOLLOW_UPS
from planner.jobs.pool import Job, PlanningError, Pool
from planner.report.follow_ups import Section
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_document, scenario_from_text
from planner.scenario.scenario import Scenario
from planner.study.study import Study
from planner.text import format as form
from planner.text.toml_document import parsed
from planner.ui.content import sentences

_LOG = logging.getLogger(__name__)
FILE = "scenario"
_NEEDED = ("schema", "name", "base_year", "cluster", "growth")
_AT_ONCE_S = 1.0  # an answer that takes no longer comes without a progress bar, which moves the page
_STEP_S = 0.2
_CANCELLED = "planning_cancelled"
_LAST = "planning_last"


@st.cache_resource(show_spinner=False)
def sources() -> Sources:
    """The shipped data, shared by every session."""
    return load_sources()


@st.cache_resource(show_spinner=False)
def pool() -> Pool:
    """The planning processes, shared by every session."""
    return Pool(load_sources())


def planned(text: str) -> Study:
    """The answer to a scenario without faults, given as TOML text. Raises ScenarioError.

    While it is worked out the page shows its progress and a Cancel button in this place; once it is
    cancelled the page ends here, with a way to go on.
    """
    place = st.empty()  # there in any case: what comes and goes would build the page after it anew
    known = pool().finished(text)
    if known is not None:
        return known
    scenario = scenario_from_text(text, sources(), FILE)
    if st.session_state.get(_CANCELLED) == text:
        return _say_cancelled(place)
    job = pool().job(text, scenario)
    last: Job | None = st.session_state.get(_LAST)
    if last is not None and last is not job:
        pool().drop(last)  # of the scenario before this edit, unless somebody else waits for it
    st.session_state[_LAST] = job
    try:
        study = _waited_for(job, place)
    except PlanningError as broken:
        _LOG.info("the planning broke off", exc_info=True)
        place.error(sentences.escaped(f"The planning broke off: {broken}. Change an input to try again."))
        st.stop()
    if study is None:
        return _say_cancelled(place)
    place.empty()
    return study


def asked(question: str, text: str) -> tuple[Section, ...] | None:
    """The answer to a question about a scenario without faults, with its progress and a Cancel button in
    this place; None where it broke off, which is then said."""
    place = st.empty()
    job = pool().job(text, scenario_from_text(text, sources(), FILE), question)
    try:
        _waited_for(job, place)
    except (PlanningError, ScenarioError) as broken:
        _LOG.info("the question could not be answered", exc_info=True)
        place.error(sentences.escaped(f"This could not be worked out: {broken}"))
        return None
    place.empty()
    return job.said


def _waited_for(job: Job, place: DeltaGenerator) -> Study | None:
    """Waits, and says how far it is; each word to the page is where a click can break in."""
    pool().hold(job)
    try:
        until = time.monotonic() + _AT_ONCE_S
        while not pool().wait(job, _STEP_S) and time.monotonic() < until:
            place.empty()  # nothing to see, but a click or an edit can break in
        if not pool().wait(job, 0.0):
            with place.container():
                bar = st.progress(0.0)
                st.button("Cancel planning", on_click=_cancel, args=(job,), key="cancel_planning")
            while not pool().wait(job, _STEP_S):
                done, now = pool().progress(job)
                doing = pool().doing(job)
                if any(name in FOLLOW_UPS for name in (*job.waiting, *now)):
                    words = next(iter(doing.values()), "")
                    bar.progress(0.0, sentences.escaped(f"Planning anew, as this question asks: {words}"))
                    continue
                wanted = len(job.scenario.fabric.technologies)
                bar.progress(len(done) / wanted, sentences.escaped(_progress(len(done), wanted, now, doing)))
    finally:
        pool().release(job)
    return job.study


def _progress(done: int, asked: int, now: Sequence[str], doing: Mapping[str, str]) -> str:
    rows = (f"{technology_name(name)}{' ' + doing[name] if name in doing else ''}" for name in now)
    busy = f": {', '.join(rows)}" if now else ""
    return f"Planning{busy} ({done} of {form.counted(asked, 'technology', 'technologies')} done)"


def _say_cancelled(place: DeltaGenerator) -> NoReturn:
    with place.container():
        st.info("The planning was cancelled. Change an input, or plan this scenario again.")
        st.button("Plan again", on_click=_plan_again)
    st.stop()


def _cancel(job: Job) -> None:
    if st.session_state.get(_LAST) is job:
        st.session_state[_CANCELLED] = job.text
    pool().drop(job)


def _plan_again() -> None:
    st.session_state[_CANCELLED] = None


@st.cache_data(show_spinner=False, max_entries=64)
def defaults_for(text: str | None) -> Scenario | None:
    """The scenario with nothing given beyond what must be: it carries every default.

    None where not even that much of the text is without fault.
    """
    document = parsed(text or "")
    needed = {key: document[key] for key in _NEEDED if key in document}
    try:
        return scenario_from_document(needed, sources(), FILE)
    except ScenarioError:
        return None


def switches(scenario: Scenario) -> dict[str, SwitchModel]:
    """Every switch by its id, the scenario's own among them."""
    known = (*sources().catalog.switches.values(), *scenario.own_switches)
    return {switch.id: switch for switch in known}


def names(scenario: Scenario) -> dict[str, str]:
    """Every switch's name by its id."""
    return {found: switch.name for found, switch in switches(scenario).items()}
