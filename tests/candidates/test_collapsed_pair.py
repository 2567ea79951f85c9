"""Collapsed pairs: the cheapest of one switch, a pair and two tiers; growth, headroom and throughput."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil, inf
from typing import Any

import pytest

from planner.charts import topology_svg
from planner.check.checks import check_plan
from planner.cost.recabling_cost import change_between
from planner.fabric import port_use
from planner.fabric.demand import demand
from planner.fabric.fat_tree import size_of
from planner.fabric.links import cable_list
from planner.report.fabric_words import design_words
from planner.report.json_answer import answer
from planner.study.design_estimates import fabric_view
from planner.study.result import FabricResult
from planner.study.study import Study, plan_scenario
from planner.throughput.fabric_path import spine_share
from planner.ui.content import design_sentences
from tests.support.making import (
    NOTHING_BESIDE,
    Box,
    Prices,
    bare_sources,
    one_fabric,
    scenario_of,
    shipped_plan,
)

SWITCH_USD, LINK_USD = 100.0, 1.0


def study_of(nodes: Any, ports: int, ratio: str, per_node: int = 1, pair: bool = True, **asked: Any) -> Study:
    fabric = {
        "max_oversubscription": ratio,
        "max_tiers": 2,
        "collapsed_pair": pair,
        **asked.pop("fabric", {}),
    }
    parts = Prices(link=LINK_USD, move=asked.pop("move", 0.0))
    scenario = scenario_of(
        nodes, [Box("sw", ports, SWITCH_USD)], parts, fabric=fabric,
        cluster={"nic_ports_per_node": per_node}, **asked,
    )  # fmt: skip
    return plan_scenario(scenario, bare_sources(parts))


def result_of(*args: Any, **asked: Any) -> FabricResult:
    result = one_fabric(study_of(*args, **asked).results[0])
    assert result.faults == ()
    return result


def shapes(nodes: int, ports: int, ratio: Fraction, per_node: int, rail: bool) -> Iterator[tuple[float, str]]:
    """(switches and links in USD, shape) of every fabric of one model, by plain counting."""
    endpoints = nodes * per_node
    if endpoints <= ports:
        yield SWITCH_USD + LINK_USD * endpoints, "switch"
    halves = [Fraction(endpoints, 2)] if rail else [h * per_node for h in range(ceil(nodes / 2), nodes)]
    for down in halves:
        for across in range(1, ports):
            if down + across <= ports and down <= across * ratio and (not rail or per_node % 2 == 0):
                yield 2 * SWITCH_USD + LINK_USD * (endpoints + across), "pair"
    for hosted in range(1, nodes + 1):
        down = hosted if rail else hosted * per_node
        leaves = ceil(nodes / hosted) * (per_node if rail else 1)
        for up in range(1, ports - down + 1):
            for spines in (s for s in range(1, up + 1) if up % s == 0):
                if down <= up * ratio and leaves * up // spines <= ports:
                    usd = SWITCH_USD * (leaves + spines) + LINK_USD * (endpoints + leaves * up)
                    yield usd, "two tiers"


def shape(result: FabricResult) -> str:
    wiring = result.plan.designs[0].wiring
    return "pair" if wiring.pair_links else {1: "switch", 2: "two tiers"}[wiring.tiers]


@pytest.mark.parametrize(
    ("ports", "ratio", "per_node", "rail"),
    [(6, "2:1", 1, False), (6, "1:1", 1, False), (7, "5:2", 1, False), (6, "2:1", 2, True),
     (6, "2:1", 2, False), (8, "3:1", 3, True), (8, "3:1", 4, True)],
)  # fmt: skip
def test_the_cheapest_of_one_switch_a_pair_and_two_tiers_is_taken(
    ports: int, ratio: str, per_node: int, rail: bool
) -> None:
    """Every number of nodes from 2 to where two tiers end, against plain counting. Three rails make no pair;
    at 1:1 a pair of a model holds no more than one switch of it."""
    seen = set()
    fabric = {"rail_optimised": rail}
    for nodes in range(2, 13):
        found = list(shapes(nodes, ports, Fraction(*map(int, ratio.split(":"))), per_node, rail))
        result = one_fabric(study_of(nodes, ports, ratio, per_node, fabric=fabric).results[0])
        best = min((usd for usd, _ in found), default=inf)
        if best == inf:
            assert not result.plan.designs
            continue
        assert result.network_tco_usd == pytest.approx(best), nodes
        assert shape(result) in {name for usd, name in found if usd == best}
        assert result.faults == ()
        seen.add(shape(result))
    assert ("pair" in seen) is (ratio != "1:1" and per_node != 3)


def test_a_pair_over_faster_uplink_ports_is_non_blocking_with_more_nodes_than_a_switch() -> None:
    """64 endpoints at 25G on switches of 48: 32 a leaf and 8 x 100G across are 1:1. Two tiers of them take
    three leaves and two spines."""
    ask = {
        "schema": 1, "name": "25G", "base_year": 2027, "growth": [{"year": 2027, "gpus": 64}],
        "cluster": {"server": "dgx-h100", "gpus_per_node": 1, "nic_ports_per_node": 1, "nic_port_gbps": 25},
        "workload": {"model": "llama3-8b"}, **NOTHING_BESIDE,
    }  # fmt: skip
    fabric = {"technologies": ["ethernet"], "switches": ["sn2410"], "bandwidth_headroom": 0.0}
    pair, tree = (shipped_plan({**ask, "fabric": {**fabric, "collapsed_pair": on}}) for on in (True, False))
    design = pair.plan.designs[0]
    wiring = design.wiring
    assert (wiring.down, wiring.pair_links, wiring.uplink_gbps, wiring.oversubscription) == (32, 8, 100, 1)
    assert design.need_by_tier["leaf", "sn2410"] == 2
    assert design.need_by_tier["leaf", "mma1b00-c100d"] == 16
    assert design.need_by_tier["leaf-leaf", "fibre-mpo12-om4-straight-30m"] == 8
    assert sum(n for (tier, sku), n in tree.plan.designs[0].need_by_tier.items() if sku == "sn2410") == 5
    assert (pair.network_tco_usd or inf) < (tree.network_tco_usd or 0.0)
    assert (pair.faults, tree.faults) == ((), ())


def test_a_pair_is_opt_in() -> None:
    """Eight nodes on switches of six ports at 2:1: 2 switches and 10 links, else two tiers."""
    assert result_of(8, 6, "2:1").network_tco_usd == pytest.approx(210.0)
    without = result_of(8, 6, "2:1", pair=False)
    assert (shape(without), without.network_tco_usd) == ("two tiers", pytest.approx(312.0))


def test_the_answer_counts_the_links_between_the_leaves() -> None:
    study = study_of(8, 6, "2:1")
    (year,) = answer(study)["technologies"][0]["years"]
    assert year["topology"]["tiers"] == 1
    assert year["topology"]["collapsed_pair"] is True
    assert year["topology"]["oversubscription"] == "2:1"
    assert year["topology"]["leaf"] == {"switch": "sw", "count": 2, "down_ports": 4, "up_ports": 2}
    assert (year["topology"]["spine"], year["topology"]["core"]) == (None, None)
    assert year["links"] == {"endpoint_leaf": 8, "leaf_spine": 0, "spine_core": 0, "leaf_leaf": 2}
    assert year["installed_links"] == 10
    assert [t["tier"] for t in year["headroom"]] == ["node-leaf", "leaf-leaf"]
    result = one_fabric(study.results[0])
    rows = {(r.tier, r.sku): r.quantity for r in result.bom}
    assert (rows["leaf-leaf", "fibre"], rows["leaf", "module"]) == (2, 8 + 2 * 2)
    words = design_words(result.plan.designs[0])
    assert "collapsed pair" in words[0]
    assert "2 leaves sw (4 down, 2 to the other leaf); links: 8 endpoint-leaf, 2 leaf-leaf" in words[1]
    assert result.plan.warnings[0] == (
        "2027: a pair of switches and no spine: where one fails, half of the nodes are cut off"
    )


def test_rails_meet_on_one_leaf_and_nodes_on_their_half() -> None:
    """Two rails: every node's port 0 on leaf 0, port 1 on leaf 1, and a failure halves every node. By
    nodes: a node's ports side by side on its leaf."""
    rail = result_of(4, 6, "2:1", 2, fabric={"rail_optimised": True})
    design = rail.plan.designs[0]
    layer = cable_list(design).node_leaf
    assert [(int(p), int(leaf)) for p, leaf in zip(layer.near_port, layer.far, strict=True)] == [
        (0, 0),
        (1, 1),
    ] * 4
    assert "every node loses half of its ports" in rail.plan.warnings[0]
    nodes = result_of(4, 6, "2:1", 2, fabric={"rail_optimised": False})
    layer = cable_list(nodes.plan.designs[0]).node_leaf
    assert [int(leaf) for leaf in layer.far] == [0, 0, 0, 0, 1, 1, 1, 1]


