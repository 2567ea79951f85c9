"""Time of one training step, piece by piece (compact model; symbols as in the Megatron papers)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from planner.scenario.scenario import WanAsk
from planner.throughput.between_sites import exchange_s
from planner.throughput.cluster import Machine
from planner.throughput.collectives import (
    Waiting,
    collective_s,
    context_parallel_s,
    expert_parallel_s,
    exposed_s,
    tensor_parallel_s,
)
from planner.throughput.compute import optimiser_s, output_layer_s, own_work_s
from planner.throughput.constants import Constants
from planner.throughput.fabric_path import FabricPath
from planner.throughput.job import Job
from planner.throughput.traffic import (
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


def layer_times(job: Job, machine: Machine, path: FabricPath, constants: Constants) -> LayerTimes:
    """A layer and micro-batch: its own work, and what it waits for of its parallel groups."""
    compute, memory = own_work_s(job, machine, constants)
    tensor = tensor_parallel_s(job, machine, path)
    context = context_parallel_s(job, machine, path, constants)
    experts = expert_parallel_s(job, machine, path, compute + memory, constants)
    return LayerTimes(
        compute=compute,
        memory=memory,
        island=tensor.island + context.island + experts.island,
        fabric=tensor.fabric + context.fabric + experts.fabric,
    )


def head_times(job: Job, machine: Machine, constants: Constants) -> LayerTimes:
    """The output layer and the loss, which wait for nobody."""
    compute, memory = output_layer_s(job, machine, constants)
    return LayerTimes(compute, memory, island=0.0, fabric=0.0)


@dataclass(frozen=True, slots=True)
class Stage:
    """The stage that sets the pace, and what the other stages wait for."""

    slowest: LayerTimes
    bubble_s: float


def stage_times(job: Job, layer: LayerTimes, head: LayerTimes) -> Stage:
    """The slowest stage: the fullest, or the last, which also has the output layer.

    The bubble is (PP-1)/vpp stages of average length: filling and draining pass all of them.
    """
    layers, fullest = job.workload.model.layers, job.stage_layers
    last = max(0, layers - fullest * (job.pipeline - 1))
    at_the_end = last * layer.total + head.total > fullest * layer.total
    slowest = _stage(layer, last, head, 1) if at_the_end else _stage(layer, fullest, head, 0)
    average = (layers * layer.total + head.total) / job.pipeline
    return Stage(slowest, (job.pipeline - 1) / job.workload.virtual_pipeline * average)


def _stage(layer: LayerTimes, layers: int, head: LayerTimes, heads: int) -> LayerTimes:
    """A stage of so many layers, with the output layer or without."""
    return LayerTimes(
        compute=layer.compute * layers + head.compute * heads,
        memory=layer.memory * layers + head.memory * heads,
        island=layer.island * layers + head.island * heads,
        fabric=layer.fabric * layers + head.fabric * heads,
    )


def pipeline_p2p_s(job: Job, machine: Machine, path: FabricPath, constants: Constants) -> float:
    """t_p2p: 2*vpp*m*(2*h*tok/TP/B + alpha), half of it where overlapped."""
    if job.pipeline == 1:
        return 0.0
    size = stage_message_bytes(job)
    one = size / machine.scale_up_bytes_per_s(job.gpus) + constants.scale_up_step_s
    if pipeline_leaves_island(job, machine):
        one = size / (path.bytes_per_s * machine.endpoints_per_gpu) + path.alpha_s
    hidden = constants.overlap_ratio_pipeline * constants.exposed_ratio
    return stage_messages(job) * one * (hidden if job.workload.overlap else 1.0)


def gradient_window_s(job: Job, micro_s: float, constants: Constants) -> float:
    """Time that a step's gradients and parameters can hide behind.

    The last micro-batch's; interleaved chunks end one after the other, PP micro-batches apart (or all where
    there are fewer): PP*(vpp-1)/vpp micro-batches.
    """
    chunks, together = job.workload.virtual_pipeline, min(job.micro_batches, job.pipeline)
    spread = together * (chunks - 1) / chunks
    return constants.overlap_window_data_parallel * micro_s * max(1.0, spread)


@dataclass(frozen=True, slots=True)
class ReplicaExchange:
    """How replicas exchange states: ``rings`` passed in a collective, ``times`` a step, and the time that
    it can hide behind."""

    rings: float
    times: int
    window_s: float


def replica_exchange(job: Job, micro_s: float, pipe_s: float, constants: Constants) -> ReplicaExchange:
    """By sharding: once a step, or three passes a layer (once a tensor in 2021) in every micro-batch.

    ``micro_s`` is a micro-batch's time in the slowest stage, ``pipe_s`` that of the step without replicas.
    """
    layers, m = job.stage_layers, job.micro_batches
    match job.sharding:
        case "none" | "zero1":
            return ReplicaExchange(2.0, 1, gradient_window_s(job, micro_s, constants))
        case "fsdp":
            return ReplicaExchange(3.0 * layers, m, constants.overlap_window_fsdp * pipe_s)
        case "zero3-2021":
            rings = 3.0 * constants.zero3_2021_tensors_per_layer * layers
            return ReplicaExchange(rings, m, constants.zero3_2021_overlap_window * pipe_s)
        case _:
            assert_never(job.sharding)


def replicas_s(
    job: Job, machine: Machine, path: FabricPath, exchange: ReplicaExchange, constants: Constants
) -> Waiting:
    """What is exposed of the replicas' traffic, on the slower of the two links; 0 on the other."""
    shared = gradients(job, machine, path.in_network)
    one = collective_s(shared, exchange.rings, machine, path, constants)
    if job.workload.model.experts:
        routed = expert_gradients(job, machine, path.in_network)
        other = collective_s(routed, exchange.rings, machine, path, constants)
        one = Waiting(one.island + other.island, one.fabric + other.fabric)
    exposed = exposed_s(job, exchange.times * max(one), exchange.window_s, constants)
    return Waiting(0.0, exposed) if one.fabric >= one.island else Waiting(exposed, 0.0)


def wan_s(job: Job, wan: WanAsk, window_s: float, constants: Constants) -> float:
    """Exposed seconds of the exchange of gradients between sites, once a step."""
    workload = job.workload
    duration = exchange_s(wan, workload.model.params, job.replicas, workload.gradient_bytes)
    return exposed_s(job, duration, window_s, constants)


def step_times(job: Job, machine: Machine, path: FabricPath, wan: WanAsk, constants: Constants) -> StepTimes:
    """The step, before the stack factor."""
    m = job.micro_batches
    layer, head = layer_times(job, machine, path, constants), head_times(job, machine, constants)
    stage = stage_times(job, layer, head)
    slowest, micro_s = stage.slowest, stage.slowest.total
    p2p = pipeline_p2p_s(job, machine, path, constants)
    pipe_s = m * micro_s + stage.bubble_s + p2p
    exchange = replica_exchange(job, micro_s, pipe_s, constants)
    replicas = replicas_s(job, machine, path, exchange, constants)
    return StepTimes(
        compute=m * slowest.compute,
        memory=m * slowest.memory + optimiser_s(job, machine, constants),
        tensor_parallel=m * slowest.island + replicas.island,
        bubble=stage.bubble_s,
        pipeline_p2p=p2p,
        exposed_fabric=m * slowest.fabric + replicas.fabric,
        wan=wan_s(job, wan, constants.overlap_window_data_parallel * micro_s, constants),
    )
