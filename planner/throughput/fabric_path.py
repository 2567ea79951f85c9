"""The fabric as a job meets it: bytes a second of an endpoint and latency of a message."""

from __future__ import annotations

from dataclasses import dataclass

from planner.scenario.scenario import Operations
from planner.throughput.cluster import FabricView
from planner.throughput.constants import value
from planner.throughput.numbers import both, larger, pick, root, smaller
from planner.throughput.operations import TUNINGS, hashed_flows, rate_ratio
from planner.throughput.result import ThroughputError


def link_share(fabric: FabricView) -> float:
    """e0: share of the link rate that payload reaches within one leaf, measured or shipped.

    TCP over traditional Ethernet reaches a share of the link and never more than a cap.
    """
    measured = fabric.calibration.e0.get(fabric.technology) if fabric.calibration else None
    if measured is not None:
        return measured
    if fabric.technology != "ethernet":
        return value(f"{fabric.technology}.efficiency")
    return smaller(value("ethernet.rate_ratio"), value("ethernet.rate_cap_gbps") / fabric.endpoint_gbps)


def message_s(fabric: FabricView) -> float:
    """alpha0: seconds that a message costs beside its bytes and its hops, measured or shipped."""
    measured = fabric.calibration.alpha_us.get(fabric.technology) if fabric.calibration else None
    return value(f"{fabric.technology}.alpha_s") if measured is None else measured * 1e-6


_SPRAYING = ("infiniband", "spectrum-x")
PLACEMENTS = ("packed", "scattered")


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


def _kept(slowdown: float) -> float:
    return pick(slowdown <= 1, 1.0, 1 / larger(slowdown, 1.0))


def ecmp_efficiency(load: float, flows: float) -> float:
    """Share of its rate that a flow keeps under hashing: min(1, 1/(load + z*sqrt(load/flows))).

    ``load`` is the mean load of an uplink over its rate (rho * oversubscription), ``flows`` the
    hash-distinct flows of a NIC; z = 1.9 is the largest of 32 normal loads.

    >>> round(1 / ecmp_efficiency(1.0, 1000 / 16), 2)
    1.24
    """
    return _kept(load + value("ecmp.z") * root(load / flows))


def spraying_efficiency(load: float) -> float:
    """Likewise with adaptive routing or packet spraying: min(1, 1/(1.03*load))."""
    return _kept(value("spraying.load_ratio") * load)


def crosses_spine(fabric: FabricView, nodes: float) -> bool:
    """Whether a job of ``nodes`` leaves its set of leaves."""
    return both(fabric.tiers > 1, nodes > fabric.nodes_per_unit)


def spine_share(fabric: FabricView, nodes: float, placement: str) -> float:
    """rho: share of a job's traffic that crosses the spine; 0 within one set of leaves.

    Packed: ranks follow the leaves, and of a rank's peers 1 - unit/nodes lie elsewhere (a ring's
    neighbours fewer, which is not counted on). Scattered: all of it, also of a small job in a large
    cluster; the caller's ``nodes`` are then the cluster's.
    """
    if placement not in PLACEMENTS:
        raise ThroughputError(f"placement {placement!r}: use {' or '.join(map(repr, PLACEMENTS))}")
    away = 1.0 - fabric.nodes_per_unit / nodes if placement == "packed" else 1.0
    return pick(crosses_spine(fabric, nodes), away, 0.0)


def uplink_load(fabric: FabricView, nodes: float, placement: str = "packed") -> float:
    """rho*o: what a job at full rate asks of the busiest tier of uplinks, over their bandwidth.

    Three tiers: the worse of leaf and leaf times spine.
    """
    core = pick(fabric.tiers > 2, larger(1.0, fabric.spine_oversubscription), 1.0)
    return spine_share(fabric, nodes, placement) * fabric.oversubscription * core


def _spine_efficiency(fabric: FabricView, load: float, operations: Operations) -> float:
    if fabric.technology in _SPRAYING:
        if operations.adaptive_routing:
            return spraying_efficiency(load)
        return ecmp_efficiency(load, value("ecmp.flows_default"))
    if fabric.technology == "ethernet":
        # TCP fills only a part of its link, so the uplinks carry that part
        return ecmp_efficiency(load * link_share(fabric), value("ecmp.flows_default"))
    return ecmp_efficiency(load, hashed_flows(operations))


def _check(fabric: FabricView, operations: Operations) -> None:
    if fabric.technology not in (*_SPRAYING, "roce", "ethernet"):
        raise ThroughputError(f"no fabric constants for technology {fabric.technology!r}")
    if operations.roce_tuning not in TUNINGS:
        raise ThroughputError(f"roce_tuning {operations.roce_tuning!r}: use one of {', '.join(TUNINGS)}")


def _notes(fabric: FabricView, operations: Operations) -> tuple[str, ...]:
    notes = []
    if fabric.technology in _SPRAYING and not operations.adaptive_routing:
        default = f"{fabric.technology} is taken as ECMP with the default number of flows"
        notes.append(f"adaptive routing is off: {default}")
    if operations.in_network_reduction and fabric.technology != "infiniband":
        notes.append(f"in-network reduction is not counted: {fabric.technology} has none here")
    return tuple(notes)


def fabric_path(
    fabric: FabricView, nodes: float, operations: Operations, cluster_nodes: float = 0
) -> FabricPath:
    """What the fabric gives a job of ``nodes``: B = link/8 * e0 * spine_eff, alpha = alpha0 + hops*hop.

    ``cluster_nodes`` (0: the job's) matter where jobs are scattered over a larger cluster. Raises
    ThroughputError for a technology without constants or a word not known.
    """
    _check(fabric, operations)
    spread = larger(nodes, cluster_nodes) if operations.placement == "scattered" else nodes
    load = uplink_load(fabric, spread, operations.placement)
    across = crosses_spine(fabric, spread)
    rate = fabric.endpoint_gbps * 1e9 / 8 * link_share(fabric) * rate_ratio(fabric.technology, operations)
    hops = 2 * pick(across, fabric.tiers, 1) - 1
    return FabricPath(
        bytes_per_s=rate * _spine_efficiency(fabric, load, operations),
        alpha_s=message_s(fabric) + hops * value("hop_s"),
        warnings=_notes(fabric, operations) if across is True else (),
        in_network=operations.in_network_reduction and fabric.technology == "infiniband",
        all_to_all_ratio=value("all_to_all_ratio"),
    )


def ideal_path(fabric: FabricView) -> FabricPath:
    """The full link without latency or contention, whatever the technology."""
    return FabricPath(bytes_per_s=fabric.endpoint_gbps * 1e9 / 8, alpha_s=0.0)
