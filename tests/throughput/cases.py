"""A small machine and model whose step can be worked out by hand, and builders around them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planner.catalog.parts import Accelerator, ServerModel, TrainedModel
from planner.catalog.technologies import Technology
from planner.scenario.scenario import Operations, WanAsk, Workload
from planner.throughput.cluster import Cluster, FabricView, Machine, machine_of
from planner.throughput.constants import load_constants, with_values
from planner.throughput.estimate import estimate
from planner.throughput.fabric_path import fabric_path
from planner.throughput.job import Job
from planner.throughput.result import Estimate
from planner.throughput.step import StepTimes, step_times
from pricing.provenance import Grade, Source

SOURCE = Source("test", "2026", Grade.GUESS)
A100 = Accelerator("a100-80gb", "A100", {"bf16": 312.0}, 80.0, 2.0, 300.0, SOURCE)
H100 = Accelerator("h100", "H100", {"bf16": 989.0, "fp8": 1979.0}, 80.0, 3.35, 450.0, SOURCE)
GB200 = Accelerator("gb200", "GB200", {"bf16": 2500.0, "fp8": 5000.0}, 192.0, 8.0, 900.0, SOURCE)
DGX_A100 = ServerModel("dgx-a100", "DGX A100", "a100-80gb", 8, 8, 200, 1, "", "", 4, 8, 1, None, SOURCE)
DGX_H100 = ServerModel("dgx-h100", "DGX H100", "h100", 8, 8, 400, 2, "", "", 5, 8, 1, None, SOURCE)
NVL72 = ServerModel("gb200-nvl72", "GB200 NVL72", "gb200", 4, 4, 400, 1, "", "", 5, 72, 18, None, SOURCE)
SMALL = TrainedModel("small", "small", 1e8, 8, 1024, 4096, 16, 16, 1000, 1024, False, False, SOURCE)
GPT3 = TrainedModel("gpt3-175b", "GPT-3", 175e9, 96, 12288, 49152, 96, 96, 51200, 2048, False, False, SOURCE)
LLAMA8B = TrainedModel("llama3-8b", "8B", 8e9, 32, 4096, 14336, 32, 8, 128256, 8192, True, True, SOURCE)
CONSTANTS = load_constants()
# fitted constants at round figures, so that a new fit changes nothing that is worked out by hand
ROUND = with_values(
    CONSTANTS,
    {
        "kappa": 0.8,
        "elementwise_passes": 170.0,
        "exposed_ratio": 0.5,
        "fp8_derate": 1.0,
        "a100.attention_2023": 0.25,
    },
)
GPT3_JOB = Workload(GPT3, tensor_parallel=8, pipeline_parallel=8, global_batch_sequences=1536)


DEEPSEEK = TrainedModel(
    "deepseek-v3", "DeepSeek-V3", 671e9, 61, 7168, 18432, 128, 128, 129280, 4096, True, True, SOURCE,
    experts=256, experts_per_token=8, expert_ffn_hidden=2048, shared_experts=1, dense_layers=3,
    attention_params=187_107_328, attention_width=20480,
)  # fmt: skip
EXPERTS_JOB = Workload(
    DEEPSEEK, precision="fp8", tensor_parallel=1, pipeline_parallel=16, virtual_pipeline=2,
    expert_parallel=64, global_batch_sequences=15360, fixed_batch=True, recompute="none",
)  # fmt: skip
MIX = replace(GPT3_JOB, job_mix=((256, 0.25), (1024, 0.75)))


def fabric(technology: Technology = "infiniband", gbps: float = 400.0, **changes: Any) -> FabricView:
    """Two tiers, non-blocking, eight endpoints a node, 32 nodes a set of leaves."""
    view = FabricView(technology, gbps, 8, 2, 1.0, 1.0, 32)
    return replace(view, **changes)


def dgx(gpus: int, view: FabricView | None = None) -> Cluster:
    """DGX H100 nodes on a fabric."""
    return Cluster(DGX_H100, H100, gpus, view or fabric())


def run(
    workload: Workload = GPT3_JOB,
    gpus: int = 1024,
    first: int = 1024,
    view: FabricView | None = None,
    operations: Operations | None = None,
) -> Estimate:
    """An estimate on DGX H100 nodes."""
    cluster = dgx(gpus, view)
    return estimate(workload, cluster, first, operations or Operations(), CONSTANTS)


VIEW = fabric(gbps=200.0)
PATH = fabric_path(VIEW, 6, Operations(), ROUND)
# TP 2 x PP 2 x DP 12 = 48 GPUs = 6 nodes, 4 micro-batches of one sequence: 512 tokens a rank
JOB = Job(Workload(SMALL), tensor=2, pipeline=2, context=1, data=12, micro_batches=4)
MATMUL = 312e12 * 0.869 * 0.8


def rates(workload: Workload = JOB.workload) -> Machine:
    """Rates of a GPU of DGX A100 nodes at 200 Gb/s, round constants."""
    return machine_of(Cluster(DGX_A100, A100, 8, VIEW), workload, ROUND)


def times(job: Job = JOB) -> StepTimes:
    """The step of a job on them."""
    return step_times(job, rates(job.workload), PATH, WanAsk(), ROUND)


def changed(**workload: Any) -> Job:
    """The small job with a changed workload."""
    return replace(JOB, workload=replace(JOB.workload, **workload))
