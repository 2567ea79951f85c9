"""Differences between two answers in words, by pairs made by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from planner.cost.tco import CostLine, Flow
from planner.fabric.design import ClusterDesign, ClusterPlan, Design, SolverReport
from planner.study.comparison import RESIDUAL, compare
from planner.study.result import ClusterResult, FabricResult
from tests.support.making import Box, Prices, planned

NAMES = {"qm9700": "QM9700", "sn5600": "SN5600"}


def line(kind: str, npv_usd: float, flow: Flow = "capex", year: int = 2027) -> CostLine:
    return CostLine(year, kind, flow, True, npv_usd, npv_usd)


def variant(result: FabricResult, last: Design, *costs: CostLine) -> FabricResult:
    """The result with another last design and other costs."""
    total = sum(cost.npv_usd for cost in costs)
    plan = replace(result.plan, designs=(*result.plan.designs[:-1], last))
    return replace(result, plan=plan, costs=costs, tco_usd=total)


@pytest.fixture
def pair(designed: FabricResult, grown_design: Design) -> tuple[FabricResult, FabricResult]:
    """64 leaves; 16 spines at 2:1 against 80 spines at 1:1, for 3.1 M more, half of the residual kept."""
    half = replace(grown_design.wiring, up=16, spines=8)
    before = replace(grown_design, wiring=half, size=replace(grown_design.size, spines=16))
    after = replace(grown_design, size=replace(grown_design.size, spines=80), switch_modules=4096)
    return (
        variant(
            designed,
            before,
            line("switches", 5e6),
            line("transceivers", 1e6),
            line("switches", -1e6, "residual"),
        ),
        variant(
            designed,
            after,
            line("switches", 8.1e6),
            line("transceivers", 1.4e6),
            line("switches", -1.5e6, "residual"),
        ),
    )


def test_the_amount_and_its_cause_stand_in_one_sentence(
    pair: tuple[FabricResult, FabricResult],
) -> None:
    found = compare(*pair, NAMES)
    assert [cause.sentence for cause in found.causes] == [
        "+$3.1M: 64 more spines for 1:1 instead of 2:1",
        "-$500k: more residual value at the end of the horizon",
        "+$400k: 1,024 more modules for 1:1 instead of 2:1",
    ]
    assert found.design == ("1:1 instead of 2:1", "64 more spines")
    assert found.tco_usd == pytest.approx(3e6)
    assert sum(cause.npv_usd for cause in found.causes) == pytest.approx(found.tco_usd)
    assert found.gaps == ()


def test_the_other_way_round_the_signs_turn(pair: tuple[FabricResult, FabricResult]) -> None:
    before, after = pair
    turned = compare(after, before, NAMES)
    assert turned.causes[0].sentence == "-$3.1M: 64 fewer spines for 2:1 instead of 1:1"
    assert turned.tco_usd == pytest.approx(-3e6)


def test_an_answer_does_not_differ_from_itself(designed: FabricResult) -> None:
    found = compare(designed, designed, NAMES)
    assert (found.tco_usd, found.causes, found.design, found.gaps) == (0.0, (), (), ())


def test_another_model_a_third_tier_and_more_gpus_are_named(
    designed: FabricResult, grown_design: Design
) -> None:
    wiring = replace(
        grown_design.wiring, tiers=3, leaf="sn5600", leaves_per_pod=16, spine_up=32, core="qm9700"
    )
    size = replace(grown_design.size, cores=32)
    before = variant(designed, grown_design, line("switches", 1e6))
    after = variant(
        designed, replace(grown_design, gpus=4096, nodes=512, wiring=wiring, size=size), line("switches", 2e6)
    )
    assert [cause.sentence for cause in compare(before, after, NAMES).causes] == [
        "+$1.0M: SN5600 instead of QM9700 leaves, 32 more cores "
        "for 4,096 GPUs instead of 2,048 GPUs and three tiers instead of two tiers"
    ]


def test_equal_pieces_differ_by_price_or_by_year(designed: FabricResult, grown_design: Design) -> None:
    before = variant(designed, grown_design, line("switches", 1e6))
    dearer = variant(designed, grown_design, line("switches", 1.5e6))
    assert compare(before, dearer).causes[0].sentence == (
        "+$500k: switches: the same pieces in the same years at other prices or rates"
    )
    later = replace(dearer, bom=tuple(replace(row, year=2028) for row in dearer.bom))
    assert compare(before, later).causes[0].why == (
        "switches: as many in every year, of other models, at other prices or bought at other times"
    )


def test_work_is_counted_over_the_horizon(designed: FabricResult, grown_design: Design) -> None:
    """512 links are recabled in the second year of one, none of the other; 1 kW more is said as such."""
    calm = replace(grown_design, change=replace(grown_design.change, recabled_links=0, installed_links=2000))
    before = variant(
        designed, grown_design, line("services", 5e4), line("downtime", 1e4), line("support", 3.0)
    )
    after = variant(designed, calm, line("services", 2e4), line("network electricity", 700.0))
    years = (*after.years[:-1], replace(after.years[-1], network_power_kw=247.8))
    assert [cause.sentence for cause in compare(before, replace(after, years=years)).causes] == [
        "-$30,000: services: 48 fewer installed links, 512 fewer recabled links",
        "-$10,000: downtime: 512 fewer recabled links",
        "+$700.00: 1.0 kW more network power",
        "-$3.00: support, a share of what the hardware costs",
    ]


def test_what_has_no_design_or_no_total_says_so(designed: FabricResult, undesigned: FabricResult) -> None:
    assert compare(designed, undesigned).gaps == (
        "Second: roce has no design. max_tiers = 1 ends at 64 endpoints",
    )
    unpriced = replace(designed, tco_usd=None, missing_prices=("dgx-h100: no price",))
    found = compare(unpriced, designed)
    assert found.tco_usd is None
    assert found.gaps == ("First: no total, because of dgx-h100: no price",)


def test_small_causes_are_added_up(designed: FabricResult, grown_design: Design) -> None:
    costs = [line(f"kind {i}", 1000.0 - i) for i in range(12)]
    found = compare(variant(designed, grown_design), variant(designed, grown_design, *costs))
    assert len(found.causes) == 10
    assert found.causes[-1].sentence == "+$2,970: the rest: kind 9, kind 10, kind 11"


def test_a_planned_pair_adds_up_to_its_difference() -> None:
    """16 nodes on 8-port switches at 10 each: 1:1 takes 4 leaves and 2 spines, 3:1 3 leaves and 1 spine."""
    boxes, prices = [Box("eight", 8, 10.0)], Prices(link=1.0)
    full = planned(16, boxes, prices)
    thin = planned(16, boxes, prices, fabric={"max_oversubscription": "3:1"})
    assert full.plan.designs[0].wiring.oversubscription == Fraction(1)
    found = compare(thin, full)
    assert full.tco_usd is not None and thin.tco_usd is not None
    assert found.tco_usd == pytest.approx(full.tco_usd - thin.tco_usd)
    assert sum(cause.npv_usd for cause in found.causes) == pytest.approx(found.tco_usd)
    assert {cause.kind for cause in found.causes} == {"switches", "fibre"}
    assert RESIDUAL not in {cause.kind for cause in found.causes}
    assert found.causes[0].why.startswith("1 more leaf, 1 more spine for 1:1 instead of")


def test_nics_of_all_islands_are_counted(two_tier_design: Design, grown_design: Design) -> None:
    """The smaller island gets two NICs of its own model more; the larger one's are as many as before."""
    large = replace(grown_design, need={"connectx-7-400g": 2048})

    def answer(nics: int, usd: float) -> ClusterResult:
        small = replace(
            two_tier_design, need={"nic-200": nics}, wiring=replace(two_tier_design.wiring, nic="nic-200")
        )
        report = SolverReport("HiGHS", "optimal", usd, usd, 0.0, 0.0)
        year = ClusterDesign(2028, (large, small))
        plan = ClusterPlan("infiniband", "optimal", None, (), report, (year,))
        return ClusterResult(plan, (), costs=(line("NICs", usd),), tco_usd=usd)

    assert [cause.sentence for cause in compare(answer(8, 1e6), answer(10, 3e6)).causes] == [
        "+$2.0M: 2 more NICs"
    ]
