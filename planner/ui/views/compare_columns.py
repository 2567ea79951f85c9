"""What can stand in a column of the Compare page: a scenario, its version, a technology."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import streamlit as st

from planner.catalog.technologies import technology_name
from planner.library import scenarios
from planner.library.store import LibraryError, library
from planner.scenario.faults import ScenarioError
from planner.scenario.load import document_of, shipped_scenarios, shipped_text
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.ui.content import library as words
from planner.ui.session import answers, state
from planner.ui.views import opening

_LOG = logging.getLogger(__name__)
HERE = "here"
_COLUMNS = "compare_columns"
_GENERATION = "compare_generation"
MOST = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """A column. ``source``: "here", "shipped:ID" or "library:ID"; ``version`` 0: the latest.

    ``technology`` "": the best of its scenario.
    """

    source: str = HERE
    version: int = 0
    technology: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A column with its answer, or the reason why it has none."""

    choice: Choice
    name: str
    document: dict[str, object]
    study: Study | None
    result: TechnologyResult | None
    reason: str = ""


def columns() -> list[Choice]:
    """The columns as chosen so far; at first the two best technologies of the scenario on the page."""
    found: list[Choice] = st.session_state.setdefault(_COLUMNS, [Choice(), Choice()])
    return found


def sources() -> dict[str, str]:
    """Every scenario that can be compared: its source -> what people call it. Raises LibraryError."""
    found = {HERE: f"On the Plan page: {state.document().get('name', '')}"}
    found |= {f"library:{entry.id}": entry.name for entry in scenarios.entries(library())}
    for key in shipped_scenarios():
        found[f"shipped:{key}"] = f"Shipped: {opening.shipped_name(key)}"
    return found


def show(place: int, names: dict[str, str]) -> Choice:
    """The inputs of one column; what was chosen."""
    choice = columns()[place]
    generation = st.session_state.setdefault(_GENERATION, 0)
    known = choice.source if choice.source in names else HERE
    source = st.selectbox(
        "Scenario", list(names), list(names).index(known), format_func=lambda s: names[s],
        key=f"source:{place}:{generation}",
    )  # fmt: skip
    choice = choice if source == choice.source else Choice(source, 0, choice.technology)
    kind, _, scenario_id = source.partition(":")
    if kind == "library":
        history = {v.number: words.version(v) for v in scenarios.history(library(), scenario_id)}
        options = [0, *history]
        version = st.selectbox(
            "Version", options, options.index(choice.version) if choice.version in options else 0,
            format_func=lambda n: history.get(n, "The latest"), key=f"version:{place}:{generation}:{source}",
        )  # fmt: skip
        choice = replace(choice, version=version)
    return choice


def show_technology(place: int, choice: Choice, study: Study) -> Choice:
    """The technology of one column."""
    options = [r.technology for r in study.results]
    default = choice.technology if choice.technology in options else _ranked(study)[min(place, 1)]
    generation = st.session_state[_GENERATION]
    technology = st.selectbox(
        "Technology", options, options.index(default), format_func=technology_name,
        key=f"technology:{place}:{generation}:{choice.source}:{choice.version}",
    )  # fmt: skip
    return replace(choice, technology=technology)


def _ranked(study: Study) -> list[str]:
    """Technologies from the least levelised cost; at least two entries."""
    results = sorted(
        study.results, key=lambda r: r.levelised_usd_per_effective_tflops_year or float("inf")
    )  # fmt: skip
    names = [r.technology for r in results]
    return names if len(names) > 1 else names * 2


def keep(place: int, choice: Choice) -> None:
    """Remembers a column, whichever page is shown in between."""
    columns()[place] = choice


def add() -> None:
    """Adds a column like the last one."""
    columns().append(columns()[-1])
    st.session_state[_GENERATION] += 1


def remove(place: int) -> None:
    """Takes a column away."""
    columns().pop(place)
    st.session_state[_GENERATION] += 1


def answered(choice: Choice, names: dict[str, str]) -> Chosen:
    """The scenario of a column, planned; the technology is still to be picked."""
    try:
        text = _text(choice)
        document = document_of(text, answers.FILE)
        study = answers.planned(text)
    except ScenarioError as refused:
        _LOG.info("a scenario of the comparison has faults", exc_info=True)
        return Chosen(choice, names[choice.source], {}, None, None, str(refused.faults[0]))
    except LibraryError as refused:
        _LOG.info("a scenario of the comparison cannot be read", exc_info=True)
        return Chosen(choice, names[choice.source], {}, None, None, str(refused))
    return Chosen(choice, names[choice.source], document, study, study.best)


def with_technology(found: Chosen, choice: Choice) -> Chosen:
    """The column with its technology picked."""
    results = found.study.results if found.study else ()
    return replace(found, choice=choice, result=next(r for r in results if r.technology == choice.technology))


def _text(choice: Choice) -> str:
    kind, _, key = choice.source.partition(":")
    if kind == "library":
        return scenarios.version(library(), key, choice.version or None).text
    if kind == "shipped":
        return shipped_text(key)
    return state.text()
