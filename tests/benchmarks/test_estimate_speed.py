"""Sweeps ask for many estimates: 10,000 a second or more on one core."""

from __future__ import annotations

import time

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from planner.scenario.scenario import Operations
from planner.throughput.many import Estimates, estimate_many
from tests.throughput.throughput_cases import DGX_H100, GPT3_JOB, H100, fabric

COUNT = 10_000


def _sweep() -> Estimates:
    random = np.random.default_rng(1)
    return estimate_many(
        GPT3_JOB,
        DGX_H100,
        H100,
        random.integers(64, 30_000, COUNT),
        1024,
        fabric("roce"),
        Operations(),
        endpoint_gbps=random.choice([100.0, 200.0, 400.0, 800.0], COUNT),
        oversubscription=random.uniform(1, 4, COUNT),
        nodes_per_unit=random.choice([8, 16, 32, 64], COUNT),
    )


def test_ten_thousand_estimates_within_a_second(benchmark: BenchmarkFixture) -> None:
    start = time.process_time()
    found = benchmark(_sweep)
    assert len(found.effective_tflops) == COUNT
    if benchmark.disabled:  # one run, as a plain test
        assert time.process_time() - start < 1.0
    else:
        assert benchmark.stats.stats.median < 1.0
