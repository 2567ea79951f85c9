"""Goodput: failures, checkpoints, stalled links."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.scenario.scenario import Operations
from planner.throughput.goodput import goodput, stall_goodput, stalls_per_year, switch_links
from tests.throughput.cases import (
    fabric,
    run,
)


@pytest.mark.parametrize(("restart_s", "expected"), [(300.0, 0.932), (600.0, 0.906), (900.0, 0.879)])
def test_goodput_of_16384_gpus(restart_s: float, expected: float) -> None:
    assert goodput(2048, Operations(restart_s=restart_s)) == pytest.approx(expected, abs=5e-4)


def test_goodput_at_the_edges() -> None:
    assert goodput(2048, Operations(failures_per_node_day=0.0)) == 1.0
    # without writing only restarts cost: 1 - 2048 * 3.8e-3 / 86,400 * 300
    assert goodput(2048, Operations(checkpoint_write_s=0.0)) == pytest.approx(0.97298, abs=1e-5)
    assert goodput(2_000_000, Operations()) == 0.0


def test_a_job_that_never_gets_ahead_says_so() -> None:
    answer = run(operations=Operations(restart_s=1e7))
    assert answer.effective_tflops == 0.0
    assert any("goodput 0" in warning for warning in answer.warnings)


def test_links_between_switches() -> None:
    """128 nodes of 8: 1,024 uplinks at 1:1, half at 2:1; the core of three tiers over its own ratio."""
    assert switch_links(fabric("roce"), 128) == 1024
    assert switch_links(replace(fabric("roce"), oversubscription=2.0), 128) == 512
    assert switch_links(replace(fabric("roce"), tiers=1), 128) == 0
    assert switch_links(replace(fabric("roce"), tiers=3, spine_oversubscription=2.0), 128) == 1024 + 512


def test_a_link_fault_stalls_the_job_only_without_adaptive_routing() -> None:
    off = Operations(adaptive_routing=False, link_stall_s=30.0, link_failures_per_year=0.2)
    assert stalls_per_year(fabric(), 128, off) == pytest.approx(204.8)
    assert 1 - stall_goodput(fabric(), 128, off) == pytest.approx(204.8 * 30 / (8760 * 3600))
    assert stall_goodput(fabric(), 128, replace(off, adaptive_routing=True)) == 1.0
    assert stall_goodput(fabric("roce"), 128, off) == 1.0
    assert stall_goodput(fabric(), 1_000_000_000, off) == 0.0


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 4000), st.floats(1e-4, 1e-2), st.floats(1.0, 120.0))
def test_no_interval_between_checkpoints_does_noticeably_better(
    nodes: int, failures_per_node_day: float, write_s: float
) -> None:
    """Time lost to writing and to work done again, tried at intervals from a second to weeks."""
    run = Operations(failures_per_node_day=failures_per_node_day, checkpoint_write_s=write_s, restart_s=0.0)
    rate = nodes * failures_per_node_day / 86_400
    intervals = [1.05**n for n in range(300)]
    tried = max((1 - rate * tau / 2) / (1 + write_s / tau) for tau in intervals)
    assume(tried > 0.5)  # Young's is the first term of a series in the share of time lost
    assert goodput(nodes, run) >= tried - 0.05 * (1 - tried) ** 2 - 1e-9
