"""Nodes a year, and the ways in which a node's NIC ports may be used."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.sources import load_sources
from planner.fabric.demand import demand
from planner.fabric.nic_attachment import NicAttachments, nic_attachments, usable_ports
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Scenario
from tests.support.making import Box, bare_sources, scenario_of, toml

CATALOG = load_sources().catalog
BOX = Box("box", 64, 1.0)


def shipped(server: str, technology: str = "infiniband", **sections: Any) -> Scenario:
    document = {
        "schema": 1,
        "name": "d",
        "base_year": 2027,
        "cluster": {"server": server, **sections.pop("cluster", {})},
        "growth": [{"year": 2027, "gpus": 64}],
        "fabric": {"technologies": [technology], **sections.pop("fabric", {})},
        **sections,
    }
    return scenario_from_text(toml(document), load_sources(), "d.toml")


def ways(scenario: Scenario, **prices: float | None) -> NicAttachments:
    """NicAttachments where every NIC costs 1,000 unless said otherwise."""
    return nic_attachments(
        scenario, scenario.fabric.technologies[0], CATALOG, lambda sku: prices.get(sku, 1000.0)
    )


def test_gpus_that_do_not_fill_a_node_round_the_nodes_up() -> None:
    """65 GPUs of 8 a node are 9 nodes; years between the steps keep the last one's."""
    text = toml({
        "schema": 1, "name": "d", "base_year": 2027, "cluster": {"server": "hgx-h100"},
        "growth": [{"year": 2027, "gpus": 65}, {"year": 2029, "gpus": 128}], "finance": {"horizon_years": 4},
    })  # fmt: skip
    rows = demand(scenario_from_text(text, load_sources(), "d.toml"))
    assert [(r.t, r.year, r.gpus, r.nodes, r.decides) for r in rows] == [
        (0, 2027, 65, 9, True), (1, 2028, 65, 9, False), (2, 2029, 128, 16, True), (3, 2030, 128, 16, False)
    ]  # fmt: skip


def test_the_servers_own_nic_is_taken_where_it_fits() -> None:
    (way,) = ways(shipped("dgx-h100")).found
    assert (way.nic.id, way.nics_per_node, way.nic_cages_per_node) == ("connectx-7-400g-osfp", 8, 4)
    assert (way.node_end.cage, way.node_end.links_per_cage) == ("osfp-flat-8x100", 2)


def test_spectrum_x_replaces_a_connectx_7() -> None:
    """The cheapest NIC that the technology may use."""
    way = ways(shipped("dgx-h100", "spectrum-x"), **{"bluefield-3-b3140h": 900.0}).found[0]
    assert (way.nic.id, way.nics_per_node) == ("bluefield-3-b3140h", 8)


def test_the_cheapest_for_a_node_not_for_a_card() -> None:
    """Two ports at 1,500 a card beat one at 1,000 where the slot runs both."""
    scenario = shipped("hgx-a100", "roce", cluster={"nic_port_gbps": 100, "nic_ports_per_node": 2})
    two_ports = {n: 1500.0 for n in ("connectx-6-dx-2x100g",)}
    others = {n.id: 9000.0 for n in CATALOG.nics.values() if n.id not in two_ports}
    way = ways(scenario, **{**others, "connectx-6-vpi-hdr100": 1000.0, **two_ports}).found[0]
    assert (way.nic.id, way.nics_per_node) == ("connectx-6-dx-2x100g", 1)


@pytest.mark.parametrize(
    ("nic", "ports"), [("connectx-5-2x100g", 1), ("connectx-6-dx-2x100g", 2), ("e810-cqda2", 1)]
)
def test_a_slot_or_card_may_not_run_both_ports(nic: str, ports: int) -> None:
    """PCIe 3.0 x16 carries 126 Gb/s, one port of 100G; the E810 is 100G in all."""
    assert usable_ports(CATALOG.nics[nic], CATALOG.servers["hgx-a100"]) == ports


def test_open_choices_are_combined_and_impossible_ones_left_out() -> None:
    """Planes 1 and 3 over 8 ports: 3 does not divide."""
    scenario = scenario_of(8, [BOX], cluster={"nic_ports_per_node": 8}, fabric={"planes": [1, 2, 8]})
    found = nic_attachments(scenario, "roce", bare_sources().catalog, lambda _: 1.0)
    assert [(v.base.planes, v.base.endpoints_per_node, v.base.rail_optimised) for v in found.found] == [
        (1, 8, True), (2, 4, True), (8, 1, False)
    ]  # fmt: skip


def test_a_nic_without_a_price_is_left_out_and_named() -> None:
    none = {n.id: None for n in CATALOG.nics.values()}
    found = ways(shipped("dgx-h100"), **none)
    assert found.found == ()
    assert "connectx-7-400g-osfp: no price in the catalog" in found.excluded


def test_a_rate_without_a_nic_has_a_reason() -> None:
    """100G links: RoCE has NICs, Spectrum-X (400G and more) none, and the reason names both."""
    scenario = shipped("hgx-h100", "roce", fabric={"technologies": ["roce", "spectrum-x"], "link_gbps": 100})
    assert nic_attachments(scenario, "roce", CATALOG, lambda _: 1000.0).found != ()
    none = nic_attachments(scenario, "spectrum-x", CATALOG, lambda _: 1000.0)
    assert none.found == ()
    assert none.reasons == (
        "the catalog has no priced spectrum-x NIC with a 100 Gb/s port; write link_gbps = 200 or 400 or 800",
    )


SOME = [n.id for n in CATALOG.nics.values() if "roce" in n.technologies and n.port_gbps == 400]


@settings(max_examples=60)
@given(st.lists(st.integers(1, 9) | st.none(), min_size=len(SOME), max_size=len(SOME)), st.integers(1, 8))
def test_no_other_nic_is_cheaper_for_a_node(usd: list[int | None], ports: int) -> None:
    """Cards are added one by one until the node has its ports; the price of a node, not of a card."""
    scenario = shipped("hgx-h100", "roce", cluster={"nic_ports_per_node": ports})
    prices = {sku: float(price) for sku, price in zip(SOME, usd, strict=True) if price is not None}
    paid = {}
    for sku in prices:
        nic, cards = CATALOG.nics[sku], 1
        while nic.power_w is not None and cards * usable_ports(nic, scenario.server) < ports:
            cards += 1
        if nic.power_w is not None:
            paid[sku] = cards * prices[sku]
    found = nic_attachments(scenario, "roce", CATALOG, prices.get).found
    assert bool(found) == bool(paid)
    for way in found:
        own = scenario.server.nic_id
        assert way.nic.id == own or prices[way.nic.id] * way.nics_per_node == min(paid.values())
        assert own not in paid or way.nic.id == own
