"""Time of one training step, piece by piece (compact model; symbols as in the Megatron papers)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from planner.scenario import WanAsk
from planner.throughput_constants import value
from planner.throughput_fabric import Path
from planner.throughput_flops import core_flops, dense_flops, head_flops
from planner.throughput_job import Job, Machine
from planner.throughput_traffic import (
    Collective,
    activations,
    all_reduces_per_layer,
    gradients,
    pipeline_leaves_island,
    stage_message_bytes,
    stage_messages,
)
from planner.throughput_types import ThroughputError


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Seconds of a step; every piece is exposed, so they add up to the step.

    ``tensor_parallel`` holds all waiting inside an island (also replicas of one node), and TP
    beyond it; ``exposed_fabric`` is gradient and FSDP traffic that the fabric delays.
    """

    compute: float
    memory: float
    tensor_parallel: float
    bubble: float
    pipeline_p2p: float
    exposed_fabric: float
    wan: float

    def pieces(self) -> Mapping[str, float]:
        """Seconds by name of the piece."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def total(self) -> float:
        """Seconds of the step."""
        return sum(self.pieces().values())


def matmul_s(job: Job, machine: Machine) -> float:
    """t_mm: matmuls of a layer and micro-batch, the attention core always at bf16."""
    full = job.workload.recompute == "full"
    again = full or job.workload.recompute == "selective"
    model = job.workload.model
    dense = dense_flops(model) * (3 + full) / machine.matmul_flops
    core = core_flops(model) * (3 + again) / machine.core_flops
    return job.tokens / job.tensor * (dense + core)


def elementwise_s(job: Job, machine: Machine) -> float:
    """t_ew: c_m*2*h*tok bytes through HBM; 10/34 of them are not split without sequence parallel."""
    split = 24 / 34 / job.tensor
    whole = 10 / 34 / (job.tensor if job.workload.sequence_parallel else 1)
    passes = (4 if job.workload.recompute == "full" else 3) / 3
    traffic = value("elementwise_passes") * 2 * job.workload.model.hidden * job.tokens
    return traffic * (split + whole) * passes / machine.hbm_bytes_per_s


def tensor_parallel_s(job: Job, machine: Machine, path: Path) -> float:
    """t_tp: the all-reduces of a layer and micro-batch; over the fabric where TP leaves the island."""
    if job.tensor == 1:
        return 0.0
    group = activations(job, machine)
    alpha = machine.collective_s * math.sqrt(job.tensor / 8)
    inside = min(job.tensor, machine.island)
    # an all-reduce inside one island moves bytes*(n-1)/n over each GPU's link
    one = group.scale_up_bytes / machine.scale_up_bytes_per_s(inside) + alpha
    if group.islands > 1:
        ring = 2 * (group.islands - 1) * path.alpha_s
        one = max(one, group.endpoint_bytes / path.bytes_per_s + ring)
    return all_reduces_per_layer(job) * one * value("exposed_ratio")


def head_s(job: Job, machine: Machine) -> float:
    """t_head: the output layer of a micro-batch, at bf16, over all stages."""
    return job.tokens / job.tensor * 3 * head_flops(job.workload.model) / machine.core_flops


def pipeline_p2p_s(job: Job, machine: Machine, path: Path) -> float:
    """t_p2p: 2*vpp*m*(2*h*tok/TP/B + alpha), half of it where overlapped."""
    if job.pipeline == 1:
        return 0.0
    rate, alpha = path.bytes_per_s * machine.endpoints_per_gpu, path.alpha_s
    if not pipeline_leaves_island(job, machine):
        rate, alpha = machine.scale_up_bytes_per_s(job.gpus), value("scale_up_step_s")
    hidden = value("overlap_ratio_pipeline") * value("exposed_ratio")
    exposed = hidden if job.workload.overlap else 1.0
    return stage_messages(job) * (stage_message_bytes(job) / rate + alpha) * exposed


def _ring_alpha_s(group: Collective, path: Path) -> float:
    """Latency of one pass of a ring over the group."""
    inside = (group.ranks - group.islands) * value("scale_up_step_s")
    return (group.islands - 1) * path.alpha_s + inside


def collective_s(group: Collective, passes: int, machine: Machine, path: Path) -> tuple[float, float]:
    """(fabric, island) seconds of the replicas' collective of ``passes`` passes; the slower counts."""
    if group.ranks == 1:
        return 0.0, 0.0
    members = -(-group.ranks // group.islands)
    island = group.scale_up_bytes / machine.scale_up_bytes_per_s(members)
    fabric = 0.0
    if group.islands > 1:
        fabric = group.endpoint_bytes / path.bytes_per_s + passes * _ring_alpha_s(group, path)
    else:
        island += passes * _ring_alpha_s(group, path)
    return fabric, island


def exposed_s(job: Job, duration_s: float, window_s: float) -> float:
    """What a collective adds to the step: all of it, or with overlap max(x*t, t - window)."""
    if not job.workload.overlap:
        return duration_s
    return max(value("exposed_ratio") * duration_s, duration_s - window_s)


def _replicas_s(job: Job, machine: Machine, path: Path, micro_s: float, pipe_s: float) -> tuple[float, float]:
    """(fabric, island) exposed seconds of the replicas' traffic; one of the two is 0."""
    fsdp = job.workload.sharding == "fsdp"
    passes, times = (3 * job.stage_layers, job.micro_batches) if fsdp else (2, 1)
    window = value("overlap_window_data_parallel") * micro_s
    if fsdp:
        window = value("overlap_window_fsdp") * pipe_s
    fabric, island = collective_s(gradients(job, machine), passes, machine, path)
    exposed = exposed_s(job, times * max(fabric, island), window)
    return (exposed, 0.0) if fabric >= island else (0.0, exposed)


def wan_s(job: Job, wan: WanAsk, micro_s: float) -> float:
    """Exposed seconds of the exchange between sites, once a step after each site has reduced.

    Ring over the sites: 2*(S-1)/S * N*bytes a link and S-1 round trips; N*bytes for two sites.
    """
    if wan.sites <= 1:
        return 0.0
    if wan.link_gbps <= 0:
        raise ThroughputError("several sites need a link between them: give its rate in Gb/s")
    size = 2 * (wan.sites - 1) / wan.sites * job.workload.model.params * wan.gradient_bytes
    duration = size * 8 / (wan.link_gbps * 1e9) + (wan.sites - 1) * wan.round_trip_ms / 1e3
    return exposed_s(job, duration, value("overlap_window_data_parallel") * micro_s)


def step_times(job: Job, machine: Machine, path: Path, wan: WanAsk) -> StepTimes:
    """The step, before the stack factor."""
    m, layers = job.micro_batches, job.stage_layers
    compute = layers * matmul_s(job, machine) + head_s(job, machine) / job.pipeline
    memory = layers * elementwise_s(job, machine)
    tensor = layers * tensor_parallel_s(job, machine, path)
    micro_s = compute + memory + tensor
    bubble = (job.pipeline - 1) / (job.workload.virtual_pipeline * m)
    p2p = pipeline_p2p_s(job, machine, path)
    fabric, island = _replicas_s(job, machine, path, micro_s, m * micro_s * (1 + bubble) + p2p)
    return StepTimes(
        compute=m * compute,
        memory=m * memory,
        tensor_parallel=m * tensor + island,
        bubble=m * micro_s * bubble,
        pipeline_p2p=p2p,
        exposed_fabric=fabric,
        wan=wan_s(job, wan, micro_s),
    )
