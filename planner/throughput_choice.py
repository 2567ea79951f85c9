"""Choosing the parallel degrees that were left open: the fastest job that fits in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.scenario import Operations, WanAsk, Workload
from planner.throughput_fabric import Path, fabric_path, ideal_path
from planner.throughput_job import Job, Machine
from planner.throughput_parallelism import candidates, check_workload, fits, wanted_batch_sequences
from planner.throughput_step import StepTimes, step_times
from planner.throughput_types import FabricView, ThroughputError

# a rounded-up batch would look fast for training a different job
_BATCH_TOLERANCE = 0.1


@dataclass(frozen=True, slots=True)
class Choice:
    """A job with its path through the fabric and its step; ``wanted`` sequences before rounding.

    ``warnings`` say what was changed to make the job fit.
    """

    job: Job
    path: Path
    times: StepTimes
    wanted: float
    warnings: tuple[str, ...] = ()


def nodes_of(job: Job, machine: Machine) -> int:
    """Nodes that the job touches."""
    return -(-job.gpus // machine.gpus_per_node)


def _timed(
    job: Job, machine: Machine, fabric: FabricView, operations: Operations | None, wan: WanAsk, wanted: float
) -> Choice:
    if operations is None:
        path = ideal_path(fabric)
    else:
        path = fabric_path(fabric, nodes_of(job, machine), operations)
    return Choice(job, path, step_times(job, machine, path, wan), wanted)


def _rank(choice: Choice) -> tuple[bool, float, int, int]:
    """Best last: a batch within a tenth of the one wanted, model FLOP/s, then fewer ways to cut."""
    job = choice.job
    close = abs(job.global_batch / choice.wanted - 1) <= _BATCH_TOLERANCE
    return close, job.global_batch / choice.times.total, -job.pipeline, -job.tensor


def _jobs(workload: Workload, machine: Machine, gpus: int, wanted: float) -> list[Job]:
    """The jobs to compare: those that fit in memory, or all where every degree is given.

    Raises ThroughputError where the cluster is smaller than one replica.
    """
    jobs = list(candidates(workload, machine, gpus, wanted))
    if not jobs:
        degrees = (workload.tensor_parallel, workload.pipeline_parallel, workload.context_parallel)
        least = " x ".join(str(degree or 1) for degree in degrees)
        raise ThroughputError(f"TP x PP x CP = {least} does not fit in {gpus} GPUs")
    if workload.tensor_parallel is None or workload.pipeline_parallel is None:
        return [job for job in jobs if fits(job, machine)]
    return jobs


def _jobs_with_recompute(
    workload: Workload, machine: Machine, gpus: int, wanted: float
) -> tuple[list[Job], tuple[str, ...]]:
    """As ``_jobs``, with full recompute where nothing fits otherwise, and a warning that says so."""
    jobs = _jobs(workload, machine, gpus, wanted)
    if jobs:
        return jobs, ()
    jobs = _jobs(replace(workload, recompute="full"), machine, gpus, wanted)
    if not jobs:
        raise ThroughputError(
            f"{workload.model.id} fits no parallel degrees on {gpus} GPUs of {machine.hbm_bytes / 1e9:g} GB, "
            "also with full recompute: use more GPUs or sharding 'fsdp'"
        )
    return jobs, (f"full recompute instead of {workload.recompute}: nothing fits in memory otherwise",)


def choose(
    workload: Workload,
    machine: Machine,
    gpus: int,
    first_gpus: int,
    fabric: FabricView,
    operations: Operations | None,
    wan: WanAsk,
) -> Choice:
    """The fastest job; degrees that are all given are taken as they are, also where memory is short.

    ``operations`` None is the ideal fabric. Raises ThroughputError where nothing fits.
    """
    check_workload(workload)
    if gpus < 1 or first_gpus < 1:
        raise ThroughputError("a job needs at least one GPU")
    wanted = wanted_batch_sequences(workload, gpus, first_gpus)
    jobs, notes = _jobs_with_recompute(workload, machine, gpus, wanted)
    best = max((_timed(job, machine, fabric, operations, wan, wanted) for job in jobs), key=_rank)
    return replace(best, warnings=notes)
