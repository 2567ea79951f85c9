"""Many estimates at once: the formulas of one estimate over arrays, for sweeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.catalog.parts import Accelerator, ServerModel
from planner.scenario.scenario import Operations, WanAsk, Workload
from planner.throughput.endpoint import fabric_path
from planner.throughput.estimate import goodput
from planner.throughput.flops import mfu, model_flops_per_token
from planner.throughput.job import Job, machine
from planner.throughput.operations import stall_goodput
from planner.throughput.parallelism import check_workload, make_job, nodes_of_gpus, wanted_batch_sequences
from planner.throughput.step import step_times
from planner.throughput.values import FabricView, ThroughputError

Floats = NDArray[np.float64]
_ONE_SITE = WanAsk()
_FABRIC_ARRAYS = ("endpoint_gbps", "oversubscription", "spine_oversubscription", "nodes_per_unit")


@dataclass(frozen=True, slots=True)
class Estimates:
    """Columns of as many estimates as the longest input has entries; units as in ``Estimate``."""

    gpus: Floats
    job_gpus: Floats
    global_batch_sequences: Floats
    step_time_s: Floats
    mfu: Floats
    goodput: Floats
    effective_tflops: Floats
    shares: Mapping[str, Floats]


def _columns(gpus: ArrayLike, fabric: FabricView, given: Mapping[str, ArrayLike]) -> dict[str, Floats]:
    unknown = sorted(set(given) - set(_FABRIC_ARRAYS))
    if unknown:
        raise ThroughputError(f"no array of {', '.join(unknown)}: give {', '.join(_FABRIC_ARRAYS)}")
    asked = {"gpus": gpus} | {name: given.get(name, getattr(fabric, name)) for name in _FABRIC_ARRAYS}
    shaped = np.broadcast_arrays(*(np.atleast_1d(np.asarray(v, dtype=np.float64)) for v in asked.values()))
    columns = dict(zip(asked, shaped, strict=True))
    if not all(np.isfinite(column).all() and (column > 0).all() for column in columns.values()):
        raise ThroughputError("GPUs, rates, ratios and nodes of a unit must be finite and above 0")
    return columns


def _job(workload: Workload, gpus: Floats, first_gpus: int) -> Job:
    """The job of given degrees on each number of GPUs."""
    tensor, pipeline = workload.tensor_parallel, workload.pipeline_parallel
    if tensor is None or pipeline is None or workload.job_mix:
        raise ThroughputError("many estimates at once need given degrees and one job: see estimate()")
    check_workload(workload)
    many = cast(int, gpus)
    wanted = wanted_batch_sequences(workload, many, first_gpus)
    job = make_job(workload, tensor, pipeline, many, wanted)
    if np.any(np.asarray(job.data) < 1):
        raise ThroughputError(f"TP x PP x CP does not fit in {gpus.min():g} GPUs")
    return job


def estimate_many(
    workload: Workload,
    server: ServerModel,
    accelerator: Accelerator,
    gpus: ArrayLike,
    first_gpus: int,
    fabric: FabricView,
    operations: Operations,
    wan: WanAsk = _ONE_SITE,
    **fabric_arrays: ArrayLike,
) -> Estimates:
    """``estimate`` for every entry of ``gpus`` and of the fabric's arrays, which are broadcast together.

    ``fabric_arrays`` take the place of the fabric's endpoint_gbps, oversubscription,
    spine_oversubscription and nodes_per_unit. The workload's degrees must be given, as nothing is
    searched; memory is not looked at. Raises ThroughputError as ``estimate``, for the whole table.
    """
    columns = _columns(gpus, fabric, fabric_arrays)
    sizes = columns.pop("gpus")
    view = replace(fabric, **columns)  # type: ignore[arg-type]  # arrays in the places of numbers
    rates = machine(server, accelerator, view, workload)
    job = _job(workload, sizes, first_gpus)
    nodes = nodes_of_gpus(job.gpus, rates)
    path = fabric_path(view, nodes, operations, nodes_of_gpus(cast(int, sizes), rates))
    times = step_times(job, rates, path, wan)
    step_s = times.total * workload.stack_factor
    kept = goodput(nodes, operations) * stall_goodput(view, nodes, operations)
    flops = model_flops_per_token(workload.model) * job.global_batch * workload.model.sequence

    def column(number: float) -> Floats:
        return np.broadcast_to(np.asarray(number, dtype=np.float64), sizes.shape)

    return Estimates(
        gpus=sizes,
        job_gpus=column(job.gpus),
        global_batch_sequences=column(job.global_batch),
        step_time_s=column(step_s),
        mfu=column(mfu(workload.model, job.global_batch, step_s, job.gpus, rates.peak_tflops)),
        goodput=column(kept),
        effective_tflops=column(flops / step_s * kept / 1e12),
        shares={name: column(seconds / times.total) for name, seconds in times.pieces().items()},
    )
