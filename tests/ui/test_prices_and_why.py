"""The price grid's rows, the explanations of figures, the marks of changed inputs, what is taken away."""

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
from planner.report import changes_by_year, explanations, price_frame
from planner.scenario.load import load_scenario, shipped_scenarios
from planner.scenario.scenario import Scenario
from planner.study.study import Study, plan_scenario
from planner.text import format as form
from planner.ui.content import fields, input_words, method, sentences
from planner.ui.content.fields import Field
from pricing.provenance import Grade


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources()


@pytest.fixture(scope="module")
def planned(sources: Sources) -> Study:
    return plan_scenario(load_scenario(shipped_scenarios()["seed-cloud-1024"], sources), sources)


def test_the_ratio_and_the_book_stand_in_rows_of_their_own(planned: Study, sources: Sources) -> None:
    """InfiniBand's ConnectX-7 is 1.75 x the book's; both are there, each with its users and its source."""
    frame = price_frame.frame(planned, sources, {}, whole_book=False)
    card = frame[frame["sku"] == "connectx-7-400g-osfp"].set_index("used_by")
    assert card.loc["InfiniBand", "mid_usd"] == pytest.approx(1.75 * 2188)
    assert card.loc["InfiniBand", "book"] == "ratio"
    assert card.loc["RoCE, Ethernet TCP", "mid_usd"] == 2188
    assert str(card.loc["RoCE, Ethernet TCP", "source"]).startswith("NIC/DPU street prices")
    sold = {line.sku for r in planned.results for line in r.bom} | {planned.scenario.server.sku}
    assert set(frame["sku"]) == sold


def test_own_prices_are_shown_as_typed_and_change_no_other_column(planned: Study, sources: Sources) -> None:
    """The editor's source may not follow its own edits: only the typed column differs."""
    typed = {"qm9700": 45000.0, "q3400": "23,4"}
    plain = price_frame.frame(planned, sources, {}, whole_book=False).set_index(["sku", "book"])
    own = price_frame.frame(planned, sources, typed, whole_book=False).set_index(["sku", "book"])
    assert own.loc[("qm9700", "ratio"), "own_price_usd"] == "45000"
    assert set(own[own.index.get_level_values(0) == "q3400"]["own_price_usd"]) == {"23,4"}
    rest = own[own.index.isin(plain.index)].drop(columns="own_price_usd")
    pd.testing.assert_frame_equal(rest, plain.drop(columns="own_price_usd"), check_dtype=False)


def test_a_part_that_nothing_prices_has_empty_cells(planned: Study, sources: Sources) -> None:
    row = (
        price_frame.frame(planned, sources, {"nothing": 1.0}, whole_book=False)
        .set_index("sku")
        .loc["nothing"]
    )
    assert row["grade"] == "no price"
    assert row[["low_usd", "mid_usd", "high_usd"]].isna().all()


def test_a_price_that_the_scenario_gives_elsewhere_stays(planned: Study, sources: Sources) -> None:
    """The price of a switch of one's own is no edit of the grid: it is what an edit would replace."""
    price = replace(sources.books["reference"].prices["qm9700"], sku="mine", mid_usd=7.0, book="scenario")
    prices = replace(planned.scenario.prices, overrides={"mine": price})
    study = replace(planned, scenario=replace(planned.scenario, prices=prices))
    rows = price_frame.frame(study, sources, {}, whole_book=True).set_index("sku")
    assert list(rows.loc["mine", ["mid_usd", "book", "own_price_usd"]]) == [7.0, "scenario", ""]
    rows = price_frame.frame(study, sources, {"mine": 5}, whole_book=True).set_index("sku")
    assert list(rows.loc["mine", ["grade", "own_price_usd"]]) == ["no price", "5"]


def test_the_whole_book_has_every_sku_and_names_the_guesses(planned: Study, sources: Sources) -> None:
    frame = price_frame.frame(planned, sources, {}, whole_book=True)
    book = sources.books["reference"].prices
    assert set(frame["sku"]) == set(book)
    guessed = {sku for sku, price in book.items() if price.source.grade is Grade.GUESS}
    assert set(frame[(frame["guess"] != "") & (frame["book"] == "reference")]["sku"]) == guessed


def test_an_own_price_stands_beside_what_it_replaces() -> None:
    assert sentences.own_price("x", 450.0, [500.0, 875.0]) == "x: $450.00 instead of $500.00 or $875.00"
    assert sentences.own_price("x", "1,2", []) == "x: “1,2” cannot be read instead of no price"


@pytest.mark.parametrize("figure", explanations.FIGURES)
def test_every_figure_is_explained_with_sources(figure: str, planned: Study, sources: Sources) -> None:
    for result in planned.results:
        found = explanations.explain(figure, planned, result, sources)
        assert found.figure == figure
        assert found.amount.split(" per ")[0] in found.worked
        assert found.values
        assert all(value.source and value.amount for value in found.values)


def test_the_parts_of_tco_add_up(planned: Study, sources: Sources) -> None:
    """Each addend is a line of the costs; the last figure is the TCO of the answer."""
    result = planned.results[0]
    kinds = {f"{x.kind} ({x.flow})" for x in result.costs}  # five years of life, five of horizon: no residual
    found = explanations.explain("TCO", planned, result, sources)
    assert {value.name for value in found.values[1:]} == kinds
    assert found.values[1].amount == form.usd(sum(x.npv_usd for x in result.costs if x.kind == "servers"))
    assert found.values[0].source.startswith("default: planner guess")


def test_a_given_value_is_said_to_be_given(planned: Study, sources: Sources) -> None:
    given = replace(planned.scenario, defaults_used=())
    found = explanations.explain("Goodput", replace(planned, scenario=given), planned.results[0], sources)
    assert {value.source for value in found.values} == {"given in the scenario"}


def test_the_years_table_comes_to_the_bill_of_every_fabric(planned: Study) -> None:
    """Spares, side fabrics and labour are in it, each once, at the price of its year."""
    for result in planned.results:
        rows = changes_by_year.frame(planned, result)
        bill = sum(line.extended_price_usd for line in result.bom)
        assert rows["capex_usd"].sum() == pytest.approx(bill)
        assert set(rows["fabric"]) == {"compute", *(side.section for side in result.sides)}


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
