"""Which links stay in place when one year's wiring follows another, and which move.

A link stays where both of its switches stay and both wirings join them; everything is counted for
many pairs of wirings at once. ``moved`` are links that the old wiring had, that the new one needs,
and of which an end is plugged elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.fabric.design import Size, Wiring
from planner.fabric.fat_tree import nodes_per_leaf

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Links:
    """Arrays over wirings: what decides which links stay. Counts of links are of all copies, at
    the link rate (an 800G uplink over 400G links counts twice)."""

    ports: Ints  # code of (planes, sites, split, NIC ports, rate)
    nic: Ints
    leaf: Ints
    spine: Ints
    core: Ints
    uplink_gbps: Ints
    copies: Ints
    nodes: Ints
    node_ports: Ints  # endpoints of a node in a plane
    groups: Ints  # sets of leaves that share nodes
    group_leaves: Ints
    group_nodes: Ints
    leaves: Ints
    pods: Ints
    pod_leaves: Ints
    spines: Ints  # of a pod
    pair: Ints
    spine_up: Ints
    core_groups: Ints
    group_cores: Ints
    uplink_factor: Ints
    count: Ints  # 3 columns: endpoint-leaf, leaf-spine, spine-core

    def take(self, rows: Ints) -> Links:
        """These wirings only."""
        return Links(*(getattr(self, f)[rows] for f in self.__slots__))


def links_of(fabrics: Sequence[tuple[Wiring, Size]], codes: dict[object, int]) -> Links:
    """The arrays of some wirings. ``codes`` numbers the models; share it between calls to compare."""

    def code(key: object) -> int:
        return codes.setdefault(key, len(codes) + 1)

    rows = []
    for w, s in fabrics:
        rail = w.rail_optimised
        group_leaves = w.leaves_per_unit if rail else 1
        rows.append(
            (
                code((w.planes, w.sites, w.nic_port_split, w.nic_ports_per_node, w.link_gbps)),
                code(w.nic),
                code(w.leaf),
                code(w.spine or "the other leaf") if w.leaf_up else -1,
                code(w.core) if w.tiers > 2 else -1,
                w.uplink_gbps,
                w.copies,
                s.nodes,
                w.endpoints_per_node,
                s.leaves // group_leaves,
                group_leaves,
                nodes_per_leaf(w),
                s.leaves,
                s.pods,
                w.leaves_per_pod or s.leaves,
                1 if w.pair_links else w.spines,
                w.pair_links or w.links_per_pair,
                w.spine_up,
                w.core_groups,
                w.cores_per_group,
                w.uplink_factor,
                s.endpoints * w.copies,
                (s.leaf_leaf_links + s.leaf_spine_links) * w.copies * w.uplink_factor,
                s.spine_core_links * w.copies * w.uplink_factor,
            )
        )
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 24)
    return Links(*[*(table[:, i] for i in range(21)), table[:, 21:]])


@dataclass(frozen=True, slots=True)
class Moves:
    """For every pair (old, new), by layer on the last axis: links moved, and links newly installed."""

    moved: Ints
    installed: Ints


def moves(old: Links, new: Links) -> Moves:
    """Compares every old wiring (first axis) with every new one (second axis)."""

    def least(field: str) -> Ints:
        return np.asarray(np.minimum(getattr(old, field)[:, None], getattr(new, field)[None, :]))

    def same(field: str) -> npt.NDArray[np.bool_]:
        return np.asarray(getattr(old, field)[:, None] == getattr(new, field)[None, :])

    ports = same("ports")
    leaf = ports & same("leaf")
    spine = leaf & same("spine") & same("uplink_gbps") & (old.spine >= 0)[:, None]
    core = ports & same("spine") & same("core") & same("uplink_gbps") & (old.core >= 0)[:, None]
    copies = least("copies")
    nodes = np.minimum(least("nodes"), least("groups") * least("group_nodes"))
    per_leaf = np.minimum(
        (old.node_ports // old.group_leaves)[:, None], (new.node_ports // new.group_leaves)[None, :]
    )
    # another NIC is another plug at the node's end, whatever the leaf
    stay_down = leaf * same("nic") * copies * nodes * least("group_leaves") * per_leaf
    leaves = np.minimum(least("leaves"), least("pods") * least("pod_leaves"))
    copies_up = copies * least("uplink_factor")
    stay_mid = spine * copies_up * leaves * least("spines") * least("pair")
    per_group = _over(old.spines, old.core_groups)[:, None], _over(new.spines, new.core_groups)[None, :]
    per_core = _over(old.spine_up, old.group_cores)[:, None], _over(new.spine_up, new.group_cores)[None, :]
    stay_top = core * copies_up * least("pods") * least("core_groups") * least("group_cores")
    stay_top = stay_top * np.minimum(*per_group) * np.minimum(*per_core)
    stay = np.stack([stay_down, stay_mid, stay_top], axis=-1)
    both = np.minimum(old.count[:, None, :], new.count[None, :, :])
    added = new.count[None, :, :] - old.count[:, None, :]
    return Moves(np.maximum(0, both - stay), np.maximum(0, added))


def _over(a: Ints, b: Ints) -> Ints:
    return np.asarray(a // np.maximum(b, 1))
