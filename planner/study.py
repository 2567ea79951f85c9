"""Scenario -> Study: the whole pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.bom import BomLine, bom_lines, sorted_lines
from planner.breakeven import BreakEven, Offer, break_evens
from planner.check import check_answer
from planner.costing import Tariff, tariff
from planner.demand import demand
from planner.design import Plan
from planner.extras import Beside, extras_of
from planner.finance import discount_factor
from planner.operations_state import OperationsCost
from planner.planning import PlanOptions, Task, plan_technology
from planner.recommendation import Recommendation, recommend
from planner.scenario import Scenario
from planner.side import SideMemory, SidePlan, beside_of, side_plans
from planner.sources import Sources
from planner.study_estimate import estimate_design, operations_cost, wide_link_cost
from planner.study_notes import notes
from planner.tco import (
    CostLine,
    YearTotals,
    merged,
    network_costs,
    plan_power_w,
    server_costs,
    tuning_costs,
    year_totals,
)
from planner.throughput import Estimate, ThroughputError
from planner.warnings_for import warnings_for
from planner.wide_link import WideLink

__all__ = ["PlanOptions", "Recommendation", "Study", "TechnologyResult", "plan_scenario"]


@dataclass(frozen=True, slots=True)
class TechnologyResult:
    """One technology's answer. Money is None where there is no design or a price is missing.

    ``years``, ``estimates`` and ``plan.designs`` have one entry a year of the horizon, or none.
    ``operations`` and ``wide_link`` are of the year of the last growth step.
    ``faults`` is what the independent check finds wrong with the answer: it must be empty.
    """

    plan: Plan
    bom: tuple[BomLine, ...] = ()
    costs: tuple[CostLine, ...] = ()
    years: tuple[YearTotals, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    missing_prices: tuple[str, ...] = ()
    operations: OperationsCost | None = None
    wide_link: WideLink | None = None
    tco_usd: float | None = None
    network_tco_usd: float | None = None
    usd_per_effective_tflops: float | None = None
    levelised_usd_per_effective_tflops_year: float | None = None
    faults: tuple[str, ...] = ()
    sides: tuple[SidePlan, ...] = ()
    rates: Tariff | None = None

    @property
    def technology(self) -> str:
        """The technology's id."""
        return self.plan.technology

    @property
    def network_share_ratio(self) -> float | None:
        """Network TCO as a share of the whole TCO."""
        if self.tco_usd is None or self.network_tco_usd is None:
            return None
        return self.network_tco_usd / self.tco_usd


@dataclass(frozen=True, slots=True)
class Study:
    """The whole answer. ``notes`` says what was assumed and what is not counted; ``break_even`` sets the
    technology of least levelised cost against each other one."""

    scenario: Scenario
    results: tuple[TechnologyResult, ...]
    recommendation: Recommendation
    notes: tuple[str, ...]
    break_even: tuple[BreakEven, ...] = ()


_DEFAULT = PlanOptions()


def plan_scenario(scenario: Scenario, sources: Sources, options: PlanOptions = _DEFAULT) -> Study:
    """Plans every technology asked for and compares them.

    Scenario -> demand -> candidates -> programme -> plan -> BOM, cost and throughput -> comparison.
    """
    asked = options.technologies or scenario.fabric.technologies
    memory = SideMemory()
    results = tuple(_result(scenario, sources, technology, options, memory) for technology in asked)
    band = sources.defaults["band.scaling"].value
    priced = {r.technology: r.levelised_usd_per_effective_tflops_year for r in results}
    offers = [offer for offer in (_offer(r, scenario) for r in results) if offer]
    return Study(scenario, results, recommend(priced, band), notes(scenario, results), break_evens(offers))


def _offer(result: TechnologyResult, scenario: Scenario) -> Offer | None:
    """What a technology costs and delivers; None without totals."""
    if result.tco_usd is None or result.network_tco_usd is None:
        return None
    delivered = delivered_tflops_years(result.estimates, scenario.finance.discount_rate)
    return Offer(result.technology, result.tco_usd, result.network_tco_usd, delivered)


