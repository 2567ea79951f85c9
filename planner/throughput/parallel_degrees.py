"""Choosing the parallel degrees that were left open: the fastest job that fits in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import get_args

from planner.scenario.scenario import Attention, Operations, Recompute, Sharding, WanAsk, Workload
from planner.throughput.cluster import FabricView, Machine
from planner.throughput.constants import Constants
from planner.throughput.fabric_path import FabricPath, fabric_path, ideal_path
from planner.throughput.flops import expert_weights
from planner.throughput.job import Job, make_job, wanted_batch_sequences
from planner.throughput.memory import fits
from planner.throughput.result import ThroughputError
from planner.throughput.step import StepTimes, step_times

_WORDS = {"sharding": get_args(Sharding), "recompute": get_args(Recompute), "attention": get_args(Attention)}
_DEGREES = (
    "tensor_parallel", "pipeline_parallel", "virtual_pipeline", "context_parallel", "expert_parallel",
    "micro_batch",
)  # fmt: skip
_MAX_STAGES = 64
_BATCH_TOLERANCE = 0.1  # a rounded-up batch would look fast for training a different job


def check_workload(workload: Workload) -> None:
    """Raises ThroughputError naming the word that is not known or the number out of range."""
    for name, allowed in _WORDS.items():
        word = getattr(workload, name)
        if word not in allowed:
            raise ThroughputError(f"workload.{name} is {word!r}: use one of {', '.join(allowed)}")
    for name in _DEGREES:
        number = getattr(workload, name)
        if number is not None and number < 1:
            raise ThroughputError(f"workload.{name} is {number}: it must be at least 1")
    if workload.stack_factor <= 0:
        raise ThroughputError("workload.stack_factor must be above 0")
    _check_experts(workload)


def _check_experts(workload: Workload) -> None:
    model, parallel = workload.model, workload.expert_parallel
    if not model.experts:
        if parallel > 1:
            raise ThroughputError(f"expert_parallel is {parallel}, but {model.id} has no experts")
        return
    if not 1 <= model.experts_per_token <= model.experts or model.expert_ffn_hidden < 1:
        raise ThroughputError(f"{model.id}: experts need experts_per_token and expert_ffn_hidden")
    if model.experts % parallel:
        raise ThroughputError(f"expert_parallel {parallel} does not divide {model.experts} experts")
    if expert_weights(model) >= model.params:
        raise ThroughputError(f"{model.id}: its experts alone have more than its {model.params:g} parameters")


@cache
def _divisors(number: int, limit: int) -> tuple[int, ...]:
    return tuple(n for n in range(1, min(number, limit) + 1) if number % n == 0)


def _tensor_degrees(workload: Workload, machine: Machine) -> tuple[int, ...]:
    if workload.tensor_parallel is not None:
        return (workload.tensor_parallel,)
    powers = (2**n for n in range(machine.nvlink_domain.bit_length()))
    return tuple(n for n in powers if workload.model.heads % n == 0)


def legal_jobs(workload: Workload, machine: Machine, gpus: int, wanted: float) -> Iterator[Job]:
    """Every job that the open degrees allow: TP a power of two in the NVLink domain that divides the
    heads, PP a divisor of the layers up to 64. Memory is not looked at here."""
    stages = workload.pipeline_parallel
    pipelines = _divisors(workload.model.layers, _MAX_STAGES) if stages is None else (stages,)
    for tensor in _tensor_degrees(workload, machine):
        for pipeline in pipelines:
            job = make_job(workload, tensor, pipeline, gpus, wanted)
            if job is not None:
                yield job


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a job runs in: GPUs, fabric and how it is run, sites, nodes of the cluster, the constants.

    ``ideal_fabric``: full links without latency or contention, however the fabric is run.
    """

    machine: Machine
    fabric: FabricView
    operations: Operations
    wan: WanAsk
    cluster_nodes: int
    constants: Constants
    ideal_fabric: bool = False

    def path(self, job: Job) -> FabricPath:
        """What the fabric gives the job."""
        if self.ideal_fabric:
            return ideal_path(self.fabric)
        nodes = self.machine.nodes_of(job.gpus)
        return fabric_path(self.fabric, nodes, self.operations, self.constants, self.cluster_nodes)


