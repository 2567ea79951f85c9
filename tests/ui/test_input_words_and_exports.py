"""What inputs say of their defaults, what is taken away from a page, own prices in words, data by grade."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from fractions import Fraction

import altair as alt
import pandas as pd
import pytest

from planner.catalog.sources import Sources, load_sources
from planner.charts import exports
from planner.scenario.scenario import Scenario
from planner.ui.content import fields, input_words, method, sentences
from planner.ui.content.fields import Field
from pricing.provenance import Grade


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources()


def test_an_own_price_stands_beside_what_it_replaces() -> None:
    assert sentences.own_price("x", 450.0, [500.0, 875.0]) == "x: $450.00 instead of $500.00 or $875.00"
    assert sentences.own_price("x", "1,2", []) == "x: “1,2” cannot be read instead of no price"


def field(path: str, sources: Sources) -> Field:
    every = [f for group in fields.groups(sources) for f in group.fields]
    return next(f for f in every if f.path == path)


@pytest.mark.parametrize(
    ("path", "value", "mark"),
    [
        ("finance.discount_rate", 0.1, "● Changed. Default: 8."),
        ("finance.discount_rate", 0.08, ""),
        ("finance.discount_rate", None, ""),
        ("finance.discount_rate", "8,5", "● Changed. Default: 8."),
        ("finance.horizon_years", 2, "● Changed. Default: 5."),
        ("fabric.max_oversubscription", "1:1", ""),
        ("fabric.max_oversubscription", "2:1", "● Changed. Default: 1:1."),
        ("fabric.planes", [1, 2], "● Changed. Default: 1."),
        ("fabric.technologies", ["infiniband", "roce", "spectrum-x", "ethernet"], ""),
        ("fabric.rail_optimised", False, "● Changed. Default: Yes."),
        ("fabric.rail_optimised", True, ""),
        ("cluster.server", "dgx-b200", ""),
    ],
)
def test_what_differs_from_its_default_is_marked(
    path: str, value: object, mark: str, sources: Sources, asked: Scenario
) -> None:
    finance = replace(asked.finance, horizon_years=5)
    fabric = replace(
        asked.fabric,
        technologies=("infiniband", "roce", "spectrum-x", "ethernet"),
        max_oversubscription=Fraction(1),
    )
    defaults = replace(asked, finance=finance, fabric=fabric)
    assert input_words.changed(field(path, sources), value, defaults) == mark


def test_a_default_names_its_source(sources: Sources) -> None:
    said = input_words.source(field("finance.discount_rate", sources), sources)
    assert said == "Source: planner guess: no public figure found (guess)."
    assert input_words.source(field("fabric.planes", sources), sources) == ""


def test_a_table_is_taken_away_without_formulas_and_without_made_up_zeros() -> None:
    frame = pd.DataFrame({"name": ["=1+1", "plain"], "usd": [1.5, None]})
    rows = list(csv.reader(io.StringIO(exports.csv_text(frame))))
    assert rows == [["name", "usd"], ["'=1+1", "1.5"], ["plain", ""]]


def test_a_chart_is_taken_away_with_its_title() -> None:
    chart = alt.Chart(pd.DataFrame({"a": [1, 2], "b": [3, 4]})).mark_bar().encode(x="a:O", y="b:Q")
    assert "The finding" in exports.chart_svg(chart, "The finding").decode()
    assert exports.chart_png(chart, "The finding").startswith(b"\x89PNG")
    assert (
        exports.drawing_png('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')[:4]
        == b"\x89PNG"
    )


def test_data_files_are_counted_by_grade(sources: Sources) -> None:
    frame = method.data_files(sources).set_index("file")
    prices = frame.loc["prices/reference.csv"]
    assert prices["figures"] == len(sources.books["reference"].prices)
    assert prices["figures"] == sum(prices[grade.value] for grade in Grade)
    assert prices["guess"] == sum(
        p.source.grade is Grade.GUESS for p in sources.books["reference"].prices.values()
    )
