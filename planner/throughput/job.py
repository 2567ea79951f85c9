"""A training job with every parallel degree fixed."""

from __future__ import annotations

from dataclasses import dataclass

from planner.scenario.scenario import Workload
from planner.throughput.numbers import pieces


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
    def sharding(self) -> str:
        """How states are sharded: FSDP in a pipeline gathers weights once a step, as ZeRO-1 does.

        A stage keeps its weights between micro-batches (Llama 3, torchtitan).
        """
        pipelined = self.workload.sharding == "fsdp" and self.pipeline > 1
        return "zero1" if pipelined else self.workload.sharding

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
        return int(pieces(self.workload.model.layers, self.pipeline))

    @property
    def replicas(self) -> int:
        """Ranks that hold the same weights: data times context parallel."""
        return self.data * self.context
