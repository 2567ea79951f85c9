"""The least cost per output of a cluster of islands: all are planned at the one ratio that is the least of
all.

An island at its own least ratio is not part of the least ratio of all: what it adds at the common ratio
counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from planner.fabric.design import Status
from planner.optimize.solve import RELATIVE_GAP
from planner.scenario.scenario import Scenario
from planner.study.result import ClusterResult, delivered_tflops_years

MOST_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Outcome:
    """A plan of all islands in figures: present value (USD), effective TFLOP/s-years, and how far below the
    cost the solver's bound lies (USD)."""

    cost_usd: float
    delivered: float
    open_usd: float

    @property
    def ratio(self) -> float:
        """USD per effective TFLOP/s-year."""
        return self.cost_usd / self.delivered


@dataclass(frozen=True, slots=True)
class LeastRatio:
    """Which round's plan has the least ratio, its ratio, what no plan goes below, and how many rounds."""

    best: int
    ratio: float
    bound: float
    proven: bool
    rounds: int


def least_ratio_of_all(
    start: Outcome, at_ratio: Callable[[float], Outcome | None], least_ratio: float = 0.0
) -> LeastRatio:
    """The least cost / delivered over all choices of a plan for each island (Dinkelbach's method).

    Of cost - ratio x delivered the least is a sum over islands, each planned by itself at one ratio. While
    the least is below 0 its plan has a lower ratio; when its bound is not, no plan of any island could lower
    the ratio of all. Round 0 is ``start``; ``at_ratio`` plans every island with the ratio as credit: None
    where the budget ended before, and the best so far is the answer. ``least_ratio``: a bound that is known
    before.
    """
    best, ratio, rounds = 0, start.ratio, 0
    while True:
        rounds += 1
        found = at_ratio(ratio)
        if found is None:
            return LeastRatio(best, ratio, min(least_ratio, ratio), False, rounds)
        least = found.cost_usd - ratio * found.delivered
        tolerance = RELATIVE_GAP * abs(found.cost_usd)
        below = min(0.0, least - found.open_usd)
        bound = ratio + below / found.delivered
        if found.ratio < ratio * (1 - 1e-12):
            best, ratio = rounds, found.ratio
        if least >= -tolerance or rounds == MOST_ROUNDS:
            return LeastRatio(best, ratio, min(bound, ratio), below >= -tolerance, rounds)


def at_least_ratio(
    first: ClusterResult, planned: Callable[[float], ClusterResult], scenario: Scenario
) -> ClusterResult:
    """The islands' answer at the least ratio of all. ``first``, where each has its own least, is the start;
    ``planned``: their answer at a ratio (USD per effective TFLOP/s-year)."""
    tried = [first]

    def at_ratio(ratio: float) -> Outcome | None:
        tried.append(planned(ratio))
        cut = tried[-1].tco_usd is None or tried[-1].plan.solver.bound_usd is None
        return None if cut else _outcome(tried[-1], scenario)

    # the ratio of all is none below the least of the islands' own
    least = least_ratio_of_all(_outcome(first, scenario), at_ratio, first.plan.solver.ratio_bound or 0.0)
    return _reported(tried[least.best], least)


def _outcome(result: ClusterResult, scenario: Scenario) -> Outcome:
    report, cost = result.plan.solver, result.tco_usd or 0.0
    open_usd = max(0.0, (report.objective_usd or 0.0) - (report.bound_usd or 0.0))
    return Outcome(cost, delivered_tflops_years(result.estimates, scenario.finance.discount_rate), open_usd)


def _reported(result: ClusterResult, least: LeastRatio) -> ClusterResult:
    """The answer with the proof of the common ratio; objective and bound stay those of the plan's cost."""
    status: Status = "optimal" if least.proven else "feasible"
    gap = (least.ratio - least.bound) / least.ratio
    report = replace(
        result.plan.solver,
        status=status,
        ratio=least.ratio,
        ratio_bound=least.bound,
        gap=gap,
        bound_usd=(result.plan.solver.objective_usd or 0.0) * (1.0 - gap),
        rounds=least.rounds,
    )
    return replace(result, plan=replace(result.plan, status=status, solver=report))
