"""Pieces of a step against figures worked out by hand for a small model on A100s at 200 Gb/s."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.scenario import Operations, WanAsk, Workload
from planner.throughput_fabric import fabric_path
from planner.throughput_flops import core_flops, dense_flops, model_flops_per_token
from planner.throughput_job import Job, machine
from planner.throughput_step import (
    elementwise_s,
    head_s,
    matmul_s,
    pipeline_p2p_s,
    step_times,
    tensor_parallel_s,
    wan_s,
)
from planner.throughput_types import ThroughputError
from tests.unit.throughput_cases import A100, DGX_A100, DGX_H100, GPT3, H100, LLAMA8B, SMALL, fabric

VIEW = fabric(gbps=200.0)
RATES = machine(DGX_A100, A100, VIEW, "bf16")
PATH = fabric_path(VIEW, 6, Operations())
# TP 2 x PP 2 x DP 12 = 48 GPUs = 6 nodes, 4 micro-batches of one sequence
JOB = Job(Workload(SMALL), tensor=2, pipeline=2, context=1, data=12, micro_batches=4)


def test_dense_flops_count_grouped_query_attention_and_gated_mlp() -> None:
    assert dense_flops(SMALL) == 2 * (4 * 1024**2 + 2 * 1024 * 4096)
    # Q and output h^2 each, K and V a quarter of it each, three MLP matrices
    assert dense_flops(LLAMA8B) == 2 * (2.5 * 4096**2 + 3 * 4096 * 14336)


def test_core_flops_are_halved_where_counted_causal() -> None:
    assert core_flops(SMALL) == 4 * 1024 * 1024
    assert core_flops(LLAMA8B) == 2 * 8192 * 4096


def test_gpt3_model_flops_agree_with_six_times_parameters() -> None:
    # 72*L*h^2*(1 + s/(6h) + V/(12hL)) of SC21 without recompute; 6N = 1.05e12
    assert model_flops_per_token(GPT3) == pytest.approx(1.07644e12, rel=1e-5)


def test_matmul_time() -> None:
    # 512 tokens a rank * (25,165,824*3 + 4,194,304*4) / (312e12 * 0.869 * 0.848)
    assert matmul_s(JOB, RATES) == pytest.approx(2.05486e-4, rel=1e-5)


def test_full_recompute_adds_a_forward_pass_to_matmuls_and_elementwise() -> None:
    full = replace(JOB, workload=replace(JOB.workload, recompute="full"))
    # 512 * (25,165,824*4 + 4,194,304*4) / 2.29917e14
    assert matmul_s(full, RATES) == pytest.approx(2.61528e-4, rel=1e-5)
    assert elementwise_s(full, RATES) == pytest.approx(elementwise_s(JOB, RATES) * 4 / 3)


def test_elementwise_time_with_and_without_sequence_parallel() -> None:
    # 168 * 2 * 1024 * 1024 / 2 / 2e12, and 10/34 of it undivided
    assert elementwise_s(JOB, RATES) == pytest.approx(8.80804e-5, rel=1e-5)
    plain = replace(JOB, workload=replace(JOB.workload, sequence_parallel=False))
    assert elementwise_s(plain, RATES) == pytest.approx(8.80804e-5 * (24 + 20) / 34, rel=1e-5)


def test_tensor_parallel_time() -> None:
    # 4 * (2 * 1/2 * 2,097,152 / 229e9 + 80e-6 * sqrt(2/8))
    assert tensor_parallel_s(JOB, RATES, PATH) == pytest.approx(1.966314e-4, rel=1e-5)
    assert tensor_parallel_s(replace(JOB, tensor=1), RATES, PATH) == 0.0


def test_fp8_speeds_up_the_matmuls_but_not_the_attention_core() -> None:
    rates = machine(DGX_H100, H100, fabric(), "fp8")
    assert rates.core_flops == pytest.approx(989e12 * 0.803 * 0.848)
    assert rates.matmul_flops == pytest.approx(1979e12 * 0.709 * 0.848 / 1.01)


def test_head_time() -> None:
    # 512 * 3 * 2*1024*1000 / 2.29917e14
    assert head_s(JOB, RATES) == pytest.approx(1.36820e-5, rel=1e-4)


def test_pipeline_transfers_between_nodes() -> None:
    # 8 messages of 1,048,576 B at 23 GB/s and 5.6 us, half of it overlapped
    assert pipeline_p2p_s(JOB, RATES, PATH) == pytest.approx(8 * (1_048_576 / 23e9 + 5.6e-6) / 2)
    exposed = replace(JOB, workload=replace(JOB.workload, overlap=False))
    assert pipeline_p2p_s(exposed, RATES, PATH) == pytest.approx(8 * (1_048_576 / 23e9 + 5.6e-6))


def test_a_job_inside_one_node_never_meets_the_fabric() -> None:
    inside = replace(JOB, data=2)
    slow = replace(PATH, bytes_per_s=1.0)
    assert step_times(inside, RATES, slow, WanAsk()) == step_times(inside, RATES, PATH, WanAsk())
    assert step_times(inside, RATES, slow, WanAsk()).exposed_fabric == 0.0


def test_data_parallel_time_shares_a_nodes_endpoints() -> None:
    # 1e8/4 parameters * 4 B * 11/12 over four endpoints (four ranks of the group in a node);
    # the group spans 3 nodes: twice 2 fabric steps and 9 NVLink steps
    volume = 1e8 / 4 * 4 * 11 / 12
    expected = volume / (4 * 23e9) + 2 * (2 * 5.6e-6 + 9 * 1.5e-6)
    assert step_times(JOB, RATES, PATH, WanAsk()).exposed_fabric == pytest.approx(expected)


def test_fsdp_moves_the_weights_three_times_a_micro_batch() -> None:
    fsdp = Job(Workload(SMALL, sharding="fsdp"), tensor=1, pipeline=1, context=1, data=48, micro_batches=2)
    # 6 B * 1e8 * 47/48 over 8 endpoints, 3*8 collectives of 5 fabric and 42 NVLink steps, twice
    one = 6e8 * 47 / 48 / (8 * 23e9) + 24 * (5 * 5.6e-6 + 42 * 1.5e-6)
    assert step_times(fsdp, RATES, PATH, WanAsk()).exposed_fabric == pytest.approx(2 * one)


def test_bubble_is_the_share_of_stages_over_micro_batches() -> None:
    times = step_times(JOB, RATES, PATH, WanAsk())
    busy = times.compute + times.memory + times.tensor_parallel
    assert times.bubble / busy == pytest.approx(1 / 4)
    interleaved = replace(JOB, workload=replace(JOB.workload, virtual_pipeline=2))
    assert step_times(interleaved, RATES, PATH, WanAsk()).bubble == pytest.approx(times.bubble / 2)


def test_wide_link_carries_fp8_gradients_once_a_step() -> None:
    job = replace(JOB, workload=replace(JOB.workload, model=GPT3, overlap=False))
    # 175e9 B at 100 Gb/s and one round trip of 20 ms; fp32 weighs four times as much
    assert wan_s(job, WanAsk(2, 100.0, 20.0), 0.0) == pytest.approx(14.02)
    assert wan_s(job, WanAsk(2, 100.0, 20.0, 4.0), 0.0) == pytest.approx(56.02)
    assert wan_s(job, WanAsk(), 0.0) == 0.0


def test_sites_without_a_link_are_refused() -> None:
    with pytest.raises(ThroughputError, match="need a link"):
        wan_s(JOB, WanAsk(sites=2), 0.0)
