"""Goodput: the share of time that a job spends on steps that count (Young 1974, Daly 2006)."""

from __future__ import annotations

import math

from planner.scenario import Operations

_SECONDS_PER_DAY = 86_400.0


def checkpoint_interval_s(nodes: int, operations: Operations) -> float:
    """Young's best interval between checkpoints, sqrt(2*w*MTTF) in s; infinite without failures."""
    rate_per_s = nodes * operations.failures_per_node_day / _SECONDS_PER_DAY
    if rate_per_s == 0:
        return math.inf
    return math.sqrt(2 * operations.checkpoint_write_s / rate_per_s)


def goodput(nodes: int, operations: Operations) -> float:
    """(1 - nodes*r*(u0 + tau/2)) / (1 + w/tau), from 0 to 1.

    0 means that the job fails faster than it restarts: the formula has left its range.

    >>> round(goodput(2048, Operations()), 3)
    0.932
    """
    tau_s = checkpoint_interval_s(nodes, operations)
    if math.isinf(tau_s):
        return 1.0
    rate_per_s = nodes * operations.failures_per_node_day / _SECONDS_PER_DAY
    kept = 1 - rate_per_s * (operations.restart_s + tau_s / 2)
    writing = operations.checkpoint_write_s / tau_s if tau_s > 0 else 0.0
    return min(1.0, max(0.0, kept / (1 + writing)))
