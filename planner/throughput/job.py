"""A training job with every parallel degree fixed: its ranks, its batch, its micro-batches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import gcd
from typing import assert_never

from planner.catalog.parts import TrainedModel
from planner.scenario.scenario import Sharding, Workload
from planner.throughput.constants import Constants


@dataclass(frozen=True, slots=True)
class Job:
    """A training job with every degree fixed; ``data`` replicas of micro_batches x micro_batch."""

    workload: Workload
    tensor: int
    pipeline: int
    context: int
    data: int
    micro_batches: int

    @property
    def gpus(self) -> int:
        """GPUs that work."""
        return self.tensor * self.pipeline * self.context * self.data

    @property
    def sharding(self) -> Sharding:
        """How states are sharded: FSDP in a pipeline gathers weights once a step, as ZeRO-1 does.

        A stage keeps its weights between micro-batches (Llama 3, torchtitan).
        """
        pipelined = self.workload.sharding == "fsdp" and self.pipeline > 1
        return "zero1" if pipelined else self.workload.sharding

    @property
    def shards_weights(self) -> bool:
        """Whether replicas gather weights in every micro-batch, since each holds a part of them."""
        match self.sharding:
            case "fsdp" | "zero3-2021":
                return True
            case "none" | "zero1":
                return False
            case _:
                assert_never(self.sharding)

    @property
    def recomputes_all(self) -> bool:
        """Whether the forward pass runs again in the backward one (selective: the attention core alone)."""
        match self.workload.recompute:
            case "full":
                return True
            case "none" | "selective":
                return False
            case _:
                assert_never(self.workload.recompute)

    @property
    def global_batch(self) -> int:
        """Sequences a step."""
        return self.data * self.micro_batches * self.workload.micro_batch

    @property
    def tokens(self) -> float:
        """Tokens of a micro-batch that one context-parallel rank holds."""
        return self.workload.micro_batch * self.workload.model.sequence / self.context

    @property
    def stage_layers(self) -> int:
        """Layers of the fullest stage."""
        return math.ceil(self.workload.model.layers / self.pipeline)

    @property
    def replicas(self) -> int:
        """Ranks that hold the same weights: data times context parallel."""
        return self.data * self.context


def default_batch_sequences(model: TrainedModel, gpus: int, constants: Constants) -> int:
    """First global batch where none is given: 4,096 tokens a GPU, between 1 Mi and 16 Mi tokens."""
    tokens = max(constants.default_batch_min_tokens, constants.default_batch_tokens_per_gpu * gpus)
    return max(1, round(min(constants.batch_cap_tokens, tokens) / model.sequence))


def wanted_batch_sequences(workload: Workload, gpus: int, first_gpus: int, constants: Constants) -> float:
    """The batch before rounding: grows as the GPUs, to 16 Mi tokens, never below the first."""
    first = workload.global_batch_sequences
    if first is None:
        first = default_batch_sequences(workload.model, first_gpus, constants)
    if workload.fixed_batch:
        return first
    cap = constants.batch_cap_tokens / workload.model.sequence
    return max(first, min(cap, first * gpus / first_gpus))


def micro_batches(wanted_sequences: float, data: int, micro_batch: int) -> int:
    """Micro-batches of a replica whose global batch comes nearest to the one wanted; at least 1.

    >>> micro_batches(1536, 12, 1), micro_batches(100, 128, 1)
    (128, 1)
    """
    return max(1, round(wanted_sequences / (data * micro_batch)))


def make_job(workload: Workload, tensor: int, pipeline: int, gpus: int, wanted: float) -> Job | None:
    """The job on the largest multiple of TP x PP x CP GPUs, and of EP where there are experts.

    None where one replica takes more GPUs than there are.
    """
    context, experts = workload.context_parallel, workload.expert_parallel
    data = gpus // (tensor * pipeline * context)
    if experts > 1:
        whole = experts // gcd(experts, context)  # EP ranks are replicas: data times context
        data = data // whole * whole
    if data < 1:
        return None
    return Job(workload, tensor, pipeline, context, data, micro_batches(wanted, data, workload.micro_batch))
