"""Break a sound answer in one place: the check names that fault, and no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from planner.catalog.sources import load_sources
from planner.catalog.technologies import Technology
from planner.check.check_case import Books
from planner.check.checks import check_answer, check_money, check_plan
from planner.cost.price_list import net_price_list
from planner.fabric.design import Design, Holding, Plan
from planner.scenario.scenario import Objective, Scenario
from planner.study.result import FabricResult
from pricing.price_book import PriceBook
from tests.check.check_cases import asked, planned
from tests.support.making import one_fabric

ONE_YEAR = {"horizon_years": 1}
EVEN = asked(nodes=(128,), switches=("qm9700",), technology="infiniband", money=ONE_YEAR)
ODD = asked(nodes=(17,), switches=("qm9700",), technology="infiniband", money=ONE_YEAR)
TALL = asked(nodes=(520,), switches=("qm9700",), technology="infiniband", money=ONE_YEAR)
GROWN = asked(nodes=(64, 128), switches=("qm9700",), technology="infiniband", money={"horizon_years": 4})


def faults(scenario: Scenario, plan: Plan) -> tuple[str, ...]:
    return check_plan(scenario, plan, load_sources().catalog)


def sound(text: str) -> tuple[Scenario, FabricResult]:
    study = planned(text)
    return study.scenario, one_fabric(study.results[0])


def book_of(scenario: Scenario, technology: Technology) -> PriceBook:
    return net_price_list(scenario, technology, load_sources())


def with_design(plan: Plan, position: int = 0, **fields: Any) -> Plan:
    """The plan with fields of one year's design, its ``wiring``, ``size`` and ``change`` replaced."""
    design = plan.designs[position]
    for part in ("wiring", "size", "change"):
        if part in fields:
            fields[part] = replace(getattr(design, part), **fields[part])
    designs = list(plan.designs)
    designs[position] = replace(design, **fields)
    return replace(plan, designs=tuple(designs))


def with_fabric(scenario: Scenario, **fields: Any) -> Scenario:
    return replace(scenario, fabric=replace(scenario.fabric, **fields))


def test_the_fabrics_that_are_broken_here() -> None:
    """Two tiers of 32 + 32 ports on 16 spines, and of 18 + 18 on 3; three tiers."""
    even, odd, tall = (sound(t)[1].plan.designs[0] for t in (EVEN, ODD, TALL))
    assert [(d.wiring.down, d.wiring.up, d.wiring.spines, d.size.leaves) for d in (even, odd)] == [
        (32, 32, 16, 32), (18, 18, 3, 8),
    ]  # fmt: skip
    assert (tall.wiring.tiers, tall.wiring.spine_oversubscription) == (3, 1)
    assert [sound(t)[1].faults for t in (EVEN, ODD, TALL, GROWN)] == [()] * 4


