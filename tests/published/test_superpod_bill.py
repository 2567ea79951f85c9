"""The bill of NVIDIA's DGX SuperPOD H100 of 127 nodes (RA-11333-001, Tables 4 and 5), section by section.

Each deviation from the published count is stated: published -> planned.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

from planner.study.result import TechnologyResult
from planner.study.side_fabrics import SideFabric
from tests.support.making import shipped_plan

STORAGE = {"switches": ["qm9700"], "server_ports": 48}


@cache
def superpod() -> TechnologyResult:
    document: dict[str, Any] = {
        "schema": 1, "name": "DGX SuperPOD H100, 127 nodes", "base_year": 2027,
        "cluster": {"server": "dgx-h100"}, "growth": [{"year": 2027, "gpus": 1016}],
        "fabric": {
            "technologies": ["infiniband"], "switches": ["qm9700"], "nodes_per_scalable_unit": 32,
            "bandwidth_headroom": 0.0, "reserved_fabric_ports": 8,
        },
        "storage_fabric": STORAGE, "finance": {"horizon_years": 1},
    }  # fmt: skip
    return shipped_plan(document)


def pieces(section: str, tier: str) -> Counter[str]:
    found = Counter[str]()
    for row in superpod().bom:
        if (row.section, row.tier) == (section, tier):
            found[row.sku] += row.quantity
    return found


def side(section: str) -> SideFabric:
    return next(s for s in superpod().sides if s.section == section)


def test_the_compute_fabric_is_the_published_one() -> None:
    """48 -> 48 switches, 508 -> 508 node modules, 1,536 -> 1,536 switch modules, 2,040 -> 2,040 cables.

    The source prints 2,044 with four cables of the fabric managers; those come with the managers here.
    """
    design = superpod().plan.designs[0]
    assert pieces("compute", "leaf")["qm9700"] + pieces("compute", "spine")["qm9700"] == 48
    assert (design.node_modules, design.switch_modules) == (508, 1536)
    cables = sum(pieces("compute", "node-leaf").values()) + sum(pieces("compute", "leaf-spine").values())
    assert cables == 1016 + 1024
    assert superpod().faults == ()


def test_the_storage_fabric_has_a_switch_less_than_published() -> None:
    """254 node ports at 4:3 and 48 storage ports at 1:1: 16 -> 15 switches, 10 leaves and 5 spines.

    Nodes and storage servers share leaves here: 302 ports over 127 x 2 x 3 / 4 + 48 = 238.5 uplinks or more.
    """
    plan = side("storage")
    design = plan.plan.designs[0]
    w, size = design.wiring, design.size
    assert (size.endpoints, plan.servers[0]) == (254 + 48, 24)
    assert (size.leaves, size.spines) == (10, 5)
    assert size.leaf_spine_links >= 238.5
    assert w.oversubscription * 477 <= 604  # 302 / 238.5
    assert pieces("storage", "leaf")["qm9700"] + pieces("storage", "spine")["qm9700"] == 15


def test_storage_ports_that_a_dgx_has_are_in_its_price() -> None:
    """No NIC line; modules and cables are there."""
    tiers = {row.tier for row in superpod().bom if row.section == "storage"}
    assert "node-leaf" in tiers and "leaf" in tiers
    nics = [
        r for r in superpod().bom if r.section in ("storage", "frontend") and r.sku.startswith("connectx")
    ]
    assert nics == []


def test_the_in_band_network_gives_each_node_two_ports_on_two_fabrics() -> None:
    """127 nodes x 2 ports of 200G; neither fabric takes both ports of a node."""
    design = side("frontend").plan.designs[0]
    assert (design.size.endpoints, design.wiring.planes, design.wiring.link_gbps) == (127, 2, 200)
    assert side("frontend").plan.technology == "ethernet"


def test_the_out_of_band_network_counts_every_port() -> None:
    """32 racks of 4 nodes in 2 rows of 16: 64 + 32 and 63 + 32 ports, 2 switches a row.

    Gear: 48 + 15 + 2 switches, 24 storage servers, 4 managers; 48 + 15 + 2 x frontend units and 4 managers in
    2 racks of 36 units with 2 PDUs each: 93 + 4 = 97 ports, 3 switches. In all 7, and a pair above them.
    """
    boxes = side("frontend").plan.designs[0]
    others = (boxes.size.leaves + boxes.size.spines) * 2
    assert others == 2
    racks = pieces("management", "rack")["network-rack"]
    ports = 48 + 15 + others + 24 + 4 + 2 * racks
    assert racks == 2 and ports == 97
    assert pieces("management", "management")["sn2201"] == 2 + 2 + 3
    assert sum(n for sku, n in pieces("management", "management-core").items() if sku.startswith("sn")) == 2
    uplinks = sum(pieces("management", "management-uplink").values())
    assert uplinks == 2 * 7


def test_two_managers_for_each_of_the_two_subnets_and_a_licence_for_each_endpoint() -> None:
    assert pieces("management", "manager")["fabric-manager-server"] == 4
    assert pieces("services", "licence")["ufm-licence-endpoint-year"] == 1016 + 302


def test_spares_of_the_published_bill() -> None:
    """48 switches x 0.01 x 8 / 52: mean 0.074, one spare (0.929 without). 1,536 x 0.02: mean 4.7, 9."""
    spares = {(r.tier, r.sku): r.spares for r in superpod().bom if r.section == "compute" and r.spares}
    assert spares["leaf", "qm9700"] == 1
    twin = [n for (_, sku), n in spares.items() if sku == "mma4z00-ns"]
    assert sum(twin) == 9


def test_guesses_say_so() -> None:
    """Managers, licences and racks have no published price: each line says guess."""
    for sku in ("fabric-manager-server", "ufm-licence-endpoint-year", "network-rack"):
        assert {r.price_grade for r in superpod().bom if r.sku == sku} == {"guess"}
