"""Scenario -> Study: the whole pipeline."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner import island_sums
from planner.bom import BomLine, of_compute_fabric
from planner.breakeven import BreakEven, Offer, break_evens
from planner.check import check_answer
from planner.check_islands import sum_faults
from planner.costing import Tariff, tariff
from planner.design import Plan, TechnologyPath
from planner.extras import extras_of
from planner.fixed_costs import Fixed, fixed_costs, whole_bom, whole_power_w
from planner.generations import peak_tflops
from planner.grades import PriceGrades, price_grades
from planner.islands import island_name, islands
from planner.operations_state import OperationsCost
from planner.path_values import PathAdvice
from planner.planning import PlanOptions, Task, plan_technology
from planner.ratio_table import Ratios, ratio_table
from planner.recommendation import Recommendation, recommend, with_book_prices
from planner.scenario import Scenario
from planner.side import SideMemory, SidePlan
from planner.sources import Sources
from planner.study_estimate import estimate_design, operations_cost, output_of, wide_link_cost
from planner.study_notes import notes
from planner.study_output import delivered_tflops_years
from planner.tco import CostLine, YearTotals, merged, network_costs, year_totals
from planner.throughput import Estimate, ThroughputError
from planner.warnings_for import warnings_for
from planner.wide_link import WideLink

__all__ = [
    "Island", "PathResult", "PlanOptions", "Recommendation", "Study", "TechnologyResult", "compared",
    "plan_scenario", "technology_result",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TechnologyResult:
    """One technology's answer. Money is None where there is no design or a price is missing.

    ``years``, ``estimates`` and ``plan.designs`` have one entry a year of the horizon, or none.
    ``operations`` and ``wide_link`` are of the year of the last growth step.
    ``price_grades`` says how sure the totals are: of known prices only, where one is missing.
    ``faults`` is what the independent check found: empty, or the plan must not be built. ``islands``: of
    several server generations each with its answer, of which all else is the sum; ``rates`` is the first's.
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
    sides: tuple[SidePlan, ...] = ()
    rates: Tariff | None = None
    islands: tuple[Island, ...] = ()

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
class Island:
    """One server generation with a fabric of its own: its scenario and its answer."""

    scenario: Scenario
    result: TechnologyResult

    @property
    def name(self) -> str:
        """Its servers, rate and first year."""
        return island_name(self.scenario)

    def peak_tflops(self, sources: Sources) -> float:
        """Dense peak (TFLOP/s) of one of its GPUs in the job's precision."""
        accelerator = sources.catalog.accelerators[self.scenario.server.accelerator]
        return peak_tflops(accelerator, self.scenario.workload.precision)


@dataclass(frozen=True, slots=True)
class Study:
    """The whole answer. ``notes`` says what was assumed and what is not counted; ``ratios`` examines
    InfiniBand's price ratio for these plans; ``break_even`` sets the technology of least levelised cost
    against each other one; ``paths`` change the technology midway (``planner.study_paths``)."""

    scenario: Scenario
    results: tuple[TechnologyResult, ...]
    recommendation: Recommendation
    notes: tuple[str, ...]
    ratios: Ratios | None = None
    break_even: tuple[BreakEven, ...] = ()
    paths: tuple[PathResult, ...] = ()


@dataclass(frozen=True, slots=True)
class PathResult:
    """One technology first and another later: the answer, and how it compares with either alone."""

    path: TechnologyPath
    result: TechnologyResult
    advice: PathAdvice


_DEFAULT = PlanOptions()


def plan_scenario(scenario: Scenario, sources: Sources, options: PlanOptions = _DEFAULT) -> Study:
    """Plans every technology asked for and compares them.

    Scenario -> demand -> candidates -> programme -> plan -> BOM, cost and throughput -> comparison.
    """
    asked = options.technologies or scenario.fabric.technologies
    memory = SideMemory()
    results = (technology_result(scenario, sources, technology, options, memory) for technology in asked)
    return compared(scenario, sources, tuple(results))


def compared(scenario: Scenario, sources: Sources, results: tuple[TechnologyResult, ...]) -> Study:
    """The answer to a scenario, made of its technologies' results."""
    band = sources.defaults["band.scaling"].value
    priced = {r.technology: None if r.faults else r.levelised_usd_per_effective_tflops_year for r in results}
    bills = {r.technology: of_compute_fabric(r.bom) for r in results}
    ratios = ratio_table(scenario, sources, bills.get("infiniband", ()), bills.get("roce", ()))
    offers = [offer for offer in (_offer(r, scenario) for r in results) if offer]
    advice, said = recommend(priced, band), notes(scenario, results)
    if scenario.prices.infiniband_pricing == "ratio":
        rule = f"ratio {scenario.prices.infiniband_price_ratio:g}"
        bill_usd = {row.rule: row.infiniband_usd for row in ratios.by_rule}
        advice = with_book_prices(advice, rule, bill_usd.get(rule), bill_usd.get("book prices"))
    return Study(scenario, results, advice, said, ratios, break_evens(offers))


def _offer(result: TechnologyResult, scenario: Scenario) -> Offer | None:
    """What a technology costs and delivers; None without sound totals."""
    if result.tco_usd is None or result.network_tco_usd is None or result.faults:
        return None
    delivered = delivered_tflops_years(result.estimates, scenario.finance.discount_rate)
    return Offer(result.technology, result.tco_usd, result.network_tco_usd, delivered)


