"""Design + Workload -> step time, MFU, goodput, effective TFLOP/s (the compact model)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.catalog.parts import Accelerator, ServerModel
from planner.scenario.scenario import Operations, WanAsk, Workload
from planner.throughput.cluster import FabricView, Machine, machine
from planner.throughput.constants import value
from planner.throughput.fabric_path import crosses_spine
from planner.throughput.flops import mfu, model_flops_per_token
from planner.throughput.job import Job
from planner.throughput.numbers import larger, pieces, root, smaller
from planner.throughput.operations import stall_goodput
from planner.throughput.parallelism import Choice, Surroundings, choose, fits, memory_bytes, nodes_of
from planner.throughput.result import Estimate, TierLoad
from planner.throughput.traffic import endpoint_bytes_per_step


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


_SECONDS_PER_DAY = 86_400.0


def failure_rate_per_s(nodes: float, operations: Operations) -> float:
    """Failures a second of a job on ``nodes``: one smooth rate for all causes."""
    return nodes * operations.failures_per_node_day / _SECONDS_PER_DAY


def checkpoint_interval_s(nodes: float, operations: Operations) -> float:
    """Young's best interval between checkpoints, sqrt(2*w*MTTF) in s; infinite without failures."""
    if operations.failures_per_node_day == 0:
        return float("inf")
    return root(2 * operations.checkpoint_write_s / failure_rate_per_s(nodes, operations))


def goodput(nodes: float, operations: Operations) -> float:
    """(1 - nodes*r*(u0 + tau/2)) / (1 + w/tau), from 0 to 1.

    0 means that the job fails faster than it restarts: the formula has left its range.

    >>> round(goodput(2048, Operations()), 3)
    0.932
    """
    if operations.failures_per_node_day == 0:
        return 1.0
    rate = failure_rate_per_s(nodes, operations)
    if operations.checkpoint_write_s == 0:
        kept, writing = 1 - rate * operations.restart_s, 0.0
    else:
        tau_s = checkpoint_interval_s(nodes, operations)
        kept = 1 - rate * (operations.restart_s + tau_s / 2)
        writing = operations.checkpoint_write_s / tau_s
    return smaller(1.0, larger(0.0, kept / (1 + writing)))


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


_ONE_SITE = WanAsk()


def estimate(
    workload: Workload,
    server: ServerModel,
    accelerator: Accelerator,
    gpus: int,
    first_gpus: int,
    fabric: FabricView,
    operations: Operations,
    wan: WanAsk = _ONE_SITE,
) -> Estimate:
    """Step time and sustained rate of the training on ``gpus`` GPUs of a design.

    ``first_gpus`` are those of the first build year, at which the workload's batch holds. The level
    is known to 10-15 % (``stack_factor``), what more GPUs or another fabric do to it to a few percent.
    A mix of job sizes gives the rate of the mix and the step of its largest job. Raises
    ThroughputError where no estimate is possible.
    """
    around = Surroundings(fabric, operations, wan, pieces(gpus, server.gpus_per_node))
    rates = machine(server, accelerator, fabric, workload)
    if not workload.job_mix:
        return _one_job(workload, rates, gpus, first_gpus, around)
    jobs = []
    for size, share in sorted(workload.job_mix):
        job, fitting = job_of_size(workload, min(size, gpus), first_gpus), min(size, gpus)
        jobs.append((_one_job(job, rates, fitting, fitting, around), share, size))
    return weighted(jobs, gpus)


def _one_job(
    workload: Workload, rates: Machine, gpus: int, first_gpus: int, around: Surroundings
) -> Estimate:
    choice = choose(workload, rates, gpus, first_gpus, around)
    return _estimate(choice, rates, gpus, around)


def _estimate(choice: Choice, rates: Machine, gpus: int, around: Surroundings) -> Estimate:
    job, times, model = choice.job, choice.times, choice.job.workload.model
    operations = around.operations or Operations()
    step_s, nodes = times.total * job.workload.stack_factor, nodes_of(job, rates)
    kept = goodput(nodes, operations) * stall_goodput(around.fabric, nodes, operations)
    flops = model_flops_per_token(model) * job.global_batch * model.sequence
    said: tuple[str, ...] = (
        *choice.warnings,
        *warnings(job, rates, gpus, choice.wanted, kept, around.wan),
        *choice.path.warnings,
    )
    if choice.path.in_network and job.sharding != "none":
        said += (f"in-network reduction brings {job.workload.sharding} nothing: it never reduces to all",)
    scaling = value("scaling_band")
    level = value("level_band_experts" if model.experts else "level_band")
    return Estimate(
        gpus=gpus,
        job_gpus=job.gpus,
        tensor_parallel=job.tensor,
        pipeline_parallel=job.pipeline,
        data_parallel=job.data,
        global_batch_sequences=job.global_batch,
        step_time_s=step_s,
        mfu=mfu(model, job.global_batch, step_s, job.gpus, rates.peak_tflops),
        goodput=kept,
        effective_tflops=flops / step_s * kept / 1e12,
        shares={name: seconds / times.total for name, seconds in times.pieces().items()},
        warnings=said,
        level_band_ratio=scaling if job.workload.calibrated else level,
        scaling_band_ratio=scaling,
        runner_up=choice.runner_up,
    )


def tier_load(
    workload: Workload,
    server: ServerModel,
    accelerator: Accelerator,
    gpus: int,
    first_gpus: int,
    fabric: FabricView,
) -> TierLoad:
    """Gb/s for each endpoint that the job asks of each tier, on an ideal fabric.

    Bytes that an endpoint sends in a step over the step's time with full links, no latency and no
    contention: it depends on the rate and number of endpoints, not on technology, oversubscription or
    placement. All of it counts for the spine as soon as the job spans two sets of leaves, and for the
    core wherever there is one: at least what ``estimate`` lets cross. Of a mix, the largest job's.
    Raises ThroughputError as ``estimate``.
    """
    if workload.job_mix:
        gpus, whole = min(gpus, max(size for size, _ in workload.job_mix)), first_gpus
        workload, first_gpus = job_of_size(workload, gpus, whole), gpus
    rates = machine(server, accelerator, replace(fabric, calibration=None), workload)
    choice = choose(workload, rates, gpus, first_gpus, Surroundings(fabric, None, _ONE_SITE))
    step_s = choice.times.total * workload.stack_factor
    load = endpoint_bytes_per_step(choice.job, rates) * 8 / 1e9 / step_s
    spine = load if crosses_spine(fabric, nodes_of(choice.job, rates)) else 0.0
    core = spine if fabric.tiers > 2 else 0.0
    return TierLoad(node_leaf_gbps=load, leaf_spine_gbps=spine, spine_core_gbps=core)
