"""A document written as TOML reads back as the same document."""

from __future__ import annotations

import datetime as dt
import math
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.scenario.write import dump_document
from tests.scenario.scenario_small import MINIMAL, checked


def test_a_scenario_keeps_its_order_and_its_kinds_of_number() -> None:
    document = {
        "schema": 1,
        "growth": [{"year": 2027, "gpus": 8}, {"year": 2028, "gpus": 16}],
        "name": 'a "b" \\ \n',
        "fabric": {"planes": [1, 8], "rail_optimised": True, "left_out": None, "bandwidth_headroom": 0.0},
        "prices": {"overrides": {"a.b": 1e-7}},
    }
    assert dump_document(document) == (
        'schema = 1\nname = "a \\"b\\" \\\\ \\n"\n\n[[growth]]\nyear = 2027\ngpus = 8\n\n'
        "[[growth]]\nyear = 2028\ngpus = 16\n\n"
        "[fabric]\nplanes = [\n    1,\n    8,\n]\nrail_optimised = true\nbandwidth_headroom = 0.0\n\n"
        '[prices.overrides]\n"a.b" = 1e-07\n'
    )


def test_a_written_scenario_is_the_same_scenario() -> None:
    assert checked(dump_document(tomllib.loads(MINIMAL))) == checked(MINIMAL)


def test_what_is_not_toml_is_refused() -> None:
    with pytest.raises(TypeError, match="complex"):
        dump_document({"a": 1j})
    with pytest.raises(TypeError, match="int"):
        dump_document({1: 2})  # type: ignore[dict-item]


def test_numbers_that_are_not_finite_survive() -> None:
    read = tomllib.loads(dump_document({"a": [math.inf, -math.inf, math.nan]}))["a"]
    assert read[:2] == [math.inf, -math.inf]
    assert math.isnan(read[2])


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.one_of(
        st.booleans(), st.integers(), st.floats(allow_nan=False), TEXT, st.dates(),
        st.datetimes(timezones=st.just(dt.UTC)),
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
)  # fmt: skip


@settings(max_examples=300)
@given(st.dictionaries(TEXT, VALUES, max_size=6))
def test_any_document_survives(document: dict[str, object]) -> None:
    assert tomllib.loads(dump_document(document)) == document
    assert repr(tomllib.loads(dump_document(document))).count("True") == repr(document).count("True")
