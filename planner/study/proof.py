"""What a solver's proof is worth where more than its own programme is part of the answer.

The programme of a compute fabric takes its side fabrics as a constant, and knows one way to run links. Where
a side fabric was cut short, or the other way was, the whole bill may cost less than the programme's bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from planner.fabric.design import Plan, SolverReport
from planner.optimize.solve import RELATIVE_GAP


def with_side_fabrics(plan: Plan, sides: Iterable[SolverReport], constant_usd: float) -> Plan:
    """A plan with the proof of its whole bill: side fabrics may cost as much less as their own bounds leave
    open. ``constant_usd``: what no design of the compute fabric changes.

    Of a ratio r = cost / output: no plan costs less than the constant, so what is open lowers it by the share
    open / constant at most.
    """
    cut = [report for report in sides if report.status in ("feasible", "none")]
    if not cut:
        return plan
    open_usd = 0.0
    for report in cut:
        if report.objective_usd is None or report.bound_usd is None:
            return _proven(plan, None, None)
        open_usd += report.objective_usd - report.bound_usd
    own = plan.solver
    bound = None if own.bound_usd is None else own.bound_usd - open_usd
    if own.ratio_bound is None:
        return _proven(plan, bound, None)
    share = min(1.0, open_usd / constant_usd) if constant_usd > 0 else 1.0
    return _proven(plan, bound, own.ratio_bound * (1.0 - share))


def with_other_way(kept: Plan, other: Plan) -> Plan:
    """The better of two plans with the proof of both: nothing is below the lower of their bounds. A way that
    can't be built proves itself; of one that was given up nothing is known."""
    if other.solver.status in ("infeasible", "unpriced", "optimal") or not kept.designs:
        return kept
    bounds = kept.solver.bound_usd, other.solver.bound_usd
    ratios = kept.solver.ratio_bound, other.solver.ratio_bound
    return _proven(kept, _lower(*bounds), _lower(*ratios))


def _lower(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else min(a, b)


def _proven(plan: Plan, bound_usd: float | None, ratio_bound: float | None) -> Plan:
    """The plan with these bounds, and the gap and status that they leave."""
    own = plan.solver
    gap = _gap(own, bound_usd, ratio_bound)
    status = own.status if gap is not None and gap <= RELATIVE_GAP else "feasible"
    report = replace(own, status=status, bound_usd=bound_usd, ratio_bound=ratio_bound, gap=gap)
    return replace(plan, status=status, solver=report)


def _gap(own: SolverReport, bound_usd: float | None, ratio_bound: float | None) -> float | None:
    value, bound = (own.objective_usd, bound_usd) if own.ratio is None else (own.ratio, ratio_bound)
    return None if value is None or bound is None else (value - bound) / max(abs(value), 1e-9)
