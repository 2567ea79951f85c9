"""Leaf layers: every way to hang a year's nodes under leaves of one model."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from planner.candidates.design_space import WiringRules
from planner.candidates.leaf_layers import leaf_layers
from planner.fabric.design import Wiring
from tests.support.making import Box, scenario_of

RULES = WiringRules(Fraction(1), Fraction(1), 3, 1, None, 0)
BASE = Wiring(1, 1, 8, 100, True, "nic", 1, "", 1, 1, 1, 1)
SWITCH = scenario_of(4, [Box("box", 64, 1.0)]).own_switches[0]


def rows(base: Wiring, nodes: int, rules: WiringRules = RULES) -> list[tuple[int, int, int]]:
    """(nodes a unit, wired down ports, leaves) of every leaf layer."""
    return [
        (x.wiring.nodes_per_unit, x.wiring.down, x.leaves) for x in leaf_layers(base, SWITCH, nodes, rules)
    ]


def test_a_given_scalable_unit_is_the_only_one() -> None:
    """95 nodes in units of 32 on 8 rails: 24 leaves; a unit larger than the radix has no leaf layer."""
    assert rows(BASE, 95, replace(RULES, nodes_per_scalable_unit=32)) == [(32, 32, 24)]
    assert rows(BASE, 95, replace(RULES, nodes_per_scalable_unit=65)) == []


def test_of_units_that_need_as_many_leaves_the_smallest_is_kept() -> None:
    """10 nodes, one port: a leaf of 10, two of 5 (not 6 to 9), three of 4, four of 3, five of 2, ten of 1."""
    single = replace(BASE, nic_ports_per_node=1, rail_optimised=False)
    assert rows(single, 10) == [(10, 10, 1), (5, 5, 2), (4, 4, 3), (3, 3, 4), (2, 2, 5), (1, 1, 10)]


def test_leaves_that_are_not_of_a_rail_host_whole_nodes() -> None:
    """8 ports a node, 64 a switch: 16 nodes on 3 leaves of 6, 4 of 4, 6 of 3, 8 of 2, 16 of 1.

    Two leaves of 8 would fill every port and leave none for an uplink.
    """
    found = rows(replace(BASE, rail_optimised=False), 16)
    assert found == [(6, 48, 3), (4, 32, 4), (3, 24, 6), (2, 16, 8), (1, 8, 16)]


def test_ports_to_be_kept_free_widen_the_leaves_or_add_a_unit() -> None:
    """4 nodes, 3 ports kept free: of units of 2, two leaves of 4, three of 3 or four of 2."""
    single = replace(BASE, nic_ports_per_node=1, rail_optimised=False)
    found = rows(single, 4, replace(RULES, reserved_fabric_ports=3))
    assert [row for row in found if row[0] == 2] == [(2, 4, 2), (2, 3, 3), (2, 2, 4)]
