"""Scenario -> Study: the whole pipeline."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology, TechnologyPath
from planner.check.answer import check_answer
from planner.cost.ancillaries import ancillaries_of
from planner.cost.bom import of_compute_fabric
from planner.cost.break_even import BreakEven, Offer, break_evens
from planner.cost.grades import price_grades
from planner.cost.infiniband_ratio import Ratios, ratio_table
from planner.cost.tariff import tariff
from planner.cost.tco import merged, network_costs, year_totals
from planner.fabric.design import Plan
from planner.planning.foresight import value_of_foresight
from planner.planning.headroom import headroom_faults, tier_headrooms
from planner.planning.plan import plan_technology
from planner.planning.task import PlanOptions, Task
from planner.scenario.scenario import Scenario
from planner.study.estimates import estimate_design, operations_cost, output_of, wide_link_cost
from planner.study.fixed_costs import Fixed, fixed_costs, whole_bom, whole_power_w
from planner.study.flip import Flips
from planner.study.island_answers import least_ratio, summed
from planner.study.islands import islands
from planner.study.notes import notes
from planner.study.patch_panel_choice import better, panel_ways, value_of
from planner.study.path_values import PathAdvice
from planner.study.recommendation import Recommendation, recommend, with_book_prices
from planner.study.result import Island, TechnologyResult, cost_at_ratio, delivered_tflops_years, with_totals
from planner.study.side_fabrics import SideMemory
from planner.study.warnings import warnings_for
from planner.throughput.result import ThroughputError

__all__ = [
    "Island", "PathResult", "PlanOptions", "Recommendation", "Study", "TechnologyResult", "compared",
    "delivered_tflops_years", "plan_scenario", "technology_result",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Study:
    """The whole answer. ``notes`` says what was assumed and what is not counted; ``ratios`` examines
    InfiniBand's price ratio for these plans; ``break_even`` sets the technology of least levelised cost
    against each other one; ``paths`` change the technology midway (``planner.decide.technology_change``)."""

    scenario: Scenario
    results: tuple[TechnologyResult, ...]
    recommendation: Recommendation
    notes: tuple[str, ...]
    ratios: Ratios | None = None
    break_even: tuple[BreakEven, ...] = ()
    flips: Flips | None = None  # None: not tried
    paths: tuple[PathResult, ...] = ()

    @property
    def best(self) -> TechnologyResult | None:
        """The technology of least levelised cost, None where none is complete."""
        complete = [result for result in self.results if result.is_complete]
        return min(complete, key=lambda r: r.levelised_usd_per_effective_tflops_year or 0.0, default=None)


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
    technology: Technology,
    options: PlanOptions = _DEFAULT,
    memory: SideMemory | None = None,
) -> TechnologyResult:
    """One technology, planned and computed: each island of servers by itself, and their sum. ``memory``: side
    fabrics that technologies share."""
    memory, parts = memory or SideMemory(), islands(scenario)
    if len(parts) == 1:
        return _better_ways(parts[0], sources, technology, options, memory)

    def planned(ratio_usd: float | None) -> TechnologyResult:
        asked = replace(options, ratio_usd=ratio_usd)
        found = [Island(p, _better_ways(p, sources, technology, asked, memory)) for p in parts]
        return summed(tuple(found), scenario, sources, options)

    first = planned(None)
    if options.objective != "levelised-cost" or first.tco_usd is None:
        return first
    return least_ratio(first, planned, scenario)


def _better_ways(
    scenario: Scenario, sources: Sources, technology: Technology, options: PlanOptions, memory: SideMemory
) -> TechnologyResult:
    """One technology of a scenario with one fabric; where patch panels are open, the better of both ways."""
    found = [_one_fabric(way, sources, technology, options, memory) for way in panel_ways(scenario)]
    if len(found) == 1:
        return found[0]
    values = [None if r.missing_prices else value_of(r.plan.solver, options.objective) for r in found]
    choice = better(values)
    if options.ratio_usd is not None:  # of all islands: the way that is worth most at their common ratio
        own = [r.levelised_usd_per_effective_tflops_year for r in found]
        at_ratio = better([cost_at_ratio(r, scenario, options.ratio_usd) for r in found])
        choice = replace(at_ratio, with_panels=own[1], without_panels=own[0])
    return replace(found[int(choice.used)], panels=choice)


def _one_fabric(
    scenario: Scenario, sources: Sources, technology: Technology, options: PlanOptions, memory: SideMemory
) -> TechnologyResult:
    """One technology of a scenario with one fabric."""
    rates = tariff(scenario, technology, sources)
    fixed = fixed_costs(scenario, sources, technology, rates, options, memory)
    ancillaries, lacking = ancillaries_of(scenario, technology, sources.catalog, rates, fixed.other_gear)
    fixed = replace(fixed, missing=(*fixed.missing, *lacking))
    task = Task(
        scenario=scenario,
        technology=technology,
        catalog=sources.catalog,
        tariff=rates,
        constant_usd=fixed.npv_usd,
        output=output_of(scenario, sources, technology),
        server_capex_usd=fixed.capex_usd(scenario.years),
        ancillaries=ancillaries,
    )
    plan = plan_technology(task, options)
    if not plan.designs:
        return TechnologyResult(plan)
    result = answer_of(task, sources, options, plan, fixed)
    wanted = options.foresight and result.tco_usd is not None
    found = value_of_foresight(task, plan, options) if wanted else None
    return replace(result, foresight=found, faults=(*result.faults, *(found.faults if found else ())))


def answer_of(
    task: Task, sources: Sources, options: PlanOptions, plan: Plan, fixed: Fixed
) -> TechnologyResult:
    """Everything that is computed from a plan without the solver, and the independent check of it."""
    scenario, rates, kinds = task.scenario, task.tariff, [plan.technology_in(d.year) for d in plan.designs]
    if not plan.designs:
        return TechnologyResult(plan)
    try:
        estimates = tuple(
            estimate_design(d, scenario, sources, kind) for d, kind in zip(plan.designs, kinds, strict=True)
        )
        headroom = tier_headrooms(plan.designs, scenario, sources.catalog.accelerators)
    except ThroughputError as error:
        reason = f"workload: {error}"
        return TechnologyResult(replace(plan, status="infeasible", reason=reason, designs=(), holdings=()))
    switches = dict(sources.catalog.switches) | {s.id: s for s in scenario.own_switches}
    stranded = sources.defaults["warnings.stranded_ports_ratio"].value
    plan = replace(plan, warnings=warnings_for(plan, switches, estimates, scenario, stranded))
    lines = merged((*fixed.lines, *network_costs(plan, rates)))
    last = scenario.growth[-1].year - scenario.growth[0].year
    grown = plan.designs[last], estimates[last], scenario, sources, kinds[last]
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
        headroom=headroom,
    )
    result = result if fixed.missing else with_totals(result, scenario)
    books = rates.book_in(0), rates.book_in(scenario.finance.horizon_years)
    faults = check_answer(result, scenario, sources.catalog, books[0], options.objective, books[1])
    return replace(result, faults=(*faults, *headroom_faults(plan.designs, headroom)))
