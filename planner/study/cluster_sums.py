"""The answers of a cluster's islands as one: counts and money added up, year by year."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from planner.catalog.sources import Sources
from planner.check.island_sums import sum_faults
from planner.cost.bom_lines import BomLine
from planner.cost.price_grades import PriceGrades, bill_shares
from planner.cost.tco import YearTotals, merged
from planner.fabric.design import ClusterDesign, ClusterPlan, Design, SolverReport, Status
from planner.scenario.scenario import Objective, Scenario
from planner.study.result import WITHHELD, ClusterResult, FabricResult, Island, totals_of
from planner.study.whole_bill import added_lines
from planner.throughput.operating_states import OperationsCost, StateCost
from planner.throughput.result import Estimate
from pricing.provenance import Grade

N = TypeVar("N", int, float)
_WORST: tuple[Status, ...] = ("unpriced", "infeasible", "none", "feasible", "optimal")
OWN_JOB = (
    "each island of servers runs a training job of its own; the figures of a step are the largest island's"
)


def cluster_result(
    islands: tuple[Island, ...], scenario: Scenario, sources: Sources, objective: Objective
) -> ClusterResult:
    """The answer of several islands together; no figures where one of them has no design."""
    found = [island.result for island in islands]
    plan = plan_of(islands)
    if not plan.designs:
        return ClusterResult(plan, islands)
    bom = added_lines(line for r in found for line in r.bom)
    costs = merged([line for r in found for line in r.costs])
    years, estimates = years_of(r.years for r in found), estimates_of(islands, sources)
    missing = tuple(dict.fromkeys(text for r in found for text in r.missing_prices))
    totals = WITHHELD if missing else totals_of(costs, years, estimates, scenario)
    result = ClusterResult(
        plan,
        islands,
        bom=bom,
        costs=costs,
        years=years,
        estimates=estimates,
        missing_prices=missing,
        operations=operations_of([r.operations for r in found]),
        tco_usd=totals.tco_usd,
        network_tco_usd=sum(line.npv_usd for line in costs if line.network),
        usd_per_effective_tflops=totals.usd_per_effective_tflops,
        levelised_usd_per_effective_tflops_year=totals.levelised_usd_per_effective_tflops_year,
        price_grades=grades_of(bom, found),
        sides=tuple(side for r in found for side in r.sides),
    )
    own = [f"{island.name}: {fault}" for island in islands for fault in island.result.faults]
    return replace(result, faults=(*own, *sum_faults(result, islands, objective)))


def plan_of(islands: Sequence[Island]) -> ClusterPlan:
    """One plan: no design where an island has none, and the reason with the island's name."""
    plans = [(island.name, island.result.plan) for island in islands]
    without = [f"{name}: {plan.reason}" for name, plan in plans if not plan.designs]
    plan = ClusterPlan(
        technology=plans[0][1].technology,
        status=min((plan.status for _, plan in plans), key=_WORST.index),
        reason="; ".join(without) or None,
        excluded=tuple(dict.fromkeys(text for _, plan in plans for text in plan.excluded)),
        solver=report_of([plan.solver for _, plan in plans]),
    )
    if without:
        return plan
    return replace(
        plan,
        designs=designs_of(plan.designs for _, plan in plans),
        warnings=tuple(f"{name}: {text}" for name, plan in plans for text in plan.warnings),
    )


def report_of(reports: Sequence[SolverReport]) -> SolverReport:
    """Figures summed; the status is the worst. None where an island has no figure."""
    usd, bound = (_sum(getattr(r, n) for r in reports) for n in ("objective_usd", "bound_usd"))
    least = [r.ratio_bound for r in reports if r.ratio_bound is not None]
    roots = [(r.root_gap, r.objective_usd) for r in reports]
    above = _sum(None if gap is None or of is None else gap * abs(of) for gap, of in roots)
    status = min((r.status for r in reports), key=_WORST.index)
    return SolverReport(
        name=reports[0].name,
        # each island's own least ratio is only a bound of the least ratio of all
        status="feasible" if least and status == "optimal" else status,
        objective_usd=usd,
        bound_usd=bound,
        gap=None if usd is None or bound is None else (usd - bound) / max(abs(usd), 1e-9),
        seconds=sum(r.seconds for r in reports),
        nodes=_sum(r.nodes for r in reports),
        build_seconds=sum(r.build_seconds for r in reports),
        candidates=sum(r.candidates for r in reports),
        dominated_left_out=any(r.dominated_left_out for r in reports),
        root_gap=None if above is None or usd is None else above / max(abs(usd), 1e-9),
        ratio_bound=min(least, default=None),
        rounds=sum(r.rounds for r in reports),
    )


def _sum(values: Iterable[N | None]) -> N | None:
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(found) else None