def test_only_what_leaves_a_half_crosses_the_pair() -> None:
    """By nodes half of a rank's peers lie on the other leaf; by rails none of its own rail."""
    for rail, share in ((False, 0.5), (True, 0.0)):
        study = study_of(4, 6, "2:1", 2, fabric={"rail_optimised": rail})
        design = one_fabric(study.results[0]).plan.designs[0]
        view = fabric_view(design.wiring, "roce")
        assert (view.oversubscription, spine_share(view, 4, "packed")) == (2.0, share)


def test_the_headroom_holds_between_the_leaves() -> None:
    """Eight nodes ask 36 Gb/s an endpoint of 50 that a pair at 2:1 has; half of it is to stay free."""
    workload = {"global_batch_sequences": 8, "fixed_batch": True}
    free, held = (
        result_of(8, 6, "2:1", fabric={"bandwidth_headroom": h}, workload=workload) for h in (0.0, 0.5)
    )
    assert (shape(free), shape(held)) == ("pair", "two tiers")
    across = free.headroom[0][1]
    assert (across.tier, across.wired_gbps) == ("leaf-leaf", 50.0)
    assert 0.5 < across.used_ratio < 1.0


def test_reserved_ports_are_kept_free_on_the_leaves() -> None:
    """Seven nodes and two reserved ports are nine: five a leaf and three across need eight ports."""
    result = result_of(7, 8, "2:1", fabric={"reserved_fabric_ports": 2})
    wiring = result.plan.designs[0].wiring
    assert (wiring.pair_links, wiring.down) == (3, 5)
    assert shape(result_of(7, 8, "2:1", fabric={"reserved_fabric_ports": 1})) == "switch"


