"""What the links of a design show when they are counted one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.fabric.design import Design
from planner.fabric.links import CableList, Ints, nic_port


def length_faults(design: Design, cables: CableList) -> Iterator[str]:
    """Each layer has as many links as the design says."""
    size = design.size
    wired = {
        "node-leaf": size.endpoints,
        "leaf-spine": size.leaf_spine_links,
        "spine-core": size.spine_core_links,
    }
    for name, layer in cables.layers():
        if len(layer) != wired[name]:
            yield f"{name}: {len(layer)} links in the cable list, {wired[name]} in the design"
    if len(cables.leaf_leaf) != size.leaf_leaf_links:
        found = len(cables.leaf_leaf)
        yield f"leaf-leaf: {found} links in the cable list, {size.leaf_leaf_links} in the design"


def port_faults(design: Design, cables: CableList) -> Iterator[str]:
    """No port is used twice. Both sides of a switch draw on the same ports: they are looked at together."""
    down, middle, top = cables.node_leaf, cables.leaf_spine, cables.spine_core
    across = cables.leaf_leaf
    both = [(across.near, across.near_port), (across.far, across.far_port)]
    for tier, ends in (
        ("node", [(down.near, down.near_port)]),
        ("leaf", [(down.far, down.far_port), (middle.near, middle.near_port), *both]),
        ("spine", [(middle.far, middle.far_port), (top.near, top.near_port)]),
        ("core", [(top.far, top.far_port)]),
    ):
        device = np.concatenate([e[0] for e in ends])
        port = np.concatenate([e[1] for e in ends])
        if not len(device):
            continue
        width = int(port.max()) + 1
        used = np.bincount(device * width + port)
        twice = np.flatnonzero(used > 1)
        if len(twice):
            at, which = divmod(int(twice[0]), width)
            yield f"{tier} {at}: port {which} is used {int(used[twice[0]])} times ({len(twice)} such ports)"


def endpoint_faults(design: Design, cables: CableList) -> Iterator[str]:
    """Every endpoint of every node is attached, once over all planes, and by rails where so asked."""
    wiring, size, layer = design.wiring, design.size, cables.node_leaf
    attached = np.bincount(layer.near, minlength=size.nodes)
    if (attached != wiring.endpoints_per_node).any():
        node = int(np.flatnonzero(attached != wiring.endpoints_per_node)[0])
        yield f"node {node}: {int(attached[node])} of {wiring.endpoints_per_node} endpoints are attached"
    if len(layer) and int(layer.far.max()) >= size.leaves:
        yield f"a node is attached to leaf {int(layer.far.max())}, there are {size.leaves}"
        return
    endpoint = np.arange(wiring.endpoints_per_node, dtype=np.int64)
    parts = [
        part
        for plane in range(wiring.planes)
        for part in zip(*(x.tolist() for x in nic_port(wiring, plane, endpoint)), strict=True)
    ]
    ports, split = wiring.nic_ports_per_node, wiring.nic_port_split
    if sorted(parts) != [(port, part) for port in range(ports) for part in range(split)]:
        yield f"the planes do not use each of {ports} x {split} parts of a node's NIC ports once"
    if wiring.rail_optimised and wiring.pair_links:
        leaf = np.full(wiring.endpoints_per_node, -1, dtype=np.int64)
        leaf[layer.near_port] = layer.far
        if (leaf[layer.near_port] != layer.far).any():
            yield "the ports of a rail are spread over both leaves of the pair"
    if wiring.rail_optimised and wiring.tiers > 1:
        rail = np.full(size.leaves, -1, dtype=np.int64)
        rail[layer.far] = layer.near_port
        mixed = np.flatnonzero(rail[layer.far] != layer.near_port)
        if len(mixed):
            yield f"leaf {int(layer.far[mixed[0]])} serves more than one rail"


def leaf_stripe_faults(design: Design, cables: CableList) -> Iterator[str]:
    """Every leaf has the same number of links to every spine of its pod, and none elsewhere."""
    wiring, size, layer = design.wiring, design.size, cables.leaf_spine
    if wiring.tiers < 2:
        return
    a_pod = wiring.leaves_per_pod if wiring.tiers > 2 else size.leaves
    if (layer.far // wiring.spines != layer.near // a_pod).any():
        yield "a leaf is linked to a spine of another pod"
    links = np.bincount(layer.near * wiring.spines + layer.far % wiring.spines)
    pairs = size.leaves * wiring.spines
    if len(links) != pairs or (links != wiring.up // wiring.spines).any():
        yield f"striping: leaves have {_spread(links, pairs)} links to a spine of their pod"


def core_stripe_faults(design: Design, cables: CableList) -> Iterator[str]:
    """Every spine has the same number of links to every core of its group, and none elsewhere."""
    wiring, size, layer = design.wiring, design.size, cables.spine_core
    if wiring.tiers < 3:
        return
    group = layer.near % wiring.spines // (wiring.spines // wiring.core_groups)
    if (layer.far // wiring.cores_per_group != group).any():
        yield "a spine is linked to a core of another group"
    links = np.bincount(layer.near * wiring.cores_per_group + layer.far % wiring.cores_per_group)
    pairs = size.spines * wiring.cores_per_group
    if len(links) != pairs or (links != wiring.spine_up // wiring.cores_per_group).any():
        yield f"striping: spines have {_spread(links, pairs)} links to a core of their group"
    cores = np.bincount(layer.far, minlength=size.cores)
    if len(cores) != size.cores or cores.min() != cores.max():
        yield f"cores have {_spread(cores, size.cores)} links"


def _spread(links: Ints, count: int) -> str:
    least = 0 if len(links) < count else int(links.min())
    return f"{least} to {int(links.max()) if len(links) else 0}"


def _pair_ends(cables: CableList) -> tuple[Ints, Ints]:
    """The leaf at either end of each link of a pair."""
    return cables.leaf_leaf.near, cables.leaf_leaf.far


@dataclass(frozen=True, slots=True)
class Degrees:
    """Links of each switch of one plane: arrays by switch."""

    leaf_down: Ints
    leaf_up: Ints
    spine_down: Ints
    spine_up: Ints
    core_down: Ints


def degrees(design: Design, cables: CableList) -> Degrees:
    """How many links each switch has on each side."""
    size = design.size

    def count(device: Ints, devices: int) -> Ints:
        return np.asarray(np.bincount(device, minlength=devices), dtype=np.int64)

    return Degrees(
        count(cables.node_leaf.far, size.leaves),
        count(np.concatenate([cables.leaf_spine.near, *_pair_ends(cables)]), size.leaves),
        count(cables.leaf_spine.far, size.spines),
        count(cables.spine_core.near, size.spines),
        count(cables.spine_core.far, size.cores),
    )
