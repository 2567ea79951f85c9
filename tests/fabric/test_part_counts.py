"""Pieces of a wiring: modules by the switch, cables by the link, boxes of several switches."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from planner.catalog.parts import SwitchModel
from planner.catalog.sources import load_sources
from planner.fabric.cabling import Medium
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import size_of
from planner.fabric.part_counts import Kit, Pieces, pieces_of, switch_end

TWIN = load_sources().catalog.switches["qm9700"]
OPTICAL = Medium("fibre", Fraction(1), "a", False, False, "twin", "twin")
TO_NIC = replace(OPTICAL, module_b="nic-module")
STRAIGHT_DAC = Medium("dac", Fraction(2), "a", True, False)
SPLITTER_DAC = Medium("splitter", Fraction(2), "a", True, True)


def pieces(wiring: Wiring, nodes: int, **kit: object) -> Pieces:
    """127 nodes in the H100 manner: 4 twin-port cages a node, twin-port switch cages."""
    parts = {
        "nic": "nic", "nics_per_node": 8, "nic_cages_per_node": 4, "leaf": TWIN, "spine": TWIN, "core": None,
        "node_leaf": TO_NIC, "leaf_spine": OPTICAL, "spine_core": None, **kit,
    }  # fmt: skip
    return pieces_of(wiring, size_of(wiring, nodes), Kit(**parts))  # type: ignore[arg-type]


def test_h100_superpod_of_127_nodes(two_tier_wiring: Wiring) -> None:
    """1,016 + 1,024 cables, 508 node modules, 48 x 32 switch modules (the last leaves: 31 + 32 links)."""
    found = pieces(two_tier_wiring, 127)
    assert found.by_tier["node-leaf", "fibre"] + found.by_tier["leaf-spine", "fibre"] == 2040
    assert (found.node_modules, found.switch_modules) == (508, 1536)
    assert found.by_sku() == {"qm9700": 48, "nic": 1016, "nic-module": 508, "twin": 1536, "fibre": 2040}


def test_modules_are_rounded_up_by_the_switch(two_tier_wiring: Wiring) -> None:
    """A unit of 31 + 32 links is 32 modules a leaf; two units of 1 node are 1 + 32 links, 17 a leaf.

    Rounded once over all leaves, 16 leaves x 33 links would be 264 modules instead of 272.
    """
    wiring = replace(two_tier_wiring, nodes_per_unit=1, down=1)
    found = pieces(wiring, 2)
    assert found.by_tier["leaf", "twin"] == 16 * 17


def test_empty_cages_may_be_filled(two_tier_wiring: Wiring) -> None:
    """Policy "populate all cages": 32 modules a leaf and a spine."""
    wiring = replace(two_tier_wiring, nodes_per_unit=1, down=1)
    assert pieces(wiring, 2, populate_all_cages=True).by_tier["leaf", "twin"] == 16 * 32


def test_one_module_behind_two_kinds_of_fibre_fills_the_cages_too(two_tier_wiring: Wiring) -> None:
    """Splitter fibres below, straight ones above: the same module in cages apart, 1 + 16 of 32 a leaf."""
    wiring = replace(two_tier_wiring, nodes_per_unit=1, down=1)
    below = replace(TO_NIC, split=True, links_per_cable=Fraction(2))
    assert pieces(wiring, 2, node_leaf=below).by_tier["leaf", "twin"] == 16 * 17
    assert pieces(wiring, 2, node_leaf=below, populate_all_cages=True).by_tier["leaf", "twin"] == 16 * 32


def test_uplink_ports_are_filled_apart_from_the_others(two_tier_wiring: Wiring) -> None:
    """32 of 48 ports by copper, 4 of 8 uplink ports by modules: all 8 are filled, and none of the 16 others,
    in which the module has no place. Counted together they would take 48 - 32 = 16 modules."""
    catalog = load_sources().catalog
    wiring = replace(two_tier_wiring, link_gbps=25, uplink_gbps=100, up=4, spines=2)
    found = pieces(
        wiring,
        32,
        leaf=catalog.switches["sn2410"],
        spine=catalog.switches["sn2700"],
        node_leaf=replace(STRAIGHT_DAC, links_per_cable=Fraction(1)),
        populate_all_cages=True,
    )
    assert found.by_tier["leaf", "twin"] == 8 * 8
    assert found.by_tier["spine", "twin"] == 2 * 32


def test_assemblies_bring_no_modules(two_tier_wiring: Wiring) -> None:
    """A splitter for two NICs (by the leaf: 127 nodes make 16 a leaf), one straight DAC for two uplinks."""
    found = pieces(two_tier_wiring, 127, node_leaf=SPLITTER_DAC, leaf_spine=STRAIGHT_DAC)
    assert (found.node_modules, found.switch_modules) == (0, 0)
    assert found.by_tier["node-leaf", "splitter"] == 32 * 16
    assert found.by_tier["leaf-spine", "dac"] == 512


def test_planes_multiply_switches_and_cables_not_the_nodes_nics(two_tier_wiring: Wiring) -> None:
    """8 planes of one port a node: 128 nodes on 4 leaves and 2 spines each; 1,024 NICs in all."""
    wiring = replace(
        two_tier_wiring, planes=8, rail_optimised=False, leaves_per_unit=1, nodes_per_unit=32, spines=2
    )
    found = pieces(wiring, 128)
    assert found.by_tier["leaf", "qm9700"] == 8 * 4 and found.by_tier["spine", "qm9700"] == 8 * 2
    assert found.by_tier["node", "nic"] == 1024 and found.by_tier["node-leaf", "fibre"] == 1024


@pytest.mark.parametrize(("leaves", "boxes"), [(4, 2), (3, 2), (1, 1)])
def test_a_box_may_hold_two_switches(two_tier_wiring: Wiring, leaves: int, boxes: int) -> None:
    """Two switches a box are bought by the box, rounded up."""
    double = replace(TWIN, switches_per_box=2, id="double")
    wiring = replace(
        two_tier_wiring, rail_optimised=False, leaves_per_unit=1, nodes_per_unit=4, leaf="double"
    )
    assert pieces(wiring, 4 * leaves, leaf=double).by_tier["leaf", "double"] == boxes


def test_the_end_of_a_link_knows_its_cage(two_tier_wiring: Wiring) -> None:
    grouped: SwitchModel = load_sources().catalog.switches["sn2410"]
    assert switch_end(TWIN, 400).links_per_cage == 2 and switch_end(TWIN, 200).links_per_cage == 4
    assert (switch_end(grouped, 100).cage, switch_end(grouped, 100).links_per_cage) == ("qsfp28-4x25", 1)
