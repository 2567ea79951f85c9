"""Goodput: the share of time that a job spends on steps that count (Young 1974, Daly 2006)."""

from __future__ import annotations

from planner.scenario import Operations
from planner.throughput_numbers import larger, root, smaller

_SECONDS_PER_DAY = 86_400.0


def failure_rate_per_s(nodes: float, operations: Operations) -> float:
    """Failures a second of a job on ``nodes``: one smooth rate for all causes."""
    return nodes * operations.failures_per_node_day / _SECONDS_PER_DAY


def checkpoint_interval_s(nodes: float, operations: Operations) -> float:
    """Young's best interval between checkpoints, sqrt(2*w*MTTF) in s; infinite without failures."""
    if operations.failures_per_node_day == 0:
        return float("inf")
    return root(2 * operations.checkpoint_write_s / failure_rate_per_s(nodes, operations))


def goodput(nodes: float, operations: Operations) -> float:
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
    return smaller(1.0, larger(0.0, kept / (1 + writing)))
