"""The attribute tables of what the cluster does: training job, operations, sites, measured constants."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from planner.scenario.attributes import (
    Bytes,
    Count,
    Listed,
    NotNegative,
    Positive,
    PositiveShare,
    Section,
    Technologies,
    Whole,
    Words,
    key,
    wrong,
)
from planner.scenario.scenario import Attention, Placement, Recompute, RoceTuning, Sharding

_MOST_JOBS = 20
_OF_MODEL = "as the catalog has the model"
_OF_GPT3 = "as the catalog has the model; of a model of one's own, as in the GPT-3 family"
_DENSE = "as the catalog has the model; 0 of a model of one's own"
_CHOSEN = "the planner chooses"


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


JobMix = Annotated[
    tuple[tuple[int, float], ...],
    BeforeValidator(_job_mix),
    WithJsonSchema({"type": "array", "words": "list of [GPUs, share of the GPU-hours]"}),
]
StackFactor = Annotated[float, Field(gt=0, le=100)]


class WorkloadSection(Section):
    """The training job and its model: one of the catalog by id, or its columns."""

    header = "workload"
    model: Words | None = key(
        "The model that the cluster trains; it decides how much the fabric carries.",
        rule="gpt3-175b where its weights and optimiser fit the first build year, else llama3-8b",
    )
    params: Annotated[float, Field(ge=1e6, le=1e15)] | None = key(
        "Parameters of the model.", unit="parameters", rule=_OF_MODEL
    )
    layers: Whole | None = key("Its layers.", unit="layers", rule=_OF_MODEL)
    hidden: Whole | None = key("Its hidden size.", rule=_OF_MODEL)
    ffn_hidden: Whole | None = key(
        "The hidden size of its MLP: 4 x hidden in the GPT-3 family.", rule=_OF_GPT3
    )
    heads: Whole | None = key("Its attention heads, which divide the hidden size.", rule=_OF_MODEL)
    kv_heads: Whole | None = key("Its key and value heads, which divide the heads.", rule=_OF_GPT3)
    vocab: Annotated[int, Field(ge=1, le=10_000_000)] | None = key(
        "Its vocabulary.", unit="tokens", rule=_OF_GPT3
    )
    sequence: Annotated[int, Field(ge=1, le=100_000_000)] | None = key(
        "Tokens of a sequence.", unit="tokens", rule=_OF_GPT3
    )
    gated_mlp: bool | None = key("Whether its MLP has a gate, a third matrix.", rule=_OF_GPT3)
    causal_flops: bool | None = key(
        "Whether its published FLOP/s count half of the attention, as causality allows.", rule=_OF_GPT3
    )
    precision: Words | None = key(
        "The precision of the matrix products, bf16 or fp8: one that the GPU has a peak for.", default="bf16"
    )
    tensor_parallel: Whole | None = key("GPUs that share each layer, over NVLink.", unit="GPUs", rule=_CHOSEN)
    pipeline_parallel: Whole | None = key(
        "Stages that the layers are divided into.", unit="stages", rule=_CHOSEN
    )
    virtual_pipeline: Whole | None = key("Interleaved chunks of a stage.", unit="chunks", default=1)
    context_parallel: Whole | None = key("GPUs that share each sequence.", unit="GPUs", default=1)
    micro_batch: Whole | None = key("Sequences of a micro-batch.", unit="sequences", default=1)
    global_batch_sequences: Annotated[int, Field(ge=1, le=10**9)] | None = key(
        "Sequences in one training step at the first build year. It grows with the GPUs up to "
        "16 million tokens a step.",
        unit="sequences a step",
        rule=_CHOSEN,
    )
    fixed_batch: bool | None = key("Whether the global batch stays as it is when GPUs join.", default=False)
    sequence_parallel: bool | None = key(
        "Whether the tensor-parallel GPUs share activations along the sequence, too.", default=True
    )
    recompute: Recompute | None = key("Which activations are computed again.", default="selective")
    sharding: Sharding | None = key(
        "What the data-parallel GPUs share: nothing, the optimiser (zero1), or the weights, too.",
        default="zero1",
    )
    gradient_bytes: Bytes | None = key(
        "The weight of a parameter's gradient on the wire: 4 fp32, 2 bf16, 1 fp8.", unit="bytes", default=2.0
    )
    parameter_bytes: Bytes | None = key("The weight of a parameter on the wire.", unit="bytes", default=2.0)
    overlap: bool | None = key("Whether the software overlaps gradients with computation.", default=True)
    stack_factor: StackFactor | None = key(
        "The software's step time over that of the planner's model.", unit="ratio", default=1.0
    )
    attention: Attention | None = key("The attention kernels: by their generation.", default="fused")
    expert_parallel: Whole | None = key("GPUs that share the experts of a layer.", unit="GPUs", default=1)
    job_mix: JobMix | None = key(
        "Jobs that share the cluster; without it, one job runs over all of it.", default=()
    )
    calibrated: bool | None = key(
        "Whether the stack factor was measured on this very software.", default=False
    )
    experts: Count | None = key("Routed experts of a layer; 0: a dense model.", rule=_DENSE)
    experts_per_token: Count | None = key("Routed experts that a token passes.", rule=_DENSE)
    expert_ffn_hidden: Count | None = key("The hidden size of an expert.", rule=_DENSE)
    shared_experts: Count | None = key("Experts of a layer that every token passes.", rule=_DENSE)
    dense_layers: Count | None = key("First layers without experts.", unit="layers", rule=_DENSE)


class OperationsSection(Section):
    """How the fabric is run, and what its faults cost."""

    header = "operations"
    roce_tuning: RoceTuning | None = key("How well RoCE is tuned.", default="tuned")
    adaptive_routing: bool | None = key(
        "Whether InfiniBand and Spectrum-X route packets around load.", default=True
    )
    placement: Placement | None = key(
        "Whether the scheduler knows which nodes share a leaf.", default="packed"
    )
    in_network_reduction: bool | None = key(
        "Whether InfiniBand's switches reduce gradients (SHARP).", default=False
    )
    failures_per_node_day: NotNegative | None = key(
        "Interruptions of the job that a node causes.", unit="failures/node-day"
    )
    restart_s: NotNegative | None = key("How long the job takes to restart.", unit="s")
    checkpoint_write_s: NotNegative | None = key("How long it takes to write a checkpoint.", unit="s")
    recabling_downtime_hours: NotNegative | None = key(
        "How long the jobs stand still that moved links serve.", unit="hours"
    )
    gpu_hour_usd: NotNegative | None = key("What an hour of a GPU is worth.", unit="USD/GPU-hour")
    link_stall_s: NotNegative | None = key(
        "How long the job stands still when a link between switches fails and traffic is not routed around "
        "it at once.",
        unit="s",
    )
    link_failures_per_year: NotNegative | None = key("Failures of a link.", unit="failures/link-year")
    memory_pools: bool | None = key(
        "Whether communication buffers are registered once and kept.", default=True
    )
    roce_engineers_per_1000_gpus: NotNegative | None = key(
        "Network engineers that tuned RoCE takes beyond InfiniBand, for every 1,000 GPUs.", unit="FTE"
    )
    engineer_usd_per_year: NotNegative | None = key(
        "What a network engineer costs with overhead.", unit="USD/FTE-year"
    )


class WanSection(Section):
    """Several sites, alike, and the link between them."""

    header = "wan"
    sites: Annotated[int, Field(ge=1, le=64)] | None = key(
        "Sites that share the GPUs.", unit="sites", rule="1"
    )
    link_gbps: Positive | None = key(
        "The rate of the link between the sites.", unit="Gb/s", rule="none: required with several sites"
    )
    round_trip_ms: NotNegative | None = key(
        "The round trip between the sites.", unit="ms", rule="none: required with several sites"
    )
    gradient_bytes: Bytes | None = key(
        "The weight of a parameter's gradient on the link: 4 fp32, 2 bf16, 1 fp8.", unit="bytes", default=1.0
    )
    usd_per_year: NotNegative | None = key(
        "What the link costs a year.", unit="USD/year", rule="none: the link is not priced"
    )
    compression_ratio: Annotated[float, Field(ge=1, le=1e4)] | None = key(
        "What sparsification or the like divides the gradients by.", unit="ratio", default=1.0
    )
    hierarchical: bool | None = key(
        "Whether each site reduces first, so that gradients cross once a step.", default=True
    )
    tcp_streams: Whole | None = key("TCP connections at once.", unit="streams", default=16)
    tcp_window_mib: Positive | None = key("The window of a TCP connection.", unit="MiB", default=32.0)


class CalibrationSection(Section):
    """What a test bed measured, in a file of the command calibrate or given here."""

    header = "calibration"
    file: Words | None = key(
        "A file that calibrate has written, in the scenario's folder; on the command line alone.", rule="none"
    )
    logs: Listed | None = key("What the figures were read from, for the reader alone.", rule="none")
    e0_by_technology: dict[Words, PositiveShare] | None = key(
        "Payload share of the link rate, by technology.", unit="fraction", rule="the planner's constant"
    )
    alpha_us_by_technology: dict[Words, NotNegative] | None = key(
        "Latency of a message, hops apart, by technology.", unit="us", rule="the planner's constant"
    )
    technologies: Technologies | None = key(
        "What e0 and alpha_us hold for.", rule="infiniband, roce and spectrum-x"
    )
    e0: PositiveShare | None = key(
        "Payload share of the link rate.", unit="fraction", rule="the planner's constant"
    )
    alpha_us: NotNegative | None = key(
        "Latency of a message, hops apart.", unit="us", rule="the planner's constant"
    )
    nvlink_busbw_gbytes_per_s: Positive | None = key(
        "Bus bandwidth of an all-reduce of 8 GPUs over NVLink.", unit="GB/s", rule="the planner's constant"
    )
    nvlink_alpha_us: NotNegative | None = key(
        "Latency of an all-reduce over NVLink.", unit="us", rule="the planner's constant"
    )
    stack_factor: StackFactor | None = key(
        "The software's step time over that of the planner's model, as measured.",
        unit="ratio",
        rule="that of [workload]",
    )
