"""A GPU's own work on a layer against figures worked out by hand for a small model on A100s."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.scenario.scenario import Workload
from planner.throughput.compute import attention_core_s, elementwise_s, matmul_s, optimiser_s, weights_s
from planner.throughput.flops import (
    core_flops,
    model_flops_per_token,
)
from planner.throughput.step import (
    head_times,
    layer_times,
)
from tests.throughput.cases import (
    JOB,
    LLAMA8B,
    MATMUL,
    PATH,
    ROUND,
    SMALL,
    changed,
    rates,
)


def test_causal_counting_halves_the_core_that_counts_but_not_its_time() -> None:
    assert core_flops(SMALL) == 4 * 1024 * 1024
    whole = replace(LLAMA8B, causal_flops=False)
    counted = model_flops_per_token(whole) - model_flops_per_token(LLAMA8B)
    assert counted == 3 * 32 * 2 * 8192 * 4096
    jobs = [replace(JOB, workload=Workload(model)) for model in (LLAMA8B, whole)]
    assert attention_core_s(jobs[0], rates()) == attention_core_s(jobs[1], rates())


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


def test_head_and_loss() -> None:
    head = head_times(JOB, rates(), ROUND)
    assert head.compute == pytest.approx(512 * 3 * 2 * 1024 * 1000 / MATMUL)
    assert head.memory == pytest.approx(512 * 1000 * 38 / 2e12)


def test_the_optimiser_passes_its_shard() -> None:
    assert optimiser_s(JOB, rates(), ROUND) == pytest.approx(1e8 / 4 / 12 * 30 / 2e12)
    assert optimiser_s(changed(sharding="none"), rates(), ROUND) == pytest.approx(1e8 / 4 * 30 / 2e12)
