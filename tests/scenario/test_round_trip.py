"""A scenario written and read again is the same question and gets the same answer."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.sources import load_sources
from planner.report.json_answer import answer_text
from planner.scenario.attributes import Section
from planner.scenario.load import load_scenario, scenario_from_document, scenario_from_text, shipped_scenarios
from planner.scenario.scenario import Scenario
from planner.scenario.sections import BY_HEADER
from planner.scenario.write import dump_document
from planner.study.study import plan_scenario
from tests.scenario.scenario_small import MINIMAL, small_sources

SMALLEST = ("seed-university-lab-64", "seed-university-lab-128")
# Sections of which any values in range are valid, whatever the rest of the document says.
FREE = (
    "operations", "layout", "management", "spares", "charges", "escalation", "staff", "upkeep", "lease",
)  # fmt: skip


def again(stem: str) -> Scenario:
    """The shipped scenario after its document was written and read."""
    path = shipped_scenarios()[stem]
    text = dump_document(tomllib.loads(path.read_text(encoding="utf-8")))
    return scenario_from_text(text, load_sources(), str(path))


@pytest.mark.parametrize("stem", sorted(shipped_scenarios()))
def test_a_shipped_scenario_written_and_read_is_the_same(stem: str) -> None:
    assert again(stem) == load_scenario(shipped_scenarios()[stem], load_sources())


@pytest.mark.parametrize("stem", SMALLEST)
def test_it_gets_the_same_answer(stem: str) -> None:
    asked = load_scenario(shipped_scenarios()[stem], load_sources())
    first, second = (answer_text(plan_scenario(each, load_sources())) for each in (asked, again(stem)))
    seconds = re.compile(r'"\w*seconds": [0-9.e-]+')
    assert seconds.sub("", first) == seconds.sub("", second)


def values(shape: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Any value that the JSON schema of a key allows."""
    options = shape.get("anyOf", [shape])
    shape = next(option for option in options if option.get("type") != "null")
    if "enum" in shape:
        return st.sampled_from(shape["enum"])
    if shape["type"] == "boolean":
        return st.booleans()
    if shape["type"] == "array":
        return st.lists(values(shape["items"]), min_size=1, max_size=2, unique=True)
    if shape["type"] == "integer":
        return st.integers(shape["minimum"], shape["maximum"])
    return st.floats(
        min_value=shape.get("minimum", shape.get("exclusiveMinimum")),
        max_value=shape.get("maximum", shape.get("exclusiveMaximum")),
        exclude_min="exclusiveMinimum" in shape,
        exclude_max="exclusiveMaximum" in shape,
    )


def section_values(section: type[Section]) -> st.SearchStrategy[dict[str, Any]]:
    """Some keys of a section; of the lease all, for it needs both."""
    shapes = section.model_json_schema()["properties"]
    every = {key: values(shape) for key, shape in shapes.items()}
    return (
        st.fixed_dictionaries(every)
        if section.header == "lease"
        else st.fixed_dictionaries({}, optional=every)
    )


DOCUMENTS = st.fixed_dictionaries({}, optional={header: section_values(BY_HEADER[header]) for header in FREE})


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_any_valid_document_written_and_read_is_the_same_scenario(sections: dict[str, Any]) -> None:
    document = {**tomllib.loads(MINIMAL), **sections}
    text = dump_document(document)
    assert tomllib.loads(text) == document
    assert dump_document(tomllib.loads(text)) == text
    asked = scenario_from_document(document, small_sources(), "s.toml")
    assert scenario_from_text(text, small_sources(), "s.toml") == asked
    for header in set(sections) & {"operations", "layout"}:  # what was given is what is asked
        for key, value in sections[header].items():
            held = getattr(getattr(asked, header), key)
            assert held == (tuple(dict.fromkeys(value)) if isinstance(value, list) else value)
