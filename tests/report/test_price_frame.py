"""The price grid's rows: book, ratio and own price of each part."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from planner.catalog.sources import Sources, load_sources
from planner.report.price_frame import price_frame
from planner.scenario.load import load_scenario, shipped_scenarios
from planner.study.study import Study, plan_scenario
from pricing.provenance import Grade


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources()


@pytest.fixture(scope="module")
def planned(sources: Sources) -> Study:
    return plan_scenario(load_scenario(shipped_scenarios()["seed-cloud-1024"], sources), sources)


def test_the_ratio_and_the_book_stand_in_rows_of_their_own(planned: Study, sources: Sources) -> None:
    """InfiniBand's ConnectX-7 is 1.75 x the book's; both are there, each with its users and its source."""
    frame = price_frame(planned, sources, {}, whole_book=False)
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
    plain = price_frame(planned, sources, {}, whole_book=False).set_index(["sku", "book"])
    own = price_frame(planned, sources, typed, whole_book=False).set_index(["sku", "book"])
    assert own.loc[("qm9700", "ratio"), "own_price_usd"] == "45000"
    assert set(own[own.index.get_level_values(0) == "q3400"]["own_price_usd"]) == {"23,4"}
    rest = own[own.index.isin(plain.index)].drop(columns="own_price_usd")
    pd.testing.assert_frame_equal(rest, plain.drop(columns="own_price_usd"), check_dtype=False)


def test_a_part_that_nothing_prices_has_empty_cells(planned: Study, sources: Sources) -> None:
    row = price_frame(planned, sources, {"nothing": 1.0}, whole_book=False).set_index("sku").loc["nothing"]
    assert row["grade"] == "no price"
    assert row[["low_usd", "mid_usd", "high_usd"]].isna().all()


def test_a_price_that_the_scenario_gives_elsewhere_stays(planned: Study, sources: Sources) -> None:
    """The price of a switch of one's own is no edit of the grid: it is what an edit would replace."""
    price = replace(sources.books["reference"].prices["qm9700"], sku="mine", mid_usd=7.0, book="scenario")
    prices = replace(planned.scenario.prices, overrides={"mine": price})
    study = replace(planned, scenario=replace(planned.scenario, prices=prices))
    rows = price_frame(study, sources, {}, whole_book=True).set_index("sku")
    assert list(rows.loc["mine", ["mid_usd", "book", "own_price_usd"]]) == [7.0, "scenario", ""]
    rows = price_frame(study, sources, {"mine": 5}, whole_book=True).set_index("sku")
    assert list(rows.loc["mine", ["grade", "own_price_usd"]]) == ["no price", "5"]


def test_the_whole_book_has_every_sku_and_names_the_guesses(planned: Study, sources: Sources) -> None:
    frame = price_frame(planned, sources, {}, whole_book=True)
    book = sources.books["reference"].prices
    assert set(frame["sku"]) == set(book)
    guessed = {sku for sku, price in book.items() if price.source.grade is Grade.GUESS}
    assert set(frame[(frame["guess"] != "") & (frame["book"] == "reference")]["sku"]) == guessed
