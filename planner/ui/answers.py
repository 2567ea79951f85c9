"""What the planner says to a scenario, worked out once for each text."""

from __future__ import annotations

import tomllib

import streamlit as st

from planner.catalog import SwitchModel
from planner.scenario import Scenario
from planner.scenario_faults import ScenarioError
from planner.scenario_file import scenario_from_document, scenario_from_text
from planner.sources import Sources, load_sources
from planner.study import PlanOptions, Study, plan_scenario

FILE = "scenario"
_NEEDED = ("schema", "name", "base_year", "cluster", "growth")


@st.cache_resource(show_spinner=False)
def sources() -> Sources:
    """The shipped data, shared by every session."""
    return load_sources()


@st.cache_data(show_spinner=False, max_entries=32)
def planned(text: str) -> Study:
    """The answer to a scenario without faults, given as TOML text. Raises ScenarioError."""
    return plan_scenario(scenario_from_text(text, sources(), FILE), sources(), PlanOptions())


@st.cache_data(show_spinner=False, max_entries=64)
def defaults_for(text: str | None) -> Scenario | None:
    """The scenario with nothing given beyond what must be: it carries every default.

    None where not even that much of the text is without fault.
    """
    document = tomllib.loads(text or "")
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
