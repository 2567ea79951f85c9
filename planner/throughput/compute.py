"""Seconds of a GPU's own work: matmuls, attention, memory traffic (symbols as in the Megatron papers)."""

from __future__ import annotations

from typing import assert_never

from planner.throughput.cluster import Machine
from planner.throughput.constants import Constants
from planner.throughput.flops import (
    active_ffn_hidden,
    core_flops,
    dense_flops,
    expert_layers,
    expert_weights,
    head_flops,
    layer_weights,
)
from planner.throughput.job import Job

# element-wise passes of a GPT layer, in shares of its 34 (Korthikanti 2022): norms and residuals, which only
# sequence parallelism splits; the rest of attention; the MLP; and the scores that unfused kernels write
_NORMS, _ATTENTION, _MLP, _ALL = 10.0, 8.0, 16.0, 34.0


def _passes(job: Job) -> int:
    """Forward passes' worth of work: 3, or 4 with full recompute."""
    return 4 if job.recomputes_all else 3


def attention_core_s(job: Job, machine: Machine) -> float:
    """The attention core of a layer: unfused at the matmul rate, over the whole sequence; fused, half.

    Fused kernels skip what causality masks; their backward pass is 2.5 forward ones since they
    recompute the scores, which is why selective recompute changes nothing for them.
    """
    flops = core_flops(job.workload.model) * job.tokens / job.tensor
    match job.workload.attention:
        case "unfused":
            again = job.workload.recompute != "none"
            return flops * (3 + again) / machine.core_flops
        case "fused" | "fused-2023":
            return 0.5 * flops * (3.5 + job.recomputes_all) / machine.attention_flops
        case _:
            assert_never(job.workload.attention)


def matmul_s(job: Job, machine: Machine) -> float:
    """t_mm: matmuls of a layer and micro-batch, with the attention core (which is always at bf16)."""
    dense = dense_flops(job.workload.model) * _passes(job) / machine.matmul_flops
    return job.tokens / job.tensor * dense + attention_core_s(job, machine)


def _elementwise_share(job: Job) -> float:
    """Element-wise traffic of one GPU over that of a whole GPT layer with an MLP of 4h."""
    model, unfused = job.workload.model, job.workload.attention == "unfused"
    mlp = _MLP * active_ffn_hidden(model) / (4 * model.hidden) * (1.5 if model.gated_mlp else 1.0)
    scores = 5 * model.heads * model.sequence / model.hidden if unfused else 0.0
    norms = _NORMS / (job.tensor if job.workload.sequence_parallel else 1)
    return ((_ATTENTION + mlp + scores) / job.tensor + norms) / _ALL


def elementwise_s(job: Job, machine: Machine, constants: Constants) -> float:
    """t_ew: c_m*2*h*tok bytes through HBM, with casts to FP8 and the sorting of tokens where needed."""
    model = job.workload.model
    passes = constants.elementwise_passes
    passes += constants.fp8_cast_passes if job.workload.precision == "fp8" else 0.0
    routed = constants.routed_passes * model.experts_per_token * expert_layers(model) / model.layers
    each = passes * _elementwise_share(job) + routed / job.tensor
    traffic = each * 2 * model.hidden * job.tokens
    return traffic * _passes(job) / 3 / machine.hbm_bytes_per_s


def weights_s(job: Job, machine: Machine, constants: Constants) -> float:
    """t_w: a layer's weights read and their fp32 gradients added to, once a micro-batch.

    2 bytes forward and 2 backward (1 each at FP8), 8 for the gradient; what makes small micro-batches slow.
    """
    model = job.workload.model
    routed = expert_weights(model) / model.layers / job.workload.expert_parallel
    size = (layer_weights(model) + routed) / job.tensor
    size_read = 1 if job.workload.precision == "fp8" else 2
    reads = 3 if job.recomputes_all else 2
    each = reads * size_read + constants.weight_gradient_bytes
    return size * each / machine.hbm_bytes_per_s


def own_work_s(job: Job, machine: Machine, constants: Constants) -> tuple[float, float]:
    """(compute, memory) seconds of a layer and micro-batch; kernels start no faster than the host can."""
    compute = matmul_s(job, machine)
    memory = elementwise_s(job, machine, constants) + weights_s(job, machine, constants)
    launches = constants.launch_s * _passes(job) / 3
    return compute, memory + max(0.0, launches - compute - memory)


def output_layer_s(job: Job, machine: Machine, constants: Constants) -> tuple[float, float]:
    """t_head: (compute, memory) seconds of output layer and loss of a micro-batch, at bf16.

    The loss reads and writes fp32 logits.
    """
    model, tokens = job.workload.model, job.tokens / job.tensor
    logits = tokens * model.vocab * constants.logit_bytes / machine.hbm_bytes_per_s
    return tokens * 3 * head_flops(model) / machine.core_flops, logits


def optimiser_s(job: Job, machine: Machine, constants: Constants) -> float:
    """The optimiser's pass over a GPU's shard of the states, once a step."""
    workload, model = job.workload, job.workload.model
    routed = expert_weights(model)
    shared = 1 if job.sharding == "none" else job.replicas
    shared_routed = 1 if job.sharding == "none" else job.replicas / workload.expert_parallel
    mine = (model.params - routed) / shared + routed / workload.expert_parallel / shared_routed
    return mine / (job.tensor * job.pipeline) * constants.optimiser_bytes / machine.hbm_bytes_per_s
