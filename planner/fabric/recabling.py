"""Which links stay in place when one year's wiring follows another, and which move.

A link stays where both of its switches stay and both wirings join them. Scalable units and pods may be
filled in any way: what stays is the most that any filling of both years keeps in place. Where rail-optimised
leaves follow others, or others them, one leaf of a group is taken to stay. ``moved`` are links that the old
wiring had, that the new one needs, and of which an end is plugged elsewhere. Everything is counted for many
pairs of wirings at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from planner.fabric.design import Size, Wiring
from planner.fabric.fat_tree import nodes_per_leaf

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LinkLayout:
    """Arrays over wirings: what decides which links stay. ``links`` has three columns (endpoint-leaf,
    leaf-spine, spine-core), of all copies, at the link rate (an 800G uplink over 400G links counts twice).

    Models and rates are numbered by codes, which must be shared by layouts that are compared.
    """

    nic_ports: Ints  # code of (planes, sites, split, NIC ports, rate)
    nic: Ints
    leaf: Ints
    spine: Ints  # -1: no uplinks
    core: Ints  # -1: fewer than three tiers
    uplink_gbps: Ints
    uplink_factor: Ints
    copies: Ints
    nodes: Ints
    endpoints_per_node: Ints  # in one plane
    leaf_groups: Ints  # sets of leaves that share nodes
    leaves_per_group: Ints
    nodes_per_group: Ints
    leaves: Ints
    pods: Ints
    leaves_per_pod: Ints
    spines_per_pod: Ints
    links_per_pair: Ints
    spine_up: Ints
    core_groups: Ints
    cores_per_group: Ints
    links: Ints

    def take(self, rows: Ints) -> LinkLayout:
        """These wirings only."""
        return LinkLayout(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})


def link_layout(fabrics: Sequence[tuple[Wiring, Size]], codes: dict[object, int]) -> LinkLayout:
    """The arrays of some wirings. ``codes`` numbers the models; share it between calls to compare."""

    def code(key: object) -> int:
        return codes.setdefault(key, len(codes) + 1)

    wirings, sizes = [w for w, _ in fabrics], [s for _, s in fabrics]
    per_group = [w.leaves_per_unit if w.rail_optimised else 1 for w in wirings]
    uses = [(w.planes, w.sites, w.nic_port_split, w.nic_ports_per_node, w.link_gbps) for w in wirings]
    return LinkLayout(
        nic_ports=_column(code(use) for use in uses),
        nic=_column(code(w.nic) for w in wirings),
        leaf=_column(code(w.leaf) for w in wirings),
        spine=_column(code(w.spine or "the other leaf") if w.leaf_up else -1 for w in wirings),
        core=_column(code(w.core) if w.tiers > 2 else -1 for w in wirings),
        uplink_gbps=_column(w.uplink_gbps for w in wirings),
        uplink_factor=_column(w.uplink_factor for w in wirings),
        copies=_column(w.copies for w in wirings),
        nodes=_column(s.nodes for s in sizes),
        endpoints_per_node=_column(w.endpoints_per_node for w in wirings),
        leaf_groups=_column(s.leaves // n for s, n in zip(sizes, per_group, strict=True)),
        leaves_per_group=_column(per_group),
        nodes_per_group=_column(nodes_per_leaf(w) for w in wirings),
        leaves=_column(s.leaves for s in sizes),
        pods=_column(s.pods for s in sizes),
        leaves_per_pod=_column(w.leaves_per_pod or s.leaves for w, s in fabrics),
        spines_per_pod=_column(1 if w.pair_links else w.spines for w in wirings),
        links_per_pair=_column(w.pair_links or w.links_per_pair for w in wirings),
        spine_up=_column(w.spine_up for w in wirings),
        core_groups=_column(w.core_groups for w in wirings),
        cores_per_group=_column(w.cores_per_group for w in wirings),
        links=np.array([_links(w, s) for w, s in fabrics], dtype=np.int64).reshape(len(fabrics), 3),
    )


def _column(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def _links(wiring: Wiring, size: Size) -> tuple[int, int, int]:
    """Links of the three layers, those of a pair of leaves among leaf-spine."""
    faster = wiring.copies * wiring.uplink_factor
    between = size.leaf_leaf_links + size.leaf_spine_links
    return size.endpoints * wiring.copies, between * faster, size.spine_core_links * faster


@dataclass(frozen=True, slots=True)
class Moves:
    """For every pair (old, new), by layer on the last axis: links moved, and links newly installed."""

    moved: Ints
    installed: Ints


def moves(old: LinkLayout, new: LinkLayout) -> Moves:
    """Compares every old wiring (first axis) with every new one (second axis)."""
    kept = _node_leaf_kept(old, new), _leaf_spine_kept(old, new), _spine_core_kept(old, new)
    both = np.minimum(old.links[:, None, :], new.links[None, :, :])
    added = new.links[None, :, :] - old.links[:, None, :]
    return Moves(np.maximum(0, both - np.stack(kept, axis=-1)), np.maximum(0, added))


def _least(old: Ints, new: Ints) -> Ints:
    """The lesser figure of every pair (old, new)."""
    return np.asarray(np.minimum(old[:, None], new[None, :]))


def _same(old: Ints, new: Ints) -> Bools:
    """Whether a figure is the same, for every pair (old, new)."""
    return np.asarray(old[:, None] == new[None, :])


def _node_leaf_kept(old: LinkLayout, new: LinkLayout) -> Ints:
    """Endpoint links that stay: nodes that keep their leaves x leaves of a group x ports on a leaf.

    Another NIC is another plug at the node's end, whatever the leaf.
    """
    same = _same(old.nic_ports, new.nic_ports) & _same(old.leaf, new.leaf) & _same(old.nic, new.nic)
    grouped = _least(old.leaf_groups, new.leaf_groups) * _least(old.nodes_per_group, new.nodes_per_group)
    nodes = np.minimum(_least(old.nodes, new.nodes), grouped)
    ports = _least(
        old.endpoints_per_node // old.leaves_per_group, new.endpoints_per_node // new.leaves_per_group
    )
    leaves = _least(old.leaves_per_group, new.leaves_per_group)
    return np.asarray(same * _least(old.copies, new.copies) * nodes * leaves * ports)


def _leaf_spine_kept(old: LinkLayout, new: LinkLayout) -> Ints:
    """Uplinks of leaves that stay: leaves that keep their pod x its spines x links of a pair."""
    same = _same(old.nic_ports, new.nic_ports) & _same(old.leaf, new.leaf) & _same(old.spine, new.spine)
    same = same & _same(old.uplink_gbps, new.uplink_gbps) & (old.spine >= 0)[:, None]
    in_pods = _least(old.pods, new.pods) * _least(old.leaves_per_pod, new.leaves_per_pod)
    leaves = np.minimum(_least(old.leaves, new.leaves), in_pods)
    links = _least(old.spines_per_pod, new.spines_per_pod) * _least(old.links_per_pair, new.links_per_pair)
    return np.asarray(same * _faster_copies(old, new) * leaves * links)


def _spine_core_kept(old: LinkLayout, new: LinkLayout) -> Ints:
    """Uplinks of spines that stay: pods x core groups x their cores x spines of a group x links to a core."""
    same = _same(old.nic_ports, new.nic_ports) & _same(old.spine, new.spine) & _same(old.core, new.core)
    same = same & _same(old.uplink_gbps, new.uplink_gbps) & (old.core >= 0)[:, None]
    cores = _least(old.core_groups, new.core_groups) * _least(old.cores_per_group, new.cores_per_group)
    spines = _least(_over(old.spines_per_pod, old.core_groups), _over(new.spines_per_pod, new.core_groups))
    links = _least(_over(old.spine_up, old.cores_per_group), _over(new.spine_up, new.cores_per_group))
    return np.asarray(same * _faster_copies(old, new) * _least(old.pods, new.pods) * cores * spines * links)


def _faster_copies(old: LinkLayout, new: LinkLayout) -> Ints:
    """Copies of the fabric x what an uplink counts for at the link rate."""
    return _least(old.copies, new.copies) * _least(old.uplink_factor, new.uplink_factor)


def _over(a: Ints, b: Ints) -> Ints:
    return np.asarray(a // np.maximum(b, 1))
