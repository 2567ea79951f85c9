"""A mix of job sizes on one cluster: one job over all of it would overvalue the spine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.scenario import Workload
from planner.throughput_types import Estimate


def job_of_size(workload: Workload, gpus: int, first_gpus: int) -> Workload:
    """The workload as a job of ``gpus``: its batch is as large a part of the whole one as its GPUs are."""
    batch = workload.global_batch_sequences
    part = None if batch is None else max(1, round(batch * gpus / first_gpus))
    return replace(workload, global_batch_sequences=part, job_mix=())


def weighted(jobs: Sequence[tuple[Estimate, float, int]], gpus: int) -> Estimate:
    """The largest job's estimate with the rate of the mix: each size's rate a GPU by its GPU-hours.

    ``jobs`` are (estimate, share of the GPU-hours, GPUs asked for), the largest last.
    """
    largest = jobs[-1][0]
    rate = sum(share * job.effective_tflops / job.gpus for job, share, _ in jobs)
    words = ", ".join(f"{job.gpus:,} GPUs {share:.0%}" for job, share, _ in jobs)
    said = [f"a mix of jobs by GPU-hours ({words}); step and shares are of the largest"]
    said += [f"a job of {size:,} GPUs runs on the {gpus:,} there are" for _, _, size in jobs if size > gpus]
    return replace(
        largest,
        gpus=gpus,
        effective_tflops=rate * gpus,
        warnings=(*said, *largest.warnings),
    )
