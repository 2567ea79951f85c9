"""The fabric as a job meets it: bytes a second of an endpoint and latency of a message."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.scenario import Operations
from planner.throughput_constants import value
from planner.throughput_types import FabricView, ThroughputError

_SPRAYING = ("infiniband", "spectrum-x")


@dataclass(frozen=True, slots=True)
class Path:
    """One endpoint's rate and a message's latency; ``warnings`` say what was assumed."""

    bytes_per_s: float
    alpha_s: float
    warnings: tuple[str, ...] = ()


def ecmp_efficiency(load: float, flows: float) -> float:
    """Share of its rate that a flow keeps under hashing: min(1, 1/(load + z*sqrt(load/flows))).

    ``load`` is the mean load of an uplink over its rate (rho * oversubscription), ``flows`` the
    hash-distinct flows of a NIC; z = 1.9 is the largest of 32 normal loads.

    >>> round(1 / ecmp_efficiency(1.0, 1000 / 16), 2)
    1.24
    """
    slowdown = load + value("ecmp.z") * math.sqrt(load / flows)
    return 1.0 if slowdown <= 1 else 1 / slowdown


def spraying_efficiency(load: float) -> float:
    """Likewise with adaptive routing or packet spraying: min(1, 1/(1.03*load))."""
    slowdown = value("spraying.load_ratio") * load
    return 1.0 if slowdown <= 1 else 1 / slowdown


def crosses_spine(fabric: FabricView, nodes: int) -> bool:
    """Whether a job of ``nodes`` leaves its set of leaves (rho = 1; else rho = 0)."""
    return fabric.tiers > 1 and nodes > fabric.nodes_per_unit


def uplink_load(fabric: FabricView, nodes: int) -> float:
    """rho*o: what a job at full rate asks of the busiest tier of uplinks, over their bandwidth.

    rho is 1 as soon as the job spans two sets of leaves: the conservative reading, since a ring's
    neighbours mostly share a leaf. Three tiers: the worse of leaf and leaf times spine.
    """
    if not crosses_spine(fabric, nodes):
        return 0.0
    core = fabric.spine_oversubscription if fabric.tiers > 2 else 1.0
    return fabric.oversubscription * max(1.0, core)


def _endpoint_share(fabric: FabricView) -> float:
    """Share of the link rate that the protocol reaches within one leaf."""
    if fabric.technology != "ethernet":
        return value(f"{fabric.technology}.efficiency")
    cap = value("ethernet.rate_cap_gbps") / fabric.endpoint_gbps
    return min(value("ethernet.rate_ratio"), cap)


def _spine_efficiency(fabric: FabricView, load: float, operations: Operations) -> float:
    if load == 0:
        return 1.0
    if fabric.technology in _SPRAYING:
        if operations.adaptive_routing:
            return spraying_efficiency(load)
        return ecmp_efficiency(load, value("ecmp.flows_default"))
    if fabric.technology == "ethernet":
        # TCP fills only a part of its link, so the uplinks carry that part
        return ecmp_efficiency(load * _endpoint_share(fabric), value("ecmp.flows_default"))
    return ecmp_efficiency(load, value(f"ecmp.flows_{operations.roce_tuning}"))


def fabric_path(fabric: FabricView, nodes: int, operations: Operations) -> Path:
    """What the fabric gives a job of ``nodes``: B = link/8 * e0 * spine_eff, alpha = alpha0 + hops*hop.

    Raises ThroughputError for a technology without constants or a RoCE tuning not known.
    """
    if fabric.technology not in (*_SPRAYING, "roce", "ethernet"):
        raise ThroughputError(f"no fabric constants for technology {fabric.technology!r}")
    if operations.roce_tuning not in ("tuned", "default"):
        raise ThroughputError(f"roce_tuning {operations.roce_tuning!r}: use 'tuned' or 'default'")
    load = uplink_load(fabric, nodes)
    tiers_used = fabric.tiers if crosses_spine(fabric, nodes) else 1
    rate = fabric.endpoint_gbps * 1e9 / 8 * _endpoint_share(fabric)
    hashed = load > 0 and fabric.technology in _SPRAYING and not operations.adaptive_routing
    note = f"adaptive routing is off: {fabric.technology} is taken as ECMP with the default number of flows"
    return Path(
        bytes_per_s=rate * _spine_efficiency(fabric, load, operations),
        alpha_s=value(f"{fabric.technology}.alpha_s") + (2 * tiers_used - 1) * value("hop_s"),
        warnings=(note,) if hashed else (),
    )


def ideal_path(fabric: FabricView) -> Path:
    """The full link without latency or contention, whatever the technology."""
    return Path(bytes_per_s=fabric.endpoint_gbps * 1e9 / 8, alpha_s=0.0)
