"""Side fabrics: what they are asked for, what they cost, and what happens without their parts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from planner.catalog.sources import load_sources
from planner.scenario.bill import ManagementAsk, SideAsk
from planner.scenario.load import scenario_from_text
from planner.study.result import TechnologyResult
from planner.study.side_fabrics import blended, side_ratio, storage_servers
from planner.study.study import plan_scenario
from tests.support.making import Box, bare_sources, planned, scenario_of, toml


def plan(gpus: int = 256, server: str = "hgx-h100", **sections: Any) -> TechnologyResult:
    document = {
        "schema": 1, "name": "sides", "base_year": 2027, "cluster": {"server": server},
        "growth": [{"year": 2027, "gpus": gpus}], "finance": {"horizon_years": 1},
        "fabric": {"technologies": ["roce"]}, **sections,
    }  # fmt: skip
    scenario = scenario_from_text(toml(document), load_sources(), "sides.toml")
    return plan_scenario(scenario, load_sources()).results[0]


def test_gbytes_a_second_cap_the_ratio() -> None:
    """2 x 400G carry 100 GB/s: 75 GB/s a node allow 4:3, 50 allow 2:1 and the ratio given binds."""
    server = replace(load_sources().catalog.servers["dgx-h100"], nic_ports_per_node=2, nic_port_gbps=400)
    ask = SideAsk(enabled=True, max_oversubscription=Fraction(3, 2))
    assert side_ratio(ask, server) == Fraction(3, 2)
    assert side_ratio(replace(ask, gbytes_per_s_per_node=75.0), server) == Fraction(4, 3)
    assert side_ratio(replace(ask, gbytes_per_s_per_node=50.0), server) == Fraction(3, 2)


def test_storage_servers_keep_one_to_one_below_shared_leaves() -> None:
    """127 nodes at 4:3 and 24 servers at 1:1 need 119.25 uplinks for 151: 604 : 477, not 4:3 (113.25)."""
    assert blended(Fraction(4, 3), 127, 24) == Fraction(604, 477)
    assert blended(Fraction(4, 3), 127, 0) == Fraction(4, 3)


def test_storage_servers_follow_the_nodes_unless_their_ports_are_given() -> None:
    """0.3779 ports a node: 127 nodes have 48 ports, 24 servers. Given ports round up to whole servers a
    site."""
    document = {
        "schema": 1, "name": "x", "base_year": 2027, "cluster": {"server": "dgx-h100"},
        "growth": [{"year": 2027, "gpus": 1016}],
    }  # fmt: skip
    scenario = scenario_from_text(toml(document), load_sources(), "x.toml")
    assert storage_servers(scenario, 127) == 24
    given = replace(scenario, bill=replace(scenario.bill, storage=SideAsk(enabled=True, server_ports=9)))
    assert storage_servers(given, 127) == 5
    two = replace(given, wan=replace(given.wan, sites=2))
    assert storage_servers(two, 127) == 6


def test_an_oem_server_without_storage_ports_buys_their_nics() -> None:
    """HGX H100 has no storage ports: 2 of 400G for each of 32 nodes and 7 storage servers are NIC lines."""
    rows = [r for r in plan().bom if r.section == "storage" and r.tier == "node"]
    nics = load_sources().catalog.nics
    ports = sum(r.quantity * nics[r.sku].ports for r in rows if r.sku in nics)
    assert ports == (32 + 7) * 2
    dgx = [r for r in plan(server="dgx-h100").bom if r.section == "storage" and r.sku in nics]
    assert dgx == []


def test_a_frontend_that_carries_storage_takes_its_servers_and_drops_the_storage_fabric() -> None:
    """32 nodes and 7 storage servers, a port on each of two fabrics."""
    result = plan(frontend_fabric={"carries_storage": True})
    assert [s.section for s in result.sides] == ["frontend"]
    design = result.sides[0].plan.designs[0]
    assert (design.size.endpoints, design.wiring.planes) == (39, 2)
    assert "storage" not in {r.section for r in result.bom}


@pytest.mark.parametrize("gpus", [8, 64, 256, 2048])
def test_the_ports_of_a_node_never_share_a_switch(gpus: int) -> None:
    """Two fabrics, or leaves a rail; and nothing is wrong with any of them."""
    result = plan(gpus)
    assert result.faults == ()
    for side in result.sides:
        wiring = side.plan.designs[0].wiring
        assert wiring.planes == 2 or (wiring.rail_optimised and wiring.tiers > 1)


def test_without_parts_the_total_is_withheld_and_they_are_named() -> None:
    """A catalog of one NIC and a switch of one's own has nothing for the other sections: no crash, no 0."""
    on: dict[str, Any] = {
        "storage_fabric": {"enabled": True},
        "frontend_fabric": {"enabled": True},
        "management": {"enabled": True},
    }
    result = planned(4, [Box("four", 4, 10.0)], **on)
    assert (result.tco_usd, result.plan.status) == (None, "optimal")
    said = " ".join(result.missing_prices)
    assert all(name in said for name in ("storage fabric", "frontend fabric", "management", "network-rack"))
    assert result.network_tco_usd == pytest.approx(10.0)
    scenario = scenario_of(4, [Box("four", 4, 10.0)], **on)
    assert plan_scenario(scenario, bare_sources()).break_even == ()


def test_two_technologies_share_the_side_fabrics_that_they_can() -> None:
    """Storage over Ethernet is planned once for RoCE and Spectrum-X, the frontend once for all three."""
    document = {
        "schema": 1, "name": "sides", "base_year": 2027, "cluster": {"server": "hgx-h100"},
        "growth": [{"year": 2027, "gpus": 256}], "finance": {"horizon_years": 1},
        "fabric": {"technologies": ["roce", "spectrum-x", "infiniband"]},
    }  # fmt: skip
    scenario = scenario_from_text(toml(document), load_sources(), "sides.toml")
    roce, spectrum, ib = plan_scenario(scenario, load_sources()).results
    assert roce.sides[0] is spectrum.sides[0] and roce.sides[1] is ib.sides[1]
    assert ib.sides[0].plan.technology == "infiniband"


def test_management_of_a_scenario_without_file_is_off() -> None:
    assert not ManagementAsk().enabled
