"""The independent check finds nothing in the product's answers, and its own counts are right."""

from __future__ import annotations

import numpy as np
import pytest

from planner.fabric.links import cable_list
from planner.scenario.load import shipped_scenarios
from tests.check.check_cases import asked, planned, shipped
from tests.support.making import one_fabric

VARIANTS = {
    "8 planes of one port": asked(nodes=(256,), planes=8),
    "4 planes, InfiniBand": asked("dgx-h100", (256,), technology="infiniband", planes=4),
    "an 800G port as 2 x 400G on two planes": asked(
        "dgx-b300", (72,), technology="spectrum-x", planes=2, nic_port_split=2, link_gbps=400
    ),
    "an 800G port as 2 x 400G in one plane": asked("dgx-b300", (40,), nic_port_split=2, link_gbps=400),
    "twin-port node cages": asked("dgx-h100", (127,), ("qm9700",), technology="infiniband", min_spines=1),
    "48 x 25G and 8 x 100G uplinks": asked(
        "hgx-a100", (96,), ("sn2410", "sn2700"), cluster={"nic_port_gbps": 25, "nic_ports_per_node": 2},
        rail_optimised=False, max_oversubscription="3:2", link_gbps=25,
    ),
    "one tier": asked(nodes=(8,)),
    "one node": asked(nodes=(1,)),
    "17 nodes": asked(nodes=(17,), switches=("qm9700",), technology="infiniband"),
    "33 nodes": asked(nodes=(33,), switches=("qm9700",), technology="infiniband"),
    "2:1": asked(nodes=(100,), max_oversubscription="2:1"),
    "7:5": asked("dgx-a100", (20,), technology="infiniband", max_oversubscription="7:5"),
    "three tiers, 3:2 at the spine": asked(
        nodes=(520,), switches=("qm9700",), technology="infiniband", spine_oversubscription="3:2"
    ),
    "compute trays of NVL72 racks": asked("gb200-nvl72", (36, 90)),
    "whole nodes a leaf": asked(nodes=(50,), rail_optimised=False),
    "units of 31 and reserved ports": asked(nodes=(93,), nodes_per_scalable_unit=31, reserved_fabric_ports=2),
    "copper on both sides": asked(nodes=(40,), layout={"node_leaf_m": 2, "leaf_spine_m": 2}),
    "long fibres": asked(nodes=(200,), layout={"node_leaf_m": 60, "leaf_spine_m": 300}),
    "every cage with a module": asked(
        "dgx-h100", (40,), ("qm9700",), technology="infiniband", layout={"populate_all_cages": True}
    ),
    "every cage with a module, by splitters and straight fibres": asked(
        "hgx-a100", (64,), technology="spectrum-x", layout={"populate_all_cages": True}
    ),
    "uplink ports with modules beside copper": asked(
        "hgx-a100", (96,), ("sn2410", "sn2700"), cluster={"nic_port_gbps": 25, "nic_ports_per_node": 2},
        layout={"populate_all_cages": True, "node_leaf_m": 2, "leaf_spine_m": 50},
        rail_optimised=False, max_oversubscription="3:2", link_gbps=25,
    ),
    "copper uplinks beside modules": asked(
        "hgx-a100", (96,), ("sn2410", "sn2700"), cluster={"nic_port_gbps": 25, "nic_ports_per_node": 2},
        layout={"populate_all_cages": True, "node_leaf_m": 20, "leaf_spine_m": 2},
        rail_optimised=False, max_oversubscription="3:2", link_gbps=25,
    ),
    "single mode over 400G ports": asked(nodes=(64,), switches=("sn5400",), technology="spectrum-x"),
    "two switches a box": asked("dgx-b300", (30,), ("q3200",), technology="infiniband"),
    "growth, prices falling, nothing resold": asked(
        nodes=(16, 64, 256), money={"residual": "none", "horizon_years": 7, "life_years": 3}
    ),
    "a market for used parts, negative rate": asked(
        nodes=(16, 64), money={"residual": "market", "discount_rate": -0.02, "horizon_years": 4}
    ),
    "own switch of odd radix": asked(nodes=(20,), own={"ports": 33, "port_gbps": 400, "breakouts": [1]}),
}  # fmt: skip


@pytest.mark.parametrize("stem", sorted(shipped_scenarios()))
def test_the_answers_to_shipped_scenarios_are_sound(stem: str) -> None:
    results = shipped(shipped_scenarios()[stem]).results
    assert [(r.technology, r.plan.status, r.faults) for r in results] == [
        (r.technology, "optimal", ()) for r in results
    ]


@pytest.mark.parametrize("name", VARIANTS)
def test_the_answer_is_sound(name: str) -> None:
    (result,) = planned(VARIANTS[name]).results
    assert (result.plan.status, result.faults) == ("optimal", ())


def test_a_published_fabric_port_by_port() -> None:
    """H100 SuperPOD, 127 nodes (NVIDIA): 32 leaves, 16 spines, 1,016 + 1,024 cables.

    Node 126 sits in unit 3, place 30: rail 7 is leaf 3 x 8 + 7 = 31, port 30. Its uplink 5 is link 1
    of the pair with spine 2, whose port is 31 x 2 + 1 = 63.
    """
    (result,) = planned(VARIANTS["twin-port node cages"]).results
    design = one_fabric(result).plan.designs[0]
    cables = cable_list(design)
    assert (design.wiring.down, design.wiring.spines, design.size.leaves) == (32, 16, 32)
    assert [len(layer) for _, layer in cables.layers()] == [1016, 1024, 0]
    down, up = cables.node_leaf, cables.leaf_spine
    last = np.flatnonzero((down.near == 126) & (down.near_port == 7))
    assert (down.far[last].tolist(), down.far_port[last].tolist()) == ([31], [30])
    link = np.flatnonzero((up.near == 31) & (up.near_port == 32 + 5))
    assert (up.far[link].tolist(), up.far_port[link].tolist()) == ([2], [63])


def test_a_plan_without_designs_has_no_faults() -> None:
    text = asked(nodes=(1000,), own={"ports": 8, "port_gbps": 400, "breakouts": [1]}, max_tiers=2)
    (result,) = planned(text).results
    assert (result.plan.status, result.plan.designs, result.faults) == ("infeasible", (), ())
