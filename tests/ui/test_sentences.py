"""What the first page says about a study, figure by figure."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from planner.charts import cost_charts
from planner.cost.tco import CostLine
from planner.fabric.design import Design, Wiring
from planner.report import cost_frames
from planner.scenario.faults import Fault
from planner.scenario.scenario import Scenario
from planner.study.recommendation import Recommendation
from planner.study.result import FabricResult
from planner.study.study import Study
from planner.ui.content import chart_titles, comparison_table, design_sentences, sentences
from pricing.provenance import Grade

NAMES = {"qm9700": "QM9700"}


@pytest.fixture
def dearer(designed: FabricResult) -> FabricResult:
    """Ethernet: a tenth cheaper in TCO than InfiniBand, half dearer for the same work."""
    return replace(
        designed,
        plan=replace(designed.plan, technology="ethernet"),
        tco_usd=46.8e6,
        levelised_usd_per_effective_tflops_year=72.75,
    )


def test_the_least_levelised_cost_wins_and_not_the_least_tco(
    study: Study, designed: FabricResult, dearer: FabricResult
) -> None:
    both = replace(study, results=(dearer, designed))
    best = both.best
    assert best is not None
    assert best.technology == "infiniband"
    worth = cost_frames.value_for_money(both)
    assert worth["tco_ratio"].tolist() == pytest.approx([0.9, 1.0])
    assert worth["throughput_ratio"].tolist() == pytest.approx([0.6, 1.0])
    assert chart_titles.value_title(worth) == (
        "InfiniBand gives the most work for the money; Ethernet TCP costs 50.0% more for the same work"
    )


def test_cost_by_kind_keeps_the_largest_kinds_and_the_sum(study: Study, designed: FabricResult) -> None:
    kinds = [CostLine(2027, f"k{i}", "capex", True, 10.0 * i, 10.0 * i) for i in range(1, 10)]
    back = CostLine(2028, "k9", "residual", True, -500.0, -400.0)
    servers = CostLine(2027, "servers", "capex", False, 1e6, 1e6)
    result = replace(designed, costs=(*kinds, back, servers))
    network = cost_frames.cost_by_kind(replace(study, results=(result,)), network_only=True)
    by_kind = dict(zip(network["kind"], network["npv_usd"], strict=True))
    assert by_kind == {
        "residual value": -400.0, "k9": 90.0, "k8": 80.0, "k7": 70.0, "k6": 60.0, "k5": 50.0, "other": 100.0,
    }  # fmt: skip
    everything = cost_frames.cost_by_kind(replace(study, results=(result,)), network_only=False)
    assert everything["npv_usd"].sum() == pytest.approx(1e6 + 450.0 - 400.0)


def test_the_chart_of_cost_has_one_bar_a_technology_and_a_title_with_the_finding(
    study: Study, designed: FabricResult, dearer: FabricResult
) -> None:
    cheaper = replace(dearer, costs=(CostLine(2027, "switches", "capex", True, 1e6, 1e6),))
    frame = cost_frames.cost_by_kind(replace(study, results=(designed, cheaper)), network_only=True)
    assert chart_titles.cost_title(frame, network_only=True) == (
        "Network TCO runs from $1.0M (Ethernet TCP) to $1.5M (InfiniBand), the largest part is switches"
    )
    chart = cost_charts.cost_by_kind(sentences.named(frame)).to_dict()
    assert chart["encoding"]["y"]["sort"] == ["InfiniBand", "Ethernet TCP"]
    assert chart["encoding"]["color"]["scale"] == {"domain": ["switches"], "range": ["#0072B2"]}


def test_a_year_in_words(two_tier_design: Design, grown_design: Design) -> None:
    assert design_sentences.design(two_tier_design, NAMES) == (
        "1,024 GPUs on 128 nodes. Two tiers: 32 leaf QM9700 (32 down, 32 up), 16 spine QM9700. "
        "2 links between each leaf and each of its spines; oversubscription 1:1."
    )
    assert design_sentences.change(two_tier_design, 2027, NAMES) == "Bought: 48 QM9700."
    assert design_sentences.change(grown_design, 2027, {**NAMES, "old-switch": "Old"}) == (
        "Bought: 48 QM9700. Retired: 2 Old. 512 links recabled."
    )


def test_planes_and_fast_uplinks_are_counted_at_the_link_rate(
    two_tier_design: Design, two_tier_wiring: Wiring
) -> None:
    """Two planes double the switches; 16 uplinks of 800G are 32 links of 400G."""
    wiring = replace(two_tier_wiring, planes=2, up=16, uplink_gbps=800)
    assert design_sentences.design(replace(two_tier_design, wiring=wiring), NAMES) == (
        "1,024 GPUs on 128 nodes. Two tiers in 2 planes: 64 leaf QM9700 (32 down, 32 up), 32 spine QM9700. "
        "2 links between each leaf and each of its spines; oversubscription 1:1."
    )


def test_years_without_change_are_told_once(two_tier_design: Design, grown_design: Design) -> None:
    still = replace(
        two_tier_design, year=2028, change=replace(two_tier_design.change, bought={}, installed_links=0)
    )
    spans = design_sentences.unchanged_spans([two_tier_design, still, replace(grown_design, year=2029)])
    assert [(first, last) for first, last, _ in spans] == [(2027, 2028), (2029, 2029)]
    assert spans[0][2] is two_tier_design


def test_the_first_bill_by_grade(designed: FabricResult) -> None:
    line = next(line for line in designed.bom if line.year == 2027)
    listed = replace(line, price_grade="list", quantity=147, spares=0)
    assert cost_frames.first_bill_grades(
        replace(designed, bom=(line, listed, replace(listed, year=2028)))
    ) == (
        (Grade.LIST, 0.75),
        (Grade.GUESS, 0.25),
    )
    assert sentences.grades(replace(designed, bom=(line, listed))) == "75% list, 25% guess"


def test_the_comparison_says_in_its_column_why_a_technology_has_no_design(study: Study) -> None:
    html = comparison_table.technologies_html(study, NAMES)
    assert html.count("No design. max_tiers = 1 ends at 64 endpoints") == 1
    assert "$48.50" in html
    assert "two tiers, 1:1, QM9700 leaves" in html
    assert "n/a" not in html


def test_names_from_a_file_cannot_become_markup(study: Study, undesigned: FabricResult) -> None:
    plan = replace(undesigned.plan, reason="<img src=x onerror=alert(1)>")
    html = comparison_table.technologies_html(
        replace(study, results=(replace(undesigned, plan=plan),)), NAMES
    )
    assert "<img" not in html
    assert sentences.escaped("$5 *b* <i> [x](y)") == r"\$5 \*b\* \<i\> \[x\](y)"


def test_a_missing_price_withholds_the_total_and_names_the_part(designed: FabricResult) -> None:
    withheld = replace(
        designed, missing_prices=("mms4x00",), tco_usd=None, levelised_usd_per_effective_tflops_year=None
    )
    assert not withheld.is_complete
    assert sentences.why_not(withheld) == "A design, but no total: no price for mms4x00."


def test_a_close_call_is_not_sold_as_a_recommendation(study: Study) -> None:
    assert sentences.recommendation(study) == "Recommended: InfiniBand"
    either = replace(study, recommendation=Recommendation("either", ()))
    assert sentences.recommendation(either) == "No clear winner; InfiniBand is narrowly ahead"
    nothing = replace(study, results=study.results[1:], recommendation=Recommendation(None, ()))
    assert sentences.recommendation(nothing) == "No technology can be recommended"
    assert (
        sentences.with_names("spectrum-x within 5% of roce, not rocey")
        == "Spectrum-X within 5% of RoCE, not rocey"
    )


def test_a_fault_in_plain_words() -> None:
    fault = Fault(
        "scenario", None, "growth[2].gpus", "512", "is less than in 2027 (1,024)", "never let it fall"
    )
    assert (
        sentences.fault(fault, {})
        == "Growth, row 2, GPUs 512 is less than in 2027 (1,024). Never let it fall."
    )
    missing = Fault("scenario", 3, "cluster.server", None, "is missing", "name one")
    assert sentences.fault(missing, {}) == "cluster.server is missing. Name one."
    assert sentences.fault(missing, {"cluster.server": "Server"}) == "Server is missing. Name one."


def test_the_headline_names_every_step(asked: Scenario) -> None:
    assert sentences.headline(asked) == (
        "1,024 GPUs in 2027, 2,048 in 2028; DGX H100 servers; 400 Gb/s an endpoint; Tiny; 2 years from 2027."
    )


def test_warnings_come_first_and_no_default_is_told_twice(study: Study) -> None:
    doubled = replace(study, notes=(*study.notes, "Default: discount_rate = 0.08"))
    assert sentences.notes(doubled) == [
        ("Warnings", ["InfiniBand: no reserved port", "InfiniBand: small batch"]),
        ("Notes", ["storage fabric: not counted"]),
        ("Left out", ["InfiniBand: q3400: no price"]),
        ("Defaults used, because the scenario does not say", ["discount_rate = 0.08"]),
    ]


def test_a_technology_keeps_its_colour_when_another_is_missing(
    study: Study, designed: FabricResult, dearer: FabricResult
) -> None:
    both = sentences.named(cost_frames.value_for_money(replace(study, results=(dearer, designed))))
    alone = sentences.named(cost_frames.value_for_money(replace(study, results=(dearer,))))

    def colours(frame: pd.DataFrame) -> dict[str, str]:
        scale = cost_charts.value_for_money(frame).to_dict()["layer"][1]["encoding"]["color"]["scale"]
        return dict(zip(scale["domain"], scale["range"], strict=True))

    assert colours(both) == {"InfiniBand": "#0072B2", "Ethernet TCP": "#CC79A7"}
    assert colours(alone) == {"Ethernet TCP": "#CC79A7"}
