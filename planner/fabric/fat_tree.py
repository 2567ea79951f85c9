"""Closed-form fat-tree arithmetic: ports, striping, pods, cores. No solver, no prices.

Everything is of one plane. Links are counted at the rate they run at; ``radix`` is a switch's ports
at that rate, after breakout.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil

from planner.catalog.parts import SwitchModel
from planner.fabric.design import Size, Wiring


def breakout_for(switch: SwitchModel, gbps: int) -> int | None:
    """Links at ``gbps`` that one port of the switch is split into; None where it cannot."""
    if switch.port_gbps % gbps:
        return None
    split = switch.port_gbps // gbps
    return split if split in switch.breakouts else None


def radix(switch: SwitchModel, gbps: int) -> int:
    """Ports at ``gbps`` after breakout, 0 where the switch cannot run that rate."""
    return switch.ports * (breakout_for(switch, gbps) or 0)


def most_uplinks(
    switch: SwitchModel, down: int, link_gbps: int, uplink_gbps: int, *, apart: bool = False
) -> int:
    """The most uplinks at ``uplink_gbps`` that a leaf still has beside ``down`` endpoint ports.

    Where a second port group runs that rate, uplinks are in it alone. Links of one rate share cages unless
    they must be kept ``apart`` (other modules or cables on either side); links of two rates never share
    one. Negative where ``down`` does not fit.
    """
    split = breakout_for(switch, link_gbps)
    if split is None or down > switch.ports * split:
        return -1
    if switch.uplink_ports and uplink_gbps == switch.uplink_gbps:
        return switch.uplink_ports
    if uplink_gbps == link_gbps and not apart:
        return switch.ports * split - down
    up_split = breakout_for(switch, uplink_gbps)
    if up_split is None:
        return -1
    cages = switch.ports // switch.ports_per_cage - ceil(down / (switch.ports_per_cage * split))
    return cages * switch.ports_per_cage * up_split


def uplink_rates(leaf: SwitchModel, link_gbps: int) -> list[int]:
    """Rates that a leaf's uplinks may run at: the link rate, and the ports' native rate where faster.

    A switch with a group of uplink ports offers their rate.
    """
    rates = [link_gbps]
    if leaf.port_gbps > link_gbps and leaf.port_gbps % link_gbps == 0:
        rates.append(leaf.port_gbps)
    if leaf.uplink_ports and leaf.uplink_gbps > link_gbps and leaf.uplink_gbps % link_gbps == 0:
        rates.append(leaf.uplink_gbps)
    return sorted(set(rates))


def fewest_uplinks(down: int, uplink_factor: int, ratio: Fraction) -> int:
    """Least uplinks u with down / (u x factor) <= ratio.

    >>> fewest_uplinks(60, 2, Fraction(3))
    10
    """
    return max(1, -(-down * ratio.denominator // (ratio.numerator * uplink_factor)))


@lru_cache(maxsize=4096)
def divisors(n: int) -> tuple[int, ...]:
    """The divisors of n, rising.

    >>> divisors(12)
    (1, 2, 3, 4, 6, 12)
    """
    small = [k for k in range(1, int(n**0.5) + 1) if n % k == 0]
    return tuple(sorted({*small, *(n // k for k in small)}))


@lru_cache(maxsize=65536)
def core_layouts(
    spines: int, spine_up: int, pods: int, core_radix: int, least: int = 1
) -> tuple[tuple[int, int], ...]:
    """Every (core groups G, cores a group C) with the fewest cores G x C >= least; empty where none fits.

    The ``spines`` of a pod fall into G equal groups, C divides the ``spine_up`` uplinks of a spine,
    and a core's ports hold: pods x (spines / G) x (spine_up / C) <= core_radix.

    >>> core_layouts(2, 4, 4, 16)
    ((2, 1), (1, 2))
    """
    room = core_radix // pods
    found = [
        (spines // per_group, spine_up // per_core)
        for per_group in divisors(spines)
        for per_core in divisors(spine_up)
        if per_group * per_core <= room and (spines // per_group) * (spine_up // per_core) >= least
    ]
    fewest = min((g * c for g, c in found), default=0)
    return tuple((g, c) for g, c in found if g * c == fewest)


def units_for(wiring: Wiring, nodes: int, reserved_ports: int) -> int:
    """Whole scalable units that hold the nodes and leave ``reserved_ports`` leaf down ports free."""
    ports = wiring.down * wiring.leaves_per_unit
    endpoints = nodes * wiring.endpoints_per_node
    return max(ceil(nodes / wiring.nodes_per_unit), ceil((endpoints + reserved_ports) / ports))


def size_of(wiring: Wiring, nodes: int, reserved_ports: int = 0) -> Size:
    """Switches and links of one plane for ``nodes`` nodes. ``fits`` tells whether it can be built."""
    leaves = units_for(wiring, nodes, reserved_ports) * wiring.leaves_per_unit
    leaves = max(leaves, 2) if wiring.pair_links else leaves
    pods = 1 if wiring.tiers < 3 else ceil(leaves / wiring.leaves_per_pod)
    spines = pods * wiring.spines
    return Size(
        nodes=nodes,
        endpoints=nodes * wiring.endpoints_per_node,
        leaves=leaves,
        pods=pods,
        spines=spines,
        cores=wiring.core_groups * wiring.cores_per_group,
        leaf_spine_links=leaves * wiring.up,
        spine_core_links=spines * wiring.spine_up if wiring.tiers == 3 else 0,
        leaf_leaf_links=wiring.pair_links,
    )


def fits(wiring: Wiring, size: Size, spine_radix: int, core_radix: int) -> bool:
    """Whether the switches' ports hold this size: the spine's in two tiers, the core's in three.

    ``wiring`` is taken to hold for one leaf and one full pod; only what grows is looked at.
    """
    if wiring.tiers == 1:
        return size.leaves == (2 if wiring.pair_links else 1)
    if wiring.tiers == 2:
        return size.leaves * wiring.links_per_pair <= spine_radix
    spines_a_group = wiring.spines // wiring.core_groups
    links_a_core = wiring.spine_up // wiring.cores_per_group
    return size.pods * spines_a_group * links_a_core <= core_radix


def unit_fill(wiring: Wiring, nodes: int) -> Iterator[tuple[int, int]]:
    """(number of leaves, endpoint links on each) of a packed fabric, unit by unit, fullest first.

    Leaves without endpoints (a whole unit built for reserved ports) are not among them.
    """
    full, rest = divmod(nodes, wiring.nodes_per_unit)
    if wiring.rail_optimised and wiring.pair_links:
        yield 2, nodes * wiring.endpoints_per_node // 2
        return
    if wiring.rail_optimised and wiring.tiers > 1:
        yield from (
            (n * wiring.leaves_per_unit, links)
            for n, links in ((full, wiring.nodes_per_unit), (1, rest))
            if n and links
        )
        return
    hosted = nodes_per_leaf(wiring)
    for units, left in ((full, wiring.nodes_per_unit), (1, rest)):
        whole, part = divmod(left, hosted)
        if units and whole:
            yield units * whole, hosted * wiring.endpoints_per_node
        if units and part:
            yield units, part * wiring.endpoints_per_node


def nodes_per_leaf(wiring: Wiring) -> int:
    """Nodes that have endpoints on one leaf: a whole unit's (rail-optimised), or those it hosts."""
    if wiring.rail_optimised:
        return wiring.nodes_per_unit
    return -(-wiring.nodes_per_unit // wiring.leaves_per_unit)
