"""Time that a job gets ahead: what failures, checkpoints and stalled links leave of it."""

from __future__ import annotations

import math

from planner.scenario.scenario import Operations
from planner.throughput.cluster import FabricView
from planner.throughput.fabric_path import sprays

HOURS_PER_YEAR = 8_760.0
_SECONDS_PER_DAY = 86_400.0
_SECONDS_PER_YEAR = HOURS_PER_YEAR * 3_600


def failure_rate_per_s(nodes: int, operations: Operations) -> float:
    """Failures a second of a job on ``nodes``: one smooth rate for all causes."""
    return nodes * operations.failures_per_node_day / _SECONDS_PER_DAY


def checkpoint_interval_s(nodes: int, operations: Operations) -> float:
    """Young's interval between checkpoints, sqrt(2*w*MTTF) in s; infinite without failures.

    The best one to first order in the share of time lost: none does better by a twentieth of its square.
    """
    if operations.failures_per_node_day == 0:
        return float("inf")
    return math.sqrt(2 * operations.checkpoint_write_s / failure_rate_per_s(nodes, operations))


def goodput(nodes: int, operations: Operations) -> float:
    """(1 - nodes*r*(u0 + tau/2)) / (1 + w/tau), from 0 to 1.

    0 means that the job fails faster than it restarts: the formula has left its range.

    >>> round(goodput(2048, Operations()), 3)
    0.932
    """
    if operations.failures_per_node_day == 0:
        return 1.0
    rate = failure_rate_per_s(nodes, operations)
    if operations.checkpoint_write_s == 0:
        kept, writing = 1 - rate * operations.restart_s, 0.0
    else:
        tau_s = checkpoint_interval_s(nodes, operations)
        kept = 1 - rate * (operations.restart_s + tau_s / 2)
        writing = operations.checkpoint_write_s / tau_s
    return min(1.0, max(0.0, kept / (1 + writing)))


def switch_links(fabric: FabricView, nodes: int) -> float:
    """Links between switches under a job of ``nodes``: an uplink an endpoint and tier, over its ratio."""
    if fabric.tiers < 2:
        return 0.0
    uplinks = nodes * fabric.endpoints_per_node / fabric.oversubscription
    return uplinks + (uplinks / fabric.spine_oversubscription if fabric.tiers > 2 else 0.0)


def stalls_per_year(fabric: FabricView, nodes: int, operations: Operations) -> float:
    """Link faults a year that stop the job: those of fabrics made for adaptive routing, run without it."""
    if operations.adaptive_routing or not sprays(fabric.technology):
        return 0.0
    return switch_links(fabric, nodes) * operations.link_failures_per_year


def stall_goodput(fabric: FabricView, nodes: int, operations: Operations) -> float:
    """Share of time left by those stalls: 1 - faults a year x stall / year, at least 0."""
    stalled_s = stalls_per_year(fabric, nodes, operations) * operations.link_stall_s
    return max(0.0, 1 - stalled_s / _SECONDS_PER_YEAR)
