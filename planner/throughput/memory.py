"""What a job keeps in a GPU's memory: weights, gradients, optimiser states, activations."""

from __future__ import annotations

from typing import assert_never

from planner.throughput.cluster import Machine
from planner.throughput.constants import Constants
from planner.throughput.flops import expert_weights
from planner.throughput.job import Job

_WEIGHT, _GRADIENT, _OPTIMISER = 2, 4, 12  # bytes a parameter: bf16, fp32, Adam's master copy and moments


def memory_bytes(job: Job) -> float:
    """Memory that the fullest GPU needs, in bytes, without fragmentation."""
    return _state_bytes(job) + _activation_bytes(job)


def fits(job: Job, machine: Machine, constants: Constants) -> bool:
    """Whether the job fits in the usable part of a GPU's memory."""
    return memory_bytes(job) <= machine.hbm_bytes * constants.hbm_usable_ratio


def _state_bytes(job: Job) -> float:
    """Weights 2, gradients 4 and optimiser 12 bytes a parameter, sharded as the workload says.

    Routed experts are shared out over EP ranks first, so that fewer replicas are left to shard them over.
    """
    model, experts = job.workload.model, job.workload.expert_parallel
    routed = expert_weights(model) / (job.tensor * job.pipeline * experts)
    weights = (model.params - expert_weights(model)) / (job.tensor * job.pipeline)
    replicas, routed_replicas = job.replicas, job.replicas / experts
    kept = _WEIGHT + _GRADIENT
    match job.sharding:
        case "fsdp" | "zero3-2021":
            gathered = 2 * _WEIGHT * (weights + routed) * job.pipeline / model.layers  # two layers
            whole = kept + _OPTIMISER
            return weights * whole / replicas + routed * whole / routed_replicas + gathered
        case "zero1":
            return weights * (kept + _OPTIMISER / replicas) + routed * (kept + _OPTIMISER / routed_replicas)
        case "none":
            return weights * (kept + _OPTIMISER) + routed * (kept + _OPTIMISER)
        case _:
            assert_never(job.sharding)


def _activation_bytes(job: Job) -> float:
    """Activations of the first stage: 34*h*tok a layer (Korthikanti 2022), kept for PP micro-batches.

    Scores of the attention core are never kept (fused kernels); full recompute keeps a layer's input.
    """
    split = job.tensor if job.workload.sequence_parallel else 1
    token = job.workload.model.hidden * job.tokens
    layer = token * (24 / job.tensor + 10 / split)
    kept = 2 * token / split if job.recomputes_all else layer
    working = layer if job.recomputes_all else 0.0
    in_flight = float(min(job.pipeline, job.micro_batches))
    if job.workload.virtual_pipeline > 1:
        in_flight += (job.pipeline - 1) / job.workload.virtual_pipeline
    return kept * job.stage_layers * in_flight + working
