"""Cases from the field in which other tools gave wrong numbers, one test a case, named after it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pulp
import pytest

from planner.cabling import Ask, LinkEnd, Medium, cheapest_medium
from planner.design import Size, Wiring
from planner.frontier import Stem, Uplinks, with_spines
from planner.optimize.solve import solve
from planner.parts import Kit, pieces_of
from planner.scenario_faults import ScenarioError
from planner.scenario_file import scenario_from_text
from planner.sources import load_sources
from planner.study import TechnologyResult, plan_scenario
from planner.topology import size_of
from tests.making import NOTHING_BESIDE, Box, counts, planned, scenario_of, shipped_plan, toml

ROOT = Path(__file__).parents[2]
FREE_OF_RUNNING_COST = {
    "discount_rate": 0.0, "electricity_usd_per_kwh": 0.0, "support_ratio_per_year": 0.0, "life_years": 5,
}  # fmt: skip


def document(gpus: int | list[int], server: str = "hgx-h100", **sections: Any) -> dict[str, Any]:
    """InfiniBand on the catalog's 64 x 400G switch unless the fabric says otherwise, no headroom."""
    steps = [gpus] if isinstance(gpus, int) else gpus
    fabric = {
        "technologies": ["infiniband"], "switches": ["qm9700"], "bandwidth_headroom": 0.0, "min_spines": 1,
        **sections.pop("fabric", {}),
    }  # fmt: skip
    return {
        "schema": 1, "name": "field case", "base_year": 2027, "cluster": {"server": server},
        "growth": [{"year": 2027 + i, "gpus": n} for i, n in enumerate(steps)], "fabric": fabric,
        **{**NOTHING_BESIDE, **sections},
    }  # fmt: skip


def case(gpus: int | list[int], server: str = "hgx-h100", **sections: Any) -> TechnologyResult:
    return shipped_plan(document(gpus, server, **sections))


def uplinks(count: int, spine_radix: int) -> Uplinks:
    """Exactly so many uplinks of a leaf."""
    return Uplinks(400, 1, count, count, spine_radix, 1)


def stem(leaves: int, down: int, wiring: Wiring) -> Stem:
    return Stem(replace(wiring, tiers=1, up=0, spines=0, down=down), leaves)


def test_f01_spines_divide_the_uplinks() -> None:
    """95 nodes: 16 spines. Rounding ports up says 12, of which 32 uplinks cannot be striped: 1.33:1 wired."""
    result = case(8 * 95, fabric={"nodes_per_scalable_unit": 32})
    design = result.plan.designs[0]
    assert (counts(result), design.size.leaf_spine_links) == ((2, 24, 16, 0), 768)
    assert design.wiring.oversubscription == 1


def test_f02_two_tiers_reach_half_the_square_of_the_radix() -> None:
    """256 nodes: 64 leaves, 32 spines. A limit of k^2 / 4 makes it a third tier and 320 switches."""
    assert counts(case(8 * 256)) == (2, 64, 32, 0)


def test_f03_uplink_bandwidth_is_not_a_spine_count() -> None:
    """512 GPUs: 16 leaves, 8 spines, not 56."""
    assert counts(case(512)) == (2, 16, 8, 0)


def test_f04_two_tiers_refused_where_the_spines_lack_ports(two_tier_wiring: Wiring) -> None:
    """50 leaves with 4 uplinks on 36-port spines: one link a leaf already takes 50 ports.

    200 cables on 4 x 36 = 144 ports were sold elsewhere.
    """
    leaves = stem(50, 32, two_tier_wiring)
    box = Box("spine", 36, 1.0)
    model = scenario_of(4, [box]).own_switches[0]
    assert [with_spines(leaves, model, uplinks(4, 36), s) for s in range(1, 6)] == [None] * 5
    refused = planned(1600, [box], fabric={"max_tiers": 2, "max_oversubscription": "8:1"})
    assert (refused.plan.status, refused.network_tco_usd) == ("infeasible", None)
    assert "more than the 1,152 that two tiers" in (refused.plan.reason or "")


