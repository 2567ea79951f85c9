"""The exchange of gradients between data centres."""

from __future__ import annotations

from planner.scenario import WanAsk
from planner.throughput_types import ThroughputError

GRADIENT_BYTES = {"fp32": 4.0, "bf16": 2.0, "fp8": 1.0}


def link_rate_gbps(wan: WanAsk) -> float:
    """What TCP moves between two sites: the link, or its windows in flight over the round trip.

    >>> link_rate_gbps(WanAsk(2, 100.0, 20.0, tcp_streams=1, tcp_window_mib=32.0))
    13.4217728
    """
    if wan.link_gbps <= 0:
        raise ThroughputError("several sites need a link between them: give its rate in Gb/s")
    if wan.round_trip_ms == 0:
        return wan.link_gbps
    in_flight_bits = wan.tcp_streams * wan.tcp_window_mib * 2**20 * 8
    return min(wan.link_gbps, in_flight_bits / (wan.round_trip_ms * 1e-3) / 1e9)


def exchange_bytes(wan: WanAsk, params: float, replicas: float, site_gradient_bytes: float) -> float:
    """Bytes that cross a site's link each way in a step.

    Hierarchical: a ring over the sites, 2*(S-1)/S of the compressed gradients (all of them for two sites).
    Else one ring over all replicas, 2*(R-1)/R of the gradients as they are inside a site.
    """
    if wan.hierarchical:
        return 2 * (wan.sites - 1) / wan.sites * params * wan.gradient_bytes / wan.compression_ratio
    return 2 * (replicas - 1) / replicas * params * site_gradient_bytes


def exchange_s(wan: WanAsk, params: float, replicas: float, site_gradient_bytes: float) -> float:
    """Seconds of the exchange of one step, before overlap; 0 for one site.

    S-1 round trips for the sites' ring; the flat ring waits half a round trip in each of 2*(R-1) steps.
    Raises ThroughputError where several sites have no link.
    """
    if wan.sites <= 1:
        return 0.0
    rounds = wan.sites - 1 if wan.hierarchical else replicas - 1
    size = exchange_bytes(wan, params, replicas, site_gradient_bytes)
    return size * 8 / (link_rate_gbps(wan) * 1e9) + rounds * wan.round_trip_ms / 1e3
