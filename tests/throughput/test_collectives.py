"""Collectives of a layer against figures worked out by hand, and what overlap hides of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.scenario.scenario import Workload
from planner.throughput.collectives import context_parallel_s, exposed_s, tensor_parallel_s
from planner.throughput.job import Job
from tests.throughput.cases import (
    JOB,
    LLAMA8B,
    PATH,
    ROUND,
    changed,
    rates,
)


def test_tensor_parallel_time() -> None:
    # 4 * (2 * 1/2 * 2,097,152 / 229e9 + 80e-6 * sqrt(2/8))
    assert tensor_parallel_s(JOB, rates(), PATH) == pytest.approx((1.966314e-4, 0.0), rel=1e-5)
    assert tensor_parallel_s(replace(JOB, tensor=1), rates(), PATH) == (0.0, 0.0)


def test_overlap_hides_behind_a_window_but_never_all() -> None:
    assert exposed_s(JOB, 10.0, 3.0, ROUND) == 7.0
    assert exposed_s(JOB, 10.0, 8.0, ROUND) == 5.0  # x = 0.5
    assert exposed_s(changed(overlap=False), 10.0, 8.0, ROUND) == 10.0


def test_context_parallel_ranks_pass_keys_and_values_thrice() -> None:
    # LLAMA8B, 8 ranks in a node: 3 * 4 B * 1024 (8 of 32 heads) * 1,024 tokens * 7 at 229 GB/s
    job = Job(Workload(LLAMA8B, overlap=False), tensor=1, pipeline=1, context=8, data=6, micro_batches=1)
    island, fabric_s = context_parallel_s(job, rates(), PATH, ROUND)
    assert island == pytest.approx(3 * 4 * 1024 * 1024 * 7 / 229e9 + 3 * 7 * 1.5e-6)
    assert fabric_s == 0.0
    apart = replace(job, tensor=8, context=2, data=3)
    # a key-value head a rank: 3 * 4 B * 128 * 4,096 tokens from one node to the other
    expected = 3 * 4 * 128 * 4096 / 23e9 + 3 * 5.6e-6
    assert context_parallel_s(apart, rates(), PATH, ROUND) == pytest.approx((0.0, expected))
