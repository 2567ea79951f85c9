"""Which links stay when one wiring follows another, against hand counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.fabric.design import Wiring
from planner.fabric.fat_tree import size_of
from planner.fabric.recabling import link_layout, moves

THREE = {
    "tiers": 3, "leaves_per_pod": 8, "spines": 32, "core": "qm9700", "spine_up": 8, "core_groups": 8,
    "cores_per_group": 4,
}  # fmt: skip


def change(old: Wiring, before: int, new: Wiring, now: int) -> tuple[list[int], list[int]]:
    """(moved, installed) by layer."""
    codes: dict[object, int] = {}
    a, b = link_layout([(old, size_of(old, before))], codes), link_layout([(new, size_of(new, now))], codes)
    result = moves(a, b)
    return result.moved[0, 0].tolist(), result.installed[0, 0].tolist()


def test_nothing_moves_where_the_wiring_stays(two_tier_wiring: Wiring) -> None:
    """64 to 128 nodes under the same 16 spines: 512 endpoint links and 512 uplinks more."""
    assert change(two_tier_wiring, 64, two_tier_wiring, 128) == ([0, 0, 0], [512, 512, 0])


def test_doubling_the_spines_moves_half_of_the_uplinks(two_tier_wiring: Wiring) -> None:
    """16 spines of 2 links a pair, then 32 of 1: one of two links of every pair moves, 512 of 1,024."""
    more = replace(two_tier_wiring, spines=32)
    assert change(two_tier_wiring, 128, more, 256) == ([0, 512, 0], [1024, 1024, 0])


def test_another_switch_model_moves_every_link_at_it(two_tier_wiring: Wiring) -> None:
    """A new spine moves the uplinks only, a new leaf everything below and above."""
    assert change(two_tier_wiring, 128, replace(two_tier_wiring, spine="x"), 128)[0] == [0, 1024, 0]
    assert change(two_tier_wiring, 128, replace(two_tier_wiring, leaf="x"), 128)[0] == [1024, 1024, 0]


def test_smaller_units_move_the_nodes_that_leave_their_leaf(two_tier_wiring: Wiring) -> None:
    """Units of 32, then of 16: 4 units keep 16 nodes each, 64 of 128 nodes (512 links) move.

    Leaves 32 and 64, 16 spines, 2 links: every old uplink stays.
    """
    small = replace(two_tier_wiring, nodes_per_unit=16, down=16)
    assert change(two_tier_wiring, 128, small, 128) == ([512, 0, 0], [0, 1024, 0])


def test_a_third_tier_leaves_the_pods_below_alone(two_tier_wiring: Wiring) -> None:
    """32 leaves on 16 spines become 4 pods of 8 leaves on 32 spines: a link of each pair stays in its place.

    Leaf i of pod p keeps 16 spines x 1 link: of one old pod only 8 leaves stay whole, 8 x 16 = 128 stay.
    """
    moved, installed = change(two_tier_wiring, 128, replace(two_tier_wiring, **THREE), 128)
    assert moved == [0, 1024 - 8 * 16, 0]
    assert installed == [0, 0, 4 * 32 * 8]


def test_cores_keep_the_links_of_spines_that_stay(two_tier_wiring: Wiring) -> None:
    """8 groups of 4 cores with 2 links a spine, then of 8 with 1: half of 4 x 32 x 8 links move."""
    old = replace(two_tier_wiring, **THREE)
    new = replace(old, cores_per_group=8)
    assert change(old, 128, new, 128)[0] == [0, 0, 512]


def test_other_planes_or_rates_move_all(two_tier_wiring: Wiring) -> None:
    planes = replace(two_tier_wiring, planes=2)
    assert change(two_tier_wiring, 128, planes, 128)[0][0] == 1024


def test_native_uplinks_count_at_the_link_rate(two_tier_wiring: Wiring) -> None:
    """16 uplinks of 800G count as 32; from 32 of 400G they all move."""
    native = replace(two_tier_wiring, up=16, uplink_gbps=800)
    assert change(two_tier_wiring, 128, native, 128) == ([0, 1024, 0], [0, 0, 0])


@st.composite
def wirings(draw: st.DrawFn) -> Wiring:
    unit, spines, pair = draw(st.integers(1, 6)), draw(st.integers(1, 6)), draw(st.integers(1, 4))
    return Wiring(
        1,
        1,
        2,
        100,
        True,
        "nic",
        2,
        "a",
        1,
        unit,
        2,
        unit,
        spines * pair,
        100,
        draw(st.sampled_from(["a", "b"])),
        1,
        spines,
    )


@settings(max_examples=100)
@given(wirings(), wirings(), st.integers(1, 30), st.integers(0, 20))
def test_moved_links_are_old_links_that_are_still_needed(
    old: Wiring, new: Wiring, before: int, more: int
) -> None:
    """Never more than either year has, and none from a wiring to itself."""
    sizes = size_of(old, before), size_of(new, before + more)
    moved, installed = change(old, before, new, before + more)
    below, above = [(s.endpoints, s.leaf_spine_links) for s in sizes]
    assert all(0 <= m <= min(a, b) for m, a, b in zip(moved, below, above, strict=False))
    assert installed == [max(0, b - a) for a, b in zip((*below, 0), (*above, 0), strict=True)]
    assert change(old, before, old, before)[0] == [0, 0, 0]


@pytest.mark.parametrize(("spines", "stays"), [(1, 2), (2, 4), (4, 8), (8, 4)])
def test_the_smaller_bundle_and_the_fewer_spines_stay(spines: int, stays: int) -> None:
    """From 4 spines x 2 to S x 8 / S: min(4, S) x min(2, 8 / S) of the only leaf's 8 uplinks stay."""
    base = Wiring(1, 1, 1, 100, False, "nic", 2, "a", 1, 8, 1, 8, 8, 100, "a", 1, 4)
    assert change(base, 8, replace(base, spines=spines), 8)[0] == [0, 8 - stays, 0]
