"""Patch panels by hand: what they cost, what a move at one saves, and when they are worth it.

24, then 48 nodes in units of 8 at 2:1 on 12-port switches at 100 whose price falls: 12 links between leaves
and spines, then 24. One spine, then two: 6 of the 12 links move; two spines from the start move none.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from planner.catalog.parts import Fibre, PatchPanel
from planner.catalog.sources import Sources
from planner.check.check_case import AncillaryCase
from planner.check.checks import check_plan
from planner.check.panels import panel_faults
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import size_of
from planner.fabric.patch_panels import PanelParts, panel_parts, panel_pieces, panelled
from planner.planning.planning_task import PlanOptions
from planner.report.fabric_words import panels_words
from planner.report.json_answer import answer
from planner.scenario.load import scenario_from_text
from planner.study.patch_panel_choice import better
from planner.study.result import FabricResult
from planner.study.study import Study, plan_scenario
from pricing.price_book import Price
from tests.support.examples import Examples
from tests.support.making import MADE_UP, Box, Prices, bare_sources, counts, one_fabric, scenario_text

PORTS = 8  # of a panel: four runs


def sources_with_panels(panel_usd: float | None, parts: Prices) -> Sources:
    bare = bare_sources(parts)
    panel = PatchPanel("panel", "panel", "lc", PORTS, MADE_UP)
    catalog = replace(bare.catalog, panels={"panel": panel})
    if panel_usd is None:
        return replace(bare, catalog=catalog)
    price = Price("panel", "fibre", panel_usd, panel_usd, panel_usd, MADE_UP, "reference")
    return replace(bare, catalog=catalog, books={"reference": bare.books["reference"].over({"panel": price})})


def study_text_of(panels: object, erosion: float = 0.1, **asked: Any) -> str:
    layout = {"patch_panels": panels, "panel_labour_ratio": 0.5, "panel_downtime_ratio": 0.25}
    return scenario_text(
        [24, 48], [Box("twelve", 12, 100.0)], layout=layout,
        fabric={"nodes_per_scalable_unit": 8, "max_oversubscription": "2:1"},
        prices={"erosion_per_year": {"switch": erosion}}, **asked,
    )  # fmt: skip


def study_of(
    panels: object, panel_usd: float | None, *, move: float = 2.0, erosion: float = 0.1, **asked: Any
) -> Study:
    text = study_text_of(panels, erosion, **asked)
    sources = sources_with_panels(panel_usd, Prices(move=move))
    return plan_scenario(scenario_from_text(text, sources, "panels.toml"), sources)


def planned(*args: object, **asked: Any) -> FabricResult:
    result = one_fabric(study_of(*args, **asked).results[0])  # type: ignore[arg-type]
    assert result.faults == ()
    return result


def test_direct_cables_buy_the_second_spine_at_once() -> None:
    """A move at 2: 760 + 12 for the late spine, 770 for two at once."""
    result = planned(False, 0.1)
    assert (counts(result)[2], result.network_tco_usd) == (2, pytest.approx(770.0))
    assert not any(any(panelled(d.need_by_tier)) for d in result.plan.designs)


def test_a_cord_moved_for_half_the_labour_makes_the_late_spine_worth_it() -> None:
    """6 cords at 1, 12 and then 24 runs on panels of four runs at 0.1: 760 + 6 + 0.6. With the labour of a
    direct cable it would be 772.6, and two spines at once 770.6."""
    result = planned(True, 0.1)
    assert [counts(result, t)[2] for t in (0, 1)] == [1, 2]
    assert result.network_tco_usd == pytest.approx(766.6)
    held = [{k: n for k, n in d.need_by_tier.items() if "panel" in k[0]} for d in result.plan.designs]
    assert held == [
        {("leaf-spine-panel", "panel"): n, ("leaf-spine-panel", "fibre"): runs}
        for n, runs in ((3, 12), (6, 24))
    ]
    change = result.plan.designs[1].change
    assert (change.recabled_links, change.panel_links) == (6, 6)
    rows = {(r.year, r.tier, r.sku): (r.quantity, r.extended_price_usd) for r in result.bom}
    assert rows[2028, "fabric", "svc-move-cord"] == (6, pytest.approx(6.0))
    assert rows[2027, "leaf-spine-panel", "panel"] == (3, pytest.approx(0.3))
    assert rows[2027, "leaf-spine-panel", "fibre"][0] == 12
    assert (2028, "fabric", "svc-recable-link") not in rows


def test_a_shorter_downtime_counts_too() -> None:
    """Prices halve. 12 GPUs idle for 5 h at 1: 600 + 60, two spines at once 650. At panels a quarter of it:
    600 + 15, and 3 + 3 panels at 1."""
    run = {"recabling_downtime_hours": 5.0, "gpu_hour_usd": 1.0}
    direct, panels = (planned(way, 1.0, move=0.0, erosion=0.5, operations=run) for way in (False, True))
    assert direct.network_tco_usd == pytest.approx(650.0)
    assert panels.network_tco_usd == pytest.approx(621.0)
    assert [(x.year, x.amount_usd) for x in panels.costs if x.kind == "downtime"] == [(2028, 15.0)]


@pytest.mark.parametrize(("panel_usd", "used", "total_usd"), [(0.1, True, 766.6), (1.0, False, 770.0)])
def test_an_open_choice_takes_the_cheaper_way_and_says_so(
    panel_usd: float, used: bool, total_usd: float
) -> None:
    """Panels at 1 make 772 of the 766: direct cables at 770 are cheaper."""
    study = study_of([False, True], panel_usd)
    result = one_fabric(study.results[0])
    assert result.panels is not None
    assert (result.panels.used, result.panels.without_panels) == (used, pytest.approx(770.0))
    assert result.panels.with_panels == pytest.approx(766.0 + 6 * panel_usd)
    assert result.network_tco_usd == pytest.approx(total_usd)
    assert result.faults == ()
    told = answer(study)["technologies"][0]["patch_panels"]
    assert (told["used"], told["open"], told["objective_without"]) == (used, True, pytest.approx(770.0))
    assert panels_words(result)[0].startswith(f"patch panels: {'taken' if used else 'left out'}")


def test_an_open_choice_leaves_the_programmes_of_both_ways(tmp_path: Path) -> None:
    text = study_text_of([False, True])
    sources = sources_with_panels(0.1, Prices(move=2.0))
    plan_scenario(scenario_from_text(text, sources, "panels.toml"), sources, PlanOptions(lp_dir=tmp_path))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["roce.lp", "roce_patch-panels.lp"]


def test_a_panel_without_a_price_withholds_the_total_and_is_never_chosen() -> None:
    study = study_of(True, None)
    assert one_fabric(study.results[0]).missing_prices == ("patch panels: no priced panel for lc",)
    assert one_fabric(study.results[0]).tco_usd is None
    chosen = one_fabric(study_of([False, True], None).results[0])
    assert (chosen.missing_prices, chosen.network_tco_usd) == ((), pytest.approx(770.0))


def test_only_fibres_between_switches_run_over_panels(two_tier_wiring: Wiring) -> None:
    """The tails of a splitter end apiece: 256 links, not 128 splitters. An active cable is of one piece."""
    straight = Fibre("straight", "", "mmf", "lc", 1, 30.0, MADE_UP)
    split = replace(straight, id="split", split=2)
    parts = PanelParts(
        {"straight": straight, "split": split},
        {"lc": PatchPanel("panel", "", "lc", PORTS, MADE_UP)},
        {("mmf", "lc"): "cord"},
    )
    wiring = replace(two_tier_wiring, planes=2)
    size = size_of(wiring, 32)
    assert size.leaf_spine_links == 256

    def pieces(use: dict[tuple[str, str], int], sites: int = 1) -> dict[tuple[str, str], int]:
        return dict(panel_pieces(use, replace(wiring, sites=sites, planes=2 // sites), size, parts))

    assert pieces({("leaf-spine", "straight"): 512, ("node-leaf", "straight"): 512}) == {
        ("leaf-spine-panel", "panel"): 128, ("leaf-spine-panel", "cord"): 512,
    }  # fmt: skip
    assert pieces({("leaf-spine", "split"): 256})["leaf-spine-panel", "cord"] == 512
    assert pieces({("leaf-spine", "aoc"): 512}) == {}
    # 9 runs at each of two sites: 18 ends take three panels a site, not five in all
    assert pieces({("leaf-spine", "straight"): 18}, sites=2)["leaf-spine-panel", "panel"] == 6


def test_the_cord_is_the_shortest_that_is_long_enough() -> None:
    bare = sources_with_panels(1.0, Prices())
    some = bare.catalog.fibres["fibre"]
    lengths = {f"f{m}": replace(some, id=f"f{m}", length_m=float(m)) for m in (1, 3, 5)}
    catalog = replace(bare.catalog, fibres=lengths)
    parts, missing = panel_parts(catalog, {"panel": 1.0, "f1": 1.0, "f3": 1.0, "f5": 1.0}.get, 2.0)
    assert (parts.cords, missing) == ({("mmf", "lc"): "f3"}, ())
    assert panel_parts(catalog, {"panel": 1.0}.get, 2.0)[1] == ("patch panels: no priced mmf lc cord of 2 m",)


@pytest.mark.parametrize(
    ("sku", "pieces", "fault"),
    [
        ("panel", 2, "2 panels of 8 ports for 24 ends"),
        ("panel", 4, "4 panels"),
        ("fibre", 11, "11 cords for 12"),
    ],
)
def test_the_check_finds_a_panel_or_cord_too_many_or_too_few(sku: str, pieces: int, fault: str) -> None:
    study = study_of(True, 0.1)
    result = one_fabric(study.results[0])
    design = result.plan.designs[0]
    need = {**design.need_by_tier, ("leaf-spine-panel", sku): pieces}
    catalog = sources_with_panels(0.1, Prices()).catalog
    assert result.rates is not None
    case = AncillaryCase(design, study.scenario, catalog, result.rates.book, "roce", None)
    (said,) = panel_faults(replace(case, design=replace(design, need_by_tier=need)))
    assert fault in said
    direct = replace(study.scenario, layout=replace(study.scenario.layout, patch_panels=(False,)))
    assert len(list(panel_faults(replace(case, scenario=direct)))) == 2


def test_the_check_finds_moves_at_panels_that_are_not_there() -> None:
    study = study_of(False, 0.1, move=1.0)
    plan = one_fabric(study.results[0]).plan
    moved = replace(plan.designs[1].change, panel_links=1)
    wrong = replace(plan, designs=(plan.designs[0], replace(plan.designs[1], change=moved)))
    faults = check_plan(study.scenario, wrong, sources_with_panels(0.1, Prices()).catalog)
    assert faults == ("2028: 1 links are moved at panels, 0 run over them",)


def test_the_better_way_is_kept_whatever_the_two_ways_cost(examples: Examples) -> None:
    """Against planning each way by itself. Of equal ways direct cables are kept; without a design both are
    None."""

    def check(direct: float | None, panels: float | None) -> None:
        used = better([direct, panels]).used
        values = {False: direct, True: panels}
        known = [usd for usd in values.values() if usd is not None]
        assert (values[used] == min(known)) if known else not used
        assert not (used and direct == panels)

    usd = st.one_of(st.none(), st.integers(0, 3).map(float))
    examples(check, 50, usd, usd)
