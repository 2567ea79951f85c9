"""Questions beyond the plan: each is answered alone, beside the study, and in sentences of its own."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from planner.catalog.sources import load_sources
from planner.decide.equal_output import planned_equal_output, scaled
from planner.decide.follow_ups import FOLLOW_UPS, NOTHING_ASKED, FollowUp, FollowUps, followed_up
from planner.planning.planning_task import PlanOptions
from planner.report.follow_ups import NOT_TRIED, sections
from planner.report.json_answer import answer
from planner.scenario.load import scenario_from_document
from planner.study.study import Study, plan_scenario
from tests.study.test_whole_bill import asked
from tests.support.generations_case import scenario_of as with_generations
from tests.support.generations_case import sources as generation_sources
from tests.support.making import Box, Prices, bare_sources, scenario_of

BOXES = [
    Box("small", 4, 10.0),
    Box("large", 16, 100.0),
    Box("infini", 16, 90.0, technologies=("infiniband",)),
]
BOTH = {"technologies": ["roce", "infiniband"]}
OPTIONS = PlanOptions()


@cache
def growing() -> Study:
    """4, then 16 nodes: one small switch and then a large one, or the large one at once."""
    scenario = scenario_of([4, 16], BOXES, fabric=BOTH, prices={"infiniband_pricing": "book"})
    return plan_scenario(scenario, bare_sources())


def beside(question: FollowUp) -> FollowUps:
    return followed_up(growing(), bare_sources(), OPTIONS, [question])


def test_nothing_asked_is_nothing_worked_out() -> None:
    assert followed_up(growing(), bare_sources(), OPTIONS, ()) == NOTHING_ASKED
    document = answer(growing())
    assert (document["paths"], document["flips"]) == ([], None)
    assert [t["foresight"] for t in document["technologies"]] == [None, None]
    assert sections("flips", growing(), NOTHING_ASKED) == (("", (NOT_TRIED,)),)


@pytest.mark.parametrize("question", FOLLOW_UPS)
def test_a_question_asked_alone_is_answered_alone(question: FollowUp) -> None:
    found = beside(question)
    answered = {
        "paths": bool(found.paths), "foresight": bool(found.foresight), "flips": found.flips is not None,
        "equal-output": found.equal_output is not None,
    }  # fmt: skip
    assert {name for name, holds in answered.items() if holds} <= {question}
    assert answered[question] or question == "equal-output"  # both deliver the same: no GPUs are missing


def test_looking_ahead_is_worth_what_the_small_switch_costs() -> None:
    """RoCE: 100 at once, or 10 and then 100. InfiniBand has one switch, and nothing to foresee."""
    found = beside("foresight").foresight
    assert {name: one.value_usd for name, one in found.items()} == {
        "roce": pytest.approx(10.0), "infiniband": pytest.approx(0.0),
    }  # fmt: skip
    assert [d.wiring.leaf for d in found["roce"].designs] == ["small", "large"]
    headings = [heading for heading, _ in sections("foresight", growing(), FollowUps(foresight=found))]
    assert headings == ["roce", "infiniband"]


def test_islands_are_asked_neither_for_paths_nor_for_foresight() -> None:
    rows: list[dict[str, Any]] = [
        {"year": 2027, "gpus": 2}, {"year": 2029, "gpus": 5, "server": "node-200"},
    ]  # fmt: skip
    boxes = [Box("four", 4, 1000.0), Box("fast", 4, 500.0, gbps=200)]
    parts = Prices()
    study = plan_scenario(with_generations(rows, boxes, parts), generation_sources(parts))
    found = followed_up(study, generation_sources(parts), OPTIONS, ["paths", "foresight"])
    assert (found.paths, dict(found.foresight)) == ((), {})


@cache
def slow_ethernet() -> Study:
    """Spectrum-X against TCP: the same servers, a third less output."""
    text = {"technologies": ["spectrum-x", "ethernet"], "nodes_per_scalable_unit": 32}
    scenario = asked(
        fabric=text, workload={"model": "gpt3-175b", "tensor_parallel": 8, "pipeline_parallel": 4}
    )
    return plan_scenario(scenario, load_sources())


def test_the_slower_fabric_gets_gpus_until_it_delivers_as_much() -> None:
    study = slow_ethernet()
    (pair,) = study.break_even
    assert pair.slower == "ethernet" and pair.added_gpus_ratio > 0.05
    planned = planned_equal_output(study, load_sources(), PlanOptions())
    assert planned is not None and planned.tco_usd is not None
    assert planned.delivered_ratio >= 0.995
    assert planned.gpus[2029] >= 768 * (1 + pair.added_gpus_ratio)
    assert planned.tco_usd > pair.slower_usd * planned.gpus[2029] / 768 * 0.9


def test_a_job_that_gets_no_further_with_more_gpus_is_said_to() -> None:
    """218 nodes that fail once a day get something done, twice as many nothing: there is no equal output."""
    scenario = scenario_from_document(
        {
            "schema": 1, "name": "failing", "base_year": 2027, "cluster": {"server": "dgx-a100"},
            "growth": [{"year": 2027, "gpus": 1744}], "finance": {"horizon_years": 1},
            "fabric": {"technologies": ["roce", "ethernet"]}, "operations": {"failures_per_node_day": 1.0},
            "storage_fabric": {"enabled": False}, "frontend_fabric": {"enabled": False},
        },
        load_sources(), "failing.toml",
    )  # fmt: skip
    found = planned_equal_output(plan_scenario(scenario, load_sources()), load_sources(), OPTIONS)
    assert found is not None
    assert (found.tco_usd, found.delivered_ratio) == (None, 0.0)
    assert found.reason == "a job that large delivers nothing: its nodes fail faster than it restarts"


def test_scaling_fills_nodes() -> None:
    """256 and 768 GPUs x 1.01 in nodes of 8: 264 and 776."""
    assert [s.gpus for s in scaled(asked(), 1.01).growth] == [264, 776]
