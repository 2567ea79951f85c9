"""What a bound is worth when side fabrics or the other way to run links were cut short."""

from __future__ import annotations

import pytest

from planner.fabric.design import Design, Plan, SolverReport, Status
from planner.study.proof import with_other_way, with_side_fabrics


def report(status: Status, usd: float | None, bound: float | None) -> SolverReport:
    gap = None if usd is None or bound is None else (usd - bound) / usd
    return SolverReport("HiGHS", status, usd, bound, gap, 0.0)


def plan(status: Status, usd: float | None, bound: float | None, designs: tuple[Design, ...] = ()) -> Plan:
    return Plan("roce", status, None, (), report(status, usd, bound), designs)


def test_what_side_fabrics_leave_open_is_open_in_the_whole() -> None:
    """100 proven, of which 20 is a side fabric that may cost 17: the whole may cost 97, and is no optimum."""
    whole = with_side_fabrics(plan("optimal", 100.0, 100.0), [report("feasible", 20.0, 17.0)], 80.0)
    assert (whole.status, whole.solver.status, whole.solver.bound_usd) == ("feasible", "feasible", 97.0)
    assert whole.solver.gap == pytest.approx(0.03)


def test_proven_side_fabrics_change_nothing() -> None:
    own = plan("optimal", 100.0, 100.0)
    assert with_side_fabrics(own, [report("optimal", 20.0, 20.0)], 80.0) is own


def test_a_side_fabric_without_a_plan_leaves_no_bound() -> None:
    whole = with_side_fabrics(plan("optimal", 100.0, 100.0), [report("none", None, None)], 80.0)
    assert (whole.status, whole.solver.bound_usd, whole.solver.gap) == ("feasible", None, None)


@pytest.mark.parametrize(
    ("other", "bound"),
    [
        (plan("feasible", 105.0, 95.0), 95.0),
        (plan("feasible", 105.0, 101.0), 100.0),
        (plan("none", None, None), None),
    ],
)
def test_the_better_way_is_proven_by_both(two_tier_design: Design, other: Plan, bound: float | None) -> None:
    """The kept way is optimal by itself at 100; nothing is proven below the other's bound."""
    kept = with_other_way(plan("optimal", 100.0, 100.0, (two_tier_design,)), other)
    assert kept.solver.bound_usd == bound
    assert kept.status == ("optimal" if bound == 100.0 else "feasible")
