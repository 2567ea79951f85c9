"""One and two tiers over one set of switch models."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from planner.candidates.cost_floors import Cut
from planner.candidates.design_space import WiringRules
from planner.candidates.dominance import ParetoSet, TierCounts
from planner.candidates.leaf_layers import LeafLayer, RatedLeafLayer
from planner.candidates.two_tier import add_two_tier, links_per_pair, one_tier
from planner.candidates.uplinks import UplinkChoice, Uplinks
from planner.fabric.design import Wiring
from tests.support.making import Box, scenario_of

RULES = WiringRules(Fraction(1), Fraction(1), 3, 1, None, 0)
BASE = Wiring(1, 1, 8, 100, True, "nic", 1, "", 1, 1, 1, 1)
SWITCH = scenario_of(4, [Box("box", 64, 1.0)]).own_switches[0]


def striped(layer: LeafLayer, up: Uplinks) -> list[tuple[int, int]]:
    """(spines, uplinks a leaf) of the two-tier wirings that no other dominates."""
    found, least = ParetoSet(), TierCounts(layer.leaves, 2 * layer.leaves * up.least, 1, 0, 0)
    rated = RatedLeafLayer(layer, RULES.max_oversubscription, RULES)
    add_two_tier(found, UplinkChoice(rated, up, least, Cut()), SWITCH, RULES.min_spines)
    return sorted((w.spines, w.up) for w in found.wirings())


def test_one_switch_holds_the_endpoints_and_the_reserved_ports() -> None:
    """8 nodes of 8 ports fill 64; a reserved port leaves no room."""
    assert [w.down for w in one_tier(BASE, SWITCH, 8, RULES)] == [64]
    assert list(one_tier(BASE, SWITCH, 8, replace(RULES, reserved_fabric_ports=1))) == []


def test_spines_are_the_fewest_that_divide_and_all_that_save_links() -> None:
    """24 leaves with 32 uplinks, radix 64: 12 spines would do by ports; 16 divide 32, and save nothing else.

    With up to 40 uplinks 15 spines of 3 links a pair would be too many ports (72 > 64); 16 stay.
    """
    layer = LeafLayer(replace(BASE, nodes_per_unit=32, leaves_per_unit=8, down=32), 24)
    for most in (32, 40):
        assert striped(layer, Uplinks(100, 32, most, 64, 1)) == [(16, 32)]


def test_fewer_spines_for_more_links_both_stay() -> None:
    """7 uplinks needed, radix 8: 2 spines of 4 links or 7 of 1; neither dominates the other."""
    layer = LeafLayer(replace(BASE, nodes_per_unit=7, leaves_per_unit=1, nic_ports_per_node=1, down=7), 2)
    assert striped(layer, Uplinks(100, 7, 8, 8, 1)) == [(2, 8), (7, 7)]


def test_links_per_pair_keep_ratio_ports_and_stripe() -> None:
    """8 leaves with 32 uplinks on spines of 64 ports: 4 spines take 8 links of each leaf, 3 would be over."""
    pairs = {spines: links_per_pair(Uplinks(100, 32, 32, 64, 1), spines, leaves=8) for spines in range(1, 40)}
    assert {spines: pair for spines, pair in pairs.items() if pair} == {4: 8, 8: 4, 16: 2, 32: 1}
