"""Design + Workload -> step time, MFU, goodput, effective TFLOP/s (the compact model)."""

from __future__ import annotations

from planner.catalog import Accelerator, ServerModel
from planner.scenario import Operations, WanAsk, Workload
from planner.throughput_choice import Choice, choose, nodes_of
from planner.throughput_fabric import crosses_spine
from planner.throughput_flops import mfu, model_flops_per_token
from planner.throughput_goodput import goodput
from planner.throughput_job import Machine, machine
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
    """Step time and sustained rate of one training job on ``gpus`` GPUs of a design.

    ``first_gpus`` are those of the first build year, at which the workload's batch holds. The level
    is known to 10-15 % (``stack_factor``), what more GPUs or another fabric do to it to a few percent.
    Raises ThroughputError where no estimate is possible.
    """
    rates = machine(server, accelerator, fabric, workload.precision)
    choice = choose(workload, rates, gpus, first_gpus, fabric, operations, wan)
    return _estimate(choice, rates, gpus, operations, wan)


def _estimate(choice: Choice, rates: Machine, gpus: int, operations: Operations, wan: WanAsk) -> Estimate:
    job, times, model = choice.job, choice.times, choice.job.workload.model
    step_s = times.total * job.workload.stack_factor
    kept = goodput(nodes_of(job, rates), operations)
    flops = model_flops_per_token(model) * job.global_batch * model.sequence
    said = (*choice.warnings, *warnings(job, rates, gpus, choice.wanted, kept, wan), *choice.path.warnings)
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
    contention: it depends on the rate and number of endpoints, not on technology or
    oversubscription. All of it crosses the spine as soon as the job spans two sets of leaves, and the
    core wherever there is one. Raises ThroughputError as ``estimate``.
    """
    rates = machine(server, accelerator, fabric, workload.precision)
    choice = choose(workload, rates, gpus, first_gpus, fabric, None, _ONE_SITE)
    step_s = choice.times.total * workload.stack_factor
    load = endpoint_bytes_per_step(choice.job, rates) * 8 / 1e9 / step_s
    spine = load if crosses_spine(fabric, nodes_of(choice.job, rates)) else 0.0
    core = spine if fabric.tiers > 2 else 0.0
    return TierLoad(node_leaf_gbps=load, leaf_spine_gbps=spine, spine_core_gbps=core)
