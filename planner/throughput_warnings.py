"""What a reader of an estimate must know about it, in words."""

from __future__ import annotations

from planner.scenario import WanAsk
from planner.throughput_constants import value
from planner.throughput_job import Job, Machine
from planner.throughput_parallelism import fits, memory_bytes


def _batch(job: Job, wanted: float) -> list[str]:
    lines = []
    if job.workload.global_batch_sequences is None:
        lines.append("no global batch given: the first is 4,096 tokens a GPU, from 1 Mi to 16 Mi (guess)")
    if job.global_batch != wanted:
        step = job.data * job.workload.micro_batch
        lines.append(
            f"global batch {job.global_batch} sequences instead of {wanted:g}: "
            f"it must be a multiple of DP x micro-batch = {step}"
        )
    return lines


def _layout(job: Job, rates: Machine, gpus: int) -> list[str]:
    lines, layers = [], job.workload.model.layers
    if job.gpus < gpus:
        lines.append(f"the job uses {job.gpus:,} of {gpus:,} GPUs, a multiple of TP x PP x CP")
    if layers % job.pipeline:
        lines.append(f"{layers} layers over {job.pipeline} stages: the fullest sets the pace")
    if job.tensor > rates.nvlink_domain:
        way = "the fabric" if job.tensor > rates.island else "PCIe (guess)"
        domain = rates.nvlink_domain
        lines.append(f"TP {job.tensor} exceeds the NVLink domain of {domain} GPUs: it runs over {way}")
    return lines


def _sites(job: Job, wan: WanAsk) -> list[str]:
    if wan.sites <= 1:
        return []
    if not job.workload.overlap:
        return ["the exchange between sites is exposed in full: overlap is off"]
    exposed = value("exposed_ratio")
    return [
        f"the exchange between sites: at least {exposed:.0%} of it is exposed (overlap rule of gradients)"
    ]


def warnings(
    job: Job, rates: Machine, gpus: int, wanted: float, goodput: float, wan: WanAsk
) -> tuple[str, ...]:
    """Everything that was rounded, borrowed, left out or outside the model's range."""
    lines = [*rates.warnings, *_batch(job, wanted), *_layout(job, rates, gpus), *_sites(job, wan)]
    if not fits(job, rates):
        need, have = memory_bytes(job) / 1e9, rates.hbm_bytes / 1e9
        lines.append(f"needs about {need:.0f} GB a GPU by the usual formula; {have:g} GB are there")
    if goodput == 0:
        lines.append("goodput 0: at these failure and restart figures the job never gets ahead")
    return tuple(lines)
