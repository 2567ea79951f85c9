"""The answers of several islands of a cluster as one: counts and money added up, year by year."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from planner.cost.bom import CHARGE, BomLine, sorted_lines
from planner.cost.grades import PriceGrades, bill_shares
from planner.cost.tco import CostLine, YearTotals
from planner.fabric.design import Change, Design, Plan, SolverReport
from planner.scenario.scenario import Scenario
from planner.study.islands import island_name
from planner.throughput.operations import OperationsCost, StateCost
from planner.throughput.result import Estimate
from pricing.provenance import Grade

N = TypeVar("N", int, float)
K = TypeVar("K")
_WORST = ("unpriced", "infeasible", "none", "feasible", "optimal")
OWN_JOB = (
    "each island of servers runs a training job of its own; the figures of a step are the largest island's"
)


def plan_of(plans: Sequence[Plan], scenarios: Sequence[Scenario]) -> Plan:
    """One plan: no design where an island has none, and the reason with the island's name."""
    names = [island_name(s) for s in scenarios]
    status = min((p.status for p in plans), key=_rank)
    excluded = tuple(dict.fromkeys(text for p in plans for text in p.excluded))
    solver = report_of([p.solver for p in plans])
    without = [f"{name}: {p.reason}" for name, p in zip(names, plans, strict=True) if not p.designs]
    if without:
        return Plan(plans[0].technology, status, "; ".join(without), excluded, solver)
    said = tuple(f"{name}: {w}" for name, p in zip(names, plans, strict=True) for w in p.warnings)
    return Plan(
        plans[0].technology, status, None, excluded, solver, designs_of([p.designs for p in plans]),
        tuple(h for p in plans for h in p.holdings), said,
    )  # fmt: skip


def _rank(status: str) -> int:
    return _WORST.index(status) if status in _WORST else 0


def report_of(reports: Sequence[SolverReport]) -> SolverReport:
    """Figures summed; the status is the worst. None where an island has no figure."""
    usd, bound = (_sum(getattr(r, n) for r in reports) for n in ("objective_usd", "bound_usd"))
    least = [r.ratio_bound for r in reports if r.ratio_bound is not None]
    roots = [(r.root_gap, r.objective_usd) for r in reports]
    above = _sum(None if gap is None or of is None else gap * abs(of) for gap, of in roots)
    status = min((r.status for r in reports), key=_rank)
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


def of_ratio(
    report: SolverReport, status: str, ratio: float, bound: float, gap: float, rounds: int
) -> SolverReport:
    """The report of the islands' least common ratio; objective and bound are of the plan's cost."""
    usd = report.objective_usd or 0.0
    return replace(
        report,
        status=status,
        ratio=ratio,
        ratio_bound=bound,
        gap=gap,
        bound_usd=usd * (1.0 - gap),
        rounds=rounds,
    )


def _sum(values: Iterable[N | None]) -> N | None:
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(found) else None


def designs_of(islands: Sequence[Sequence[Design]]) -> tuple[Design, ...]:
    """One design a year: sums, and the wiring of the island with the most GPUs."""
    by_year: dict[int, list[Design]] = defaultdict(list)
    for designs in islands:
        for design in designs:
            by_year[design.year].append(design)
    return tuple(_design(by_year[year]) for year in sorted(by_year))


def _design(parts: list[Design]) -> Design:
    if len(parts) == 1:
        return parts[0]
    largest, changes = max(parts, key=lambda d: d.gpus), [d.change for d in parts]
    tiers = [[c.recabled_by_tier[i] for c in changes] for i in range(3)]
    return replace(
        largest,
        gpus=sum(d.gpus for d in parts),
        nodes=sum(d.nodes for d in parts),
        need=_added(d.need for d in parts),
        owned=_added(d.owned for d in parts),
        change=Change(
            bought=_added(c.bought for c in changes),
            retired=_added(c.retired for c in changes),
            installed_links=sum(c.installed_links for c in changes),
            recabled_links=sum(c.recabled_links for c in changes),
            recabled_by_tier=(sum(tiers[0]), sum(tiers[1]), sum(tiers[2])),
            idled_gpus=sum(c.idled_gpus for c in changes),
            panel_links=sum(c.panel_links for c in changes),
            panel_idled_gpus=sum(c.panel_idled_gpus for c in changes),
        ),
        need_by_tier=_added(d.need_by_tier for d in parts),
        node_modules=sum(d.node_modules for d in parts),
        switch_modules=sum(d.switch_modules for d in parts),
        islands=tuple(parts),
    )


def _added(counts: Iterable[Mapping[K, int]]) -> dict[K, int]:
    total = Counter[K]()
    for each in counts:
        total.update(each)
    return dict(total)


def bom_of(islands: Iterable[Sequence[BomLine]]) -> tuple[BomLine, ...]:
    """One line for a part in a place and year; a charge, whose price is its amount, is added to."""
    found = dict[tuple[int, str, str, str], BomLine]()
    for row in (row for bom in islands for row in bom):
        key = row.year, row.section, row.tier, row.sku
        one = found.get(key)
        if one and row.sku.startswith(CHARGE):
            row = replace(row, unit_price_usd=one.unit_price_usd + row.unit_price_usd)
        elif one:
            row = replace(row, quantity=one.quantity + row.quantity, spares=one.spares + row.spares)
        found[key] = row
    return sorted_lines(found.values())


def years_of(islands: Iterable[Sequence[YearTotals]]) -> tuple[YearTotals, ...]:
    """Money and power of each year."""
    sums: dict[int, list[float]] = defaultdict(lambda: [0.0] * 4)
    for row in (row for years in islands for row in years):
        parts = row.capex_usd, row.network_capex_usd, row.opex_usd, row.network_power_kw
        sums[row.year] = [a + b for a, b in zip(sums[row.year], parts, strict=True)]
    return tuple(YearTotals(year, *sums[year]) for year in sorted(sums))


def estimates_of(
    islands: Sequence[tuple[Sequence[Design], Sequence[Estimate], float]],
) -> tuple[Estimate, ...]:
    """The jobs of each year together: output added, MFU over the peak of all GPUs, the rest of the largest
    island's job. Each island comes with the peak TFLOP/s of its GPU."""
    by_year: dict[int, list[tuple[Estimate, float]]] = defaultdict(list)
    for designs, estimates, peak_tflops in islands:
        for design, estimate in zip(designs, estimates, strict=True):
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


def grades_of(
    bom: Sequence[BomLine], islands: Sequence[tuple[PriceGrades | None, Sequence[CostLine]]]
) -> PriceGrades:
    """The grades behind the summed totals: bills by the summed bill, the TCO by each island's share of it."""
    sums: dict[Grade, float] = defaultdict(float)
    for grades, costs in islands:
        usd = sum(line.npv_usd for line in costs)
        for grade, share in grades.tco if grades else ():
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
