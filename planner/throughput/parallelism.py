"""Choosing the parallel degrees that were left open: the fastest job that fits in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import gcd
from typing import cast

from planner.catalog.parts import TrainedModel
from planner.scenario.scenario import Operations, WanAsk, Workload
from planner.throughput.cluster import FabricView, Machine
from planner.throughput.constants import value
from planner.throughput.fabric_path import FabricPath, fabric_path, ideal_path
from planner.throughput.flops import expert_weights
from planner.throughput.job import Job
from planner.throughput.numbers import larger, nearest, pick, pieces, smaller
from planner.throughput.result import ThroughputError
from planner.throughput.step import StepTimes, step_times

SHARDINGS = ("none", "zero1", "fsdp", "zero3-2021")
ATTENTIONS = ("fused", "fused-2023", "unfused")
RECOMPUTES = ("none", "selective", "full")
_DEGREES = (
    "tensor_parallel", "pipeline_parallel", "virtual_pipeline", "context_parallel", "expert_parallel",
    "micro_batch",
)  # fmt: skip
_MAX_STAGES = 64


def default_batch_sequences(model: TrainedModel, gpus: int) -> int:
    """First global batch where none is given: 4,096 tokens a GPU, between 1 Mi and 16 Mi tokens."""
    tokens = value("default_batch_tokens_per_gpu") * gpus
    tokens = min(value("batch_cap_tokens"), max(value("default_batch_min_tokens"), tokens))
    return max(1, round(tokens / model.sequence))


def wanted_batch_sequences(workload: Workload, gpus: float, first_gpus: int) -> float:
    """The batch before rounding: grows as the GPUs, to 16 Mi tokens, never below the first."""
    first = workload.global_batch_sequences or default_batch_sequences(workload.model, first_gpus)
    if workload.fixed_batch:
        return first
    cap = value("batch_cap_tokens") / workload.model.sequence
    return larger(first, smaller(cap, first * gpus / first_gpus))


def micro_batches(wanted_sequences: float, data: float, micro_batch: int) -> float:
    """Micro-batches of a replica whose global batch comes nearest to the one wanted; at least 1.

    >>> micro_batches(1536, 12, 1), micro_batches(100, 128, 1)
    (128, 1)
    """
    return larger(1, nearest(wanted_sequences / (data * micro_batch)))


def make_job(workload: Workload, tensor: int, pipeline: int, gpus: int, wanted: float) -> Job:
    """The job on the largest multiple of TP x PP x CP GPUs, and of EP where there are experts."""
    context, experts = workload.context_parallel, workload.expert_parallel
    data = gpus // (tensor * pipeline * context)
    if experts > 1:
        whole = experts // gcd(experts, context)  # EP ranks are replicas: data times context
        data = data // whole * whole
    batches = micro_batches(wanted, pick(data < 1, 1, data), workload.micro_batch)
    return Job(workload, tensor, pipeline, context, data, cast(int, batches))


def _state_bytes(job: Job) -> float:
    """Weights 2, gradients 4 and optimiser 12 bytes a parameter, sharded as the workload says."""
    model, experts = job.workload.model, job.workload.expert_parallel
    routed = expert_weights(model) / (job.tensor * job.pipeline * experts)
    weights = (model.params - expert_weights(model)) / (job.tensor * job.pipeline)
    if job.sharding in ("fsdp", "zero3-2021"):
        one_layer = 2 * 2 * (weights + routed) * job.pipeline / model.layers
        return weights * 18 / job.replicas + routed * 18 / (job.replicas / experts) + one_layer
    sharded = job.sharding == "zero1"
    shares = (job.replicas, job.replicas / experts) if sharded else (1, 1)
    return weights * (6 + 12 / shares[0]) + routed * (6 + 12 / shares[1])


def _activation_bytes(job: Job) -> float:
    """Activations of the first stage: 34*h*tok a layer (Korthikanti 2022), kept for PP micro-batches.

    Scores of the attention core are never kept (fused kernels); full recompute keeps a layer's input.
    """
    split = job.tensor if job.workload.sequence_parallel else 1
    token = job.workload.model.hidden * job.tokens
    layer = token * (24 / job.tensor + 10 / split)
    kept = 2 * token / split if job.workload.recompute == "full" else layer
    working = layer if job.workload.recompute == "full" else 0.0
    in_flight = float(min(job.pipeline, job.micro_batches))
    if job.workload.virtual_pipeline > 1:
        in_flight += (job.pipeline - 1) / job.workload.virtual_pipeline
    return kept * job.stage_layers * in_flight + working


def memory_bytes(job: Job) -> float:
    """Memory that the fullest GPU needs, in bytes, without fragmentation."""
    return _state_bytes(job) + _activation_bytes(job)


def fits(job: Job, machine: Machine) -> bool:
    """Whether the job fits in the usable part of a GPU's memory."""
    return memory_bytes(job) <= machine.hbm_bytes * value("hbm_usable_ratio")


@cache
def _divisors(number: int, limit: int) -> tuple[int, ...]:
    return tuple(n for n in range(1, min(number, limit) + 1) if number % n == 0)


def _tensor_degrees(workload: Workload, machine: Machine) -> tuple[int, ...]:
    if workload.tensor_parallel is not None:
        return (workload.tensor_parallel,)
    powers = (2**n for n in range(machine.nvlink_domain.bit_length()))
    return tuple(n for n in powers if n <= machine.nvlink_domain and workload.model.heads % n == 0)


def candidates(workload: Workload, machine: Machine, gpus: int, wanted: float) -> Iterator[Job]:
    """Every job that the open degrees allow: TP a power of two in the NVLink domain that divides the
    heads, PP a divisor of the layers up to 64. Memory is not looked at here."""
    stages = workload.pipeline_parallel
    pipelines = _divisors(workload.model.layers, _MAX_STAGES) if stages is None else (stages,)
    for tensor in _tensor_degrees(workload, machine):
        for pipeline in pipelines:
            job = make_job(workload, tensor, pipeline, gpus, wanted)
            if job.data >= 1:
                yield job


def check_workload(workload: Workload) -> None:
    """Raises ThroughputError naming the word that is not known or the number out of range."""
    words = (("sharding", SHARDINGS), ("recompute", RECOMPUTES), ("attention", ATTENTIONS))
    for name, allowed in words:
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


# a rounded-up batch would look fast for training a different job
_BATCH_TOLERANCE = 0.1


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
