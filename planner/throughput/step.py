"""Time of one training step, piece by piece (compact model; symbols as in the Megatron papers)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planner.scenario.scenario import WanAsk
from planner.throughput.between_sites import exchange_s
from planner.throughput.cluster import Machine
from planner.throughput.collectives import (
    LayerTimes,
    collective_s,
    exposed_s,
    head_times,
    layer_times,
    optimiser_s,
)
from planner.throughput.constants import value
from planner.throughput.fabric_path import FabricPath
from planner.throughput.job import Job
from planner.throughput.numbers import larger, pick
from planner.throughput.traffic import (
    ONE_ENDPOINT_SHARDING,
    expert_gradients,
    gradients,
    pipeline_leaves_island,
    stage_message_bytes,
    stage_messages,
)


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Seconds of a step; every piece is exposed, so they add up to the step.

    ``tensor_parallel`` holds all waiting inside an island, also of replicas, context and expert ranks;
    ``exposed_fabric`` is what the fabric delays of all traffic but the stage transfers.
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


@dataclass(frozen=True, slots=True)
class Stage:
    """The stage that sets the pace, and what the other stages wait for."""

    slowest: LayerTimes
    bubble_s: float


def _scaled(times: LayerTimes, factor: float) -> tuple[float, float, float, float]:
    return times.compute * factor, times.memory * factor, times.island * factor, times.fabric * factor


def stage_times(job: Job, layer: LayerTimes, head: LayerTimes) -> Stage:
    """The slowest stage: the fullest, or the last, which also has the output layer.

    The bubble is (PP-1)/vpp stages of average length: filling and draining pass all of them.
    """
    layers, fullest = job.workload.model.layers, job.stage_layers
    last = max(0, layers - fullest * (job.pipeline - 1))
    ends = last * layer.total + head.total > fullest * layer.total
    counts = zip(_scaled(layer, pick(ends, last, fullest)), _scaled(head, pick(ends, 1, 0)), strict=True)
    slowest = LayerTimes(*(own + output for own, output in counts))
    average = (layers * layer.total + head.total) / job.pipeline
    return Stage(slowest, (job.pipeline - 1) / job.workload.virtual_pipeline * average)


def pipeline_p2p_s(job: Job, machine: Machine, path: FabricPath) -> float:
    """t_p2p: 2*vpp*m*(2*h*tok/TP/B + alpha), half of it where overlapped."""
    if job.pipeline == 1:
        return 0.0
    size, far = stage_message_bytes(job), pipeline_leaves_island(job, machine)
    over = size / (path.bytes_per_s * machine.endpoints_per_gpu) + path.alpha_s
    near = size / machine.scale_up_bytes_per_s(job.gpus) + value("scale_up_step_s")
    hidden = value("overlap_ratio_pipeline") * value("exposed_ratio")
    return stage_messages(job) * pick(far, over, near) * (hidden if job.workload.overlap else 1.0)


def gradient_window_s(job: Job, micro_s: float) -> float:
    """Time that a step's gradients and parameters can hide behind.

    The last micro-batch's; interleaved chunks end one after the other, PP micro-batches apart:
    PP*(vpp-1)/vpp micro-batches.
    """
    chunks = job.workload.virtual_pipeline
    spread = smaller_of_batches(job) * (chunks - 1) / chunks
    return value("overlap_window_data_parallel") * micro_s * larger(1.0, spread)


def smaller_of_batches(job: Job) -> float:
    """Micro-batches that run through one chunk together: PP, or all where there are fewer."""
    return pick(job.micro_batches < job.pipeline, job.micro_batches, job.pipeline)


def replicas_s(
    job: Job, machine: Machine, path: FabricPath, micro_s: float, pipe_s: float
) -> tuple[float, float]:
    """(fabric, island) exposed seconds of the replicas' traffic; one of the two is 0."""
    sharding = job.sharding
    passes, times, window = 2.0, 1.0, gradient_window_s(job, micro_s)
    if sharding == "fsdp":
        passes, times = 3.0 * job.stage_layers, job.micro_batches
        window = value("overlap_window_fsdp") * pipe_s
    if sharding == ONE_ENDPOINT_SHARDING:
        passes, times = 3.0 * value("zero3_2021.tensors_per_layer") * job.stage_layers, job.micro_batches
        window = value("zero3_2021.overlap_window") * pipe_s
    fabric, island = collective_s(gradients(job, machine, path.in_network), passes, machine, path)
    if job.workload.model.experts:
        routed = collective_s(expert_gradients(job, machine, path.in_network), passes, machine, path)
        fabric, island = fabric + routed[0], island + routed[1]
    exposed = exposed_s(job, times * larger(fabric, island), window)
    return pick(fabric >= island, exposed, 0.0), pick(fabric >= island, 0.0, exposed)


def wan_s(job: Job, wan: WanAsk, window_s: float) -> float:
    """Exposed seconds of the exchange of gradients between sites, once a step."""
    workload = job.workload
    duration = exchange_s(wan, workload.model.params, job.replicas, workload.gradient_bytes)
    return exposed_s(job, duration, window_s)


def step_times(job: Job, machine: Machine, path: FabricPath, wan: WanAsk) -> StepTimes:
    """The step, before the stack factor."""
    m = job.micro_batches
    stage = stage_times(job, layer_times(job, machine, path), head_times(job, machine))
    slowest, micro_s = stage.slowest, stage.slowest.total
    p2p = pipeline_p2p_s(job, machine, path)
    pipe_s = m * micro_s + stage.bubble_s + p2p
    fabric, island = replicas_s(job, machine, path, micro_s, pipe_s)
    return StepTimes(
        compute=m * slowest.compute,
        memory=m * slowest.memory + optimiser_s(job, machine),
        tensor_parallel=m * slowest.island + island,
        bubble=stage.bubble_s,
        pipeline_p2p=p2p,
        exposed_fabric=m * slowest.fabric + fabric,
        wan=wan_s(job, wan, value("overlap_window_data_parallel") * micro_s),
    )
