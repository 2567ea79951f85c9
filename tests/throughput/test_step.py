"""Pieces of a step against figures worked out by hand for a small model on A100s at 200 Gb/s."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.scenario.scenario import Operations, WanAsk, Workload
from planner.throughput.cluster import Cluster, Machine, machine_of
from planner.throughput.collectives import context_parallel_s, exposed_s, tensor_parallel_s
from planner.throughput.compute import attention_core_s, elementwise_s, matmul_s, optimiser_s, weights_s
from planner.throughput.fabric_path import fabric_path
from planner.throughput.flops import core_flops, dense_flops, model_flops_per_token
from planner.throughput.job import Job
from planner.throughput.result import ThroughputError
from planner.throughput.step import (
    StepTimes,
    gradient_window_s,
    head_times,
    layer_times,
    pipeline_p2p_s,
    step_times,
    wan_s,
)
from tests.throughput.cases import A100, DGX_A100, GPT3, LLAMA8B, ROUND, SMALL, dgx, fabric

VIEW = fabric(gbps=200.0)
PATH = fabric_path(VIEW, 6, Operations(), ROUND)
# TP 2 x PP 2 x DP 12 = 48 GPUs = 6 nodes, 4 micro-batches of one sequence: 512 tokens a rank
JOB = Job(Workload(SMALL), tensor=2, pipeline=2, context=1, data=12, micro_batches=4)
MATMUL = 312e12 * 0.869 * 0.8


def rates(workload: Workload = JOB.workload) -> Machine:
    return machine_of(Cluster(DGX_A100, A100, 8, VIEW), workload, ROUND)


def times(job: Job = JOB) -> StepTimes:
    return step_times(job, rates(job.workload), PATH, WanAsk(), ROUND)


def changed(**workload: object) -> Job:
    return replace(JOB, workload=replace(JOB.workload, **workload))


def test_dense_flops_count_grouped_query_attention_and_gated_mlp() -> None:
    assert dense_flops(SMALL) == 2 * (4 * 1024**2 + 2 * 1024 * 4096)
    # Q and output h^2 each, K and V a quarter of it each, three MLP matrices
    assert dense_flops(LLAMA8B) == 2 * (2.5 * 4096**2 + 3 * 4096 * 14336)


def test_causal_counting_halves_the_core_that_counts_but_not_its_time() -> None:
    assert core_flops(SMALL) == 4 * 1024 * 1024
    whole = replace(LLAMA8B, causal_flops=False)
    counted = model_flops_per_token(whole) - model_flops_per_token(LLAMA8B)
    assert counted == 3 * 32 * 2 * 8192 * 4096
    jobs = [replace(JOB, workload=Workload(model)) for model in (LLAMA8B, whole)]
    assert attention_core_s(jobs[0], rates()) == attention_core_s(jobs[1], rates())


def test_gpt3_model_flops_agree_with_six_times_parameters() -> None:
    # 72*L*h^2*(1 + s/(6h) + V/(12hL)) of SC21 without recompute; 6N = 1.05e12
    assert model_flops_per_token(GPT3) == pytest.approx(1.07644e12, rel=1e-5)


def test_attention_core_of_each_generation_of_kernels() -> None:
    core = 512 * 4_194_304
    fused = 0.5 * 3.5 * core  # causal half; the backward pass is 2.5 forward ones
    assert attention_core_s(JOB, rates()) == pytest.approx(fused / (312e12 * 0.55))
    older = changed(attention="fused-2023")
    assert attention_core_s(older, rates(older.workload)) == pytest.approx(fused / (312e12 * 0.25))
    unfused = changed(attention="unfused")  # the whole square, once more for selective recompute
    assert attention_core_s(unfused, rates()) == pytest.approx(4 * core / MATMUL)
    assert attention_core_s(changed(attention="unfused", recompute="none"), rates()) == pytest.approx(
        3 * core / MATMUL
    )


def test_full_recompute_adds_a_forward_pass_to_matmuls_and_elementwise() -> None:
    dense, full = 512 * 25_165_824, changed(recompute="full")
    core = attention_core_s(full, rates()) / attention_core_s(JOB, rates())
    assert core == pytest.approx(4.5 / 3.5)
    assert matmul_s(JOB, rates()) - attention_core_s(JOB, rates()) == pytest.approx(3 * dense / MATMUL)
    assert matmul_s(full, rates()) - attention_core_s(full, rates()) == pytest.approx(4 * dense / MATMUL)
    assert elementwise_s(full, rates(), ROUND) == pytest.approx(elementwise_s(JOB, rates(), ROUND) * 4 / 3)


def test_elementwise_time_with_and_without_sequence_parallel() -> None:
    # 170 * 2 * 1024 * 1024 / 2 / 2e12, and 10/34 of it undivided
    assert elementwise_s(JOB, rates(), ROUND) == pytest.approx(8.91290e-5, rel=1e-5)
    plain = changed(sequence_parallel=False)
    assert elementwise_s(plain, rates(), ROUND) == pytest.approx(8.91290e-5 * (24 + 20) / 34, rel=1e-5)
    # unfused kernels write the scores: 5*16*1024/1024 = 80 more of 34
    unfused = changed(attention="unfused")
    assert elementwise_s(unfused, rates(), ROUND) == pytest.approx(8.91290e-5 * (34 + 80) / 34, rel=1e-5)


def test_weights_and_fp32_gradients_pass_memory_once_a_micro_batch() -> None:
    # 12*1024^2 weights / 2 ranks, 2 + 2 + 8 bytes, 2 TB/s: the same for one sequence or ten
    assert weights_s(JOB, rates(), ROUND) == pytest.approx(6 * 1024**2 * 12 / 2e12)
    assert weights_s(changed(micro_batch=10), rates(), ROUND) == weights_s(JOB, rates(), ROUND)
    assert weights_s(changed(recompute="full"), rates(), ROUND) == pytest.approx(6 * 1024**2 * 14 / 2e12)


def test_a_layer_takes_no_less_than_its_launches() -> None:
    tiny = replace(SMALL, hidden=64, ffn_hidden=256, heads=2)
    layer = layer_times(replace(JOB, workload=Workload(tiny)), rates(), PATH, ROUND)
    assert layer.compute + layer.memory == pytest.approx(3.75e-4)


def test_tensor_parallel_time() -> None:
    # 4 * (2 * 1/2 * 2,097,152 / 229e9 + 80e-6 * sqrt(2/8))
    assert tensor_parallel_s(JOB, rates(), PATH) == (pytest.approx(1.966314e-4, rel=1e-5), 0.0)
    assert tensor_parallel_s(replace(JOB, tensor=1), rates(), PATH) == (0.0, 0.0)


def test_fp8_speeds_up_the_matmuls_but_not_the_attention_core() -> None:
    fp8 = machine_of(dgx(8), Workload(SMALL, precision="fp8"), ROUND)
    assert fp8.core_flops == pytest.approx(989e12 * 0.803 * 0.8)
    assert fp8.matmul_flops == pytest.approx(1979e12 * 0.709 * 0.8)
    assert fp8.attention_flops == pytest.approx(989e12 * 0.5)
    job = changed(precision="fp8")
    assert elementwise_s(job, rates(), ROUND) == pytest.approx(8.91290e-5 * 198 / 170, rel=1e-5)
    assert weights_s(job, rates(), ROUND) == pytest.approx(6 * 1024**2 * 10 / 2e12)


def test_head_and_loss() -> None:
    head = head_times(JOB, rates(), ROUND)
    assert head.compute == pytest.approx(512 * 3 * 2 * 1024 * 1000 / MATMUL)
    assert head.memory == pytest.approx(512 * 1000 * 38 / 2e12)


def test_pipeline_transfers_between_nodes() -> None:
    # 8 messages of 1,048,576 B at 23 GB/s and 5.6 us, half of half of it where overlapped
    whole = 8 * (1_048_576 / 23e9 + 5.6e-6)
    assert pipeline_p2p_s(JOB, rates(), PATH, ROUND) == pytest.approx(whole * 0.25)
    assert pipeline_p2p_s(changed(overlap=False), rates(), PATH, ROUND) == pytest.approx(whole)


def test_a_job_inside_one_node_never_meets_the_fabric() -> None:
    inside = replace(JOB, data=2)
    slow = replace(PATH, bytes_per_s=1.0)
    assert step_times(inside, rates(), slow, WanAsk(), ROUND) == times(inside)
    assert times(inside).exposed_fabric == 0.0


def test_data_parallel_time_shares_a_nodes_endpoints() -> None:
    # 1e8/4 parameters * 4 B * 11/12 over four endpoints (four ranks of the group in a node);
    # the group spans 3 nodes: twice 2 fabric steps and 9 NVLink steps
    volume = 1e8 / 4 * 4 * 11 / 12
    expected = volume / (4 * 23e9) + 2 * (2 * 5.6e-6 + 9 * 1.5e-6)
    assert times(changed(overlap=False)).exposed_fabric == pytest.approx(expected)
    assert times().exposed_fabric == pytest.approx(0.5 * expected)  # hidden but for x = 0.5


def test_switches_that_reduce_halve_an_all_reduce_and_nothing_else() -> None:
    sharp = replace(PATH, in_network=True)
    for sharding, ratio in (("none", 0.5), ("zero1", 1.0)):
        job = changed(sharding=sharding, overlap=False)
        large = replace(job, workload=replace(job.workload, model=replace(SMALL, params=1e11)))
        plain, reduced = (
            step_times(large, rates(), p, WanAsk(), ROUND).exposed_fabric for p in (PATH, sharp)
        )
        assert reduced / plain == pytest.approx(ratio, rel=1e-3)


def test_overlap_hides_behind_a_window_but_never_all() -> None:
    assert exposed_s(JOB, 10.0, 3.0, ROUND) == 7.0
    assert exposed_s(JOB, 10.0, 8.0, ROUND) == 5.0  # x = 0.5
    assert exposed_s(changed(overlap=False), 10.0, 8.0, ROUND) == 10.0


def test_interleaved_chunks_widen_the_window_of_the_gradients() -> None:
    assert gradient_window_s(JOB, 1.0, ROUND) == pytest.approx(0.8)
    chunked = changed(virtual_pipeline=4)
    assert gradient_window_s(replace(chunked, pipeline=8, micro_batches=32), 1.0, ROUND) == pytest.approx(4.8)
    assert gradient_window_s(replace(chunked, pipeline=8, micro_batches=4), 1.0, ROUND) == pytest.approx(2.4)


def test_fsdp_moves_the_weights_three_times_a_micro_batch() -> None:
    shared = Workload(SMALL, sharding="fsdp", overlap=False)
    fsdp = Job(shared, tensor=1, pipeline=1, context=1, data=48, micro_batches=2)
    # 6 B * 1e8 * 47/48 over 8 endpoints, 3*8 collectives of 5 fabric and 42 NVLink steps, twice
    one = 6e8 * 47 / 48 / (8 * 23e9) + 24 * (5 * 5.6e-6 + 42 * 1.5e-6)
    assert times(fsdp).exposed_fabric == pytest.approx(2 * one)


def test_fsdp_in_a_pipeline_gathers_once_a_step() -> None:
    assert times(changed(sharding="fsdp")) == times(changed(sharding="zero1"))


def test_the_zero3_of_2021_uses_one_endpoint_and_a_collective_a_tensor() -> None:
    shared = Workload(SMALL, sharding="zero3-2021", overlap=False)
    zero3 = Job(shared, tensor=1, pipeline=1, context=1, data=48, micro_batches=1)
    one = 6e8 * 47 / 48 / 23e9 + 12 * 24 * (5 * 5.6e-6 + 42 * 1.5e-6)
    assert times(zero3).exposed_fabric == pytest.approx(one)


def test_context_parallel_ranks_pass_keys_and_values_thrice() -> None:
    # LLAMA8B, 8 ranks in a node: 3 * 4 B * 1024 (8 of 32 heads) * 1,024 tokens * 7 at 229 GB/s
    job = Job(Workload(LLAMA8B, overlap=False), tensor=1, pipeline=1, context=8, data=6, micro_batches=1)
    island, fabric_s = context_parallel_s(job, rates(), PATH, ROUND)
    assert island == pytest.approx(3 * 4 * 1024 * 1024 * 7 / 229e9 + 3 * 7 * 1.5e-6)
    assert fabric_s == 0.0
    apart = replace(job, tensor=8, context=2, data=3)
    # a key-value head a rank: 3 * 4 B * 128 * 4,096 tokens from one node to the other
    expected = 3 * 4 * 128 * 4096 / 23e9 + 3 * 5.6e-6
    assert context_parallel_s(apart, rates(), PATH, ROUND) == (0.0, pytest.approx(expected))


def test_the_last_stage_paces_where_the_output_layer_makes_it_the_fullest() -> None:
    layer, head = layer_times(JOB, rates(), PATH, ROUND), head_times(JOB, rates(), ROUND)
    found = times()
    busy = found.compute + found.memory + found.tensor_parallel - optimiser_s(JOB, rates(), ROUND)
    assert busy == pytest.approx(4 * (4 * layer.total + head.total))
    # 5 of 9 layers in the first stage, 4 and the head in the last: the first is the fullest
    nine = changed(model=replace(SMALL, layers=9))
    assert times(nine).compute == pytest.approx(4 * 5 * layer.compute)


def test_bubble_is_the_average_stage_over_the_chunks() -> None:
    layer, head = layer_times(JOB, rates(), PATH, ROUND), head_times(JOB, rates(), ROUND)
    assert times().bubble == pytest.approx((8 * layer.total + head.total) / 2)
    assert times(changed(virtual_pipeline=2)).bubble == pytest.approx(times().bubble / 2)


def test_the_optimiser_passes_its_shard() -> None:
    assert optimiser_s(JOB, rates(), ROUND) == pytest.approx(1e8 / 4 / 12 * 30 / 2e12)
    assert optimiser_s(changed(sharding="none"), rates(), ROUND) == pytest.approx(1e8 / 4 * 30 / 2e12)


def test_wide_link_carries_fp8_gradients_once_a_step() -> None:
    job = changed(model=GPT3, overlap=False)
    # 175e9 B at 100 Gb/s and one round trip of 20 ms; fp32 weighs four times as much
    assert wan_s(job, WanAsk(2, 100.0, 20.0), 0.0, ROUND) == pytest.approx(14.02)
    assert wan_s(job, WanAsk(2, 100.0, 20.0, 4.0), 0.0, ROUND) == pytest.approx(56.02)
    assert wan_s(job, WanAsk(), 0.0, ROUND) == 0.0


def test_sites_without_a_link_are_refused() -> None:
    with pytest.raises(ThroughputError, match="need a link"):
        wan_s(JOB, WanAsk(sites=2), 0.0, ROUND)