def test_f05_every_pair_has_the_same_links_or_the_design_is_refused(two_tier_wiring: Wiring) -> None:
    """33 uplinks go to 1, 3, 11 or 33 spines; on 6 they would be 33/34/34/34/33/32 links."""
    model = scenario_of(4, [Box("spine", 66, 1.0)]).own_switches[0]
    striped = {
        s: wiring.links_per_pair
        for s in range(1, 35)
        if (wiring := with_spines(stem(2, 33, two_tier_wiring), model, uplinks(33, 66), s))
    }
    assert striped == {1: 33, 3: 11, 11: 3, 33: 1}


def test_f06_no_spine_without_links_and_none_over_its_ports(two_tier_wiring: Wiring) -> None:
    """More spines than uplinks are refused; elsewhere every leaf began at spine 1 and left the last ones dark."""
    model = scenario_of(4, [Box("spine", 64, 1.0)]).own_switches[0]
    assert with_spines(stem(16, 8, two_tier_wiring), model, uplinks(8, 64), 9) is None
    for nodes in (9, 17, 33, 64, 100, 127):
        design = case(8 * nodes).plan.designs[0]
        wiring, size = design.wiring, design.size
        assert wiring.links_per_pair * wiring.spines == wiring.up
        assert size.leaves * wiring.links_per_pair <= 64 and wiring.down + wiring.up <= 64


def test_f07_two_to_one_halves_the_uplinks() -> None:
    """1,024 GPUs: 32 leaves with 16 instead of 32 uplinks, 8 instead of 16 spines.

    Read as 0.5, "2:1" gave twice the switches.
    """
    even, loose = (case(1024, fabric={"max_oversubscription": r}) for r in ("1:1", "2:1"))
    assert counts(even) == (2, 32, 16, 0) and counts(loose) == (2, 32, 8, 0)
    assert [r.plan.designs[0].wiring.up for r in (even, loose)] == [32, 16]
    assert loose.plan.designs[0].wiring.oversubscription == Fraction(2)


@pytest.mark.parametrize(
    ("nodes", "expected", "links"),
    [(1, (1, 1, 0, 0), 0), (17, (2, 8, 3, 0), 8 * 18), (33, (2, 16, 5, 0), 16 * 20)],
)
def test_f08_odd_counts_have_an_answer(nodes: int, expected: tuple[int, int, int, int], links: int) -> None:
    """One switch; 17 down and 18 up over 3 spines (17 would need 17 spines); 17 down, 20 up over 5."""
    result = case(8 * nodes)
    design = result.plan.designs[0]
    assert (counts(result), design.size.leaf_spine_links) == (expected, links)
    assert design.size.endpoints == 8 * nodes


@pytest.mark.parametrize(("nodes", "warned"), [(64, True), (63, False), (17, False)])
def test_f09_a_full_fabric_warns_of_the_managers_port(nodes: int, warned: bool) -> None:
    """64 nodes fill every port of 16 leaves and 8 spines; 63 leave one free on each leaf; 17 nodes leave
    29 of 64 dark. Elsewhere silence, and a fabric manager without a port."""
    texts = case(8 * nodes).plan.warnings
    assert any("fabric manager" in text for text in texts) == warned


def test_f10_growth_shows_both_the_early_and_the_late_spines() -> None:
    """32 nodes of 8 x 800G alone take 2 spines; 72 take 4. Building 4 at once costs two spines for a year.

    Rate 0, life 5, 100,000 a switch: 2 x 100,000 / 5 = 40,000 more. Others show the end state only.
    """
    asked = {"finance": {**FREE_OF_RUNNING_COST, "horizon_years": 2}, "prices": {"overrides": {"q3400": 1e5}}}
    fabric = {"switches": ["q3400"]}
    alone = case(256, "dgx-b300", fabric=fabric)
    late = case([256, 576], "dgx-b300", fabric=fabric, **asked)
    early = case([256, 576], "dgx-b300", fabric={**fabric, "min_spines": 4}, **asked)
    assert counts(alone) == (2, 8, 2, 0)
    assert [counts(late, t) for t in (0, 1)] == [(2, 8, 2, 0), (2, 8, 4, 0)]
    assert [counts(early, t) for t in (0, 1)] == [(2, 8, 4, 0), (2, 8, 4, 0)]
    assert late.network_tco_usd is not None and early.network_tco_usd is not None
    assert early.network_tco_usd - late.network_tco_usd == pytest.approx(40_000.0, abs=1e-3)


