"""How a fabric is run: what each state of it leaves of the throughput, and what that costs a year."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import get_args

from planner.scenario.scenario import Operations, RoceTuning
from planner.throughput.cluster import FabricView
from planner.throughput.constants import constants, value
from planner.throughput.numbers import larger, pick
from planner.throughput.result import Estimate
from pricing.provenance import Grade

HOURS_PER_YEAR = 8_760.0
_SECONDS_PER_YEAR = HOURS_PER_YEAR * 3_600
_ADAPTIVE = ("infiniband", "spectrum-x")
_LEFT_BY: Mapping[RoceTuning, str] = {
    "off-tune": "roce.off_tune_ratio",
    "wrong-class": "roce.wrong_class_ratio",
}
TUNINGS: tuple[RoceTuning, ...] = get_args(RoceTuning)
POOLS_WARNING = (
    "memory is registered at each message: small ones take up to three times as long (upper bound, seed). "
    "Not in the throughput, since NCCL registers its buffers up front"
)

# (technology that the fabric is run as, how it is run) -> the job on it
Rated = Callable[[str, Operations], Estimate]


@dataclass(frozen=True, slots=True)
class StateCost:
    """One state: ``lost_ratio`` of the throughput of the best state, over a whole year of all GPUs.

    ``grade`` is that of the figure which makes the loss. ``current``: the scenario is in this state.
    """

    setting: str
    current: bool
    effective_tflops: float
    lost_ratio: float
    gpu_hours_per_year: float
    usd_per_year: float
    grade: Grade
    note: str = ""


@dataclass(frozen=True, slots=True)
class OperationsCost:
    """The states of one technology in ``year``, the best first, and the engineers who keep it in that.

    Engineers are those beyond what InfiniBand takes; 0 where the technology takes none.
    """

    year: int
    states: tuple[StateCost, ...]
    engineers_fte: float
    engineers_usd_per_year: float


def rate_ratio(technology: str, operations: Operations) -> float:
    """Share of an endpoint's rate that RoCE keeps in its state of tuning; 1 for other technologies.

    >>> rate_ratio("roce", Operations(roce_tuning="off-tune"))
    0.95
    """
    key = _LEFT_BY.get(operations.roce_tuning) if technology == "roce" else None
    return value(key) if key else 1.0


def hashed_flows(operations: Operations) -> float:
    """Hash-distinct flows of a RoCE NIC: PFC and ECN thresholds leave the queue pairs as they are."""
    return value("ecmp.flows_default" if operations.roce_tuning == "default" else "ecmp.flows_tuned")


def switch_links(fabric: FabricView, nodes: float) -> float:
    """Links between switches under a job of ``nodes``: an uplink an endpoint and tier, over its ratio."""
    uplinks = pick(fabric.tiers > 1, nodes * fabric.endpoints_per_node / fabric.oversubscription, 0.0)
    return uplinks + pick(fabric.tiers > 2, uplinks / fabric.spine_oversubscription, 0.0)


def stalls_per_year(fabric: FabricView, nodes: float, operations: Operations) -> float:
    """Link faults a year that stop the job: those of fabrics made for adaptive routing, run without it."""
    if operations.adaptive_routing or fabric.technology not in _ADAPTIVE:
        return 0.0
    return switch_links(fabric, nodes) * operations.link_failures_per_year


def stall_goodput(fabric: FabricView, nodes: float, operations: Operations) -> float:
    """Share of time left by those stalls: 1 - faults a year x stall / year, at least 0."""
    stalled_s = stalls_per_year(fabric, nodes, operations) * operations.link_stall_s
    return larger(0.0, 1 - stalled_s / _SECONDS_PER_YEAR)


def state_costs(
    technology: str,
    year: int,
    gpus: int,
    nodes: int,
    operations: Operations,
    fabric: FabricView,
    rated: Rated,
) -> OperationsCost:
    """What each state costs a year against the best one, on the design of ``year`` as it stands.

    The best state: RoCE tuned; adaptive routing on. TCP is compared with tuned RoCE on the same links.
    """
    states = _states(technology, operations)
    _, best_as, best_run, *_ = states[0]
    best = rated(best_as, best_run).effective_tflops
    rows = []
    for setting, run_as, run, grade, note in states:
        effective = rated(run_as, run).effective_tflops
        lost = 1 - effective / best if best else 0.0
        hours = lost * gpus * HOURS_PER_YEAR
        faults = stalls_per_year(replace(fabric, technology=run_as), nodes, run)
        stalls = f"{faults:.1f} link faults a year, {run.link_stall_s:g} s each" if faults else ""
        current = run_as == technology and run == operations
        said = "; ".join(filter(None, (note, stalls)))
        rows.append(
            StateCost(setting, current, effective, lost, hours, hours * operations.gpu_hour_usd, grade, said)
        )
    fte = operations.roce_engineers_per_1000_gpus * gpus / 1_000 if technology == "roce" else 0.0
    return OperationsCost(year, tuple(rows), fte, fte * operations.engineer_usd_per_year)


_State = tuple[str, str, Operations, Grade, str]


def _states(technology: str, operations: Operations) -> list[_State]:
    """(setting, run as, operations, grade, note) of each state, the best first."""
    tcp: _State = ("TCP", "ethernet", operations, constants()["ethernet.rate_ratio"].source.grade, "no RDMA")
    if technology in _ADAPTIVE:
        return [
            (f"adaptive_routing = {str(on).lower()}", technology, replace(operations, adaptive_routing=on),
             constants()["ecmp.flows_default"].source.grade, "")
            for on in (True, False)
        ]  # fmt: skip
    tunings = [_tuning(state, operations) for state in TUNINGS]
    return [*tunings, tcp] if technology == "roce" else [tunings[0], tcp]


def _tuning(state: RoceTuning, operations: Operations) -> _State:
    key = _LEFT_BY.get(state, f"ecmp.flows_{state}")
    notes: Mapping[RoceTuning, str] = {
        "off-tune": "PFC or ECN threshold off",
        "wrong-class": "RDMA in a class with other traffic",
    }
    run = replace(operations, roce_tuning=state)
    return (f"roce_tuning = {state}", "roce", run, constants()[key].source.grade, notes.get(state, ""))