WIRING: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "one more down port than up": (ODD, {"wiring": {"down": 19}}, ("leaf: wired 19:18, asked at most 1:1",)),
    "one more down port than there is": (
        EVEN, {"wiring": {"down": 33}},
        (
            "leaf: 33 links down and 32 up take 65 ports, qm9700 has 64",
            "leaf: wired 33:32, asked at most 1:1",
        ),
    ),
    "uneven bundles": (
        ODD, {"wiring": {"up": 19}, "size": {"leaf_spine_links": 8 * 19}},
        ("striping: 19 uplinks of a leaf do not divide over 3 spines",),
    ),
    "one spine too many": (EVEN, {"size": {"spines": 17}}, ("17 spines, the wiring makes 16",)),
    "one link too few": (
        EVEN, {"size": {"leaf_spine_links": 1023}}, ("1023 leaf-spine links, the wiring makes 1024",),
    ),
    "half a scalable unit": (
        ODD, {"size": {"leaves": 9, "leaf_spine_links": 162}},
        ("9 leaves are not whole scalable units of 8 leaves",),
    ),
    "a scalable unit too few": (
        EVEN, {"size": {"leaves": 24, "leaf_spine_links": 768}},
        ("3 scalable units of 32 nodes for 128 nodes", "-256 leaf ports are free, 0 are reserved"),
    ),
    "a rail without a leaf": (
        EVEN, {"wiring": {"leaves_per_unit": 4}}, ("a scalable unit has 4 leaves for 8 rails",),
    ),
    "more nodes a unit than ports": (
        EVEN, {"wiring": {"nodes_per_unit": 33}}, ("leaf: 33 endpoints on 32 ports facing down",),
    ),
    "a breakout that the port has not": (
        EVEN, {"wiring": {"leaf_breakout": 4}}, ("leaf: a 400G port of qm9700 can't be split into 4 x 400G",),
    ),
    "an unknown switch": (
        EVEN, {"wiring": {"spine": "qm9999"}}, ("the switches named do not make 2 tiers",),
    ),
    "a switch of another technology": (
        EVEN, {"wiring": {"spine": "sn5600", "spine_breakout": 2}},
        ("spine: sn5600 is not a infiniband switch", "spine: sn5600 is not among the switches asked for"),
    ),
    "a node's endpoints missing": (
        EVEN, {"size": {"endpoints": 1016}}, ("1016 endpoints, the wiring makes 1024",),
    ),
    "a NIC of another technology": (
        EVEN, {"wiring": {"nic": "thor-2-400g"}}, ("node: thor-2-400g is not a infiniband NIC",),
    ),
    "a NIC of another rate": (
        EVEN, {"wiring": {"nic": "connectx-6-vpi-200g"}}, ("node: connectx-6-vpi-200g has ports of 200G",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WIRING)
def test_a_broken_wiring_is_named(name: str) -> None:
    text, fields, expected = WIRING[name]
    scenario, result = sound(text)
    assert faults(scenario, with_design(result.plan, **fields)) == tuple(f"2027: {e}" for e in expected)


def test_core_groups_and_cores_that_do_not_divide_are_named() -> None:
    scenario, result = sound(TALL)
    wiring = result.plan.designs[0].wiring
    groups, cores = wiring.spines + 1, wiring.spine_up + 1
    found = faults(scenario, with_design(result.plan, wiring={"core_groups": groups}, size={"cores": groups}))
    assert f"2027: striping: {wiring.spines} spines of a pod do not divide over {groups} core groups" in found
    found = faults(scenario, with_design(result.plan, wiring={"cores_per_group": cores}))
    assert found == (
        f"2027: striping: {wiring.spine_up} uplinks of a spine do not divide over {cores} cores of a group",
        f"2027: {result.plan.designs[0].size.cores} cores, the wiring makes {wiring.core_groups * cores}",
    )


ASKED: dict[str, tuple[str, dict[str, Any], str]] = {
    "planes": (EVEN, {"planes": (2, 4)}, "planes is 1, asked for is 2 or 4"),
    "rails": (EVEN, {"rail_optimised": (False,)}, "rail_optimised is True, which is not asked for"),
    "reserved ports": (EVEN, {"reserved_fabric_ports": 1}, "0 leaf ports are free, 1 are reserved"),
    "unit": (EVEN, {"nodes_per_scalable_unit": 16}, "scalable units of 32 nodes, asked for are 16"),
    "tiers": (EVEN, {"max_tiers": 1}, "2 tiers, at most 1 are asked for"),
    "spines": (EVEN, {"min_spines": 17}, "16 spines, at least 17 are asked for"),
    "leaf ratio": (EVEN, {"max_oversubscription": Fraction(9, 10)}, "leaf: wired 1:1, asked at most 9:10"),
    "spine ratio": (TALL, {"spine_oversubscription": Fraction(1, 2)}, "spine: wired 1:1, asked at most 1:2"),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_plan_that_is_not_what_was_asked_for_is_named(name: str) -> None:
    text, fields, expected = ASKED[name]
    scenario, result = sound(text)
    assert faults(with_fabric(scenario, **fields), result.plan) == (f"2027: {expected}",)


def moved(design: Design, tier: str, sku: str, pieces: int) -> dict[str, Any]:
    """Need and need by tier with so many pieces more of a SKU."""
    by_tier = {**design.need_by_tier, (tier, sku): design.need_by_tier.get((tier, sku), 0) + pieces}
    return {"need_by_tier": by_tier, "need": {**design.need, sku: design.need.get(sku, 0) + pieces}}


def swapped(design: Design, old: str, new: str, tier: str | None = None) -> dict[str, Any]:
    """Need with one SKU replaced by another, in every tier or in one."""
    by_tier = {
        (t, new if s == old and tier in (None, t) else s): n for (t, s), n in design.need_by_tier.items()
    }
    need: dict[str, int] = {}
    for (_, sku), n in by_tier.items():
        need[sku] = need.get(sku, 0) + n
    return {"need_by_tier": by_tier, "need": need}


COUNTED = "pieces that the links take, and pieces of the design: "
PARTS: dict[str, tuple[Callable[[Design], dict[str, Any]], str]] = {
    "a module less": (lambda d: moved(d, "leaf", "mma4z00-ns", -1), COUNTED + "leaf mma4z00-ns 1024, 1023"),
    "a switch less": (lambda d: moved(d, "spine", "qm9700", -1), COUNTED + "spine qm9700 16, 15"),
    "a NIC less": (
        lambda d: moved(d, "node", "connectx-7-400g-osfp", -1),
        COUNTED + "node connectx-7-400g-osfp 1024, 1023",
    ),
    "a fibre more": (
        lambda d: moved(d, "leaf-spine", "fibre-mpo12-om4-straight-30m", 1),
        COUNTED + "leaf-spine fibre-mpo12-om4-straight-30m 1024, 1025",
    ),
    "a DAC beside the fibres": (
        lambda d: moved(d, "node-leaf", "mcp7y00", 1),
        "node-leaf: no cable and modules of the design make its links",
    ),
    "a single-port module in twin-port cages": (
        lambda d: swapped(d, "mma4z00-ns", "mma4z00-ns400", "spine"),
        "leaf-spine: no cable and modules of the design make its links",
    ),
    "modules of another optic": (
        lambda d: swapped(d, "mma4z00-ns", "mms4x00-ns", "spine"),
        "leaf-spine: no cable and modules of the design make its links",
    ),
    "a fibre that is too short": (
        lambda d: swapped(d, "fibre-mpo12-om4-straight-20m", "fibre-mpo12-om4-straight-10m"),
        "node-leaf: no cable and modules of the design make its links",
    ),
    "a DAC that does not reach": (
        lambda d: swapped(d, "fibre-mpo12-om4-straight-20m", "mcp7y00"),
        "node-leaf: no cable and modules of the design make its links",
    ),
    "need that is not the sum of its tiers": (
        lambda d: {"need": {**d.need, "qm9700": 47}}, "need by tier and need differ: qm9700 48, 47",
    ),
    "node modules": (lambda d: {"node_modules": 512}, "512 node modules, the links take 1024"),
    "switch modules": (lambda d: {"switch_modules": 1535}, "1535 switch modules, the links take 1536"),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_a_wrong_count_of_parts_is_named(name: str) -> None:
    change, expected = PARTS[name]
    scenario, result = sound(EVEN)
    broken = with_design(result.plan, **change(result.plan.designs[0]))
    assert faults(scenario, broken) == (f"2027: {expected}",)


def test_an_assembly_has_no_modules() -> None:
    """With copper in every layer a single module is one too many."""
    copper = {"node_leaf_m": 2, "leaf_spine_m": 2}
    scenario, result = sound(asked(nodes=(40,), layout=copper, money=ONE_YEAR, switches=("fs-n9600-64od",)))
    design = result.plan.designs[0]
    assert (design.node_modules, design.switch_modules, result.faults) == (0, 0, ())
    broken = with_design(result.plan, **moved(design, "leaf", "mma4z00-ns", 1))
    assert faults(scenario, broken) == (f"2027: {COUNTED}leaf mma4z00-ns 0, 1",)


def test_demand_that_is_not_met_is_named() -> None:
    scenario, result = sound(GROWN)
    assert faults(scenario, with_design(result.plan, 1, gpus=1000)) == (
        "2028: 1000 GPUs in service, asked for are 1024",
    )
    assert faults(scenario, with_design(result.plan, 1, nodes=127)) == (
        "2028: 127 nodes in service, 1024 GPUs take 128",
    )
    assert faults(scenario, replace(result.plan, designs=result.plan.designs[:3])) == (
        "designs for [2027, 2028, 2029], the horizon is [2027, 2028, 2029, 2030]",
    )


def test_a_piece_held_beyond_its_life_is_named() -> None:
    scenario, result = sound(GROWN)
    short = replace(scenario, finance=replace(scenario.finance, life_years=3))
    long = [h for h in result.plan.holdings if h.until_year - h.bought_year > 3]
    assert faults(short, result.plan) == tuple(
        f"holding: {h.quantity} x {h.sku} from 2027 to 2031 outlives its 3 years" for h in long
    )
    assert "qm9700" in [h.sku for h in long]
    beyond = (*result.plan.holdings, Holding("spare", 1, 2031, 2032))
    assert faults(scenario, replace(result.plan, holdings=beyond)) == (
        "holding: 1 x spare from 2031 to 2032 lies outside 2027 to 2031",
    )


def test_needing_more_than_is_owned_is_named() -> None:
    scenario, result = sound(EVEN)
    design = result.plan.designs[0]
    fewer = replace(
        with_design(
            result.plan,
            owned={k: n for k, n in design.owned.items() if k != "qm9700"},
            change={"bought": {k: n for k, n in design.change.bought.items() if k != "qm9700"}},
        ),
        holdings=tuple(h for h in result.plan.holdings if h.sku != "qm9700"),
    )
    assert faults(scenario, fewer) == ("2027: 48 x qm9700 are needed, 0 are owned",)


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "owned": ({"owned": {}}, "0 x qm9700 owned, by the holdings 48"),
    "bought": ({"change": {"bought": {"qm9700": 25}}}, "25 x qm9700 bought, by the holdings 24"),
    "retired": ({"change": {"retired": {"qm9700": 1}}}, "1 x qm9700 retired, by the holdings 0"),
    "installed": ({"change": {"installed_links": 7}}, "7 links are installed, 1024 are new"),
    "moved": ({"change": {"recabled_links": 5}}, "5 links are moved, by tier "),
    "moved below zero": (
        {"change": {"recabled_by_tier": (0, -1, 0)}},
        "-1 links of a tier are moved, of 512",
    ),
    "idle": ({"change": {"idled_gpus": 9e9}}, "9000000000.00 GPUs stand idle, the moved links serve "),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_can_t_be_is_named(name: str) -> None:
    fields, expected = CHANGES[name]
    scenario, result = sound(GROWN)
    found = faults(scenario, with_design(result.plan, 1, **dict(fields)))
    assert any(f.startswith(f"2028: {expected}") for f in found)
    assert all(f.startswith(("2028", "2029")) for f in found)


def money(result: FabricResult, scenario: Scenario, objective: Objective = "tco") -> tuple[str, ...]:
    book = book_of(scenario, result.plan.technology)
    return check_money(result, scenario, load_sources().catalog, Books(book), objective)


def with_row(result: FabricResult, sku: str, **fields: Any) -> FabricResult:
    at = next(i for i, row in enumerate(result.bom) if row.sku == sku)
    rows = list(result.bom)
    rows[at] = replace(rows[at], **fields)
    return replace(result, bom=tuple(rows))


def heads(found: tuple[str, ...]) -> list[str]:
    """What each fault is about: its text up to " is "."""
    return [f.split(" is ")[0] for f in found]


def test_a_wrong_price_and_what_follows_from_it_is_named() -> None:
    scenario, result = sound(EVEN)
    price = next(r.unit_price_usd for r in result.bom if r.sku == "qm9700")
    found = money(with_row(result, "qm9700", unit_price_usd=price * 1.01), scenario)
    assert heads(found) == [
        "2027: qm9700 unit_price_usd", "2027: network_capex_usd", "2027: capex_usd", "network_tco_usd",
        "tco_usd", "costs npv_usd", "objective_usd",
    ]  # fmt: skip


def test_a_wrong_quantity_is_named() -> None:
    scenario, result = sound(EVEN)
    found = money(with_row(result, "qm9700", quantity=31), scenario)
    assert "2027: the BOM does not list the 63 x qm9700 of the plan" in found
    extra = replace(result, bom=(*result.bom, replace(result.bom[0], sku="sn5600", unit_price_usd=0.0)))
    assert "the BOM lists" in " ".join(money(extra, scenario))


def test_each_wrong_total_is_named_alone() -> None:
    scenario, result = sound(EVEN)
    year, assert_tco = result.years[0], (result.tco_usd or 0.0) * (1 + 3e-6)
    for broken, expected in (
        (replace(result, years=(replace(year, opex_usd=year.opex_usd + 1e4),)), "2027: opex_usd"),
        (replace(result, years=(replace(year, capex_usd=0.0),)), "2027: capex_usd"),
        (replace(result, years=(replace(year, network_capex_usd=0.0),)), "2027: network_capex_usd"),
        (replace(result, years=(replace(year, network_power_kw=1.0),)), "2027: network_power_kw"),
        (replace(result, tco_usd=assert_tco), "tco_usd"),
        (replace(result, network_tco_usd=1.0), "network_tco_usd"),
        (replace(result, network_tco_usd=None), "network_tco_usd"),
    ):
        assert heads(money(broken, scenario)) == [expected]


def test_the_programme_s_value_and_bound_are_held_against_the_money() -> None:
    scenario, result = sound(EVEN)
    value = result.plan.solver.objective_usd or 0.0

    def solved(**fields: Any) -> FabricResult:
        return replace(result, plan=replace(result.plan, solver=replace(result.plan.solver, **fields)))

    assert heads(money(solved(objective_usd=value * (1 + 3e-6)), scenario)) == ["objective_usd"]
    assert money(solved(objective_usd=value * (1 + 3e-6)), scenario, "levelised-cost") == ()
    assert [f.split(" bound")[0] for f in money(solved(bound_usd=value * 1.1), scenario)] == ["the solver's"]


def test_money_is_not_looked_at_where_the_plan_is_faulty() -> None:
    scenario, result = sound(EVEN)
    broken = replace(result, plan=with_design(result.plan, size={"spines": 17}), tco_usd=0.0)
    book = book_of(scenario, "infiniband")
    found = check_answer(broken, scenario, load_sources().catalog, Books(book))
    assert found == ("2027: 17 spines, the wiring makes 16",)
