"""Which fat-trees are worth pricing: every one that another does not beat."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from planner.candidates.dominance import CountedWiring, ParetoSet, bundle_kind
from planner.candidates.two_tier import (
    LeafLayer,
    Uplinks,
    WiringRules,
    leaf_layers,
    one_tier,
    two_tier,
    with_spines,
)
from planner.fabric.design import Wiring
from tests.support.making import Box, scenario_of

RULES = WiringRules(Fraction(1), Fraction(1), 3, 1, None, 0)
BASE = Wiring(1, 1, 8, 100, True, "nic", 1, "", 1, 1, 1, 1)
SWITCH = scenario_of(4, [Box("box", 64, 1.0)]).own_switches[0]


def rows(base: Wiring, nodes: int, rules: WiringRules = RULES) -> list[tuple[int, int, int]]:
    """(nodes a unit, wired down ports, leaves) of every stem."""
    return [
        (s.wiring.nodes_per_unit, s.wiring.down, s.leaves) for s in leaf_layers(base, SWITCH, nodes, rules)
    ]


def test_a_given_scalable_unit_is_the_only_one() -> None:
    """95 nodes in units of 32 on 8 rails: 24 leaves; a unit larger than the radix has no stem."""
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


def test_one_switch_holds_the_endpoints_and_the_reserved_ports() -> None:
    """8 nodes of 8 ports fill 64; a reserved port leaves no room."""
    assert [w.down for w in one_tier(BASE, SWITCH, 8, RULES)] == [64]
    assert list(one_tier(BASE, SWITCH, 8, replace(RULES, reserved_fabric_ports=1))) == []


def test_spines_are_the_fewest_that_divide_and_all_that_save_links() -> None:
    """24 leaves with 32 uplinks, radix 64: 12 spines would do by ports; 16 divide 32, and save nothing else.

    With up to 40 uplinks 15 spines of 3 links a pair would be too many ports (72 > 64); 16 stay.
    """
    stem = LeafLayer(replace(BASE, nodes_per_unit=32, leaves_per_unit=8, down=32), 24)
    for most in (32, 40):
        out = ParetoSet()
        two_tier(stem, SWITCH, Uplinks(100, 1, 32, most, 64, 1), RULES, out)
        assert [(w.spines, w.up) for w in out.wirings()] == [(16, 32)]


def test_fewer_spines_for_more_links_both_stay() -> None:
    """7 uplinks needed, radix 8: 2 spines of 4 links or 7 of 1; neither beats the other."""
    stem = LeafLayer(replace(BASE, nodes_per_unit=7, leaves_per_unit=1, nic_ports_per_node=1, down=7), 2)
    small = ParetoSet()
    two_tier(stem, SWITCH, Uplinks(100, 1, 7, 8, 8, 1), RULES, small)
    assert sorted((w.spines, w.up) for w in small.wirings()) == [(2, 8), (7, 7)]


def test_with_spines_keeps_ratio_ports_and_stripe() -> None:
    stem = LeafLayer(replace(BASE, down=32), 8)
    up = Uplinks(100, 1, 32, 32, 64, 1)
    found = {s: with_spines(stem, SWITCH, up, s) for s in range(1, 40)}
    assert {s: w.links_per_pair for s, w in found.items() if w} == {4: 8, 8: 4, 16: 2, 32: 1}


def entry(spines: int, pair: int, *counts: int, dark: int = 0) -> CountedWiring:
    """A wiring of these counts; ``dark`` ports of modules below the spines."""
    leaves, mid, *rest = counts
    wiring = replace(BASE, tiers=2, up=spines * pair, spines=spines)
    return CountedWiring((leaves, mid, *rest), (leaves, mid + dark, *rest), wiring)  # type: ignore[arg-type]


def test_a_frontier_keeps_equals_and_drops_the_beaten() -> None:
    """Equals differ in how their links run, which a later year may care for."""
    a, b, dominated = entry(1, 1, 4, 8, 2, 0, 0), entry(2, 2, 4, 8, 2, 0, 0), entry(3, 1, 4, 9, 2, 0, 0)
    out = ParetoSet()
    for one in (a, b, dominated):
        out.add(one)
    assert list(out.wirings()) == [a.wiring, b.wiring]
    better = entry(4, 1, 4, 8, 1, 0, 0)
    out.add(better)
    assert list(out.wirings()) == [better.wiring]


def test_modules_half_in_use_keep_the_other_wiring() -> None:
    """Fewer spines whose modules stay half dark do not beat more spines that fill theirs."""
    filled, half_dark = entry(3, 2, 3, 36, 3, 0, 0), entry(2, 3, 3, 36, 2, 0, 0, dark=2)
    out = ParetoSet()
    out.add(filled)
    out.add(half_dark)
    assert list(out.wirings()) == [filled.wiring, half_dark.wiring]


def test_bundles_made_of_other_cables_do_not_beat_each_other() -> None:
    out = ParetoSet(by_bundle=True)
    single, double = entry(1, 1, 4, 8, 2, 0, 0), entry(2, 2, 4, 8, 3, 0, 0)
    out.add(single)
    out.add(double)
    assert list(out.wirings()) == [single.wiring, double.wiring]
    assert [bundle_kind(m) for m in (1, 2, 3, 4, 5, 8)] == [1, 2, 1, 4, 1, 4]
