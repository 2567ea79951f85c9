"""The rules that a wiring and its size must keep, each checked on its own from first principles.

Written from the rules of the fat-tree, not from the arithmetic that found the design.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from planner.catalog.parts import SwitchModel
from planner.check.check_case import DesignCase


def choice_faults(case: DesignCase) -> Iterator[str]:
    """What the scenario fixes: planes, split, NIC ports, rate, rails, sites, and the models allowed."""
    w, ask = case.design.wiring, case.scenario.fabric
    for name, value, allowed in (
        ("planes", w.planes, ask.planes),
        ("nic_port_split", w.nic_port_split, ask.nic_port_split),
        ("nic_ports_per_node", w.nic_ports_per_node, ask.nic_ports_per_node),
        ("link_gbps", w.link_gbps, ask.link_gbps),
    ):
        if value not in allowed:
            yield f"{name} is {value}, asked for is {' or '.join(map(str, allowed))}"
    endpoints = w.nic_ports_per_node * w.nic_port_split
    if endpoints % w.planes:
        yield f"{w.planes} planes do not divide the {endpoints} endpoints of a node"
    if w.sites != case.scenario.wan.sites:
        yield f"fabrics for {w.sites} sites, asked for are {case.scenario.wan.sites}"
    # a node with one endpoint in a plane, or a single switch, is both
    if (
        w.endpoints_per_node > 1
        and (w.tiers > 1 or w.pair_links)
        and w.rail_optimised not in ask.rail_optimised
    ):
        yield f"rail_optimised is {w.rail_optimised}, which is not asked for"
    vendors = case.scenario.limits.switch_vendors
    for tier, model in case.models.tiers():
        if case.technology not in model.technologies:
            yield f"{tier}: {model.id} is not a {case.technology} switch"
        if ask.switches is not None and model.id not in ask.switches:
            yield f"{tier}: {model.id} is not among the switches asked for"
        if vendors is not None and model.vendor not in vendors:
            yield f"{tier}: {model.vendor} is not among the vendors allowed"


def port_faults(case: DesignCase) -> Iterator[str]:
    """Physical ports, after breakout: none is used that a switch does not have."""
    w, size = case.design.wiring, case.design.size
    pair, uplink = w.links_per_pair, w.uplink_gbps
    leaves = w.leaves_per_pod if w.tiers > 2 else size.leaves
    # of each tier: breakout and rate below, links below, links above; those above run at the uplink rate
    sides = [("leaf", case.models.leaf, w.leaf_breakout, w.link_gbps, w.down, w.up or w.pair_links)]
    if case.models.spine:
        sides.append(("spine", case.models.spine, w.spine_breakout, uplink, leaves * pair, w.spine_up))
    whole = w.core_groups and w.cores_per_group and not w.spines % w.core_groups
    if case.models.core and whole and not w.spine_up % w.cores_per_group:
        share = w.spines // w.core_groups * (w.spine_up // w.cores_per_group)
        sides.append(("core", case.models.core, w.core_breakout, uplink, size.pods * share, 0))
    for tier, model, breakout, gbps, below, above in sides:
        if breakout not in model.breakouts or breakout * gbps != model.port_gbps:
            yield f"{tier}: a {model.port_gbps}G port of {model.id} can't be split into {breakout} x {gbps}G"
            continue
        used = ports_used(model, gbps, below, uplink, above)
        if used is None:
            yield f"{tier}: {model.id} has no ports for {above} uplinks at {uplink}G"
        elif used > model.ports:
            yield f"{tier}: {below} links down and {above} up take {used} ports, {model.id} has {model.ports}"


def ports_used(model: SwitchModel, gbps: int, below: int, uplink_gbps: int, above: int) -> int | None:
    """Physical ports of the main group that the links take; None where an uplink has no port at all.

    A separate group of uplink ports is filled first. Links of one rate share split ports.
    """
    if uplink_gbps == model.uplink_gbps:
        above = max(0, above - model.uplink_ports)
    split = model.port_gbps // gbps
    if not above or uplink_gbps == gbps:
        return -(-(below + above) // split)
    split_up = model.port_gbps // uplink_gbps
    if split_up * uplink_gbps != model.port_gbps or split_up not in model.breakouts:
        return None
    return -(-below // split) - (-above // split_up)


def ratio_faults(case: DesignCase) -> Iterator[str]:
    """Bandwidth down : up of the wired leaf and of a full spine, as fractions."""
    w, ask = case.design.wiring, case.scenario.fabric
    sides = []
    if w.tiers > 1:
        sides.append(("leaf", w.down * w.link_gbps, w.up * w.uplink_gbps, ask.max_oversubscription))
    if w.pair_links:
        across = w.pair_links * w.uplink_gbps
        sides.append(("leaf of a pair", w.down * w.link_gbps, across, ask.max_oversubscription))
    if w.tiers > 2:
        facing_down = w.leaves_per_pod * w.links_per_pair
        sides.append(("spine", facing_down, w.spine_up, ask.spine_oversubscription))
    for tier, down, up, most in sides:
        if not up:
            yield f"{tier}: no uplinks"
        elif Fraction(down, up) > most:
            ratio = Fraction(down, up)
            yield (
                f"{tier}: wired {ratio.numerator}:{ratio.denominator}, "
                f"asked at most {most.numerator}:{most.denominator}"
            )


def unit_faults(case: DesignCase) -> Iterator[str]:
    """Whole scalable units that hold every node, of the size asked for, with the reserved ports free."""
    w, size, ask = case.design.wiring, case.design.size, case.scenario.fabric
    given, per_node = ask.nodes_per_scalable_unit, w.endpoints_per_node
    if w.tiers > 1 and given is not None and w.nodes_per_unit != given:
        yield f"scalable units of {w.nodes_per_unit} nodes, asked for are {given}"
    if size.leaves % w.leaves_per_unit:
        yield f"{size.leaves} leaves are not whole scalable units of {w.leaves_per_unit} leaves"
    elif (units := size.leaves // w.leaves_per_unit) * w.nodes_per_unit < size.nodes:
        yield f"{units} scalable units of {w.nodes_per_unit} nodes for {size.nodes} nodes"
    if w.rail_optimised and w.tiers > 1:
        if w.leaves_per_unit != per_node:
            yield f"a scalable unit has {w.leaves_per_unit} leaves for {per_node} rails"
        hosted = w.nodes_per_unit
    elif w.rail_optimised and w.pair_links:
        if w.leaves_per_unit != 2 or per_node % 2:
            yield f"{per_node} rails do not halve over the {w.leaves_per_unit} leaves of a pair"
        hosted = w.nodes_per_unit * per_node // 2
    else:
        hosted = -(-w.nodes_per_unit // w.leaves_per_unit) * per_node
    if hosted > w.down:
        yield f"leaf: {hosted} endpoints on {w.down} ports facing down"
    free = size.leaves * w.down - size.endpoints
    if free < ask.reserved_fabric_ports:
        yield f"{free} leaf ports are free, {ask.reserved_fabric_ports} are reserved"


def striping_faults(case: DesignCase) -> Iterator[str]:
    """Bundles are equal: spines divide uplinks, core groups divide spines, cores divide spine uplinks."""
    w = case.design.wiring
    wholes = []
    if w.tiers > 1:
        wholes.append((w.up, "uplinks of a leaf", w.spines, "spines"))
    if w.tiers > 2:
        wholes.append((w.spines, "spines of a pod", w.core_groups, "core groups"))
        wholes.append((w.spine_up, "uplinks of a spine", w.cores_per_group, "cores of a group"))
    for total, of, parts, into in wholes:
        if parts < 1 or total % parts:
            yield f"striping: {total} {of} do not divide over {parts} {into}"


def count_faults(case: DesignCase) -> Iterator[str]:
    """Switches and links of one plane follow from the wiring and the number of leaves."""
    w, size = case.design.wiring, case.design.size
    pods = -(-size.leaves // w.leaves_per_pod) if w.tiers > 2 and w.leaves_per_pod else 1
    spines = pods * w.spines if w.tiers > 1 else 0
    for name, found, right in (
        ("leaves", size.leaves, (2 if w.pair_links else 1) if w.tiers == 1 else size.leaves),
        ("leaf-leaf links", size.leaf_leaf_links, w.pair_links if w.tiers == 1 else 0),
        ("pods", size.pods, pods),
        ("spines", size.spines, spines),
        ("cores", size.cores, w.core_groups * w.cores_per_group if w.tiers > 2 else 0),
        ("leaf-spine links", size.leaf_spine_links, size.leaves * w.up if w.tiers > 1 else 0),
        ("spine-core links", size.spine_core_links, spines * w.spine_up if w.tiers > 2 else 0),
        ("endpoints", size.endpoints, size.nodes * w.endpoints_per_node),
        ("nodes of all sites", size.nodes * w.sites, case.design.nodes),
    ):
        if found != right:
            yield f"{found} {name}, the wiring makes {right}"


def limit_faults(case: DesignCase) -> Iterator[str]:
    """Limits on tiers and spines, and a collapsed pair only where it is asked for."""
    w, ask = case.design.wiring, case.scenario.fabric
    if w.pair_links and not ask.collapsed_pair:
        yield "a collapsed pair is not asked for"
    if w.tiers > ask.max_tiers:
        yield f"{w.tiers} tiers, at most {ask.max_tiers} are asked for"
    if w.tiers > 1 and w.spines < ask.min_spines:
        yield f"{w.spines} spines, at least {ask.min_spines} are asked for"
