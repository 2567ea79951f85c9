"""How a fabric is run: what each state of it leaves of the throughput, and what that costs a year."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import assert_never, get_args

from planner.catalog.technologies import Technology
from planner.scenario.scenario import Operations, RoceTuning
from planner.throughput.cluster import FabricView
from planner.throughput.constants import Constants
from planner.throughput.goodput import HOURS_PER_YEAR, stalls_per_year
from planner.throughput.result import Estimate
from pricing.provenance import Grade

POOLS_WARNING = (
    "memory is registered at each message: small ones take up to three times as long (upper bound, seed). "
    "Not in the throughput, since NCCL registers its buffers up front"
)

# (technology that the fabric is run as, how it is run) -> the job on it
Rated = Callable[[Technology, Operations], Estimate]


@dataclass(frozen=True, slots=True)
class State:
    """One way of running a fabric; ``key`` names the constant that makes its loss."""

    setting: str
    run_as: Technology
    operations: Operations
    key: str
    note: str = ""


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


def states(technology: Technology, operations: Operations) -> list[State]:
    """The states that a technology can be run in, the best first.

    RoCE in its states of tuning and as TCP, adaptive routing on and off; TCP beside tuned RoCE.
    """
    tcp = State("TCP", "ethernet", operations, "ethernet.rate_ratio", "no RDMA")
    match technology:
        case "infiniband" | "spectrum-x":
            return [_routing(technology, on, operations) for on in (True, False)]
        case "roce":
            return [*(_tuning(tuning, operations) for tuning in get_args(RoceTuning)), tcp]
        case "ethernet":
            return [_tuning("tuned", operations), tcp]
        case _:
            assert_never(technology)


def _routing(technology: Technology, adaptive: bool, operations: Operations) -> State:
    run = replace(operations, adaptive_routing=adaptive)
    return State(f"adaptive_routing = {str(adaptive).lower()}", technology, run, "ecmp.flows_default")


_LOSS: Mapping[RoceTuning, tuple[str, str]] = {  # (key of the constant behind the loss, note)
    "tuned": ("ecmp.flows_tuned", ""),
    "default": ("ecmp.flows_default", ""),
    "off-tune": ("roce.off_tune_ratio", "PFC or ECN threshold off"),
    "wrong-class": ("roce.wrong_class_ratio", "RDMA in a class with other traffic"),
}


def _tuning(tuning: RoceTuning, operations: Operations) -> State:
    key, note = _LOSS[tuning]
    return State(f"roce_tuning = {tuning}", "roce", replace(operations, roce_tuning=tuning), key, note)


def state_costs(
    *,
    year: int,
    gpus: int,
    nodes: int,
    fabric: FabricView,
    operations: Operations,
    rated: Rated,
    constants: Constants,
) -> OperationsCost:
    """What each state costs a year against the best one, on the design of ``year`` as it stands.

    ``operations`` are the scenario's, ``rated`` the job on the design in any state.
    """
    technology = fabric.technology
    found = states(technology, operations)
    best = rated(found[0].run_as, found[0].operations).effective_tflops
    rows = []
    for state in found:
        effective = rated(state.run_as, state.operations).effective_tflops
        lost = 1 - effective / best if best else 0.0
        hours = lost * gpus * HOURS_PER_YEAR
        row = StateCost(
            setting=state.setting,
            current=state.run_as == technology and state.operations == operations,
            effective_tflops=effective,
            lost_ratio=lost,
            gpu_hours_per_year=hours,
            usd_per_year=hours * operations.gpu_hour_usd,
            grade=constants.rows[state.key].source.grade,
            note="; ".join(filter(None, (state.note, _stalls(state, fabric, nodes)))),
        )
        rows.append(row)
    fte = operations.roce_engineers_per_1000_gpus * gpus / 1_000 if technology == "roce" else 0.0
    return OperationsCost(year, tuple(rows), fte, fte * operations.engineer_usd_per_year)


def _stalls(state: State, fabric: FabricView, nodes: int) -> str:
    faults = stalls_per_year(replace(fabric, technology=state.run_as), nodes, state.operations)
    return f"{faults:.1f} link faults a year, {state.operations.link_stall_s:g} s each" if faults else ""
