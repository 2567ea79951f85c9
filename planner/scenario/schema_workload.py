"""The section [workload] of a scenario file: the training job and its model."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from planner.scenario.schema_types import Count, Section, Whole, Words, wrong

_MOST_JOBS = 20


def _job_mix(value: object) -> object:
    """Pairs of GPUs and share, the shares adding up to 1."""
    pairs = value if isinstance(value, list) else []
    if not 1 <= len(pairs) <= _MOST_JOBS or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        raise wrong("is no list of pairs", "write [[GPUs, share of the GPU-hours], ...], at most 20 pairs")
    shares: list[Any] = [share for _, share in pairs]
    if not all(isinstance(s, int | float) and s > 0 for s in shares) or abs(sum(shares) - 1) > 1e-6:
        raise wrong("has shares that do not add up to 1", "give each share above 0, together 1")
    if not all(isinstance(gpus, int) and gpus >= 1 for gpus, _ in pairs):
        raise wrong("has a job of no whole number of GPUs", "give at least 1 GPU a job")
    return tuple((gpus, float(share)) for gpus, share in pairs)


JobMix = Annotated[tuple[tuple[int, float], ...], BeforeValidator(_job_mix)]


class WorkloadSection(Section):
    """[workload]: a trained model (by id, or its columns) and the job."""

    model: Words | None = None
    params: Annotated[float, Field(ge=1e6, le=1e15)] | None = None
    layers: Whole | None = None
    hidden: Whole | None = None
    ffn_hidden: Whole | None = None
    heads: Whole | None = None
    kv_heads: Whole | None = None
    vocab: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    sequence: Annotated[int, Field(ge=1, le=100_000_000)] | None = None
    gated_mlp: bool | None = None
    causal_flops: bool | None = None
    precision: Words | None = None
    tensor_parallel: Whole | None = None
    pipeline_parallel: Whole | None = None
    virtual_pipeline: Whole | None = None
    context_parallel: Whole | None = None
    micro_batch: Whole | None = None
    global_batch_sequences: Annotated[int, Field(ge=1, le=10**9)] | None = None
    fixed_batch: bool | None = None
    sequence_parallel: bool | None = None
    recompute: Literal["none", "selective", "full"] | None = None
    sharding: Literal["none", "zero1", "fsdp", "zero3-2021"] | None = None
    gradient_bytes: Annotated[float, Field(gt=0, le=8)] | None = None
    parameter_bytes: Annotated[float, Field(gt=0, le=8)] | None = None
    overlap: bool | None = None
    stack_factor: Annotated[float, Field(gt=0, le=100)] | None = None
    attention: Literal["fused", "fused-2023", "unfused"] | None = None
    expert_parallel: Whole | None = None
    job_mix: JobMix | None = None
    calibrated: bool | None = None
    experts: Count | None = None
    experts_per_token: Count | None = None
    expert_ffn_hidden: Count | None = None
    shared_experts: Count | None = None
    dense_layers: Count | None = None