def test_f11_a_twin_port_module_counts_once() -> None:
    """512 GPUs, 24 switches of 32 cages: 768 switch modules, 512 NIC modules, 1,024 fibres, not 2,048 modules."""
    design = case(512).plan.designs[0]
    assert (design.switch_modules, design.node_modules) == (768, 512)
    assert sum(n for sku, n in design.need.items() if sku.startswith("fibre")) == 1024
    assert sum(n for sku, n in design.need.items() if sku.startswith("mma4z00-ns")) == 1280


def test_f12_an_assembly_is_one_line_without_modules() -> None:
    """At 2 m: 256 DAC splitters for 512 NICs, 256 straight DACs for 512 links, and no transceiver at all."""
    design = case(512, layout={"node_leaf_m": 2.0, "leaf_spine_m": 2.0}).plan.designs[0]
    assert design.need == {"qm9700": 24, "connectx-7-400g-osfp": 512, "mcp7y00": 256, "mcp4y10": 256}
    assert (design.switch_modules, design.node_modules) == (0, 0)


@pytest.mark.parametrize(
    ("length_m", "kind", "medium"),
    [(2.9, "DAC", None), (4.0, "ACC", None), (49.0, None, "mmf"), (51.0, None, "smf")],
)
def test_f13_a_nic_link_takes_the_cheapest_that_reaches(
    length_m: float, kind: str | None, medium: str | None
) -> None:
    """400G from a twin-port OSFP cage to a ConnectX-7: copper, active copper, multi-mode, single-mode."""
    found = _medium(LinkEnd("osfp-8x100", 2), LinkEnd("osfp-flat-4x100", 1), length_m, pair=1)
    catalog = load_sources().catalog
    if kind:
        assert found.assembly and catalog.assemblies[found.cable].kind == kind
    else:
        assert not found.assembly and catalog.transceivers[found.module_a].medium == medium
        assert catalog.fibres[found.cable].length_m >= length_m


@pytest.mark.parametrize(("length_m", "sku"), [(2.0, "mcp4y10"), (2.9, "mca4j80")])
def test_f13_a_switch_link_past_2_m_is_active_copper(length_m: float, sku: str) -> None:
    """The straight twin-port DAC ends at 2 m; elsewhere it was sold past its reach."""
    end = LinkEnd("osfp-8x100", 2)
    assert _medium(end, end, length_m, pair=2).cable == sku


def _medium(a: LinkEnd, b: LinkEnd, length_m: float, pair: int) -> Medium:
    sources = load_sources()
    book = sources.books["reference"]

    def price(sku: str) -> float | None:
        found = book.price(sku)
        return found.mid_usd if found else None

    choice = cheapest_medium(sources.catalog, Ask(a, b, 400, length_m, "infiniband", pair), price)
    assert choice.medium is not None
    return choice.medium


def test_f14_straight_and_splitter_fibre_never_share_a_module(two_tier_wiring: Wiring) -> None:
    """A leaf with 3 legs down on splitter fibre and 3 links up on straight fibre, two a module: 2 + 2 modules.

    Mixed in one module there would be 3: one too few.
    """
    model = replace(
        load_sources().catalog.switches["qm9700"], ports=8, ports_per_cage=2, breakouts=(1,), id="small"
    )
    split = Medium("splitter", Fraction(2), "a", False, True, "twin", "nic-side")
    straight = Medium("fibre", Fraction(1), "a", False, False, "twin", "twin")
    wiring = replace(
        two_tier_wiring, nic_ports_per_node=1, rail_optimised=False, leaf="small", spine="small", down=3, up=3,
        nodes_per_unit=3, leaves_per_unit=1, spines=3,
    )  # fmt: skip
    size = size_of(wiring, 3)
    assert size == Size(3, 3, 1, 1, 3, 0, 3, 0)
    modules = {}
    for name, down in (("apart", split), ("shared", replace(straight, module_b="nic-side"))):
        kit = Kit("nic", 1, 1, model, model, None, down, straight, None)
        modules[name] = pieces_of(wiring, size, kit).by_tier["leaf", "twin"]
    assert modules == {"apart": 4, "shared": 3}