def designs_of(islands: Iterable[Sequence[Design]]) -> tuple[ClusterDesign, ...]:
    """The fabrics of each year in which one is in service."""
    by_year: dict[int, list[Design]] = defaultdict(list)
    for designs in islands:
        for design in designs:
            by_year[design.year].append(design)
    return tuple(ClusterDesign(year, tuple(by_year[year])) for year in sorted(by_year))


def years_of(islands: Iterable[Sequence[YearTotals]]) -> tuple[YearTotals, ...]:
    """Money and power of each year."""
    sums: dict[int, list[float]] = defaultdict(lambda: [0.0] * 4)
    for row in (row for years in islands for row in years):
        parts = row.capex_usd, row.network_capex_usd, row.opex_usd, row.network_power_kw
        sums[row.year] = [a + b for a, b in zip(sums[row.year], parts, strict=True)]
    return tuple(YearTotals(year, *sums[year]) for year in sorted(sums))


def estimates_of(islands: Iterable[Island], sources: Sources) -> tuple[Estimate, ...]:
    """The jobs of each year together: output added, MFU over the peak of all GPUs, the rest of the largest
    island's job."""
    by_year: dict[int, list[tuple[Estimate, float]]] = defaultdict(list)
    for island in islands:
        own, peak_tflops = island.result, island.peak_tflops(sources)
        for design, estimate in zip(own.plan.designs, own.estimates, strict=True):
            by_year[design.year].append((estimate, peak_tflops))
    return tuple(_estimate(by_year[year]) for year in sorted(by_year))


def _estimate(parts: list[tuple[Estimate, float]]) -> Estimate:
    if len(parts) == 1:
        return parts[0][0]
    largest = max((e for e, _ in parts), key=lambda e: e.gpus)
    peaks = [(e, e.job_gpus * peak) for e, peak in parts]
    output = sum(e.effective_tflops for e, _ in parts)
    share = [(e, e.effective_tflops / output if output else 1.0 / len(parts)) for e, _ in parts]
    warnings = [w for e, _ in parts for w in e.warnings]
    return replace(
        largest,
        gpus=sum(e.gpus for e, _ in parts),
        job_gpus=sum(e.job_gpus for e, _ in parts),
        mfu=sum(e.mfu * peak for e, peak in peaks) / sum(peak for _, peak in peaks),
        goodput=sum(e.goodput * part for e, part in share),
        effective_tflops=output,
        warnings=tuple(dict.fromkeys([OWN_JOB, *warnings])),
        # the model errs alike for all islands
        level_band_ratio=sum(e.level_band_ratio * part for e, part in share),
        scaling_band_ratio=sum(e.scaling_band_ratio * part for e, part in share),
    )


def grades_of(bom: Sequence[BomLine], islands: Iterable[FabricResult]) -> PriceGrades:
    """The grades behind the summed totals: bills by the summed bill, the TCO by each island's share of it."""
    sums: dict[Grade, float] = defaultdict(float)
    for island in islands:
        usd = sum(line.npv_usd for line in island.costs)
        for grade, share in island.price_grades.tco if island.price_grades else ():
            sums[grade] += share * usd
    total = sum(sums.values())
    tco = tuple(sorted(((g, usd / total) for g, usd in sums.items() if usd), key=lambda item: -item[1]))
    first = min((line.year for line in bom), default=0)
    return PriceGrades(bill_shares(bom, first), bill_shares(bom), tco)


def operations_of(costs: Sequence[OperationsCost | None]) -> OperationsCost | None:
    """Each state over all islands; None where they are not rated in the same states and year."""
    known = [cost for cost in costs if cost is not None]
    settings = [sorted(s.setting for s in cost.states) for cost in known]
    if len(known) < len(costs) or any(s != settings[0] or len(set(s)) < len(s) for s in settings):
        return None
    names = [s.setting for s in known[0].states]  # the best first
    states = [_state([s for cost in known for s in cost.states if s.setting == name]) for name in names]
    best = states[0].effective_tflops
    return OperationsCost(
        year=max(cost.year for cost in known),  # each is of its last growth step, after which it stays
        states=tuple(replace(s, lost_ratio=1.0 - s.effective_tflops / best if best else 0.0) for s in states),
        engineers_fte=sum(cost.engineers_fte for cost in known),
        engineers_usd_per_year=sum(cost.engineers_usd_per_year for cost in known),
    )


def _state(parts: Sequence[StateCost]) -> StateCost:
    return replace(
        parts[0],
        effective_tflops=sum(s.effective_tflops for s in parts),
        gpu_hours_per_year=sum(s.gpu_hours_per_year for s in parts),
        usd_per_year=sum(s.usd_per_year for s in parts),
        note=" + ".join(dict.fromkeys(s.note for s in parts if s.note)),
    )
