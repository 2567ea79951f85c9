"""Seconds that a collective takes in an island and over the fabric, and what of it a step waits for."""

from __future__ import annotations

import math
from typing import NamedTuple

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


class Waiting(NamedTuple):
    """Seconds that a collective takes or is waited for, on the links of an island and over the fabric."""

    island: float
    fabric: float


_NONE = Waiting(0.0, 0.0)


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
) -> Waiting:
    """A group's collective of ``passes`` passes of a ring; both links work at once, so the slower counts."""
    island = group.scale_up_bytes / machine.scale_up_bytes_per_s(group.members)
    inside = (group.ranks - group.islands) * constants.scale_up_step_s
    ring = (group.islands - 1) * path.alpha_s + inside
    if group.islands > 1:
        return Waiting(island, group.endpoint_bytes / path.bytes_per_s + passes * ring)
    return Waiting(island + passes * ring, 0.0)


def tensor_parallel_s(job: Job, machine: Machine, path: FabricPath) -> Waiting:
    """t_tp: a layer's all-reduces; over the fabric where TP leaves the island, what that takes longer."""
    if job.tensor == 1:
        return _NONE
    group = activations(job, machine)
    # an all-reduce inside one island moves bytes*(n-1)/n over each GPU's link
    alpha = machine.collective_s * math.sqrt(job.tensor / 8)
    one = group.scale_up_bytes / machine.scale_up_bytes_per_s(group.members) + alpha
    times = all_reduces_per_layer(job)
    if group.islands == 1:
        return Waiting(times * one, 0.0)
    across = group.endpoint_bytes / path.bytes_per_s + 2 * (group.islands - 1) * path.alpha_s
    return Waiting(times * one, times * max(0.0, across - one))


def _where_it_lies(group: Collective, seconds: float) -> Waiting:
    return Waiting(0.0, seconds) if group.islands > 1 else Waiting(seconds, 0.0)


def context_parallel_s(job: Job, machine: Machine, path: FabricPath, constants: Constants) -> Waiting:
    """A layer's exchange of keys and values; it hides behind the attention core."""
    if job.context == 1:
        return _NONE
    group = context_exchange(job, machine)
    slower = max(collective_s(group, 3, machine, path, constants))
    return _where_it_lies(group, exposed_s(job, slower, attention_core_s(job, machine), constants))


def expert_parallel_s(
    job: Job, machine: Machine, path: FabricPath, window_s: float, constants: Constants
) -> Waiting:
    """A layer's all-to-alls; with overlap they hide behind its own work, ``window_s``."""
    if job.workload.expert_parallel == 1:
        return _NONE
    group = expert_exchange(job, machine)
    one = group.scale_up_bytes / machine.scale_up_bytes_per_s(group.members)
    if group.islands > 1:
        over = group.endpoint_bytes / (path.bytes_per_s * path.all_to_all_ratio) + path.alpha_s
        one = max(over, one)
    return _where_it_lies(group, exposed_s(job, exchanges_per_layer(job) * one, window_s, constants))
