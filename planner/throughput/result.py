"""What an estimate says: the rate of a job on a design, what it asks of each tier, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class ThroughputError(ValueError):
    """No estimate is possible; the message says why and what would help."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One training job on one design.

    ``shares`` are fractions of the step: compute, memory, tensor_parallel, bubble, pipeline_p2p,
    exposed_fabric, wan; they sum to 1, and tensor_parallel also holds what replicas wait for each other
    inside an NVLink domain or node. ``effective_tflops`` is the job's sustained rate after
    goodput, of the whole cluster (idle GPUs count 0). ``mfu`` is before goodput, dense peak. The bands
    are relative: ``level_band_ratio`` of the rate itself, ``scaling_band_ratio`` of what another size, fabric
    or ratio does to it. ``runner_up`` is the next best choice of degrees in words, "" where none was open.
    With a mix of jobs the step is the largest job's and ``effective_tflops`` that of the whole mix.
    """

    gpus: int
    job_gpus: int
    tensor_parallel: int
    pipeline_parallel: int
    data_parallel: int
    global_batch_sequences: int
    step_time_s: float
    mfu: float
    goodput: float
    effective_tflops: float
    shares: Mapping[str, float]
    warnings: tuple[str, ...] = ()
    level_band_ratio: float = 0.0
    scaling_band_ratio: float = 0.0
    runner_up: str = ""

    @property
    def level_tflops(self) -> tuple[float, float]:
        """Low and high of ``effective_tflops`` by the level's band."""
        return _around(self.effective_tflops, self.level_band_ratio)

    @property
    def scaling_tflops(self) -> tuple[float, float]:
        """Low and high of ``effective_tflops`` against another design with the same stack."""
        return _around(self.effective_tflops, self.scaling_band_ratio)


def _around(middle: float, ratio: float) -> tuple[float, float]:
    return middle * (1 - ratio), middle * (1 + ratio)


@dataclass(frozen=True, slots=True)
class TierLoad:
    """Bandwidth that the job asks of each tier on an ideal fabric, Gb/s for each endpoint.

    A tier's traffic is the bytes that cross it in a step over the step's time on an ideal fabric.
    """

    node_leaf_gbps: float
    leaf_spine_gbps: float
    spine_core_gbps: float
