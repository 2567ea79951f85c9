"""Memory of a GPU by hand; against a second writing of the formula in test_parallelism."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.scenario.scenario import Workload
from planner.throughput.flops import (
    expert_weights,
)
from planner.throughput.job import Job, make_job
from planner.throughput.memory import memory_bytes
from tests.throughput.cases import (
    DEEPSEEK,
    EXPERTS_JOB,
    LLAMA8B,
    run,
)


def test_memory_of_a_small_job_by_hand() -> None:
    # 8e9/2 * (6 + 12/4), and 4096 * 8192 * 34/2 bytes for each of 32 layers
    made = make_job(Workload(LLAMA8B), 2, 1, 8, 4)
    assert made is not None
    assert memory_bytes(made) == 4e9 * 9 + 4096 * 8192 * 17 * 32


def test_memory_counts_a_ranks_experts_only() -> None:
    few = Job(EXPERTS_JOB, 1, 16, 1, 128, 120)
    twice = replace(few, workload=replace(EXPERTS_JOB, expert_parallel=128))
    # half the experts: 6 + 12/2 bytes of 1/64 against 6 + 12/1 of 1/128
    routed = expert_weights(DEEPSEEK) / 16
    assert memory_bytes(few) - memory_bytes(twice) == pytest.approx(routed * (12 / 64 - 18 / 128))


def test_full_recompute_where_nothing_else_fits() -> None:
    # 34/8 * 4096 * 65,536 B for each of 32 layers = 36.5 GB and more beside the weights
    long = replace(LLAMA8B, sequence=262_144)
    answer = run(Workload(long, global_batch_sequences=64), gpus=64, first=64)
    assert "full recompute instead of selective: nothing fits in memory otherwise" in answer.warnings