def test_f15_a_part_without_a_price_is_named_and_never_free() -> None:
    """The switch without a price is left out, dearer or not; if none is left there is no total, and a reason.

    Elsewhere the total was 0, reported as valid.
    """
    priced, unpriced = Box("priced", 4, 10.0), Box("unpriced", 4, None)
    kept = planned(4, [priced, unpriced])
    assert (kept.network_tco_usd, kept.plan.excluded) == (pytest.approx(10.0), ("unpriced: no price",))
    none = planned(4, [unpriced])
    assert (none.plan.status, none.network_tco_usd, none.tco_usd, none.bom) == ("unpriced", None, None, ())
    assert "unpriced: no price" in (none.plan.reason or "")


def test_f15_a_server_without_a_price_withholds_the_total() -> None:
    """The network is priced; the TCO is not, and the part is named."""
    sources = load_sources()
    book = sources.books["reference"]
    prices = {sku: price for sku, price in book.prices.items() if sku != "server-hgx-h100"}
    holed = replace(sources, books={"reference": replace(book, prices=prices)})
    scenario = scenario_from_text(toml(document(64)), holed, "case.toml")
    result = plan_scenario(scenario, holed).results[0]
    assert (result.tco_usd, result.levelised_usd_per_effective_tflops_year) == (None, None)
    assert result.missing_prices == ("server-hgx-h100: no price",)
    assert result.network_tco_usd is not None and result.network_tco_usd > 58_800


def test_f16_an_override_of_a_misspelt_sku_names_the_nearest() -> None:
    """Ignored elsewhere: the plan was priced without it."""
    text = toml(document(64, prices={"overrides": {"qm9700s": 1.0}}))
    with pytest.raises(ScenarioError, match='did you mean "qm9700"') as caught:
        scenario_from_text(text, load_sources(), "case.toml")
    assert len(caught.value.faults) == 1


def test_f17_an_infeasible_design_gives_the_reason_and_exit_1(tmp_path: Path) -> None:
    """1,024 endpoints on one 64-port switch: the limit is named. Elsewhere an empty bill of materials."""
    scenario = tmp_path / "case.toml"
    scenario.write_text(toml(document(1024, fabric={"max_tiers": 1})), encoding="utf-8")
    command = [sys.executable, "-m", "planner", "plan", str(scenario), "--json", "-"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)["technologies"][0]
    assert (done.returncode, answer["status"], answer["years"]) == (1, "infeasible", [])
    assert "1,024 endpoints" in answer["reason"] and "64" in answer["reason"]


def test_f18_lines_and_total_agree_to_the_cent() -> None:
    """Elsewhere lines of 32.55 M stood beside a total of 31.74 M."""
    result = case([512, 1024], finance={"discount_rate": 0.08})
    assert round(sum(line.npv_usd for line in result.costs), 2) == round(result.tco_usd or 0.0, 2)
    assert result.plan.solver.objective_usd == pytest.approx(result.tco_usd, rel=1e-9)


def test_f19_side_fabrics_are_counted_or_said_to_be_missing() -> None:
    """A plan elsewhere forgot 27 switches and a second manager.

    32 nodes: every section has lines, two managers a subnet (compute and storage); each switched off by its
    name has none, and the answer says which.
    """
    sources = load_sources()
    whole = {k: v for k, v in document(256).items() if k not in NOTHING_BESIDE}
    scenario = scenario_from_text(toml(whole), sources, "case.toml")
    (result,) = plan_scenario(scenario, sources).results
    assert {line.section for line in result.bom} == {"compute", "storage", "frontend", "management", "services"}
    assert sum(r.quantity for r in result.bom if r.sku == "fabric-manager-server" and r.year == 2027) == 4
    named = {"storage_fabric": "storage", "frontend_fabric": "frontend", "management": "management"}
    for key, section in named.items():
        off = scenario_from_text(toml({**whole, key: {"enabled": False}}), sources, "case.toml")
        study = plan_scenario(off, sources)
        assert section not in {line.section for line in study.results[0].bom}
        assert any(note.startswith("Switched off") and section in note for note in study.notes)


