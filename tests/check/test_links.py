"""The links of a design counted one by one: broken lists, and designs whose parts are counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from planner.catalog.sources import load_sources
from planner.check.checks import check_plan, link_faults
from planner.fabric.design import Change, Design, Holding, Plan, Size, SolverReport, Wiring
from planner.fabric.links import CableList, Layer, cable_list, nic_port
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Scenario
from tests.support.making import toml

TWO = Wiring(
    planes=1, nic_port_split=1, nic_ports_per_node=2, link_gbps=400, rail_optimised=True, nic="n", tiers=2,
    leaf="s", leaf_breakout=1, nodes_per_unit=4, leaves_per_unit=2, down=4, up=4, uplink_gbps=400, spine="s",
    spines=2,
)  # fmt: skip
THREE = replace(
    TWO, tiers=3, core="s", leaves_per_pod=3, spines=4, spine_up=3, core_groups=2, cores_per_group=3
)
SIZES = {2: Size(6, 12, 4, 1, 2, 0, 16, 0), 3: Size(6, 12, 4, 2, 8, 6, 16, 24)}
NOTHING = Change({}, {}, 0, 0, (0, 0, 0), 0.0)


def bare(wiring: Wiring) -> Design:
    """Six nodes on two units, of two leaves each; in three tiers on pods of three leaves and one."""
    return Design(2027, 48, 6, wiring, SIZES[wiring.tiers], {}, {}, NOTHING, {}, 0, 0)


def links(layer: Layer) -> list[tuple[int, ...]]:
    return list(zip(*(getattr(layer, f).tolist() for f in Layer.__slots__), strict=True))


def test_two_tiers_by_hand() -> None:
    """Node 5 is the second of unit 1: rail 1 is leaf 3, port 1. Leaf 3, link 1 to spine 1: port 4 + 3."""
    cables = cable_list(bare(TWO))
    assert len(cables.node_leaf) == 12 and len(cables.leaf_spine) == 16
    assert (5, 1, 3, 1) in links(cables.node_leaf)
    assert (3, 7, 1, 7) in links(cables.leaf_spine)
    assert list(link_faults(bare(TWO), cables)) == []


def test_three_tiers_by_hand() -> None:
    """Leaf 3 is the first of pod 1, its spines are 4 to 7. Spine 6 is the first of its pod's second
    group: its link to core 1 of the group leaves port 3 + 1 for core 3 + 1, at port 1 x 2 + 0."""
    cables = cable_list(bare(THREE))
    assert [x for x in links(cables.leaf_spine) if x[0] == 3] == [
        (3, 4, 4, 0), (3, 5, 5, 0), (3, 6, 6, 0), (3, 7, 7, 0),
    ]  # fmt: skip
    assert (6, 4, 4, 2) in links(cables.spine_core)
    assert list(link_faults(bare(THREE), cables)) == []


def test_whole_nodes_side_by_side() -> None:
    """Without rails node 5 is the second of the two on leaf 2: ports 2 and 3."""
    cables = cable_list(bare(replace(TWO, rail_optimised=False)))
    assert [x for x in links(cables.node_leaf) if x[0] == 5] == [(5, 0, 2, 2), (5, 1, 2, 3)]


@pytest.mark.parametrize(
    ("planes", "split", "found"),
    [
        (2, 2, [(0, 1), (1, 1), (2, 1), (3, 1)]),  # a plane reaches every port, by one of its parts
        (4, 1, [(1, 0)]),  # a port of its own
        (1, 2, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]),
    ],
)
def test_planes_share_out_the_ports(planes: int, split: int, found: list[tuple[int, int]]) -> None:
    wiring = replace(TWO, planes=planes, nic_port_split=split, nic_ports_per_node=4)
    port, part = nic_port(wiring, min(1, planes - 1), np.arange(wiring.endpoints_per_node))
    assert list(zip(port.tolist(), part.tolist(), strict=True)) == found


def with_entry(cables: CableList, layer: str, at: int, **values: int) -> CableList:
    """The list with one link plugged elsewhere."""
    old = getattr(cables, layer)
    changed = {}
    for name, value in values.items():
        changed[name] = getattr(old, name).copy()
        changed[name][at] = value
    return replace(cables, **{layer: replace(old, **changed)})


BROKEN: dict[str, tuple[Callable[[CableList], CableList], list[str]]] = {
    "a port twice": (
        lambda c: with_entry(c, "node_leaf", 2, far_port=0),
        ["leaf 0: port 0 is used 2 times (1 such ports)"],
    ),
    "an uplink on a port that faces down": (
        lambda c: with_entry(c, "leaf_spine", 0, near_port=1),
        ["leaf 0: port 1 is used 2 times (1 such ports)"],
    ),
    "an endpoint on another rail": (
        lambda c: with_entry(c, "node_leaf", 0, far=1, far_port=9), ["leaf 1 serves more than one rail"],
    ),
    "a node without an endpoint": (
        lambda c: with_entry(c, "node_leaf", 0, near=1, near_port=5),
        ["node 0: 1 of 2 endpoints are attached", "leaf 0 serves more than one rail"],
    ),
    "a leaf that is not there": (
        lambda c: with_entry(c, "node_leaf", 0, far=4), ["a node is attached to leaf 4, there are 4"],
    ),
    "an uneven bundle": (
        lambda c: with_entry(c, "leaf_spine", 0, far=1, far_port=20),
        ["striping: leaves have 0 to 2 links to a spine of their pod"],
    ),
    "a spine of another pod": (
        lambda c: with_entry(c, "leaf_spine", 0, far=4, far_port=20),
        ["a leaf is linked to a spine of another pod"],
    ),
    "an uneven core bundle": (
        lambda c: with_entry(c, "spine_core", 0, far=1, far_port=20),
        ["striping: spines have 0 to 2 links to a core of their group", "cores have 3 to 5 links"],
    ),
    "a core of another group": (
        lambda c: with_entry(c, "spine_core", 0, far=3, far_port=20),
        ["a spine is linked to a core of another group", "cores have 3 to 5 links"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_list_of_links_is_named(name: str) -> None:
    """A port used twice is field case F29 (canu, issue 202): such a list was accepted."""
    change, expected = BROKEN[name]
    design = bare(THREE)
    assert list(link_faults(design, change(cable_list(design)))) == expected


def test_a_list_that_lacks_a_link_is_named() -> None:
    design = bare(TWO)
    cables = cable_list(design)
    short = Layer(*(getattr(cables.leaf_spine, f)[:-1] for f in Layer.__slots__))
    assert list(link_faults(design, replace(cables, leaf_spine=short))) == [
        "leaf-spine: 15 links in the cable list, 16 in the design",
        "striping: leaves have 1 to 2 links to a spine of their pod",
    ]


def own(id: str, ports: int, gbps: int, breakouts: list[int]) -> dict[str, Any]:
    return {
        "id": id, "technologies": ["roce"], "ports": ports, "port_gbps": gbps, "ports_per_cage": 1,
        "breakouts": breakouts, "price_usd": 1000, "power_w": 100,
    }  # fmt: skip


def by_hand(
    nodes: int, nic_ports: int, switches: list[dict[str, Any]], layout: dict[str, float], **fabric: Any
) -> Scenario:
    document = {
        "schema": 1, "name": "by hand", "base_year": 2027,
        "cluster": {"server": "hgx-h100", "nic_ports_per_node": nic_ports},
        "growth": [{"year": 2027, "gpus": 8 * nodes}],
        "fabric": {"technologies": ["roce"], "switches": [s["id"] for s in switches], **fabric},
        "switch": switches, "layout": layout, "workload": {"model": "llama3-8b"},
        "finance": {"horizon_years": 1},
    }  # fmt: skip
    return scenario_from_text(toml(document), load_sources(), "by-hand.toml")


def judged(
    scenario: Scenario, wiring: Wiring, size: Size, need: dict[tuple[str, str], int], modules: tuple[int, int]
) -> tuple[str, ...]:
    """What the check says of a design that is bought as it is for one year."""
    total: dict[str, int] = {}
    for (_, sku), n in need.items():
        total[sku] = total.get(sku, 0) + n
    installed = size.endpoints + size.leaf_spine_links + size.spine_core_links
    design = Design(
        2027, scenario.growth[0].gpus, size.nodes, wiring, size, total, total,
        Change(total, {}, installed, 0, (0, 0, 0), 0.0), need, *modules,
    )  # fmt: skip
    holdings = tuple(Holding(sku, n, 2027, 2028) for sku, n in total.items())
    report = SolverReport("none", "optimal", None, None, None, 0.0)
    plan = Plan("roce", "optimal", None, (), report, (design,), holdings)
    return check_plan(scenario, plan, load_sources().catalog)


NODE, LEAF = "mma4z00-ns400", "mma4z00-ns"
FIBRE = "fibre-mpo12-om4-straight-"


def test_two_kinds_of_links_do_not_share_a_cage() -> None:
    """33 copper links down and 31 optical ones up fill 64 half-ports, but take 17 + 16 of 32 cages."""
    scenario = by_hand(
        132, 8, [own("a", 32, 800, [1, 2])], {"node_leaf_m": 2}, nodes_per_scalable_unit=33,
        max_oversubscription="33:31",
    )  # fmt: skip
    wiring = Wiring(
        planes=1, nic_port_split=1, nic_ports_per_node=8, link_gbps=400, rail_optimised=True,
        nic="connectx-7-400g-osfp", tiers=2, leaf="a", leaf_breakout=2, nodes_per_unit=33, leaves_per_unit=8,
        down=33, up=31, uplink_gbps=400, spine="a", spine_breakout=2, spines=31,
    )  # fmt: skip
    need = {
        ("leaf", "a"): 32, ("spine", "a"): 31, ("node", "connectx-7-400g-osfp"): 1056,
        ("leaf", LEAF): 32 * 16, ("spine", LEAF): 31 * 16, ("node-leaf", "mcp7y00"): 32 * 17,
        ("leaf-spine", FIBRE + "30m"): 992,
    }  # fmt: skip
    size = Size(132, 1056, leaves=32, pods=1, spines=31, cores=0, leaf_spine_links=992, spine_core_links=0)
    assert judged(scenario, wiring, size, need, (0, 1008)) == ("2027: leaf: links take 33 cages, a has 32",)


def test_splitters_are_counted_spine_by_spine_where_pods_differ() -> None:
    """Pods of three leaves and of one: 4 spines take 2 splitters each, 4 take 1: 12 in all.

    8 if the 16 links were shared out evenly over the 8 spines.
    """
    switches = [own("low", 8, 400, [1]), own("high", 4, 800, [1, 2])]
    scenario = by_hand(16, 1, switches, {"leaf_spine_m": 2})
    wiring = Wiring(
        planes=1, nic_port_split=1, nic_ports_per_node=1, link_gbps=400, rail_optimised=False,
        nic="connectx-7-400g-osfp", tiers=3, leaf="low", leaf_breakout=1, nodes_per_unit=4, leaves_per_unit=1,
        down=4, up=4, uplink_gbps=400, spine="high", spine_breakout=2, spines=4, leaves_per_pod=3,
        core="high", core_breakout=2, spine_up=3, core_groups=4, cores_per_group=3,
    )  # fmt: skip
    need = {
        ("leaf", "low"): 4, ("spine", "high"): 8, ("core", "high"): 12, ("node", "connectx-7-400g-osfp"): 16,
        ("node", NODE): 16, ("leaf", "mma1z00-ns400"): 16, ("node-leaf", FIBRE + "20m"): 16,
        ("leaf-spine", "mcp7y10"): 12, ("spine", LEAF): 8 * 2, ("core", LEAF): 12,
        ("spine-core", FIBRE + "50m"): 24,
    }  # fmt: skip
    size = Size(16, 16, leaves=4, pods=2, spines=8, cores=12, leaf_spine_links=16, spine_core_links=24)
    assert judged(scenario, wiring, size, need, (16, 16 + 16 + 12)) == ()
    even = {**need, ("leaf-spine", "mcp7y10"): 8}
    assert judged(scenario, wiring, size, even, (16, 44)) == (
        "2027: pieces that the links take, and pieces of the design: leaf-spine mcp7y10 12, 8",
    )


def test_a_unit_that_is_not_full_fills_its_leaves_one_after_the_other() -> None:
    """Units of 4 nodes on two leaves: the fifth node's two links are on one leaf: with 4 uplinks each
    leaf has 4, 4, 3 and 2 twin modules. 14 if the node's links were shared out over both leaves."""
    scenario = by_hand(5, 2, [own("a", 4, 800, [1, 2])], {}, nodes_per_scalable_unit=4, rail_optimised=False)
    wiring = Wiring(
        planes=1, nic_port_split=1, nic_ports_per_node=2, link_gbps=400, rail_optimised=False,
        nic="connectx-7-400g-osfp", tiers=2, leaf="a", leaf_breakout=2, nodes_per_unit=4, leaves_per_unit=2,
        down=4, up=4, uplink_gbps=400, spine="a", spine_breakout=2, spines=2,
    )  # fmt: skip
    need = {
        ("leaf", "a"): 4, ("spine", "a"): 2, ("node", "connectx-7-400g-osfp"): 10, ("node", NODE): 10,
        ("leaf", LEAF): 13, ("spine", LEAF): 8, ("node-leaf", FIBRE + "20m"): 10,
        ("leaf-spine", FIBRE + "30m"): 16,
    }  # fmt: skip
    size = Size(5, 10, leaves=4, pods=1, spines=2, cores=0, leaf_spine_links=16, spine_core_links=0)
    assert judged(scenario, wiring, size, need, (10, 21)) == ()
    shared = {**need, ("leaf", LEAF): 14}
    assert judged(scenario, wiring, size, shared, (10, 22)) == (
        "2027: pieces that the links take, and pieces of the design: leaf mma4z00-ns 13, 14",
    )
