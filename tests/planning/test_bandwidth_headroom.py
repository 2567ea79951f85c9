"""Headroom by tier: what the job asks, what is wired, what is left; and that candidates are held to it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from planner.catalog.sources import load_sources
from planner.fabric.design import Design
from planner.planning.bandwidth_headroom import TierHeadroom, headroom_faults, tier_headrooms
from planner.report import fabric_frames
from planner.report.fabric_words import headroom_document, headroom_words, rate
from planner.scenario.scenario import Scenario
from planner.study.result import FabricResult
from planner.ui.content import chart_titles
from tests.support.making import Box, Prices, planned

SHORT_STEP = {"global_batch_sequences": 6, "fixed_batch": True}  # six nodes ask 35.5 Gb/s an endpoint


def of_tier(result: FabricResult, tier: str, position: int = 0) -> TierHeadroom:
    return next(t for t in result.headroom[position] if t.tier == tier)


def six_nodes(headroom: float) -> FabricResult:
    """Up to 3:1 allowed: a leaf of four ports with 3 down has a third of the link's 100 Gb/s above it."""
    fabric = {"max_oversubscription": "3:1", "bandwidth_headroom": headroom, "max_tiers": 2}
    return planned(6, [Box("sw", 4, 100.0)], Prices(link=1.0), fabric=fabric, workload=SHORT_STEP)


@pytest.mark.parametrize(
    ("headroom", "ratio", "wired_gbps"),
    [(0.0, Fraction(2), 50.0), (0.29, Fraction(2), 50.0), (0.3, Fraction(1), 100.0)],
)
def test_the_plan_keeps_the_headroom_at_its_leaves_and_shows_it(
    headroom: float, ratio: Fraction, wired_gbps: float
) -> None:
    """35.47 Gb/s do not fit on 33.3 (3:1); they fill 70.9 % of 50 (2:1), which 30 % headroom forbids.
    Without the rule 3:1 is taken each time; with the traffic over the link's 100 Gb/s, too."""
    result = six_nodes(headroom)
    assert result.plan.designs[0].wiring.oversubscription == ratio
    below, above = of_tier(result, "node-leaf"), of_tier(result, "leaf-spine")
    assert below.asked_gbps == above.asked_gbps == pytest.approx(35.47, abs=0.01)
    assert (below.wired_gbps, above.wired_gbps) == (100.0, wired_gbps)
    assert above.used_ratio == pytest.approx(35.47 / wired_gbps, abs=1e-3)
    assert above.left_ratio == pytest.approx(1 - headroom - 35.47 / wired_gbps, abs=1e-3)
    assert above.kept
    assert result.faults == ()


def test_a_job_within_one_unit_crosses_nothing_above_its_leaf(
    two_tier_design: Design, asked: Scenario
) -> None:
    """32 nodes under the eight leaves of one unit; with 33 a job spans two units."""
    sources = load_sources()
    asked = replace(asked, workload=replace(asked.workload, model=sources.catalog.models["llama3-8b"]))
    accelerators = sources.catalog.accelerators
    for nodes, crossed in ((32, False), (33, True)):
        size = replace(two_tier_design.size, nodes=nodes, endpoints=8 * nodes)
        design = replace(two_tier_design, gpus=8 * nodes, nodes=nodes, size=size)
        (tiers,) = tier_headrooms([design], asked, accelerators)
        assert [t.crossed for t in tiers] == [True, crossed]
        assert (tiers[1].asked_gbps > 0) is crossed


def test_a_single_switch_has_one_tier_and_the_words_say_what_is_not_crossed() -> None:
    result = planned(4, [Box("sw", 4, 100.0)])
    assert [t.tier for t in result.headroom[0]] == ["node-leaf"]
    inside = TierHeadroom("leaf-spine", 0.0, 50.0, 0.2, crossed=False)
    told = replace(result, headroom=((TierHeadroom("node-leaf", 12.34, 100.0, 0.2), inside),))
    assert headroom_words(told, 0) == [
        "traffic an endpoint, with 20% to stay free: node-leaf 12.3 Gb/s of 100 Gb/s (12%), 68% left; "
        "leaf-spine not crossed, the job stays inside one scalable unit"
    ]
    assert headroom_document(told, 0)[1] == {
        "tier": "leaf-spine", "crossed": False, "asked_gbps_per_endpoint": 0.0,
        "wired_gbps_per_endpoint": 50.0, "used_ratio": 0.0, "headroom_ratio": 0.2, "left_ratio": 0.8,
    }  # fmt: skip


def test_a_tier_filled_beyond_the_headroom_is_a_fault_and_one_filled_to_it_is_not() -> None:
    result = six_nodes(0.2)
    full = (TierHeadroom("node-leaf", 80.0, 100.0, 0.2),)
    over = (TierHeadroom("leaf-spine", 81.0, 100.0, 0.2),)
    assert list(headroom_faults(result.plan.designs, [full])) == []
    assert list(headroom_faults(result.plan.designs, [over])) == [
        "2027: leaf-spine: the job asks 81.0% of the wired bandwidth, 20% headroom is asked for"
    ]
    assert result.faults == ()


def test_the_page_names_the_tightest_tier() -> None:
    tiers = (
        TierHeadroom("node-leaf", 20.0, 100.0, 0.2),
        TierHeadroom("leaf-spine", 20.0, 50.0, 0.2),
        TierHeadroom("spine-core", 0.0, 25.0, 0.2, crossed=False),
    )
    assert chart_titles.headroom(tiers) == (
        "The job takes at most 40% of a tier's bandwidth (leaf-spine): 60% is free, 20% is asked for"
    )
    shown = fabric_frames.headroom(tiers)
    assert list(shown["tier"]) == ["spine-core", "leaf-spine", "node-leaf"]
    assert list(shown["left"]) == pytest.approx([0.8, 0.4, 0.6])
    nothing = (TierHeadroom("node-leaf", 0.0, 100.0, 0.2, crossed=False),)
    assert chart_titles.headroom(nothing).startswith("The job stays inside its nodes")
    assert rate(0.01) == "below 0.1 Gb/s"
