"""The links of one plane, port by port, as arrays of whole numbers.

Everything is numbered from 0. A switch's ports are counted in links, in the order in which they
leave it: the ports that face down first (all of ``down`` of a leaf, a full pod's of a spine), then
its uplinks. Nodes fill scalable units one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.fabric.design import Design, Size, Wiring

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Layer:
    """Links between two tiers: entry i joins (near, near_port) to (far, far_port), far being above."""

    near: Ints
    near_port: Ints
    far: Ints
    far_port: Ints

    def __len__(self) -> int:
        return len(self.near)


@dataclass(frozen=True, slots=True)
class CableList:
    """The links of one plane. ``near_port`` of ``node_leaf`` is the node's endpoint in this plane.

    Layers that the fabric lacks are empty.
    """

    node_leaf: Layer
    leaf_spine: Layer
    spine_core: Layer
    leaf_leaf: Layer  # of a collapsed pair: near is leaf 0, far leaf 1

    def layers(self) -> Iterator[tuple[str, Layer]]:
        """(name, layer) from the nodes up; names as the tiers of a BOM."""
        yield "node-leaf", self.node_leaf
        yield "leaf-spine", self.leaf_spine
        yield "spine-core", self.spine_core


def cable_list(design: Design) -> CableList:
    """The links of one plane of a design. Every plane is wired alike."""
    wiring, size = design.wiring, design.size
    return CableList(
        node_leaf=_node_leaf(wiring, size),
        leaf_spine=_leaf_spine(wiring, size) if wiring.tiers > 1 and wiring.spines else _none(),
        spine_core=_spine_core(wiring, size) if wiring.tiers > 2 and size.cores else _none(),
        leaf_leaf=_leaf_leaf(wiring),
    )


def nic_port(wiring: Wiring, plane: int, endpoint: Ints) -> tuple[Ints, Ints]:
    """(NIC port of the node, part of a split port) of endpoints of a plane.

    The parts of all ports, port by port, are dealt to the planes in turn: where a port is split into
    as many parts as there are planes, each plane reaches every NIC.
    """
    dealt = endpoint * wiring.planes + plane
    return dealt // wiring.nic_port_split, dealt % wiring.nic_port_split


def _none() -> Layer:
    return Layer(*(np.zeros(0, dtype=np.int64) for _ in range(4)))


def _grid(*counts: int) -> list[Ints]:
    """Every combination of indices below ``counts``, the last running fastest."""
    return [np.asarray(axis.ravel(), dtype=np.int64) for axis in np.indices(counts)]


def _node_leaf(wiring: Wiring, size: Size) -> Layer:
    """Node i sits in unit i // nodes_per_unit. With a leaf a rail, endpoint e goes to the unit's leaf e,
    at the node's place in the unit; else a leaf takes whole nodes, all their endpoints side by side, and
    the last leaf of a unit what is left of it."""
    node, endpoint = _grid(size.nodes, wiring.endpoints_per_node)
    unit, place = node // wiring.nodes_per_unit, node % wiring.nodes_per_unit
    first = unit * wiring.leaves_per_unit
    if wiring.rail_optimised and wiring.tiers > 1:
        return Layer(node, endpoint, first + endpoint, place)
    if wiring.rail_optimised and wiring.pair_links:  # half of the rails, a node's side by side
        half = wiring.endpoints_per_node // 2
        return Layer(node, endpoint, endpoint // half, place * half + endpoint % half)
    a_leaf = -(-wiring.nodes_per_unit // wiring.leaves_per_unit)
    port = place % a_leaf * wiring.endpoints_per_node + endpoint
    return Layer(node, endpoint, first + place // a_leaf, port)


def _leaf_leaf(wiring: Wiring) -> Layer:
    """The links of a pair use the same ports of both leaves, after those that face down."""
    (link,) = _grid(wiring.pair_links)
    port = wiring.down + link
    return Layer(np.zeros_like(link), port, np.ones_like(link), port)


def _leaf_spine(wiring: Wiring, size: Size) -> Layer:
    """Leaf l of a pod has links_per_pair links side by side to each of the pod's spines."""
    pair = wiring.up // wiring.spines
    leaf, spine, link = _grid(size.leaves, wiring.spines, pair)
    a_pod = wiring.leaves_per_pod if wiring.tiers > 2 else size.leaves
    pod, place = leaf // a_pod, leaf % a_pod
    return Layer(leaf, wiring.down + spine * pair + link, pod * wiring.spines + spine, place * pair + link)


def _spine_core(wiring: Wiring, size: Size) -> Layer:
    """The spines of a pod fall into equal groups in order; spine q of a group has spine_up /
    cores_per_group links side by side to each core of the group."""
    a_group = max(1, wiring.spines // wiring.core_groups)
    bundle = wiring.spine_up // wiring.cores_per_group
    pod, spine, core, link = _grid(size.pods, wiring.spines, wiring.cores_per_group, bundle)
    group, place = spine // a_group, spine % a_group
    facing_down = wiring.leaves_per_pod * (wiring.up // wiring.spines)
    return Layer(
        pod * wiring.spines + spine,
        facing_down + core * bundle + link,
        group * wiring.cores_per_group + core,
        (pod * a_group + place) * bundle + link,
    )