def test_f24_the_bundled_cbc_calls_a_feasible_programme_infeasible() -> None:
    """Optimal with value 0, whichever solver is asked first: infeasible is believed only if both say so."""
    for solver in ("highs", "cbc"):
        programme = pulp.LpProblem("f24", pulp.LpMinimize)
        x0, x1, x2, c0, c1 = [_binary(programme, name) for name in ("x_0", "x_1", "x_2", "c_0", "c_1")]
        programme.setObjective(c0 + c1)
        for rule in (
            x0 + c1 == 1, x0 + c0 >= 1, x1 + c1 <= 1, c0 + c1 <= 1, x2 == 1,
            9000 * x1 + 7200 * x2 + 10800 * c1 >= 16200,
        ):  # fmt: skip
            programme.addConstraint(rule)
        outcome = solve(programme, solver)
        assert (outcome.status, outcome.objective) == ("optimal", pytest.approx(0.0))
        assert [round(v.value()) for v in (x0, x1, x2, c0, c1)] == [1, 1, 1, 0, 0]


def _binary(programme: pulp.LpProblem, name: str) -> pulp.LpVariable:
    return programme.add_variable(name, cat="Binary")


def hard_knapsack() -> tuple[pulp.LpProblem, list[list[int]], list[pulp.LpVariable]]:
    """20 knapsacks over 150 things of random weight: far from proven within a second."""
    random = Random(7)
    things, sacks = 150, 20
    programme = pulp.LpProblem("knapsack", pulp.LpMinimize)
    take = [_binary(programme, f"take_{i}") for i in range(things)]
    weights = [[random.randint(10, 1000) for _ in range(things)] for _ in range(sacks)]
    worth = [sum(w[i] for w in weights) // sacks + random.randint(1, 500) for i in range(things)]
    programme.setObjective(pulp.lpSum(-v * x for v, x in zip(worth, take, strict=True)) + 1_000_000)
    for k, row in enumerate(weights):
        load = pulp.lpSum(w * x for w, x in zip(row, take, strict=True))
        programme.addConstraint(load <= sum(row) // 2, f"sack_{k}")
    return programme, weights, take


@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_f25_a_time_limit_with_a_point_is_feasible_with_its_true_gap(solver: str) -> None:
    """PuLP itself says "Optimal" here. Objective and bound include the constant of 1,000,000."""
    programme, weights, take = hard_knapsack()
    outcome = solve(programme, solver, time_limit_s=1.0)
    assert outcome.status == "feasible"
    assert outcome.objective is not None and outcome.bound is not None and outcome.gap is not None
    taken = [round(x.value()) for x in take]
    assert all(sum(w * t for w, t in zip(row, taken, strict=True)) <= sum(row) // 2 for row in weights)
    assert outcome.objective == pytest.approx(programme.objective.value())
    assert outcome.bound < outcome.objective < 1_000_000
    assert outcome.gap == pytest.approx((outcome.objective - outcome.bound) / abs(outcome.objective))
    assert 1e-7 < outcome.gap < 0.5


def test_f30_nvlink_domains_of_4_and_of_72() -> None:
    """144 GPUs are 36 compute trays of 4 in 2 racks of 72, and 36 servers of 4; 8 a node would make 18.

    A tensor split over 8 GPUs stays within a rack's NVLink and leaves that of a 4-GPU server.
    """
    job = {"model": "llama3-70b", "tensor_parallel": 8, "pipeline_parallel": 1, "global_batch_sequences": 144}
    own = {"server": "hgx-h100", "gpus_per_node": 4, "nic_ports_per_node": 4}
    rack = case(144, "gb200-nvl72", workload=job)
    small = shipped_plan({**document(144, workload=job), "cluster": own})
    designs = [r.plan.designs[0] for r in (rack, small)]
    assert [(d.nodes, d.size.endpoints) for d in designs] == [(36, 144)] * 2
    leaves_nvlink = [
        any("exceeds the NVLink domain of 4 GPUs" in w for w in r.plan.warnings) for r in (rack, small)
    ]
    assert leaves_nvlink == [False, True]
    servers = [x.amount_usd for x in rack.costs if x.kind == "servers" and x.flow == "capex"]
    price = load_sources().books["reference"].prices["server-gb200-nvl72"].mid_usd
    assert servers == [pytest.approx(2 * price)]
