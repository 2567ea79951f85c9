"""The answers of a cluster's islands -> the answer of the cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from planner.catalog.sources import Sources
from planner.check.islands import sum_faults
from planner.cost.tco import merged
from planner.optimize.solve import RELATIVE_GAP
from planner.planning.task import PlanOptions
from planner.scenario.scenario import Scenario
from planner.study import cluster_sums
from planner.study.result import Island, TechnologyResult, delivered_tflops_years, with_totals

MOST_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Outcome:
    """A plan of all islands in figures: present worth (USD), effective TFLOP/s-years, and how far below the
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


def least_ratio_of_all(start: Outcome, at_ratio: Callable[[float], Outcome]) -> LeastRatio:
    """Of cost - ratio x delivered the least is a sum over islands, each planned by itself at one ratio.

    While the least is below 0 its plan has a lower ratio; when its bound is not, no plan of any island could
    lower the ratio of all. Round 0 is ``start``; ``at_ratio`` plans every island with the ratio as credit.
    """
    best, ratio, rounds = 0, start.ratio, 0
    while True:
        rounds += 1
        found = at_ratio(ratio)
        least = found.cost_usd - ratio * found.delivered
        tolerance = RELATIVE_GAP * abs(found.cost_usd)
        below = min(0.0, least - found.open_usd)
        bound = ratio + below / found.delivered
        if found.ratio < ratio * (1 - 1e-12):
            best, ratio = rounds, found.ratio
        if least >= -tolerance or rounds == MOST_ROUNDS:
            return LeastRatio(best, ratio, min(bound, ratio), below >= -tolerance, rounds)


def summed(
    rows: tuple[Island, ...], scenario: Scenario, sources: Sources, options: PlanOptions
) -> TechnologyResult:
    """The answer of several islands together; no figures where one of them has no design."""
    found = [row.result for row in rows]
    plan = cluster_sums.plan_of([r.plan for r in found], [row.scenario for row in rows])
    if not plan.designs:
        return TechnologyResult(plan, islands=rows)
    bom = cluster_sums.bom_of(r.bom for r in found)
    lines = merged([line for r in found for line in r.costs])
    missing = tuple(dict.fromkeys(text for r in found for text in r.missing_prices))
    result = TechnologyResult(
        plan=plan,
        bom=bom,
        costs=lines,
        years=cluster_sums.years_of(r.years for r in found),
        estimates=cluster_sums.estimates_of(
            [
                (r.plan.designs, r.estimates, row.peak_tflops(sources))
                for r, row in zip(found, rows, strict=True)
            ]
        ),
        missing_prices=missing,
        operations=cluster_sums.operations_of([r.operations for r in found]),
        network_tco_usd=sum(x.npv_usd for x in lines if x.network),
        price_grades=cluster_sums.grades_of(bom, [(r.price_grades, r.costs) for r in found]),
        sides=tuple(side for r in found for side in r.sides),
        rates=found[0].rates,
        islands=rows,
    )
    result = result if missing else with_totals(result, scenario)
    faults = [f"{row.name}: {fault}" for row in rows for fault in row.result.faults]
    return replace(result, faults=(*faults, *sum_faults(result, rows, options.objective)))


def least_ratio(
    first: TechnologyResult, planned: Callable[[float], TechnologyResult], scenario: Scenario
) -> TechnologyResult:
    """The islands at the one ratio that is the least of all; each at its own least is where it starts."""
    tried = [first]

    def at_ratio(ratio: float) -> Outcome:
        tried.append(planned(ratio))
        return _outcome(tried[-1], scenario)

    least = least_ratio_of_all(_outcome(first, scenario), at_ratio)
    best, status = tried[least.best], "optimal" if least.proven else "feasible"
    gap = (least.ratio - least.bound) / least.ratio
    solver = cluster_sums.of_ratio(best.plan.solver, status, least.ratio, least.bound, gap, least.rounds)
    return replace(best, plan=replace(best.plan, status=status, solver=solver))


def _outcome(result: TechnologyResult, scenario: Scenario) -> Outcome:
    report, cost = result.plan.solver, result.tco_usd or 0.0
    open_usd = max(0.0, (report.objective_usd or 0.0) - (report.bound_usd or 0.0))
    return Outcome(cost, delivered_tflops_years(result.estimates, scenario.finance.discount_rate), open_usd)
