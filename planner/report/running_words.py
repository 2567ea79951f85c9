"""What running the fabric costs, for the printed answer and for the JSON."""

from __future__ import annotations

from typing import Any

from planner.text.format import count, percent, usd
from planner.throughput.between_sites import WideLink
from planner.throughput.operating_states import OperationsCost, StateCost


def operations_words(cost: OperationsCost | None) -> list[str]:
    """A line for each state that is not the best one, and one for the engineers who prevent them."""
    if cost is None:
        return []
    best, *others = cost.states
    rows = [f"run with {best.setting} (best{_here(best)}); a year in another state, GPUs of {cost.year}:"]
    rows += [_state(state) for state in others]
    if cost.engineers_fte:
        each = usd(cost.engineers_usd_per_year)
        rows.append(
            f"  the network engineers who prevent it: {cost.engineers_fte:.1f} (guess), {each} a year"
        )
    return rows


def _here(state: StateCost) -> str:
    return ", as in this scenario" if state.current else ""


def _state(state: StateCost) -> str:
    lost = (
        f"{percent(state.lost_ratio)} of the throughput, {count(round(state.gpu_hours_per_year))} GPU-hours"
    )
    note = f"; {state.note}" if state.note else ""
    return f"  {state.setting}{_here(state)}: {lost}, {usd(state.usd_per_year)} ({state.grade}{note})"


def operations_document(cost: OperationsCost | None) -> dict[str, Any] | None:
    """The same as plain values."""
    if cost is None:
        return None
    states = [
        {
            "setting": state.setting,
            "current": state.current,
            "effective_tflops": state.effective_tflops,
            "lost_ratio": state.lost_ratio,
            "gpu_hours_per_year": state.gpu_hours_per_year,
            "usd_per_year": state.usd_per_year,
            "grade": state.grade.value,
            "note": state.note,
        }
        for state in cost.states
    ]
    engineers = {"fte": cost.engineers_fte, "usd_per_year": cost.engineers_usd_per_year}
    return {"year": cost.year, "states": states, "engineers": engineers}


def wide_link_document(cost: WideLink | None) -> dict[str, Any] | None:
    """What the link between sites costs, as plain values; None for one site."""
    if cost is None:
        return None
    return {
        "year": cost.year,
        "share_ratio": cost.share_ratio,
        "effective_tflops": cost.effective_tflops,
        "one_site_effective_tflops": cost.one_site_effective_tflops,
        "lost_ratio": cost.lost_ratio,
        "lost_gpu_hours_per_year": cost.lost_gpu_hours_per_year,
        "lost_usd_per_year": cost.lost_usd_per_year,
        "link_usd_per_year": cost.link_usd_per_year,
        "exchange_gbytes": dict(cost.exchange_gbytes),
        "exposed_s": dict(cost.exposed_s),
    }
