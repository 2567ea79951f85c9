"""Choosing the parallel degrees that were left open: the fastest job that fits in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.scenario import Operations, WanAsk, Workload
from planner.throughput_fabric import Path, fabric_path, ideal_path
from planner.throughput_job import Job, Machine
from planner.throughput_numbers import pieces
from planner.throughput_parallelism import candidates, check_workload, fits, wanted_batch_sequences
from planner.throughput_step import StepTimes, step_times
from planner.throughput_types import FabricView, ThroughputError

# a rounded-up batch would look fast for training a different job
_BATCH_TOLERANCE = 0.1


@dataclass(frozen=True, slots=True)
class Choice:
    """A job with its path through the fabric and its step; ``wanted`` sequences before rounding.

    ``warnings`` say what was changed to make the job fit; ``runner_up`` is the next best choice.
    """

    job: Job
    path: Path
    times: StepTimes
    wanted: float
    warnings: tuple[str, ...] = ()
    runner_up: str = ""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a job runs in: fabric, how it is run (None: an ideal fabric), sites, nodes of the cluster."""

    fabric: FabricView
    operations: Operations | None
    wan: WanAsk
    cluster_nodes: float = 0


def nodes_of_gpus(gpus: float, machine: Machine) -> float:
    """Nodes that so many GPUs fill."""
    return pieces(gpus, machine.gpus_per_node)


def nodes_of(job: Job, machine: Machine) -> int:
    """Nodes that the job touches."""
    return int(nodes_of_gpus(job.gpus, machine))


def _timed(job: Job, machine: Machine, around: Surroundings, wanted: float) -> Choice:
    if around.operations is None:
        path = ideal_path(around.fabric)
    else:
        nodes = nodes_of(job, machine)
        path = fabric_path(around.fabric, nodes, around.operations, around.cluster_nodes)
    return Choice(job, path, step_times(job, machine, path, around.wan), wanted)


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


def _in_words(next_best: Choice, best: Choice) -> str:
    """The next best choice and how much slower its tokens come."""
    job = next_best.job
    rates = [choice.job.global_batch / choice.times.total for choice in (next_best, best)]
    slower = f"{1 - rates[0] / rates[1]:.1%} slower"
    if rates[0] > rates[1]:
        slower = f"a global batch of {job.global_batch:,} instead of {best.wanted:g}"
    return f"TP {job.tensor} x PP {job.pipeline} x DP {job.data}: {slower}"


def choose(workload: Workload, machine: Machine, gpus: int, first_gpus: int, around: Surroundings) -> Choice:
    """The fastest job; degrees that are all given are taken as they are, also where memory is short.

    Raises ThroughputError where nothing fits.
    """
    check_workload(workload)
    if gpus < 1 or first_gpus < 1:
        raise ThroughputError("a job needs at least one GPU")
    if around.fabric.endpoint_gbps <= 0:
        raise ThroughputError("the fabric gives a node no endpoint")
    wanted = wanted_batch_sequences(workload, gpus, first_gpus)
    jobs, notes = _jobs_with_recompute(workload, machine, gpus, wanted)
    ranked = sorted((_timed(job, machine, around, wanted) for job in jobs), key=_rank, reverse=True)
    second = _in_words(ranked[1], ranked[0]) if len(ranked) > 1 else ""
    return replace(ranked[0], warnings=notes, runner_up=second)
