"""The fabric as a job meets it: bytes a second of an endpoint, after contention, and latency of a message."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import assert_never

from planner.catalog.technologies import Technology
from planner.scenario.scenario import Operations, Placement
from planner.throughput.cluster import FabricView
from planner.throughput.constants import Constants
from planner.throughput.result import ThroughputError


@dataclass(frozen=True, slots=True)
class FabricPath:
    """One endpoint's rate and a message's latency; ``warnings`` say what was assumed.

    ``in_network``: switches reduce gradients. ``all_to_all_ratio`` is what all-to-all traffic reaches of
    the rate, since its many flows meet at the receivers.
    """

    bytes_per_s: float
    alpha_s: float
    warnings: tuple[str, ...] = ()
    in_network: bool = False
    all_to_all_ratio: float = 1.0


def link_share(fabric: FabricView, constants: Constants) -> float:
    """e0: share of the link rate that payload reaches within one leaf.

    TCP over traditional Ethernet reaches a share of the link and never more than a cap, unless measured.
    """
    share = constants.efficiency.get(fabric.technology)
    if share is not None:
        return share
    if fabric.technology != "ethernet":
        raise ThroughputError(f"no fabric constants for technology {fabric.technology!r}")
    return min(constants.ethernet_rate_ratio, constants.ethernet_rate_cap_gbps / fabric.endpoint_gbps)


def _kept(slowdown: float) -> float:
    return 1.0 if slowdown <= 1 else 1 / slowdown


def ecmp_efficiency(load: float, flows: float, constants: Constants) -> float:
    """Share of its rate that a flow keeps under hashing: min(1, 1/(load + z*sqrt(load/flows))).

    ``load`` is the mean load of an uplink over its rate (rho * oversubscription), ``flows`` the
    hash-distinct flows of a NIC; z = 1.9 is the largest of 32 normal loads.
    """
    return _kept(load + constants.ecmp_z * math.sqrt(load / flows))


def spraying_efficiency(load: float, constants: Constants) -> float:
    """Likewise with adaptive routing or packet spraying: min(1, 1/(1.03*load))."""
    return _kept(constants.spraying_load_ratio * load)


def roce_rate_ratio(operations: Operations, constants: Constants) -> float:
    """Share of an endpoint's rate that RoCE keeps in its state of tuning."""
    match operations.roce_tuning:
        case "tuned" | "default":
            return 1.0
        case "off-tune":
            return constants.roce_off_tune_ratio
        case "wrong-class":
            return constants.roce_wrong_class_ratio
        case _:
            assert_never(operations.roce_tuning)


def roce_flows(operations: Operations, constants: Constants) -> float:
    """Hash-distinct flows of a RoCE NIC: PFC and ECN thresholds leave the queue pairs as they are."""
    default = operations.roce_tuning == "default"
    return constants.ecmp_flows_default if default else constants.ecmp_flows_tuned


def crosses_spine(fabric: FabricView, nodes: int) -> bool:
    """Whether a job of ``nodes`` leaves its set of leaves."""
    return fabric.tiers > 1 and nodes > fabric.nodes_per_unit


def spine_share(fabric: FabricView, nodes: int, placement: Placement) -> float:
    """rho: share of a job's traffic that crosses the spine; 0 within one set of leaves.

    Packed: ranks follow the leaves, and of a rank's peers 1 - unit/nodes lie elsewhere (a ring's
    neighbours fewer, which is not counted on). Scattered: all of it, also of a small job in a large
    cluster; the caller's ``nodes`` are then the cluster's.
    """
    if not crosses_spine(fabric, nodes):
        return 0.0
    match placement:
        case "packed":
            return 1.0 - fabric.nodes_per_unit / nodes
        case "scattered":
            return 1.0
        case _:
            assert_never(placement)


def uplink_load(fabric: FabricView, nodes: int, placement: Placement = "packed") -> float:
    """rho*o: what a job at full rate asks of the busiest tier of uplinks, over their bandwidth.

    Three tiers: the worse of leaf and leaf times spine.
    """
    core = max(1.0, fabric.spine_oversubscription) if fabric.tiers > 2 else 1.0
    return spine_share(fabric, nodes, placement) * fabric.oversubscription * core


def _spine_efficiency(fabric: FabricView, load: float, operations: Operations, constants: Constants) -> float:
    """Share of its rate that an endpoint keeps across the spine, by how the technology spreads its flows."""
    match fabric.technology:
        case "infiniband" | "spectrum-x":
            if operations.adaptive_routing:
                return spraying_efficiency(load, constants)
            return ecmp_efficiency(load, constants.ecmp_flows_default, constants)
        case "roce":
            return ecmp_efficiency(load, roce_flows(operations, constants), constants)
        case "ethernet":  # TCP fills only a part of its link, so the uplinks carry that part
            carried = load * link_share(fabric, constants)
            return ecmp_efficiency(carried, constants.ecmp_flows_default, constants)
        case _:
            assert_never(fabric.technology)


def sprays(technology: Technology) -> bool:
    """Whether the technology's switches route adaptively or spray packets, unless that is turned off."""
    return technology in ("infiniband", "spectrum-x")


def _notes(fabric: FabricView, operations: Operations) -> tuple[str, ...]:
    notes = []
    if sprays(fabric.technology) and not operations.adaptive_routing:
        default = f"{fabric.technology} is taken as ECMP with the default number of flows"
        notes.append(f"adaptive routing is off: {default}")
    if operations.in_network_reduction and fabric.technology != "infiniband":
        notes.append(f"in-network reduction is not counted: {fabric.technology} has none here")
    return tuple(notes)


def fabric_path(
    fabric: FabricView, nodes: int, operations: Operations, constants: Constants, cluster_nodes: int = 0
) -> FabricPath:
    """What the fabric gives a job of ``nodes``: B = link/8 * e0 * spine_eff, alpha = alpha0 + hops*hop.

    ``cluster_nodes`` (0: the job's) matter where jobs are scattered over a larger cluster.
    """
    spread = max(nodes, cluster_nodes) if operations.placement == "scattered" else nodes
    load = uplink_load(fabric, spread, operations.placement)
    across = crosses_spine(fabric, spread)
    kept = roce_rate_ratio(operations, constants) if fabric.technology == "roce" else 1.0
    rate = fabric.endpoint_gbps * 1e9 / 8 * link_share(fabric, constants) * kept
    hops = 2 * (fabric.tiers if across else 1) - 1
    return FabricPath(
        bytes_per_s=rate * _spine_efficiency(fabric, load, operations, constants),
        alpha_s=constants.alpha_s[fabric.technology] + hops * constants.hop_s,
        warnings=_notes(fabric, operations) if across else (),
        in_network=operations.in_network_reduction and fabric.technology == "infiniband",
        all_to_all_ratio=constants.all_to_all_ratio,
    )


def ideal_path(fabric: FabricView) -> FabricPath:
    """The full link without latency or contention, whatever the technology."""
    return FabricPath(bytes_per_s=fabric.endpoint_gbps * 1e9 / 8, alpha_s=0.0)
