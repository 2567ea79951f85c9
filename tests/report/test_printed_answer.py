"""The printed comparison: the right figure in the right column, nothing unknown shown as 0."""

from __future__ import annotations

from dataclasses import replace

from planner.fabric.design import Design, Wiring
from planner.report.fabric_words import design_words
from planner.report.printed_answer import study_text
from planner.study.recommendation import Recommendation
from planner.study.result import TechnologyResult
from planner.study.study import Study


def cells(text: str, label: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(label + "  "))
    return line.removeprefix(label).split()


def test_each_measure_stands_under_its_technology_and_an_unknown_one_reads_not_available(
    study: Study,
) -> None:
    text = study_text(study)
    assert next(line.split() for line in text.splitlines() if "  infiniband" in line) == [
        "infiniband",
        "roce",
    ]
    assert cells(text, "status") == ["optimal", "infeasible"]
    assert cells(text, "USD per effective TFLOP/s-year") == ["$48.50", "n/a"]
    assert cells(text, "capex 2027 per effective TFLOP/s") == ["$100.00", "n/a"]
    assert cells(text, "TCO") == ["$52.0M", "n/a"]
    assert cells(text, "capex 2027") == ["$40.0M", "n/a"]
    assert cells(text, "network share of TCO") == ["10.0%", "n/a"]
    assert cells(text, "network power 2028") == ["247", "kW", "n/a"]
    assert cells(text, "MFU 2027") == ["41.0%", "n/a"]
    assert cells(text, "MFU 2028") == ["40.0%", "n/a"]
    assert cells(text, "effective 2028") == ["790,000", "TFLOP/s", "n/a"]


def test_recommendation_reasons_reservations_and_notes_are_printed(study: Study) -> None:
    lines = study_text(study).splitlines()
    advice = lines.index("Recommendation (on levelised cost): infiniband")
    assert lines[advice + 1] == "  - the only one with a design"
    assert "  no design: max_tiers = 1 ends at 64 endpoints" in lines
    assert "  bought: 48 qm9700; retired: nothing; 0 recabled links" in lines
    assert "  warning: no reserved port" in lines
    assert "  left out: q3400: no price" in lines
    assert "  - storage fabric: not counted" in lines


def test_nothing_to_recommend_reads_none(study: Study) -> None:
    nothing = replace(study, results=study.results[1:], recommendation=Recommendation(None, ("no design",)))
    assert "Recommendation (on levelised cost): none\n  - no design\n" in study_text(nothing)


def test_a_withheld_total_names_the_part(study: Study, designed: TechnologyResult) -> None:
    withheld = replace(designed, years=(), tco_usd=None, missing_prices=("mms4x00",))
    text = study_text(replace(study, results=(withheld,)))
    assert "  without a price, so totals are withheld: mms4x00" in text.splitlines()
    assert cells(text, "TCO") == ["n/a"]


def test_a_year_in_words_counts_switches_links_and_changes(grown_design: Design) -> None:
    assert design_words(grown_design) == [
        "2028: 2,048 GPUs in 256 nodes; two tiers, 400 Gb/s, oversubscription 1:1, rail-optimised",
        "64 leaves qm9700 (32 down, 32 up), 32 spines qm9700 (2 links to each of its leaves); "
        "links: 2,048 endpoint-leaf, 2,048 leaf-spine",
        "bought: 48\N{NO-BREAK SPACE}qm9700; retired: 2\N{NO-BREAK SPACE}old-switch; 512 recabled links",
    ]


def test_planes_and_the_third_tier_are_named(grown_design: Design, two_tier_wiring: Wiring) -> None:
    wiring = replace(
        two_tier_wiring, planes=2, tiers=3, leaves_per_pod=16, core="q3400", spine_up=16, core_groups=1
    )
    size = replace(grown_design.size, cores=16, spine_core_links=512)
    first, second, _ = design_words(replace(grown_design, wiring=wiring, size=size))
    assert first.endswith(
        "three tiers, 400 Gb/s, oversubscription 1:1, spine to core 2:1, rail-optimised, 2 planes"
    )
    assert "32 cores q3400 (16 a spine)" in second
    assert second.endswith("links: 4,096 endpoint-leaf, 4,096 leaf-spine, 1,024 spine-core")
