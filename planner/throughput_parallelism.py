"""Which parallel degrees a job may take, and how large its global batch is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import gcd
from typing import cast

from planner.catalog import TrainedModel
from planner.scenario import Workload
from planner.throughput_constants import value
from planner.throughput_flops import expert_weights
from planner.throughput_job import Job, Machine
from planner.throughput_numbers import larger, nearest, pick, smaller
from planner.throughput_types import ThroughputError

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
