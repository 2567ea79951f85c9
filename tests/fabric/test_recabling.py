"""Which links stay when one wiring follows another, against hand counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.fabric.design import Wiring
from planner.fabric.fat_tree import size_of
from planner.fabric.recabling import link_layout, moves

THREE: dict[str, Any] = {
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


def fillings(places: int, most: int, pieces: int) -> Iterator[tuple[int, ...]]:
    """Every way to put so many pieces into places of at most ``most``."""
    return (f for f in product(range(most + 1), repeat=places) if sum(f) == pieces)


def numbered(filling: tuple[int, ...], *counts: int) -> set[tuple[int, ...]]:
    """The links of places filled so: (place, piece in it, and one index for each of ``counts``)."""
    rest = [range(n) for n in counts]
    return {(place, *more) for place, n in enumerate(filling) for more in product(range(n), *rest)}


@st.composite
def grown(draw: st.DrawFn) -> tuple[dict[str, int], dict[str, int], bool]:
    """Two small fabrics of three tiers, as numbers; ``rail``: a leaf an endpoint in both."""
    rail = draw(st.booleans())

    def fabric(least: int) -> dict[str, int]:
        units = draw(st.integers(1, 3))
        unit = draw(st.integers(1, 3))
        spread = {k: draw(st.integers(1, 2)) for k in ("pair", "groups", "in_group", "cores", "bundle")}
        nodes = draw(st.integers(max(least, (units - 1) * unit + 1), max(least, units * unit)))
        leaves_a_unit = 2 if rail else 1
        return spread | {
            "unit": unit,
            "nodes": nodes,
            "leaves_per_pod": leaves_a_unit * draw(st.integers(1, 2)),
        }

    old = fabric(1)
    return old, fabric(old["nodes"]), rail


def as_wiring(f: dict[str, int], rail: bool) -> Wiring:
    spines = f["groups"] * f["in_group"]
    return Wiring(
        planes=1, nic_port_split=1, nic_ports_per_node=2, link_gbps=100, rail_optimised=rail, nic="n",
        tiers=3, leaf="a", leaf_breakout=1, nodes_per_unit=f["unit"], leaves_per_unit=2 if rail else 1,
        down=16,
        up=spines * f["pair"], uplink_gbps=100, spine="s", spines=spines, leaves_per_pod=f["leaves_per_pod"],
        core="c", spine_up=f["cores"] * f["bundle"], core_groups=f["groups"], cores_per_group=f["cores"],
    )  # fmt: skip


def kept_by_trial(old: dict[str, int], new: dict[str, int], rail: bool) -> list[int]:
    """The most links of each layer that two fabrics share, over every filling of their units and pods."""
    below, middle, top = list[list[set[tuple[int, ...]]]](), list[list[set[tuple[int, ...]]]](), []
    for f in (old, new):
        units = -(-f["nodes"] // f["unit"])
        leaves = units * (2 if rail else 1)
        pods = -(-leaves // f["leaves_per_pod"])
        ports = (2, 1) if rail else (1, 2)  # leaves of a unit, ports of a node on each
        below.append([numbered(way, *ports) for way in fillings(units, f["unit"], f["nodes"])])
        across = f["groups"], f["in_group"], f["pair"]
        middle.append([numbered(way, *across) for way in fillings(pods, f["leaves_per_pod"], leaves)])
        above = f["in_group"], f["cores"], f["bundle"]
        top.append([numbered((f["groups"],) * pods, *above)])
    return [max(len(a & b) for a, b in product(*layer)) for layer in (below, middle, top)]


@settings(max_examples=60, deadline=None)
@given(grown())
def test_what_stays_is_the_most_that_any_filling_keeps(
    case: tuple[dict[str, int], dict[str, int], bool],
) -> None:
    """Links numbered one by one under every filling of units and pods; spines fall into the same groups."""
    old, new, rail = case
    new = new | {"groups": old["groups"], "in_group": old["in_group"]}
    before, now = as_wiring(old, rail), as_wiring(new, rail)
    sizes = size_of(before, old["nodes"]), size_of(now, new["nodes"])
    links = [(s.endpoints, s.leaf_spine_links, s.spine_core_links) for s in sizes]
    moved, _ = change(before, old["nodes"], now, new["nodes"])
    stays = [min(a, b) - m for a, b, m in zip(*links, moved, strict=True)]
    assert stays == kept_by_trial(old, new, rail)
