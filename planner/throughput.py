"""Design + Workload -> step time, MFU, goodput, effective TFLOP/s (the compact model)."""

from __future__ import annotations

from dataclasses import replace

from planner.catalog import Accelerator, ServerModel
from planner.operations_state import stall_goodput
from planner.scenario import Operations, WanAsk, Workload
from planner.throughput_choice import Choice, Surroundings, choose, nodes_of
from planner.throughput_constants import value
from planner.throughput_fabric import crosses_spine
from planner.throughput_flops import mfu, model_flops_per_token
from planner.throughput_goodput import goodput
from planner.throughput_job import Machine, machine
from planner.throughput_mix import job_of_size, weighted
from planner.throughput_numbers import pieces
from planner.throughput_traffic import endpoint_bytes_per_step
from planner.throughput_types import Estimate, FabricView, ThroughputError, TierLoad
from planner.throughput_warnings import warnings

__all__ = ["Estimate", "FabricView", "ThroughputError", "TierLoad", "estimate", "tier_load"]

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