def _result(
    scenario: Scenario, sources: Sources, technology: str, options: PlanOptions, memory: SideMemory
) -> TechnologyResult:
    """One technology: plan, then everything that is computed from the plan without the solver."""
    book = sources.books[scenario.prices.book]
    rates = tariff(scenario, technology, sources.catalog, book, sources.counterparts)
    fixed = _fixed(scenario, sources, technology, rates, options, memory)
    accelerator = sources.catalog.accelerators[scenario.server.accelerator]
    extras, lacking = extras_of(scenario, technology, sources.catalog, rates, fixed.beside)
    task = Task(
        scenario, technology, sources.catalog, accelerator, rates, fixed.npv_usd, extras, quick=options.quick
    )
    plan = plan_technology(task, options)
    if not plan.designs:
        return TechnologyResult(plan)
    try:
        estimates = tuple(estimate_design(d, scenario, sources, technology) for d in plan.designs)
    except ThroughputError as error:
        reason = f"workload: {error}"
        return TechnologyResult(replace(plan, status="infeasible", reason=reason, designs=(), holdings=()))
    switches = dict(sources.catalog.switches) | {s.id: s for s in scenario.own_switches}
    plan = replace(plan, warnings=warnings_for(plan, switches, estimates))
    lines = merged((*fixed.lines, *network_costs(plan, rates)))
    missing = (*fixed.missing, *lacking)
    last = scenario.growth[-1].year - scenario.base_year
    grown = (plan.designs[last], estimates[last])
    result = TechnologyResult(
        plan=plan,
        bom=_whole_bom(plan, rates, fixed.sides),
        costs=lines,
        years=year_totals(plan, lines, _power_w(plan, rates, fixed.sides)),
        estimates=estimates,
        missing_prices=missing,
        operations=operations_cost(*grown, scenario, sources, technology),
        wide_link=wide_link_cost(*grown, scenario, sources, technology),
        network_tco_usd=sum(x.npv_usd for x in lines if x.network),
        sides=fixed.sides,
        rates=rates,
    )
    result = result if missing else _with_totals(result, scenario)
    faults = check_answer(result, scenario, sources.catalog, rates.book, options.objective)
    return replace(result, faults=faults)


@dataclass(frozen=True, slots=True)
class _Fixed:
    """What no design of the compute fabric changes: servers, side fabrics, engineers."""

    lines: tuple[CostLine, ...]
    missing: tuple[str, ...]
    sides: tuple[SidePlan, ...]
    beside: dict[int, Beside]

    @property
    def npv_usd(self) -> float:
        """Present worth (USD) of what is known."""
        return sum(line.npv_usd for line in self.lines)


def _fixed(
    scenario: Scenario,
    sources: Sources,
    technology: str,
    rates: Tariff,
    options: PlanOptions,
    memory: SideMemory,
) -> _Fixed:
    years = demand(scenario)
    servers = server_costs(scenario, years, rates)
    sides = side_plans(scenario, technology, sources, options, memory)
    planned = tuple(s for s in sides if s.plan.designs)
    lines = (
        *servers.lines,
        *tuning_costs(scenario, technology, years),
        *(line for side in planned for line in network_costs(side.plan, side.tariff)),
    )
    missing = (*servers.missing, *(text for side in sides for text in side.missing))
    units = {s.id: s.rack_units for s in sources.catalog.switches.values() if s.rack_units is not None}
    return _Fixed(lines, missing, planned, beside_of(scenario, planned, units))


def _whole_bom(plan: Plan, rates: Tariff, sides: Sequence[SidePlan]) -> tuple[BomLine, ...]:
    """The compute fabric's lines and those of the side fabrics, under one technology."""
    others = [row for side in sides for row in bom_lines(side.plan, side.tariff, side.section)]
    renamed = (replace(row, technology=plan.technology) for row in others)
    return sorted_lines([*bom_lines(plan, rates), *renamed])


def _power_w(plan: Plan, rates: Tariff, sides: Sequence[SidePlan]) -> list[float]:
    """Average draw (W) of all network gear by year."""
    parts = [plan_power_w(plan, rates), *(plan_power_w(side.plan, side.tariff) for side in sides)]
    return [sum(watts) for watts in zip(*parts, strict=True)]


def _with_totals(result: TechnologyResult, scenario: Scenario) -> TechnologyResult:
    """Adds the totals that need every price."""
    tco = sum(x.npv_usd for x in result.costs)
    delivered = delivered_tflops_years(result.estimates, scenario.finance.discount_rate)
    return replace(
        result,
        tco_usd=tco,
        usd_per_effective_tflops=result.years[0].capex_usd / result.estimates[0].effective_tflops,
        levelised_usd_per_effective_tflops_year=tco / delivered,
    )


def delivered_tflops_years(estimates: Sequence[Estimate], discount_rate: float) -> float:
    """Effective TFLOP/s-years over the horizon, each year's discounted from its end."""
    return sum(e.effective_tflops * discount_factor(discount_rate, t + 1) for t, e in enumerate(estimates))
