"""What the link between data centres costs: time, throughput, money."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from planner.operations_state import HOURS_PER_YEAR
from planner.scenario import Operations, WanAsk, Workload
from planner.throughput_types import Estimate
from planner.throughput_wan import GRADIENT_BYTES, exchange_bytes


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
