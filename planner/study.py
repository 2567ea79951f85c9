"""Scenario -> Study: the whole pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.bom import BomLine, bom_lines
from planner.check import check_answer
from planner.costing import tariff
from planner.demand import demand
from planner.design import Plan
from planner.finance import discount_factor
from planner.grades import PriceGrades, price_grades
from planner.operations_state import OperationsCost
from planner.planning import PlanOptions, Task, plan_technology
from planner.ratio_table import Ratios, ratio_table
from planner.recommendation import Recommendation, recommend
from planner.scenario import Scenario
from planner.sources import Sources
from planner.study_estimate import estimate_design, operations_cost, output_of, wide_link_cost
from planner.study_notes import notes
from planner.tco import CostLine, ServerCosts, YearTotals, network_costs, server_costs, year_totals
from planner.throughput import Estimate, ThroughputError
from planner.warnings_for import warnings_for
from planner.wide_link import WideLink

__all__ = [
    "PlanOptions", "Recommendation", "Study", "TechnologyResult", "compared", "plan_scenario",
    "technology_result",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TechnologyResult:
    """One technology's answer. Money is None where there is no design or a price is missing.

    ``years``, ``estimates`` and ``plan.designs`` have one entry a year of the horizon, or none.
    ``operations`` and ``wide_link`` are of the year of the last growth step.
    ``price_grades`` says how sure the totals are: of known prices only, where one is missing.
    ``faults`` is what the independent check found: empty, or the plan must not be built.
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
    price_grades: PriceGrades | None = None
    faults: tuple[str, ...] = ()

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
    """The whole answer. ``notes`` says what was assumed and what is not counted; ``ratios`` examines
    InfiniBand's price ratio for these plans."""

    scenario: Scenario
    results: tuple[TechnologyResult, ...]
    recommendation: Recommendation
    notes: tuple[str, ...]
    ratios: Ratios | None = None


_DEFAULT = PlanOptions()


def plan_scenario(scenario: Scenario, sources: Sources, options: PlanOptions = _DEFAULT) -> Study:
    """Plans every technology asked for and compares them.

    Scenario -> demand -> candidates -> programme -> plan -> BOM, cost and throughput -> comparison.
    """
    asked = options.technologies or scenario.fabric.technologies
    results = (technology_result(scenario, sources, technology, options) for technology in asked)
    return compared(scenario, sources, tuple(results))


def compared(scenario: Scenario, sources: Sources, results: tuple[TechnologyResult, ...]) -> Study:
    """The answer to a scenario, made of its technologies' results."""
    band = sources.defaults["band.scaling"].value
    priced = {r.technology: None if r.faults else r.levelised_usd_per_effective_tflops_year for r in results}
    bills = {r.technology: r.bom for r in results}
    ratios = ratio_table(scenario, sources, bills.get("infiniband", ()), bills.get("roce", ()))
    return Study(scenario, results, recommend(priced, band), notes(scenario, results), ratios)


def technology_result(
    scenario: Scenario, sources: Sources, technology: str, options: PlanOptions = _DEFAULT
) -> TechnologyResult:
    """One technology, planned and computed."""
    book = sources.books[scenario.prices.book]
    rates = tariff(scenario, technology, sources.catalog, book, sources.counterparts)
    servers = server_costs(scenario, demand(scenario), rates)
    accelerator = sources.catalog.accelerators[scenario.server.accelerator]
    task = Task(
        scenario=scenario,
        technology=technology,
        catalog=sources.catalog,
        accelerator=accelerator,
        tariff=rates,
        constant_usd=servers.npv_usd,
        output=output_of(scenario, sources, technology),
        server_capex_usd=servers.capex_usd(scenario.years),
    )
    plan = plan_technology(task, options)
    return _answer(task, sources, options, plan, servers) if plan.designs else TechnologyResult(plan)


def _answer(
    task: Task, sources: Sources, options: PlanOptions, plan: Plan, servers: ServerCosts
) -> TechnologyResult:
    """Everything that is computed from a plan without the solver, and the independent check of it."""
    scenario, technology, rates = task.scenario, task.technology, task.tariff
    try:
        estimates = tuple(estimate_design(d, scenario, sources, technology) for d in plan.designs)
    except ThroughputError as error:
        reason = f"workload: {error}"
        return TechnologyResult(replace(plan, status="infeasible", reason=reason, designs=(), holdings=()))
    switches = dict(sources.catalog.switches) | {s.id: s for s in scenario.own_switches}
    plan = replace(plan, warnings=warnings_for(plan, switches, estimates))
    lines = (*servers.lines, *network_costs(plan, rates))
    last = scenario.growth[-1].year - scenario.base_year
    grown = (plan.designs[last], estimates[last])
    bom = bom_lines(plan, rates)
    result = TechnologyResult(
        plan=plan,
        bom=bom,
        costs=lines,
        years=year_totals(plan, lines, rates),
        estimates=estimates,
        missing_prices=servers.missing,
        operations=operations_cost(*grown, scenario, sources, technology),
        wide_link=wide_link_cost(*grown, scenario, sources, technology),
        network_tco_usd=sum(x.npv_usd for x in lines if x.network),
        price_grades=price_grades(bom, lines, rates, sources.defaults),
    )
    result = result if servers.missing else _with_totals(result, scenario)
    faults = check_answer(result, scenario, sources.catalog, rates.book, options.objective)
    return replace(result, faults=faults)


def _with_totals(result: TechnologyResult, scenario: Scenario) -> TechnologyResult:
    """Adds the totals that need every price."""
    tco = sum(x.npv_usd for x in result.costs)
    delivered = delivered_tflops_years(result.estimates, scenario.finance.discount_rate)
    return replace(
        result,
        tco_usd=tco,
        usd_per_effective_tflops=_per(result.years[0].capex_usd, result.estimates[0].effective_tflops),
        levelised_usd_per_effective_tflops_year=_per(tco, delivered),
    )


def _per(usd: float, output: float) -> float | None:
    """Cost per output; None where nothing is delivered."""
    return usd / output if output > 0 else None


def delivered_tflops_years(estimates: Sequence[Estimate], discount_rate: float) -> float:
    """Effective TFLOP/s-years over the horizon, each year's discounted from its end."""
    return sum(e.effective_tflops * discount_factor(discount_rate, t + 1) for t, e in enumerate(estimates))