def technology_result(
    scenario: Scenario,
    sources: Sources,
    technology: str,
    options: PlanOptions = _DEFAULT,
    memory: SideMemory | None = None,
) -> TechnologyResult:
    """One technology, planned and computed: each island of servers by itself, and their sum. ``memory``: side
    fabrics that technologies share."""
    memory, parts = memory or SideMemory(), islands(scenario)
    found = [_one_fabric(part, sources, technology, options, memory) for part in parts]
    if len(parts) == 1:
        return found[0]
    rows = tuple(Island(part, result) for part, result in zip(parts, found, strict=True))
    return _summed(rows, scenario, sources, options)


def _one_fabric(
    scenario: Scenario, sources: Sources, technology: str, options: PlanOptions, memory: SideMemory
) -> TechnologyResult:
    """One technology of a scenario with one fabric."""
    book = sources.books[scenario.prices.book]
    rates = tariff(scenario, technology, sources.catalog, book, sources.counterparts)
    fixed = fixed_costs(scenario, sources, technology, rates, options, memory)
    extras, lacking = extras_of(scenario, technology, sources.catalog, rates, fixed.beside)
    fixed = replace(fixed, missing=(*fixed.missing, *lacking))
    task = Task(
        scenario=scenario,
        technology=technology,
        catalog=sources.catalog,
        tariff=rates,
        constant_usd=fixed.npv_usd,
        output=output_of(scenario, sources, technology),
        server_capex_usd=fixed.capex_usd(scenario.years),
        extras=extras,
    )
    plan = plan_technology(task, options)
    return answer_of(task, sources, options, plan, fixed)


def answer_of(
    task: Task, sources: Sources, options: PlanOptions, plan: Plan, fixed: Fixed
) -> TechnologyResult:
    """Everything that is computed from a plan without the solver, and the independent check of it."""
    scenario, rates = task.scenario, task.tariff
    if not plan.designs:
        return TechnologyResult(plan)
    try:
        estimates = tuple(
            estimate_design(d, scenario, sources, plan.technology_in(d.year)) for d in plan.designs
        )
    except ThroughputError as error:
        reason = f"workload: {error}"
        return TechnologyResult(replace(plan, status="infeasible", reason=reason, designs=(), holdings=()))
    switches = dict(sources.catalog.switches) | {s.id: s for s in scenario.own_switches}
    plan = replace(plan, warnings=warnings_for(plan, switches, estimates))
    lines = merged((*fixed.lines, *network_costs(plan, rates)))
    last = scenario.growth[-1].year - scenario.growth[0].year
    grown = (
        plan.designs[last],
        estimates[last],
        scenario,
        sources,
        plan.technology_in(plan.designs[last].year),
    )
    bom = whole_bom(plan, rates, fixed.sides)
    result = TechnologyResult(
        plan=plan,
        bom=bom,
        costs=lines,
        years=year_totals(plan, lines, whole_power_w(plan, rates, fixed.sides)),
        estimates=estimates,
        missing_prices=fixed.missing,
        operations=operations_cost(*grown),
        wide_link=wide_link_cost(*grown),
        network_tco_usd=sum(x.npv_usd for x in lines if x.network),
        price_grades=price_grades(bom, lines, rates, sources.defaults),
        sides=fixed.sides,
        rates=rates,
    )
    result = result if fixed.missing else _with_totals(result, scenario)
    books = rates.at(0).book, rates.at(scenario.finance.horizon_years).book
    faults = check_answer(result, scenario, sources.catalog, books[0], options.objective, books[1])
    return replace(result, faults=faults)


def _summed(
    rows: tuple[Island, ...], scenario: Scenario, sources: Sources, options: PlanOptions
) -> TechnologyResult:
    """The answer of several islands together; no figures where one of them has no design."""
    found = [row.result for row in rows]
    plan = island_sums.plan_of([r.plan for r in found], [row.scenario for row in rows])
    if not plan.designs:
        return TechnologyResult(plan, islands=rows)
    bom = island_sums.bom_of(r.bom for r in found)
    lines = merged([line for r in found for line in r.costs])
    missing = tuple(dict.fromkeys(text for r in found for text in r.missing_prices))
    result = TechnologyResult(
        plan=plan,
        bom=bom,
        costs=lines,
        years=island_sums.years_of(r.years for r in found),
        estimates=island_sums.estimates_of(
            [
                (r.plan.designs, r.estimates, row.peak_tflops(sources))
                for r, row in zip(found, rows, strict=True)
            ]
        ),
        missing_prices=missing,
        operations=island_sums.operations_of([r.operations for r in found]),
        network_tco_usd=sum(x.npv_usd for x in lines if x.network),
        price_grades=island_sums.grades_of(bom, [(r.price_grades, r.costs) for r in found]),
        sides=tuple(side for r in found for side in r.sides),
        rates=found[0].rates,
        islands=rows,
    )
    result = result if missing else _with_totals(result, scenario)
    faults = [f"{row.name}: {fault}" for row in rows for fault in row.result.faults]
    return replace(result, faults=(*faults, *sum_faults(result, rows, options.objective)))


def _with_totals(result: TechnologyResult, scenario: Scenario) -> TechnologyResult:
    """Adds the totals that need every price."""
    tco, first = sum(x.npv_usd for x in result.costs), result.plan.designs[0].year - scenario.base_year
    delivered = delivered_tflops_years(result.estimates, scenario.finance.discount_rate, first)
    return replace(
        result,
        tco_usd=tco,
        usd_per_effective_tflops=_per(result.years[0].capex_usd, result.estimates[0].effective_tflops),
        levelised_usd_per_effective_tflops_year=_per(tco, delivered),
    )


def _per(usd: float, output: float) -> float | None:
    """Cost per output; None where nothing is delivered."""
    return usd / output if output > 0 else None
