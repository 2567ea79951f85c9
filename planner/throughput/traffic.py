"""Bytes that a job sends, and through how many endpoints: nothing of time or technology."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import assert_never

from planner.throughput.cluster import Machine
from planner.throughput.flops import attention_width, expert_layers, expert_weights
from planner.throughput.job import Job


@dataclass(frozen=True, slots=True)
class Collective:
    """One collective of a group of ranks. Bytes are of the data, times its (n-1)/n.

    ``islands`` is how many islands the group spans: 1 keeps it off the fabric. ``endpoints`` serve
    the group in each island. ``bytes`` cross each island's edge, ``scale_up_bytes`` each GPU's link.
    """

    ranks: float
    members: float
    islands: int
    endpoints: float
    bytes: float
    scale_up_bytes: float

    @property
    def endpoint_bytes(self) -> float:
        """Bytes through one endpoint."""
        return self.bytes / self.endpoints if self.islands > 1 else 0.0


def _collective(ranks: float, per_island: float, size: float, machine: Machine) -> Collective:
    """A group whose ranks fill islands one after the other, ``per_island`` in each."""
    members = max(1, min(ranks, int(per_island)))
    return Collective(
        ranks=ranks,
        members=members,
        islands=math.ceil(ranks / members),
        endpoints=members * machine.endpoints_per_gpu,
        bytes=size * (ranks - 1) / ranks,
        scale_up_bytes=size * (members - 1) / members,
    )


def _bytes_per_parameter(job: Job, in_network: bool) -> float:
    """Bytes that a step moves for each parameter of a rank.

    Gradients reduced and parameters gathered (ZeRO-1), gradients there and back (no sharding), once
    where switches reduce them; parameters gathered twice and gradients reduced (FSDP).
    """
    gradients, parameters = job.workload.gradient_bytes, job.workload.parameter_bytes
    match job.sharding:
        case "none":
            return gradients if in_network else 2 * gradients
        case "zero1":
            return gradients + parameters
        case "fsdp" | "zero3-2021":
            return gradients + 2 * parameters
        case _:
            assert_never(job.sharding)


def gradients(job: Job, machine: Machine, in_network: bool = False) -> Collective:
    """What the replicas exchange: once a step, or once a micro-batch where weights are sharded.

    Per GPU N/(TP*PP) parameters, without routed experts. The ZeRO-3 of 2021 uses one endpoint a node.
    """
    model = job.workload.model
    weights = (model.params - expert_weights(model)) / (job.tensor * job.pipeline)
    size = weights * _bytes_per_parameter(job, in_network)
    group = _collective(job.replicas, machine.island / job.tensor, size, machine)
    return replace(group, endpoints=1.0) if job.sharding == "zero3-2021" else group


def expert_gradients(job: Job, machine: Machine, in_network: bool = False) -> Collective:
    """Likewise of the routed experts, whose weights EP ranks share: fewer replicas, farther apart."""
    parallel = job.workload.expert_parallel
    weights = expert_weights(job.workload.model) / (job.tensor * job.pipeline * parallel)
    size = weights * _bytes_per_parameter(job, in_network)
    return _collective(job.replicas / parallel, machine.island / (job.tensor * parallel), size, machine)


def expert_exchange(job: Job, machine: Machine) -> Collective:
    """One all-to-all of a layer: tokens to their experts at 2 bytes, or back.

    Over the fabric a token goes once to each other island that holds one of its k experts:
    (islands-1) * (1 - (1 - 1/islands)^k) of them on average with even routing.
    """
    model, ranks = job.workload.model, job.workload.expert_parallel
    group = _collective(ranks, machine.island / job.tensor, 0.0, machine)
    token = 2 * model.hidden * job.tokens / job.tensor
    away = (group.islands - 1) * (1 - (1 - 1 / group.islands) ** model.experts_per_token)
    inside = model.experts_per_token * (group.members - 1) / group.members
    size = token * away * group.members
    return Collective(ranks, group.members, group.islands, group.endpoints, size, token * inside)


def context_exchange(job: Job, machine: Machine) -> Collective:
    """Keys and values of a layer and micro-batch among context-parallel ranks: three passes.

    Once forward, again backward with their gradients; a rank keeps at least one key-value head.
    """
    model = job.workload.model
    heads = max(model.kv_heads / job.tensor, 1.0)
    chunk = 2 * 2 * attention_width(model) * heads / model.heads * job.tokens
    return _collective(job.context, machine.island / job.tensor, 3 * chunk * job.context, machine)


def activations(job: Job, machine: Machine) -> Collective:
    """One tensor-parallel all-reduce of a layer: twice h x tokens at 2 bytes."""
    size = 2 * 2 * job.workload.model.hidden * job.tokens
    return _collective(job.tensor, machine.island, size, machine)


def all_reduces_per_layer(job: Job) -> int:
    """Tensor-parallel all-reduces of a layer: two forward, two backward, two more to recompute."""
    return 6 if job.recomputes_all else 4


def exchanges_per_layer(job: Job) -> float:
    """All-to-alls of a layer, mean over the layers: there and back, forward, backward, recomputed."""
    model = job.workload.model
    return all_reduces_per_layer(job) * expert_layers(model) / model.layers


def stage_message_bytes(job: Job) -> float:
    """Activations that one GPU hands to the next stage: 2*h*tok/TP."""
    return 2 * job.workload.model.hidden * job.tokens / job.tensor


def stage_messages(job: Job) -> float:
    """Stage-to-stage messages of a step: 2*vpp*m; none in one stage."""
    return 2 * job.workload.virtual_pipeline * job.micro_batches if job.pipeline > 1 else 0


def pipeline_leaves_island(job: Job, machine: Machine) -> bool:
    """Whether stages lie on different islands: stages are the outermost degree of a job."""
    return job.gpus > machine.island


def endpoint_bytes_per_step(job: Job, machine: Machine) -> float:
    """Bytes that one endpoint sends in a step, all parallel degrees together."""
    times = job.micro_batches if job.shards_weights else 1
    replicas = gradients(job, machine).endpoint_bytes + expert_gradients(job, machine).endpoint_bytes
    layer = activations(job, machine).endpoint_bytes * all_reduces_per_layer(job)
    layer += context_exchange(job, machine).endpoint_bytes
    layer += expert_exchange(job, machine).endpoint_bytes * exchanges_per_layer(job)
    total = replicas * times + layer * job.stage_layers * job.micro_batches
    if job.pipeline > 1 and pipeline_leaves_island(job, machine):
        total += stage_messages(job) * stage_message_bytes(job) / machine.endpoints_per_gpu
    return total
