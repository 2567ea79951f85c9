"""Ports, striping, pods and cores in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.parts import SwitchModel
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import (
    breakout_for,
    core_layouts,
    divisors,
    fewest_uplinks,
    fits,
    most_uplinks,
    radix,
    size_of,
    unit_fill,
    units_for,
    uplink_rates,
)
from pricing.provenance import Grade, Source

SOURCE = Source("made up for a test", "2026", Grade.GUESS)
PLAIN = SwitchModel(
    "plain", "plain", "x", frozenset({"roce"}), 40, 200, 1, "cage", (1, 2), 100.0, SOURCE
)  # fmt: skip
GROUPED = replace(
    PLAIN, id="grouped", ports=48, port_gbps=25, breakouts=(1,), uplink_ports=8, uplink_gbps=100
)
THREE = Wiring(
    planes=1,
    nic_port_split=1,
    nic_ports_per_node=8,
    link_gbps=400,
    rail_optimised=True,
    nic="nic",
    tiers=3,
    leaf="a",
    leaf_breakout=1,
    nodes_per_unit=20,
    leaves_per_unit=8,
    down=20,
    up=20,
    uplink_gbps=400,
    spine="a",
    spines=10,
    leaves_per_pod=7,
    core="a",
    spine_up=14,
    core_groups=2,
    cores_per_group=14,
)
TWO = replace(THREE, tiers=2, leaves_per_pod=0, core="", spine_up=0, core_groups=0, cores_per_group=0)


@pytest.mark.parametrize(
    ("gbps", "split", "ports"), [(200, 1, 40), (100, 2, 80), (50, None, 0), (400, None, 0)]
)
def test_a_switch_runs_its_rate_and_its_breakouts(gbps: int, split: int | None, ports: int) -> None:
    """A breakout into 4 is not among this switch's: 50G is refused, not 160 ports."""
    assert (breakout_for(PLAIN, gbps), radix(PLAIN, gbps)) == (split, ports)


@pytest.mark.parametrize(
    ("switch", "down", "rates", "most"),
    [
        (PLAIN, 60, (100, 100), 20),  # 80 links less 60
        (PLAIN, 60, (100, 200), 10),  # 30 ports split, 10 left whole
        (PLAIN, 61, (100, 200), 9),  # half a port is no port at 200G
        (PLAIN, 81, (100, 100), -1),
        (GROUPED, 48, (25, 100), 8),  # ports of their own
        (GROUPED, 48, (25, 25), 0),
    ],
)
def test_uplinks_that_the_endpoints_leave(
    switch: SwitchModel, down: int, rates: tuple[int, int], most: int
) -> None:
    assert most_uplinks(switch, down, *rates) == most


def test_uplink_rates_are_the_links_the_ports_and_the_uplink_groups() -> None:
    assert uplink_rates(PLAIN, 100) == [100, 200]
    assert uplink_rates(PLAIN, 200) == [200]
    assert uplink_rates(GROUPED, 25) == [25, 100]


@pytest.mark.parametrize(
    ("down", "factor", "ratio", "least"),
    [
        (60, 2, Fraction(3), 10),
        (32, 1, Fraction(1), 32),
        (7, 1, Fraction(7, 5), 5),
        (8, 1, Fraction(7, 5), 6),
    ],
)
def test_fewest_uplinks_counts_bandwidth(down: int, factor: int, ratio: Fraction, least: int) -> None:
    """Anvil: 60 x 100G over 10 x 200G is 3:1. A ratio kept as a float would round 8 / 1.4 down."""
    assert fewest_uplinks(down, factor, ratio) == least


@given(st.integers(1, 5000))
@settings(max_examples=60)
def test_divisors_are_all_of_them(n: int) -> None:
    assert list(divisors(n)) == [k for k in range(1, n + 1) if n % k == 0]


