"""The JSON answer: every key of the outside contract, and what its numbers count."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from planner.fabric.design import Design, Size, SolverReport, Wiring
from planner.report.json_answer import answer, answer_text
from planner.study.result import FabricResult
from planner.study.study import Study


def first_year(study: Study, result: FabricResult, design: Design) -> dict[str, Any]:
    plan = replace(result.plan, designs=(design,))
    changed = replace(study, results=(replace(result, plan=plan),))
    return answer(changed)["technologies"][0]["years"][0]  # type: ignore[no-any-return]


def test_a_designed_technology_carries_every_key_of_the_contract_with_its_value(study: Study) -> None:
    said = json.loads(answer_text(study))
    assert said["schema"] == 1
    assert said["scenario"] == "1,024 GPUs growing to 2,048"
    assert said["recommendation"] == {"technology": "infiniband", "reasons": ["the only one with a design"]}
    technology = said["technologies"][0]
    years = technology["years"]
    expected = {
        "technology": "infiniband",
        "status": "optimal",
        "reason": None,
        "excluded": ["q3400: no price"],
        "tco_usd": 52e6,
        "network_tco_usd": 5.2e6,
        "usd_per_effective_tflops": 100.0,
        "levelised_usd_per_effective_tflops_year": 48.5,
    }
    assert {key: technology[key] for key in expected} == expected
    solver = {"name": "HiGHS", "objective_usd": 52e6, "bound_usd": 52e6, "gap": 0.0, "seconds": 0.25}
    assert {key: technology["solver"][key] for key in solver} == solver
    year = {
        "year": 2027,
        "gpus": 1024,
        "nodes": 128,
        "endpoints": 1024,
        "links": {"endpoint_leaf": 1024, "leaf_spine": 1024, "spine_core": 0},
        "transceivers": {"node": 512, "switch": 1536},
        "bought": {"qm9700": 48},
        "retired": {},
        "recabled_links": 0,
        "capex_usd": 40e6,
        "network_capex_usd": 2e6,
        "opex_usd": 1e6,
        "network_power_kw": 123.4,
        "mfu": 0.41,
        "effective_tflops": 400_000.0,
    }
    assert {key: years[0][key] for key in year} == year
    topology = {
        "tiers": 2,
        "planes": 1,
        "oversubscription": "1:1",
        "spine_oversubscription": "1:1",
        "leaf": {"switch": "qm9700", "count": 32, "down_ports": 32, "up_ports": 32},
        "spine": {"switch": "qm9700", "count": 16, "links_per_leaf": 2},
        "core": None,
    }
    assert {key: years[0]["topology"][key] for key in topology} == topology
    assert [entry["year"] for entry in years] == [2027, 2028]
    assert years[1]["retired"] == {"old-switch": 2}
    assert years[1]["recabled_links"] == 512


def test_without_a_design_the_reason_stands_and_every_figure_is_null(study: Study) -> None:
    technology = json.loads(answer_text(study))["technologies"][1]
    assert technology["status"] == "infeasible"
    assert technology["reason"] == "max_tiers = 1 ends at 64 endpoints"
    assert technology["years"] == []
    assert [technology["solver"][key] for key in ("objective_usd", "bound_usd", "gap")] == [None, None, None]
    assert technology["solver"]["name"] == "HiGHS"
    assert technology["tco_usd"] is None
    assert technology["levelised_usd_per_effective_tflops_year"] is None


def test_three_tiers_two_planes_and_fast_uplinks_are_counted_at_the_link_rate_over_all_planes(
    study: Study, designed: FabricResult, two_tier_design: Design, two_tier_wiring: Wiring
) -> None:
    wiring = replace(
        two_tier_wiring,
        planes=2,
        tiers=3,
        down=28,
        up=10,
        uplink_gbps=800,
        spines=5,
        leaves_per_pod=4,
        core="q3400",
        spine_up=6,
        core_groups=1,
        cores_per_group=3,
    )
    size = Size(14, 112, leaves=8, pods=2, spines=10, cores=3, leaf_spine_links=80, spine_core_links=60)
    year = first_year(study, designed, replace(two_tier_design, wiring=wiring, size=size))
    topology = year["topology"]
    assert topology["leaf"] == {"switch": "qm9700", "count": 16, "down_ports": 28, "up_ports": 20}
    assert topology["spine"] == {"switch": "qm9700", "count": 20, "links_per_leaf": 4}
    assert topology["core"] == {"switch": "q3400", "count": 6, "links_per_spine": 4}  # 6 / 3 uplinks of 800G
    assert topology["oversubscription"] == "7:5"
    assert topology["spine_oversubscription"] == "4:3"  # 4 leaves x 2 links down, 6 up
    assert topology["uplink_gbps"] == 800
    assert year["endpoints"] == 224
    assert year["links"] == {"endpoint_leaf": 224, "leaf_spine": 320, "spine_core": 240}


def test_one_tier_has_no_spine_and_is_one_to_one(
    study: Study, designed: FabricResult, two_tier_design: Design, two_tier_wiring: Wiring
) -> None:
    wiring = replace(two_tier_wiring, tiers=1, down=32, up=0, uplink_gbps=0, spine="", spines=0)
    size = Size(4, 32, leaves=1, pods=1, spines=0, cores=0, leaf_spine_links=0, spine_core_links=0)
    topology = first_year(study, designed, replace(two_tier_design, wiring=wiring, size=size))["topology"]
    assert (topology["spine"], topology["core"], topology["oversubscription"]) == (None, None, "1:1")
    assert topology["leaf"]["up_ports"] == 0


def test_a_design_whose_total_is_withheld_has_null_money_and_names_the_part(
    study: Study, designed: FabricResult
) -> None:
    withheld = replace(designed, years=(), estimates=(), tco_usd=None, missing_prices=("mms4x00",))
    technology = json.loads(answer_text(replace(study, results=(withheld,))))["technologies"][0]
    assert technology["missing_prices"] == ["mms4x00"]
    assert technology["tco_usd"] is None
    unknown = ("capex_usd", "network_capex_usd", "opex_usd", "network_power_kw", "mfu", "effective_tflops")
    assert [technology["years"][0][key] for key in unknown] == [None] * 6
    assert technology["years"][0]["topology"]["leaf"]["count"] == 32


@pytest.mark.parametrize("figure", [float("inf"), float("nan")])
def test_an_infinite_or_undefined_figure_is_null_as_json_has_neither(
    study: Study, designed: FabricResult, figure: float
) -> None:
    solver = SolverReport("HiGHS", "feasible", 5.0, figure, figure, 1.0)
    result = replace(designed, plan=replace(designed.plan, solver=solver))
    said = json.loads(answer_text(replace(study, results=(result,))), parse_constant=pytest.fail)
    assert said["technologies"][0]["solver"]["gap"] is None
    assert said["technologies"][0]["solver"]["bound_usd"] is None
    assert said["technologies"][0]["solver"]["objective_usd"] == 5.0
