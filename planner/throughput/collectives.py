"""Times of a layer and of a collective (s): what a step is put together from.

Symbols as in the Megatron papers. Every formula also takes arrays (``throughput_numbers``).
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.throughput.cluster import Machine
from planner.throughput.constants import value
from planner.throughput.fabric_path import FabricPath
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
from planner.throughput.numbers import larger, pick, root
from planner.throughput.traffic import (
    Collective,
    activations,
    all_reduces_per_layer,
    context_exchange,
    exchanges_per_layer,
    expert_exchange,
)

# element-wise passes of a GPT layer, in shares of its 34 (Korthikanti 2022): norms and residuals, which only
# sequence parallelism splits; the rest of attention; the MLP; and the scores that unfused kernels write
_NORMS, _ATTENTION, _MLP, _ALL = 10.0, 8.0, 16.0, 34.0


@dataclass(frozen=True, slots=True)
class LayerTimes:
    """Seconds of a layer and micro-batch: matmuls, memory traffic, waiting in the island and beyond it."""

    compute: float
    memory: float
    island: float
    fabric: float

    @property
    def total(self) -> float:
        """Seconds of the layer."""
        return self.compute + self.memory + self.island + self.fabric


def _passes(job: Job) -> int:
    """Forward passes' worth of work: 3, or 4 with full recompute."""
    return 4 if job.workload.recompute == "full" else 3


def attention_core_s(job: Job, machine: Machine) -> float:
    """The attention core of a layer: unfused at the matmul rate, over the whole sequence; fused, half.

    Fused kernels skip what causality masks; their backward pass is 2.5 forward ones since they
    recompute the scores, which is why selective recompute changes nothing for them.
    """
    flops = core_flops(job.workload.model) * job.tokens / job.tensor
    full = job.workload.recompute == "full"
    if job.workload.attention == "unfused":
        again = full or job.workload.recompute == "selective"
        return flops * (3 + again) / machine.core_flops
    return 0.5 * flops * (3.5 + full) / machine.attention_flops


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


def elementwise_s(job: Job, machine: Machine) -> float:
    """t_ew: c_m*2*h*tok bytes through HBM, with casts to FP8 and the sorting of tokens where needed."""
    model = job.workload.model
    passes = value("elementwise_passes")
    passes += value("fp8_cast_passes") if job.workload.precision == "fp8" else 0.0
    routed = value("routed_passes") * model.experts_per_token * expert_layers(model) / model.layers
    each = passes * _elementwise_share(job) + routed / job.tensor
    traffic = each * 2 * model.hidden * job.tokens
    return traffic * _passes(job) / 3 / machine.hbm_bytes_per_s


def weights_s(job: Job, machine: Machine) -> float:
    """t_w: a layer's weights read and their fp32 gradients added to, once a micro-batch.

    2 bytes forward and 2 backward (1 each at FP8), 8 for the gradient; what makes small micro-batches slow.
    """
    model = job.workload.model
    routed = expert_weights(model) / model.layers / job.workload.expert_parallel
    size = (layer_weights(model) + routed) / job.tensor
    size_read = 1 if job.workload.precision == "fp8" else 2
    reads = 3 if job.workload.recompute == "full" else 2
    each = reads * size_read + value("weight_gradient_bytes")
    return size * each / machine.hbm_bytes_per_s


def tensor_parallel_s(job: Job, machine: Machine, path: FabricPath) -> tuple[float, float]:
    """t_tp: (island, fabric) seconds of a layer's all-reduces; over the fabric where TP leaves the island."""
    if job.tensor == 1:
        return 0.0, 0.0
    group = activations(job, machine)
    # an all-reduce inside one island moves bytes*(n-1)/n over each GPU's link
    alpha = machine.collective_s * root(job.tensor / 8)
    one = group.scale_up_bytes / machine.scale_up_bytes_per_s(group.members) + alpha
    times = all_reduces_per_layer(job)
    if group.islands == 1:
        return times * one, 0.0
    across = group.endpoint_bytes / path.bytes_per_s + 2 * (group.islands - 1) * path.alpha_s
    return times * one, times * larger(0.0, across - one)


