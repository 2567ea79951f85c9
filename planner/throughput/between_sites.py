"""What the link between data centres costs: time, throughput, money."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from planner.scenario.scenario import Operations, WanAsk, Workload
from planner.throughput.goodput import HOURS_PER_YEAR
from planner.throughput.result import Estimate, ThroughputError

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


@dataclass(frozen=True, slots=True)
class WideLink:
    """The job over several sites against the same GPUs at one site, in ``year``.

    ``share_ratio``: of the step, exposed. By gradient format (fp32, bf16, fp8): ``exchange_gbytes``, what
    a site sends in a step (1e9 bytes), and ``exposed_s``, what the step waits for it.
    ``lost_usd_per_year`` is the worth of the GPU-hours lost; ``link_usd_per_year`` the link's price.
    """

    year: int
    share_ratio: float
    effective_tflops: float
    one_site_effective_tflops: float
    lost_ratio: float
    lost_gpu_hours_per_year: float
    lost_usd_per_year: float
    link_usd_per_year: float | None
    exchange_gbytes: Mapping[str, float]
    exposed_s: Mapping[str, float]


def wide_link(
    *,
    year: int,
    gpus: int,
    job: Workload,
    wan: WanAsk,
    operations: Operations,
    rated: Callable[[WanAsk], Estimate],
) -> WideLink | None:
    """Compares the sites with one; None where there is one. ``rated`` is the job over given sites."""
    if wan.sites <= 1:
        return None
    over, alone = rated(wan), rated(WanAsk())
    lost = 1 - over.effective_tflops / alone.effective_tflops
    hours = lost * gpus * HOURS_PER_YEAR
    formats = {name: replace(wan, gradient_bytes=size) for name, size in GRADIENT_BYTES.items()}
    sent = {
        name: exchange_bytes(sites, job.model.params, over.data_parallel, job.gradient_bytes)
        for name, sites in formats.items()
    }
    waits = {name: rated(sites) for name, sites in formats.items()}
    return WideLink(
        year=year,
        share_ratio=over.shares["wan"],
        effective_tflops=over.effective_tflops,
        one_site_effective_tflops=alone.effective_tflops,
        lost_ratio=lost,
        lost_gpu_hours_per_year=hours,
        lost_usd_per_year=hours * operations.gpu_hour_usd,
        link_usd_per_year=wan.usd_per_year,
        exchange_gbytes={name: size / 1e9 for name, size in sent.items()},
        exposed_s={name: run.shares["wan"] * run.step_time_s for name, run in waits.items()},
    )