def test_links_of_a_pair_that_ends_move_to_the_spine() -> None:
    """Eight nodes stay where they are; both links between the leaves are plugged into the spine, and four
    are new, as are the two nodes'. A pair that only gains a link moves none."""
    pair = result_of(8, 6, "2:1").plan.designs[0]
    tree = replace(pair.wiring, tiers=2, pair_links=0, up=2, spine="sw", spines=1)
    moves, _ = change_between((pair.wiring, pair.size), (tree, size_of(tree, 10)))
    assert moves.moved[0, 0].tolist() == [0, 2, 0]
    assert moves.installed[0, 0].tolist() == [2, 4, 0]
    wider = replace(pair.wiring, pair_links=3)
    moves, _ = change_between((pair.wiring, pair.size), (wider, size_of(wider, 8)))
    assert (moves.moved[0, 0].tolist(), moves.installed[0, 0].tolist()) == ([0, 0, 0], [0, 1, 0])


@pytest.mark.parametrize(
    ("move_usd", "start", "total_usd"), [(5.0, "pair", 328.0), (30.0, "two tiers", 368.0)]
)
def test_growth_from_a_pair_pays_for_its_moved_links(move_usd: float, start: str, total_usd: float) -> None:
    """Eight nodes, then twelve, while prices halve. A pair: 210, then two switches at 50, eight links, and
    both links between the leaves moved. A spine from the start: 312, then 56, and nothing moves; dear moves
    turn the choice. A fabric without the moves would cost 318."""
    result = result_of([8, 12], 6, "2:1", move=move_usd, prices={"erosion_per_year": {"switch": 0.5}})
    assert shape(result) == start
    assert result.network_tco_usd == pytest.approx(total_usd)
    moved = result.plan.designs[1].change.recabled_by_tier
    assert moved == ((0, 2, 0) if start == "pair" else (0, 0, 0))


def test_the_check_finds_a_pair_with_too_few_links_or_that_nobody_asked_for() -> None:
    study = study_of(8, 6, "2:1")
    plan, catalog = one_fabric(study.results[0]).plan, bare_sources(Prices(link=LINK_USD)).catalog
    design = plan.designs[0]
    thin = replace(
        design,
        wiring=replace(design.wiring, pair_links=1),
        size=replace(design.size, leaf_leaf_links=1),
    )
    faults = check_plan(study.scenario, replace(plan, designs=(thin,)), catalog)
    assert "2027: leaf of a pair: wired 4:1, asked at most 2:1" in faults
    fabric = replace(study.scenario.fabric, collapsed_pair=False)
    asked = replace(study.scenario, fabric=fabric)
    assert "2027: a collapsed pair is not asked for" in check_plan(asked, plan, catalog)
    assert demand(asked)[0].nodes == 8


def test_the_page_draws_the_pair() -> None:
    study = study_of(8, 6, "2:1")
    design = one_fabric(study.results[0]).plan.designs[0]
    assert topology_svg.link_lines(design, "leaf") == (
        "8 links of 100 Gb/s",
        "leaf-leaf: 2 of 100 Gb/s, 2:1",
    )
    assert 'stroke-width="4"' in topology_svg.drawing(design, {}, topology_svg.PAPER)
    said = design_sentences.design(design, {})
    assert "Collapsed pair: 2 leaf sw (4 down, 2 to the other)" in said
    (ports,) = port_use.tier_ports(design, {s.id: s for s in study.scenario.own_switches})
    assert (ports.total, ports.down, ports.up, ports.dark) == (12, 8, 4, 0)