@dataclass(frozen=True, slots=True)
class Choice:
    """A job with its path through the fabric and its step; ``wanted`` sequences before rounding.

    ``warnings`` say what was changed to make the job fit; ``runner_up`` is the next best choice.
    """

    job: Job
    path: FabricPath
    times: StepTimes
    wanted: float
    warnings: tuple[str, ...] = ()
    runner_up: str = ""

    @property
    def sequences_per_s(self) -> float:
        """Sequences that the job trains on in a second."""
        return self.job.global_batch / self.times.total


def choose(workload: Workload, gpus: int, first_gpus: int, around: Surroundings) -> Choice:
    """The fastest job; degrees that are all given are taken as they are, also where memory is short.

    Raises ThroughputError where nothing fits.
    """
    check_workload(workload)
    if gpus < 1 or first_gpus < 1:
        raise ThroughputError("a job needs at least one GPU")
    wanted = wanted_batch_sequences(workload, gpus, first_gpus, around.constants)
    jobs, notes = _jobs_with_recompute(workload, gpus, wanted, around)
    ranked = sorted((_timed(job, around, wanted) for job in jobs), key=_rank, reverse=True)
    second = _in_words(ranked[1], ranked[0]) if len(ranked) > 1 else ""
    return replace(ranked[0], warnings=notes, runner_up=second)


def _timed(job: Job, around: Surroundings, wanted: float) -> Choice:
    path = around.path(job)
    return Choice(job, path, step_times(job, around.machine, path, around.wan, around.constants), wanted)


def _rank(choice: Choice) -> tuple[bool, float, int, int]:
    """Best last: a batch within a tenth of the one wanted, model FLOP/s, then fewer ways to cut."""
    job = choice.job
    close = abs(job.global_batch / choice.wanted - 1) <= _BATCH_TOLERANCE
    return close, choice.sequences_per_s, -job.pipeline, -job.tensor


def _jobs(workload: Workload, gpus: int, wanted: float, around: Surroundings) -> list[Job]:
    """The jobs to compare: those that fit in memory, or all where every degree is given.

    Raises ThroughputError where the cluster is smaller than one replica.
    """
    jobs = list(legal_jobs(workload, around.machine, gpus, wanted))
    if not jobs:
        degrees = (workload.tensor_parallel, workload.pipeline_parallel, workload.context_parallel)
        least = " x ".join(str(degree or 1) for degree in degrees)
        raise ThroughputError(f"TP x PP x CP = {least} does not fit in {gpus} GPUs")
    if workload.tensor_parallel is None or workload.pipeline_parallel is None:
        return [job for job in jobs if fits(job, around.machine, around.constants)]
    return jobs


def _jobs_with_recompute(
    workload: Workload, gpus: int, wanted: float, around: Surroundings
) -> tuple[list[Job], tuple[str, ...]]:
    """As ``_jobs``, with full recompute where nothing fits otherwise, and a warning that says so."""
    jobs = _jobs(workload, gpus, wanted, around)
    if jobs:
        return jobs, ()
    jobs = _jobs(replace(workload, recompute="full"), gpus, wanted, around)
    if not jobs:
        memory = around.machine.hbm_bytes / 1e9
        raise ThroughputError(
            f"{workload.model.id} fits no parallel degrees on {gpus} GPUs of {memory:g} GB, "
            "also with full recompute: use more GPUs or sharding 'fsdp'"
        )
    return jobs, (f"full recompute instead of {workload.recompute}: nothing fits in memory otherwise",)


def _in_words(next_best: Choice, best: Choice) -> str:
    """The next best choice and how much slower its tokens come."""
    job = next_best.job
    slower = f"{1 - next_best.sequences_per_s / best.sequences_per_s:.1%} slower"
    if next_best.sequences_per_s > best.sequences_per_s:
        slower = f"a global batch of {job.global_batch:,} instead of {best.wanted:g}"
    return f"TP {job.tensor} x PP {job.pipeline} x DP {job.data}: {slower}"
