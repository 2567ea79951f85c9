"""Seconds that a collective takes in an island and over the fabric, and what of it a step waits for."""

from __future__ import annotations

import math

from planner.throughput.cluster import Machine
from planner.throughput.compute import attention_core_s
from planner.throughput.constants import Constants
from planner.throughput.fabric_path import FabricPath
from planner.throughput.job import Job
from planner.throughput.traffic import (
    Collective,
    activations,
    all_reduces_per_layer,
    context_exchange,
    exchanges_per_layer,
    expert_exchange,
)


def exposed_s(job: Job, duration_s: float, window_s: float, constants: Constants) -> float:
    """What a collective adds to the step: all of it, or with overlap max(x*t, t - window).

    x: overlapped traffic takes cores and memory from the kernels it hides behind, and waits for
    the slowest rank; that share stays even where the window is wide.
    """
    if not job.workload.overlap:
        return duration_s
    return max(constants.exposed_ratio * duration_s, duration_s - window_s)


def collective_s(
    group: Collective, passes: float, machine: Machine, path: FabricPath, constants: Constants
) -> tuple[float, float]:
    """(fabric, island) seconds of a group's collective of ``passes`` passes; the slower counts."""
    island = group.scale_up_bytes / machine.scale_up_bytes_per_s(group.members)
    inside = (group.ranks - group.islands) * constants.scale_up_step_s
    ring = (group.islands - 1) * path.alpha_s + inside
    if group.islands > 1:
        return group.endpoint_bytes / path.bytes_per_s + passes * ring, island
    return 0.0, island + passes * ring


def tensor_parallel_s(job: Job, machine: Machine, path: FabricPath) -> tuple[float, float]:
    """t_tp: (island, fabric) seconds of a layer's all-reduces; over the fabric where TP leaves the island."""
    if job.tensor == 1:
        return 0.0, 0.0
    group = activations(job, machine)
    # an all-reduce inside one island moves bytes*(n-1)/n over each GPU's link
    alpha = machine.collective_s * math.sqrt(job.tensor / 8)
    one = group.scale_up_bytes / machine.scale_up_bytes_per_s(group.members) + alpha
    times = all_reduces_per_layer(job)
    if group.islands == 1:
        return times * one, 0.0
    across = group.endpoint_bytes / path.bytes_per_s + 2 * (group.islands - 1) * path.alpha_s
    return times * one, times * max(0.0, across - one)


def _island_or_fabric(group: Collective, seconds: float) -> tuple[float, float]:
    """(island, fabric) by where the group lies."""
    return (0.0, seconds) if group.islands > 1 else (seconds, 0.0)


def context_parallel_s(
    job: Job, machine: Machine, path: FabricPath, constants: Constants
) -> tuple[float, float]:
    """(island, fabric) seconds of a layer's exchange of keys and values; it hides behind the core."""
    if job.context == 1:
        return 0.0, 0.0
    group = context_exchange(job, machine)
    slower = max(collective_s(group, 3, machine, path, constants))
    return _island_or_fabric(group, exposed_s(job, slower, attention_core_s(job, machine), constants))


def expert_parallel_s(
    job: Job, machine: Machine, path: FabricPath, window_s: float, constants: Constants
) -> tuple[float, float]:
    """(island, fabric) seconds of a layer's all-to-alls; with overlap they hide behind its matmuls."""
    if job.workload.expert_parallel == 1:
        return 0.0, 0.0
    group = expert_exchange(job, machine)
    one = group.scale_up_bytes / machine.scale_up_bytes_per_s(group.members)
    if group.islands > 1:
        over = group.endpoint_bytes / (path.bytes_per_s * path.all_to_all_ratio) + path.alpha_s
        one = max(over, one)
    return _island_or_fabric(group, exposed_s(job, exchanges_per_layer(job) * one, window_s, constants))