def ports_taken(links: Sequence[tuple[int, int]], together: bool) -> int:
    """Ports that links take, given as (number, links a port): of one split they share ports ``together``."""
    if together and len({split for _, split in links}) == 1:
        return -(-sum(n for n, _ in links) // links[0][1])
    return sum(-(-n // split) for n, split in links)


@settings(max_examples=150)
@given(
    st.integers(1, 12), st.sets(st.sampled_from([1, 2, 4]), min_size=1), st.sampled_from([100, 200, 400]),
    st.sampled_from([100, 200, 400]), st.integers(1, 40), st.booleans(),
)  # fmt: skip
def test_one_uplink_more_would_find_no_port(
    ports: int, breakouts: set[int], link: int, uplink: int, down: int, apart: bool
) -> None:
    """Uplinks are added one by one while the ports of 400G suffice; -1 where the endpoints find none."""
    model = replace(PLAIN, ports=ports, port_gbps=400, breakouts=tuple(sorted(breakouts)))
    splits = 400 // link, 400 // uplink
    most = -1
    if splits[0] in breakouts and splits[1] in breakouts and ports_taken([(down, splits[0])], True) <= ports:
        most = 0
        while ports_taken([(down, splits[0]), (most + 1, splits[1])], not apart) <= ports:
            most += 1
    assert most_uplinks(model, down, link, uplink, apart=apart) == most


@settings(max_examples=100)
@given(st.integers(1, 200), st.integers(1, 4), st.fractions(1, 6, max_denominator=8))
def test_one_uplink_less_would_break_the_ratio(down: int, factor: int, ratio: Fraction) -> None:
    """Counted up from one until the leaf's bandwidth down over up is within the ratio."""
    up = 1
    while Fraction(down, up * factor) > ratio:
        up += 1
    assert fewest_uplinks(down, factor, ratio) == up


@settings(max_examples=150)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 6), st.integers(1, 40), st.integers(1, 30))
def test_no_layout_has_fewer_cores(spines: int, spine_up: int, pods: int, ports: int, least: int) -> None:
    """Every number of groups and of cores in one: whole bundles, no core with more links than ports."""
    fitting = [
        (groups, cores)
        for groups in range(1, spines + 1)
        for cores in range(1, spine_up + 1)
        if spines % groups == 0 and spine_up % cores == 0 and groups * cores >= least
        and pods * (spines // groups) * (spine_up // cores) <= ports
    ]  # fmt: skip
    fewest = min((groups * cores for groups, cores in fitting), default=0)
    found = core_layouts(spines, spine_up, pods, ports, least)
    assert sorted(found) == [layout for layout in fitting if layout[0] * layout[1] == fewest]


@settings(max_examples=100)
@given(st.integers(1, 200), st.integers(1, 12), st.integers(0, 40))
def test_one_unit_less_would_not_hold_the_nodes_and_the_reserved_ports(
    nodes: int, unit: int, reserved: int
) -> None:
    """Units are added until the nodes fit and so many ports below the leaves are free."""
    wiring = replace(THREE, nodes_per_unit=unit, down=unit + 1)
    units, ports = 1, wiring.down * wiring.leaves_per_unit
    while units * unit < nodes or units * ports - nodes * wiring.endpoints_per_node < reserved:
        units += 1
    assert units_for(wiring, nodes, reserved) == units


def test_core_layouts_of_the_published_a100_fabric() -> None:
    """10 spines of 14 uplinks in 8 pods, radix 40: 2 groups of 14 cores; 5 spines x 8 pods fill one."""
    assert core_layouts(10, 14, 8, 40) == ((2, 14),)
    assert core_layouts(10, 14, 41, 40) == ()


def test_the_a100_fabric_as_published() -> None:
    """140 nodes, a pod a rail: 56 leaves, 80 spines, 28 cores, 1,120 links in each layer."""
    size = size_of(THREE, 140)
    assert (size.leaves, size.pods, size.spines, size.cores) == (56, 8, 80, 28)
    assert (size.endpoints, size.leaf_spine_links, size.spine_core_links) == (1120, 1120, 1120)
    assert fits(THREE, size, 40, 40)
    assert not fits(THREE, size, 40, 39)


def test_two_tiers_fit_while_a_spine_reaches_every_leaf() -> None:
    """10 spines: two links a pair, so 20 leaves on 40 ports, in units of 8: 40 nodes fit, 41 do not."""
    assert fits(TWO, size_of(TWO, 40), 40, 0)
    assert not fits(TWO, size_of(TWO, 41), 40, 0)


def test_units_are_whole_and_reserved_ports_may_need_one_more() -> None:
    """Units of 20 nodes, 160 ports: 20 nodes fill one; with a single port reserved, two."""
    assert [units_for(TWO, n, 0) for n in (1, 20, 21)] == [1, 1, 2]
    assert [units_for(TWO, n, 1) for n in (19, 20)] == [1, 2]


@pytest.mark.parametrize(
    ("nodes", "fill"), [(40, [(16, 20)]), (45, [(16, 20), (8, 5)]), (5, [(8, 5)])]
)  # fmt: skip
def test_rail_leaves_are_filled_unit_by_unit(nodes: int, fill: list[tuple[int, int]]) -> None:
    assert list(unit_fill(TWO, nodes)) == fill


@given(st.integers(1, 300), st.integers(1, 12), st.sampled_from([1, 2, 4]), st.booleans())
@settings(max_examples=80)
def test_every_endpoint_hangs_on_some_leaf(nodes: int, unit: int, per_node: int, rail: bool) -> None:
    wiring = replace(
        TWO, nic_ports_per_node=per_node, rail_optimised=rail, nodes_per_unit=unit,
        leaves_per_unit=per_node if rail else 1, down=unit if rail else unit * per_node,
    )  # fmt: skip
    rows = list(unit_fill(wiring, nodes))
    assert sum(n * links for n, links in rows) == nodes * per_node
    assert sum(n for n, _ in rows) <= size_of(wiring, nodes).leaves
    assert all(0 < links <= wiring.down for _, links in rows)
