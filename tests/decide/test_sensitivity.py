"""Results that flip with the horizon or the residual rule, by hand. Prices in USD, rate 0."""

from __future__ import annotations

from typing import Any

from planner.decide.sensitivity import Flip, Flips, planned_flips
from planner.planning.planning_task import PlanOptions
from planner.report.follow_ups import NOT_TRIED, flip_words, flips_document, flips_words
from planner.study.study import plan_scenario
from tests.support.making import Box, bare_sources, scenario_of


def tried(nodes: int | list[int], boxes: list[Box], **asked: Any) -> Flips:
    scenario, sources = scenario_of(nodes, boxes, **asked), bare_sources()
    return planned_flips(plan_scenario(scenario, sources), sources, PlanOptions())


def of(flips: Flips, what: str) -> dict[int | str, Flip]:
    return {flip.variation.value: flip for flip in flips.found if flip.what == what}


def test_the_residual_rule_flips_the_first_fabric() -> None:
    """4, then 16 nodes. Nothing resold: large at once, 100 against 10 + 100. Unexpired life of 5 years back:
    small first, 10 - 8 and 100 - 80, 22 against 40. A horizon of four years changes nothing: 100 against 110.
    """
    flips = tried([4, 16], [Box("small", 4, 10.0), Box("large", 16, 100.0)], finance={"life_years": 5})
    assert [v.value for v in flips.tried] == [4, "unexpired-life", "market"]
    found = of(flips, "design")
    assert 4 not in found and "unexpired-life" in found
    assert flip_words(found["unexpired-life"]) == (
        "with residual 'unexpired-life' the first fabric of roce would be one tier, 1 leaf small rather than "
        "one tier, 1 leaf large"
    )


def test_the_technology_flips_with_horizon_and_residual() -> None:
    """A year, nothing resold: RoCE 100; Spectrum-X 10 and 8 W at 1 USD/kWh, 70: 80. Three years: 100 against
    220. Unexpired life of 5 years back: 20 against 72."""
    boxes = [
        Box("buy", 4, 100.0),
        Box("run", 4, 10.0, power_w=8.0, technologies=("spectrum-x",)),
    ]
    money = {"electricity_usd_per_kwh": 1.0, "pue": 1.0, "life_years": 5}
    flips = tried(4, boxes, fabric={"technologies": ["roce", "spectrum-x"]}, finance=money)
    found = of(flips, "technology")
    assert {3, "unexpired-life"} <= set(found)
    assert {(f.before, f.after) for f in found.values()} == {("spectrum-x", "roce")}
    assert of(flips, "design") == {}


def test_what_does_not_flip_is_said() -> None:
    """One switch does for ever, whatever it is worth in the end."""
    flips = tried(4, [Box("four", 4, 10.0)])
    assert flips.found == ()
    assert flips_words(flips) == (
        "with a horizon of 3 years, with residual 'unexpired-life', with residual 'market': the same "
        "technologies within the band, the same first switches",
    )
    document = flips_document(flips)
    assert document is not None and len(document["tried"]) == 3 and document["found"] == []


def test_a_shorter_horizon_is_tried_where_it_reaches_the_last_growth() -> None:
    flips = tried([4, 4], [Box("four", 4, 10.0)], finance={"horizon_years": 3})
    assert [v.value for v in flips.tried][:2] == [2, 5]


def test_what_was_not_tried_is_said() -> None:
    assert flips_words(None) == (NOT_TRIED,)
    assert flips_document(None) is None
