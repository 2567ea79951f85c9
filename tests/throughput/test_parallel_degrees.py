"""The choice of degrees against an enumeration of its own: every cut of the GPUs, every micro-batch count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.parts import Accelerator, ServerModel, TrainedModel
from planner.catalog.technologies import TECHNOLOGIES
from planner.scenario.scenario import Operations, Recompute, Sharding, WanAsk, Workload
from planner.throughput.cluster import Cluster, machine_of
from planner.throughput.estimate import estimate
from planner.throughput.memory import memory_bytes
from planner.throughput.parallel_degrees import Surroundings, choose, legal_jobs
from planner.throughput.result import Estimate, ThroughputError
from tests.throughput.cases import CONSTANTS, DEEPSEEK, EXPERTS_JOB, GPT3, GPT3_JOB, SOURCE, fabric, run

DENSE = TrainedModel("m", "m", 1e9, 12, 1024, 4096, 16, 16, 32000, 1024, False, False, SOURCE)
EXPERTS = replace(DENSE, params=6e9, experts=8, experts_per_token=2, expert_ffn_hidden=2048, dense_layers=1)


def test_experts_that_do_not_add_up_are_refused() -> None:
    for changes, words in (
        ({"expert_parallel": 60}, "60 does not divide 256 experts"),
        ({"model": replace(DEEPSEEK, params=100e9)}, "its experts alone have more"),
        ({"model": replace(DEEPSEEK, experts_per_token=0)}, "need experts_per_token"),
        ({"model": GPT3}, "gpt3-175b has no experts"),
    ):
        with pytest.raises(ThroughputError, match=words):
            run(replace(EXPERTS_JOB, **changes), 2048, 2048)
    with pytest.raises(ThroughputError, match="does not fit in 512 GPUs"):
        run(EXPERTS_JOB, 512, 512)  # 32 replicas for 64 expert-parallel ranks


@dataclass(frozen=True)
class Cut:
    """GPUs cut into tensor x pipeline x data groups, and the micro-batches of a replica."""

    tensor: int
    pipeline: int
    data: int
    micro_batches: int


def cuts(job: Workload, domain: int, gpus: int, wanted: float) -> Iterator[Cut]:
    """Every rule of a legal job, tried out on all numbers that there are."""
    model, context, experts = job.model, job.context_parallel, job.expert_parallel
    for tensor in (1, 2, 4, 8, 16, 32, 64, 128):
        for pipeline in range(1, 65):
            if tensor > domain or model.heads % tensor or model.layers % pipeline:
                continue
            fits = (d for d in range(1, gpus + 1) if tensor * pipeline * context * d <= gpus)
            data = max((d for d in fits if d * context % experts == 0), default=0)
            if data:
                sequences = data * job.micro_batch
                m = min(range(1, int(wanted / sequences) + 3), key=lambda n: abs(n * sequences - wanted))
                yield Cut(tensor, pipeline, data, m)


def memory_gb(job: Workload, cut: Cut) -> float:
    """The usual formula, written down anew: states of the shared and the routed weights, activations."""
    model, ranks = job.model, cut.data * job.context_parallel
    one_expert = (3 if model.gated_mlp else 2) * model.hidden * model.expert_ffn_hidden
    routed = (model.layers - model.dense_layers) * model.experts * one_expert if model.experts else 0
    cells = cut.tensor * cut.pipeline
    total = 0.0
    for weights, replicas in (
        ((model.params - routed) / cells, ranks),
        (routed / cells / job.expert_parallel, ranks / job.expert_parallel),
    ):
        if job.sharding == "none":
            total += 2 * weights + 4 * weights + 12 * weights
        elif job.sharding == "fsdp" and cut.pipeline == 1:
            total += 18 * weights / replicas + 4 * weights / model.layers
        else:
            total += 2 * weights + 4 * weights + 12 * weights / replicas
    tokens = job.micro_batch * model.sequence / job.context_parallel
    layer = model.hidden * tokens * 34 / cut.tensor  # with sequence parallelism
    stage = model.layers // cut.pipeline
    alive = min(cut.pipeline, cut.micro_batches)
    if job.recompute == "full":
        return (total + 2 * model.hidden * tokens / cut.tensor * stage * alive + layer) / 1e9
    return (total + layer * stage * alive) / 1e9


@dataclass(frozen=True)
class Case:
    """A job with open degrees, and what it runs on."""

    job: Workload
    cluster: Cluster


@st.composite
def cases(draw: st.DrawFn) -> Case:
    model = draw(st.sampled_from([DENSE, EXPERTS]))
    model = replace(
        model, layers=draw(st.sampled_from([1, 6, 7, 12, 96])), heads=draw(st.sampled_from([6, 16]))
    )
    model = replace(model, kv_heads=model.heads, params=model.params * model.layers / 6)
    experts = draw(st.sampled_from([1, 2, 8])) if model.experts else 1
    sharding: Sharding = draw(st.sampled_from(["none", "zero1", "fsdp"]))
    job = Workload(
        model,
        context_parallel=draw(st.sampled_from([1, 2])),
        expert_parallel=experts,
        micro_batch=draw(st.sampled_from([1, 2])),
        sharding=sharding,
        recompute=draw(st.sampled_from(["none", "full"])),
        global_batch_sequences=draw(st.integers(1, 600)),
        fixed_batch=True,
    )
    hbm = draw(st.sampled_from([6.0, 12.0, 24.0, 80.0]))
    gpu = Accelerator("h100", "H100", {"bf16": 989.0, "fp8": 1979.0}, hbm, 3.35, 450.0, SOURCE)
    domain = draw(st.sampled_from([1, 4, 6, 8, 16]))
    server = ServerModel("s", "s", "h100", 8, 8, 400, 2, "", "", 5, domain, 1, None, SOURCE)
    technology = draw(st.sampled_from(TECHNOLOGIES))
    return Case(job, Cluster(server, gpu, draw(st.integers(1, 200)), fabric(technology)))


def surroundings(case: Case) -> Surroundings:
    machine = machine_of(case.cluster, case.job, CONSTANTS)
    return Surroundings(machine, case.cluster.fabric, Operations(), WanAsk(), case.cluster.nodes, CONSTANTS)


def wanted(case: Case) -> float:
    return float(case.job.global_batch_sequences or 0)


@settings(max_examples=200, deadline=None)
@given(cases())
def test_every_legal_job_is_compared_and_no_other(case: Case) -> None:
    cluster = case.cluster
    found = list(legal_jobs(case.job, surroundings(case).machine, cluster.gpus, wanted(case)))
    legal = list(cuts(case.job, cluster.server.nvlink_domain_gpus, cluster.gpus, wanted(case)))
    assert sorted((j.tensor, j.pipeline, j.data) for j in found) == sorted(
        (cut.tensor, cut.pipeline, cut.data) for cut in legal
    )
    nearest = {(cut.tensor, cut.pipeline): cut for cut in legal}
    for job in found:
        cut = nearest[job.tensor, job.pipeline]
        sequences = cut.data * case.job.micro_batch  # as near to the batch as any number of micro-batches
        assert abs(job.micro_batches * sequences - wanted(case)) == abs(
            cut.micro_batches * sequences - wanted(case)
        )
        same = replace(cut, micro_batches=job.micro_batches)
        assert memory_bytes(job) / 1e9 == pytest.approx(memory_gb(case.job, same), rel=1e-12)


def timed(case: Case, cut: Cut, recompute: Recompute) -> Estimate:
    given_degrees = replace(
        case.job, tensor_parallel=cut.tensor, pipeline_parallel=cut.pipeline, recompute=recompute
    )
    return estimate(given_degrees, case.cluster, case.cluster.gpus, Operations(), CONSTANTS)


@settings(max_examples=120, deadline=None)
@given(cases())
def test_open_degrees_are_the_fastest_that_fit_in_memory(case: Case) -> None:
    """A cut whose batch is within a tenth of the one wanted first; of those the most sequences a second."""
    cluster, hbm = case.cluster, case.cluster.accelerator.hbm_gbytes
    legal = list(cuts(case.job, cluster.server.nvlink_domain_gpus, cluster.gpus, wanted(case)))
    tried: tuple[Recompute, ...] = (case.job.recompute, "full")
    for recompute in tried:
        job = replace(case.job, recompute=recompute)
        fitting = [cut for cut in legal if memory_gb(job, cut) <= 0.9 * hbm]
        if fitting:
            break
    if not fitting:
        with pytest.raises(ThroughputError, match="fits no parallel degrees|does not fit in"):
            choose(case.job, cluster.gpus, cluster.gpus, surroundings(case))
        return
    rated = []
    for cut in fitting:
        found = timed(case, cut, recompute)
        close = abs(found.global_batch_sequences / wanted(case) - 1) <= 0.1
        rated.append((close, found.global_batch_sequences / found.step_time_s))
    chosen = choose(case.job, cluster.gpus, cluster.gpus, surroundings(case))
    is_close = abs(chosen.job.global_batch / wanted(case) - 1) <= 0.1
    assert is_close == max(rated)[0]
    assert chosen.sequences_per_s == pytest.approx(max(rated)[1], rel=1e-12)
    assert bool(chosen.warnings) == (recompute != case.job.recompute)
    second = sorted(rated)[-2:-1]
    assert bool(chosen.runner_up) == bool(second)
    if second and second[0][0] == is_close:
        slower = 1 - second[0][1] / max(rated)[1]
        assert chosen.runner_up.endswith(f"{slower:.1%} slower") or slower < 1e-9


def test_gpt3_on_1024_gpus_by_the_same_enumeration() -> None:
    """96 layers in 11 numbers of stages, TP 1 to 8: the chosen one beats the slowest by more than a tenth."""
    job = Workload(GPT3, global_batch_sequences=1536)
    chosen = run(job)
    rates = {}
    for cut in cuts(job, 8, 1024, 1536.0):
        if memory_gb(job, cut) <= 0.9 * 80 and abs(cut.data * cut.micro_batches - 1536) <= 153.6:
            found = run(replace(job, tensor_parallel=cut.tensor, pipeline_parallel=cut.pipeline))
            rates[cut.tensor, cut.pipeline] = found.effective_tflops
    assert max(rates, key=rates.__getitem__) == (chosen.tensor_parallel, chosen.pipeline_parallel)
    assert min(rates.values()) < 0.9 * chosen.effective_tflops


def test_the_runner_up_is_the_second_fastest_choice() -> None:
    chosen = run(Workload(GPT3, global_batch_sequences=1536))
    words = chosen.runner_up
    tensor, pipeline = (int(part.split()[1]) for part in words.split(":")[0].split(" x ")[:2])
    second = run(replace(GPT3_JOB, tensor_parallel=tensor, pipeline_parallel=pipeline))
    slower = 1 - second.effective_tflops / chosen.effective_tflops
    assert words.endswith(f"{slower:.1%} slower")
    assert 0 < slower < 0.1
    assert run().runner_up == ""


def test_a_batch_that_is_rounded_up_far_is_no_faster_job() -> None:
    """8 sequences on 64 GPUs: 64 replicas would train 64; eight replicas are the job asked for."""
    job = Workload(DENSE, global_batch_sequences=8, fixed_batch=True)
    chosen = run(job, gpus=64, first=64)
    assert chosen.global_batch_sequences == 8
    flat = run(replace(job, tensor_parallel=1, pipeline_parallel=1), gpus=64, first=64)
    assert flat.global_batch_sequences == 64
    assert 64 / flat.step_time_s > 8 / chosen.step_time_s
