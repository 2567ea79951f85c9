"""Workload + cluster -> step time, MFU, goodput, effective TFLOP/s (the compact model)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.scenario.scenario import Operations, WanAsk, Workload
from planner.throughput.cluster import Cluster, Machine, machine_of
from planner.throughput.constants import Constants
from planner.throughput.fabric_path import crosses_spine
from planner.throughput.flops import mfu, model_flops_per_token
from planner.throughput.goodput import goodput, stall_goodput
from planner.throughput.job import Job
from planner.throughput.memory import fits, memory_bytes
from planner.throughput.parallel_degrees import Choice, Surroundings, choose
from planner.throughput.result import Estimate, TierLoad
from planner.throughput.traffic import endpoint_bytes_per_step

_ONE_SITE = WanAsk()


def estimate(
    workload: Workload,
    cluster: Cluster,
    first_gpus: int,
    operations: Operations,
    constants: Constants,
    wan: WanAsk = _ONE_SITE,
) -> Estimate:
    """Step time and sustained rate of the training on the GPUs of a cluster.

    ``first_gpus`` are those of the first build year, at which the workload's batch holds. The level
    is known to 10-15 % (``stack_factor``), what more GPUs or another fabric do to it to a few percent.
    A mix of job sizes gives the rate of the mix and the step of its largest job. Raises
    ThroughputError where no estimate is possible.
    """
    machine, gpus = machine_of(cluster, workload, constants), cluster.gpus
    around = Surroundings(machine, cluster.fabric, operations, wan, cluster.nodes, constants)
    if not workload.job_mix:
        return _estimate(choose(workload, gpus, first_gpus, around), gpus, around)
    jobs = []
    for size, share in sorted(workload.job_mix):
        fitting = min(size, gpus)
        job = job_of_size(workload, fitting, first_gpus)
        found = _estimate(choose(job, fitting, fitting, around), fitting, around)
        jobs.append(MixedJob(found, share, size))
    return weighted(jobs, gpus)


def _estimate(choice: Choice, gpus: int, around: Surroundings) -> Estimate:
    job, times, model = choice.job, choice.times, choice.job.workload.model
    constants, nodes = around.constants, around.machine.nodes_of(choice.job.gpus)
    step_s = times.total * job.workload.stack_factor
    kept = goodput(nodes, around.operations) * stall_goodput(around.fabric, nodes, around.operations)
    flops = model_flops_per_token(model) * job.global_batch * model.sequence
    level = constants.level_band_experts if model.experts else constants.level_band
    return Estimate(
        gpus=gpus,
        job_gpus=job.gpus,
        tensor_parallel=job.tensor,
        pipeline_parallel=job.pipeline,
        data_parallel=job.data,
        global_batch_sequences=job.global_batch,
        step_time_s=step_s,
        mfu=mfu(model, job.global_batch, step_s, job.gpus, around.machine.peak_tflops),
        goodput=kept,
        effective_tflops=flops / step_s * kept / 1e12,
        shares={name: seconds / times.total for name, seconds in times.pieces().items()},
        warnings=warnings(choice, gpus, kept, around),
        level_band_ratio=constants.scaling_band if job.workload.calibrated else level,
        scaling_band_ratio=constants.scaling_band,
        runner_up=choice.runner_up,
    )


def tier_load(workload: Workload, cluster: Cluster, first_gpus: int, constants: Constants) -> TierLoad:
    """Gb/s for each endpoint that the job asks of each tier, on an ideal fabric.

    Bytes that an endpoint sends in a step over the step's time with full links, no latency and no
    contention: it depends on the rate and number of endpoints, not on technology, oversubscription or
    placement. All of it counts for the spine as soon as the job spans two sets of leaves, and for the
    core wherever there is one: at least what ``estimate`` lets cross. Of a mix, the largest job's.
    Raises ThroughputError as ``estimate``.
    """
    gpus, fabric = cluster.gpus, cluster.fabric
    if workload.job_mix:
        gpus = min(gpus, max(size for size, _ in workload.job_mix))
        workload, first_gpus = job_of_size(workload, gpus, first_gpus), gpus
    machine = machine_of(cluster, workload, constants)
    around = Surroundings(
        machine, fabric, Operations(), _ONE_SITE, cluster.nodes, constants, ideal_fabric=True
    )
    choice = choose(workload, gpus, first_gpus, around)
    step_s = choice.times.total * workload.stack_factor
    load = endpoint_bytes_per_step(choice.job, machine) * 8 / 1e9 / step_s
    spine = load if crosses_spine(fabric, machine.nodes_of(choice.job.gpus)) else 0.0
    core = spine if fabric.tiers > 2 else 0.0
    return TierLoad(node_leaf_gbps=load, leaf_spine_gbps=spine, spine_core_gbps=core)


def job_of_size(workload: Workload, gpus: int, first_gpus: int) -> Workload:
    """The workload as a job of ``gpus``: its batch is as large a part of the whole one as its GPUs are."""
    batch = workload.global_batch_sequences
    part = None if batch is None else max(1, round(batch * gpus / first_gpus))
    return replace(workload, global_batch_sequences=part, job_mix=())


@dataclass(frozen=True, slots=True)
class MixedJob:
    """One size of a mix: its estimate, its share of the GPU-hours, and the GPUs that were asked for."""

    estimate: Estimate
    share: float
    asked_gpus: int


def weighted(jobs: Sequence[MixedJob], gpus: int) -> Estimate:
    """The largest job's estimate with the rate of the mix: each size's rate a GPU by its GPU-hours.

    ``jobs`` by size, the largest last.
    """
    rate = sum(job.share * job.estimate.effective_tflops / job.estimate.gpus for job in jobs)
    words = ", ".join(f"{job.estimate.gpus:,} GPUs {job.share:.0%}" for job in jobs)
    said = [f"a mix of jobs by GPU-hours ({words}); step and shares are of the largest"]
    said += [
        f"a job of {job.asked_gpus:,} GPUs runs on the {gpus:,} there are"
        for job in jobs
        if job.asked_gpus > gpus
    ]
    largest = jobs[-1].estimate
    return replace(largest, gpus=gpus, effective_tflops=rate * gpus, warnings=(*said, *largest.warnings))


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


def _layout(job: Job, machine: Machine, gpus: int) -> list[str]:
    lines, layers = [], job.workload.model.layers
    if job.gpus < gpus:
        lines.append(f"the job uses {job.gpus:,} of {gpus:,} GPUs, a multiple of TP x PP x CP")
    if layers % job.pipeline:
        lines.append(f"{layers} layers over {job.pipeline} stages: the fullest sets the pace")
    if job.tensor > machine.nvlink_domain:
        way = "the fabric" if job.tensor > machine.island else "PCIe (guess)"
        domain = machine.nvlink_domain
        lines.append(f"TP {job.tensor} exceeds the NVLink domain of {domain} GPUs: it runs over {way}")
    return lines


def warnings(choice: Choice, gpus: int, goodput: float, around: Surroundings) -> tuple[str, ...]:
    """Everything that was rounded, borrowed, left out or outside the model's range."""
    job, machine, path = choice.job, around.machine, choice.path
    lines = [*choice.warnings, *machine.warnings, *_batch(job, choice.wanted), *_layout(job, machine, gpus)]
    lines += _sites(job, around)
    if not fits(job, machine, around.constants):
        need, have = memory_bytes(job) / 1e9, machine.hbm_bytes / 1e9
        lines.append(f"needs about {need:.0f} GB a GPU by the usual formula; {have:g} GB are there")
    if goodput == 0:
        lines.append("goodput 0: at these failure and restart figures the job never gets ahead")
    lines += path.warnings
    if path.in_network and job.sharding != "none":
        lines.append(f"in-network reduction brings {job.workload.sharding} nothing: it never reduces to all")
    return tuple(lines)


def _sites(job: Job, around: Surroundings) -> list[str]:
    if around.wan.sites <= 1:
        return []
    if not job.workload.overlap:
        return ["the exchange between sites is exposed in full: overlap is off"]
    exposed = around.constants.exposed_ratio
    return [
        f"the exchange between sites: at least {exposed:.0%} of it is exposed (overlap rule of gradients)"
    ]