def exposed_s(job: Job, duration_s: float, window_s: float) -> float:
    """What a collective adds to the step: all of it, or with overlap max(x*t, t - window).

    x: overlapped traffic takes cores and memory from the kernels it hides behind, and waits for
    the slowest rank; that share stays even where the window is wide.
    """
    if not job.workload.overlap:
        return duration_s
    return larger(value("exposed_ratio") * duration_s, duration_s - window_s)


def _split(group: Collective, seconds: float) -> tuple[float, float]:
    """(island, fabric) by where the group lies."""
    return pick(group.islands > 1, 0.0, seconds), pick(group.islands > 1, seconds, 0.0)


def collective_s(group: Collective, passes: float, machine: Machine, path: FabricPath) -> tuple[float, float]:
    """(fabric, island) seconds of a group's collective of ``passes`` passes; the slower counts."""
    island = group.scale_up_bytes / machine.scale_up_bytes_per_s(group.members)
    ring = (group.islands - 1) * path.alpha_s + (group.ranks - group.islands) * value("scale_up_step_s")
    across = group.endpoint_bytes / path.bytes_per_s
    beyond = group.islands > 1
    return (
        pick(beyond, across + passes * ring, 0.0),
        island + pick(beyond, 0.0, passes * ring),
    )


def context_parallel_s(job: Job, machine: Machine, path: FabricPath) -> tuple[float, float]:
    """(island, fabric) seconds of a layer's exchange of keys and values; it hides behind the core."""
    if job.context == 1:
        return 0.0, 0.0
    group = context_exchange(job, machine)
    fabric, island = collective_s(group, 3, machine, path)
    return _split(group, exposed_s(job, larger(fabric, island), attention_core_s(job, machine)))


def expert_parallel_s(job: Job, machine: Machine, path: FabricPath, window_s: float) -> tuple[float, float]:
    """(island, fabric) seconds of a layer's all-to-alls; with overlap they hide behind its matmuls."""
    if job.workload.expert_parallel == 1:
        return 0.0, 0.0
    group = expert_exchange(job, machine)
    fabric = group.endpoint_bytes / (path.bytes_per_s * path.all_to_all_ratio) + path.alpha_s
    island = group.scale_up_bytes / machine.scale_up_bytes_per_s(group.members)
    one = pick(group.islands > 1, larger(fabric, island), island)
    return _split(group, exposed_s(job, exchanges_per_layer(job) * one, window_s))


def layer_times(job: Job, machine: Machine, path: FabricPath) -> LayerTimes:
    """A layer and micro-batch; kernels cannot start faster than the host launches them."""
    compute = matmul_s(job, machine)
    memory = elementwise_s(job, machine) + weights_s(job, machine)
    launches = value("launch_s") * _passes(job) / 3
    memory = memory + larger(0.0, launches - compute - memory)
    tensor, tensor_fabric = tensor_parallel_s(job, machine, path)
    context, context_fabric = context_parallel_s(job, machine, path)
    experts, experts_fabric = expert_parallel_s(job, machine, path, compute + memory)
    return LayerTimes(
        compute, memory, tensor + context + experts, tensor_fabric + context_fabric + experts_fabric
    )


def head_times(job: Job, machine: Machine) -> LayerTimes:
    """t_head: output layer and loss of a micro-batch, at bf16; the loss reads and writes fp32 logits."""
    model, tokens = job.workload.model, job.tokens / job.tensor
    logits = tokens * model.vocab * value("logit_bytes") / machine.hbm_bytes_per_s
    return LayerTimes(tokens * 3 * head_flops(model) / machine.core_flops, logits, 0.0, 0.0)


def optimiser_s(job: Job, machine: Machine) -> float:
    """The optimiser's pass over a GPU's shard of the states, once a step."""
    workload, model = job.workload, job.workload.model
    routed = expert_weights(model)
    shared = 1 if job.sharding == "none" else job.replicas
    shared_routed = 1 if job.sharding == "none" else job.replicas / workload.expert_parallel
    mine = (model.params - routed) / shared + routed / workload.expert_parallel / shared_routed
    return mine / (job.tensor * job.pipeline) * value("optimiser_bytes") / machine.hbm_bytes_per_s
