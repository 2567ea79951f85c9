"""Contention, latency and rate of a fabric as a job meets it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.scenario.scenario import Operations
from planner.throughput.fabric_path import (
    ecmp_efficiency,
    fabric_path,
    ideal_path,
    spine_share,
    spraying_efficiency,
    uplink_load,
)
from planner.throughput.result import ThroughputError
from tests.throughput.cases import CONSTANTS, fabric

TUNED, DEFAULT = Operations(), Operations(roce_tuning="default")
APART = Operations(placement="scattered")


def test_a_thousand_flows_on_sixteen_links_load_the_worst_by_1_24() -> None:
    assert 1 / ecmp_efficiency(1.0, 1000 / 16, CONSTANTS) == pytest.approx(1.24, abs=0.005)


def test_four_to_sixteen_queue_pairs_bring_a_third() -> None:
    assert ecmp_efficiency(1.0, 16, CONSTANTS) / ecmp_efficiency(1.0, 4, CONSTANTS) == pytest.approx(
        1.32, abs=0.005
    )


def _largest_load(flows: int, links: int, draws: int) -> float:
    """Mean over seeded draws of the largest load of ``links``, 1 being the mean load."""
    random = np.random.default_rng(20261130)
    picked = random.integers(0, links, size=(draws, flows))
    loads = np.apply_along_axis(lambda row: np.bincount(row, minlength=links).max(), 1, picked)
    return float(loads.mean() * links / flows)


def test_hashing_sampled_agrees_with_the_formula() -> None:
    """1,000 flows on 16 links: 1.23. 32 NICs on 32 uplinks, 4 to 16 flows each: +39 %, formula +32 %."""
    assert _largest_load(1000, 16, 2000) == pytest.approx(1.23, abs=0.02)
    few, many = _largest_load(4 * 32, 32, 2000), _largest_load(16 * 32, 32, 2000)
    assert few / many == pytest.approx(1.39, abs=0.03)


def test_spraying_reaches_the_links_rate_only_below_its_load() -> None:
    assert spraying_efficiency(1.0, CONSTANTS) == pytest.approx(1 / 1.03)
    assert spraying_efficiency(2.0, CONSTANTS) == pytest.approx(1 / 2.06)
    assert spraying_efficiency(0.5, CONSTANTS) == 1.0


def test_inside_one_set_of_leaves_only_the_protocol_counts() -> None:
    for technology in ("infiniband", "spectrum-x", "roce"):
        path = fabric_path(fabric(technology, oversubscription=4.0), 32, DEFAULT, CONSTANTS)
        assert path.bytes_per_s == pytest.approx(0.92 * 50e9)
    # the seed's "25G RoCE reaches 85 % of theory" lies in the band at rho = 0
    assert 0.85 <= fabric_path(fabric("roce", 25.0), 2, TUNED, CONSTANTS).bytes_per_s / (25e9 / 8) <= 0.95


def test_rates_across_the_spine() -> None:
    rate = {
        t: fabric_path(fabric(t), 33, APART, CONSTANTS).bytes_per_s / 46e9 for t in ("infiniband", "roce")
    }
    assert rate["infiniband"] == pytest.approx(1 / 1.03)
    assert rate["roce"] == pytest.approx(1 / (1 + 1.9 / 4))
    default = replace(DEFAULT, placement="scattered")
    assert fabric_path(fabric("roce"), 33, default, CONSTANTS).bytes_per_s / 46e9 == pytest.approx(1 / 1.95)


def test_packed_ranks_keep_their_leaves_share_of_the_traffic_off_the_spine() -> None:
    assert spine_share(fabric(), 32, "packed") == spine_share(fabric(), 32, "scattered") == 0.0
    assert spine_share(fabric(), 64, "packed") == 0.5
    assert spine_share(fabric(), 2048, "packed") == 1 - 32 / 2048
    assert spine_share(fabric(), 64, "scattered") == 1.0
    # 0.5 + 1.9*sqrt(0.5/16) = 0.836: two units of tuned RoCE run at the full rate
    assert fabric_path(fabric("roce"), 64, TUNED, CONSTANTS).bytes_per_s == pytest.approx(46e9)
    assert fabric_path(fabric("roce"), 256, TUNED, CONSTANTS).bytes_per_s == pytest.approx(
        46e9 / 1.3193, rel=1e-4
    )


def test_a_small_job_scattered_over_a_large_cluster_crosses_the_spine() -> None:
    assert fabric_path(fabric("roce"), 8, APART, CONSTANTS, 128).bytes_per_s == pytest.approx(46e9 / 1.475)
    assert fabric_path(fabric("roce"), 8, TUNED, CONSTANTS, 128).bytes_per_s == pytest.approx(46e9)


def test_off_tune_thresholds_cost_five_percent() -> None:
    path = fabric_path(fabric("roce"), 8, Operations(roce_tuning="off-tune"), CONSTANTS)
    assert path.bytes_per_s == pytest.approx(0.95 * 46e9)


def test_latency_counts_the_hops_of_the_tiers_crossed() -> None:
    assert fabric_path(fabric(), 32, TUNED, CONSTANTS).alpha_s == pytest.approx(5.6e-6)
    assert fabric_path(fabric(), 33, TUNED, CONSTANTS).alpha_s == pytest.approx(6.8e-6)
    assert fabric_path(fabric("roce", tiers=3), 33, TUNED, CONSTANTS).alpha_s == pytest.approx(11e-6)


def test_three_tiers_feel_the_product_of_both_ratios() -> None:
    view = fabric(tiers=3, oversubscription=2.0, spine_oversubscription=1.5)
    assert fabric_path(view, 33, APART, CONSTANTS).bytes_per_s == pytest.approx(46e9 / (1.03 * 3.0))
    assert uplink_load(view, 64) == 1.5


def test_tcp_is_capped_and_does_not_crowd_links_that_it_cannot_fill() -> None:
    assert fabric_path(fabric("ethernet", 25.0), 2, TUNED, CONSTANTS).bytes_per_s == pytest.approx(
        0.45 * 25e9 / 8
    )
    # 32 of 400 Gb/s load an uplink by 0.08: 0.08 + 1.9*sqrt(0.02) < 1
    assert fabric_path(fabric("ethernet"), 33, APART, CONSTANTS).bytes_per_s == pytest.approx(4e9)
    # at 25G the load is 0.45
    crowded = 0.45 + 1.9 * (0.45 / 4) ** 0.5
    across = fabric_path(fabric("ethernet", 25.0), 33, APART, CONSTANTS).bytes_per_s
    assert across == pytest.approx(0.45 * 25e9 / 8 / crowded)


def test_without_adaptive_routing_infiniband_hashes_and_says_so() -> None:
    path = fabric_path(fabric(), 33, Operations(adaptive_routing=False, placement="scattered"), CONSTANTS)
    assert path.bytes_per_s == pytest.approx(46e9 / 1.95)
    assert "adaptive routing is off" in path.warnings[0]
    assert fabric_path(fabric(), 32, Operations(adaptive_routing=False), CONSTANTS).warnings == ()


def test_the_ideal_fabric_gives_the_full_link() -> None:
    path = ideal_path(fabric("ethernet", oversubscription=3.0))
    assert (path.bytes_per_s, path.alpha_s) == (50e9, 0.0)


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ThroughputError, match="token-ring"):
        fabric_path(fabric("token-ring"), 1, TUNED, CONSTANTS)  # type: ignore[arg-type]
    for unknown in (Operations(roce_tuning="best"), Operations(placement="random")):  # type: ignore[arg-type]
        with pytest.raises(AssertionError, match="'best'|'random'"):
            fabric_path(fabric("roce"), 64, unknown, CONSTANTS)
