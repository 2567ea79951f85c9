"""One technology of a scenario with one fabric: what is asked -> plan -> throughput -> bill -> totals ->
check.

Every step takes and gives named values, and only the plan comes from the solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from planner.catalog.parts import SwitchModel
from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology
from planner.check.check_case import Books
from planner.check.checks import check_answer
from planner.cost.ancillaries import ancillaries_of
from planner.cost.management_network import unreachable_uplink
from planner.cost.tariff import Tariff, tariff
from planner.fabric.design import Plan
from planner.planning.bandwidth_headroom import TierHeadroom, headroom_faults, tier_headrooms
from planner.planning.plan import plan_technology
from planner.planning.planning_task import PlanOptions, Task
from planner.scenario.scenario import Scenario
from planner.study.design_estimates import estimate_design, operations_cost, output_of, wide_link_cost
from planner.study.patch_panel_choice import with_better_way
from planner.study.proof import with_side_fabrics
from planner.study.result import WITHHELD, FabricResult, totals_of
from planner.study.side_fabrics import KnownSideFabrics
from planner.study.warnings import warnings_for
from planner.study.whole_bill import FixedCosts, bill_of, fixed_costs
from planner.throughput.between_sites import WideLink
from planner.throughput.operating_states import OperationsCost
from planner.throughput.result import Estimate, ThroughputError


@dataclass(frozen=True, slots=True)
class Question:
    """What the optimiser is asked, and what is known before it starts: the costs that no design changes."""

    task: Task
    fixed: FixedCosts


@dataclass(frozen=True, slots=True)
class Performance:
    """What a plan gets done: the training job of each year, the room on its links, how it is run."""

    estimates: tuple[Estimate, ...]
    headroom: tuple[tuple[TierHeadroom, ...], ...]
    operations: OperationsCost
    wide_link: WideLink | None


def fabric_result(
    scenario: Scenario,
    sources: Sources,
    technology: Technology,
    options: PlanOptions,
    known: KnownSideFabrics,
) -> FabricResult:
    """The answer of one technology; where patch panels are left open, the better of both ways."""

    def one_way(way: Scenario, options: PlanOptions) -> FabricResult:
        asked = question(way, sources, technology, options, known)
        return answer_of(asked, plan_technology(asked.task, options), sources, options)

    return with_better_way(scenario, options, one_way)


def question(
    scenario: Scenario,
    sources: Sources,
    technology: Technology,
    options: PlanOptions,
    known: KnownSideFabrics,
) -> Question:
    """What the optimiser is asked of a technology."""
    rates = tariff(scenario, technology, sources)
    fixed = fixed_costs(scenario, sources, technology, rates, options, known)
    task, lacking = technology_task(scenario, sources, technology, rates, fixed)
    return Question(task, replace(fixed, missing=(*fixed.missing, *lacking)))


def technology_task(
    scenario: Scenario, sources: Sources, technology: Technology, rates: Tariff, fixed: FixedCosts
) -> tuple[Task, tuple[str, ...]]:
    """What a technology's fat-trees are looked for with, and the parts beside its links that have no price:
    it is planned, and checked, without what lacks them. Where no part exists there is no plan."""
    ancillaries, lacking = ancillaries_of(scenario, technology, sources.catalog, rates, fixed.other_gear)
    asks_uplinks = scenario.bill.management.enabled and not ancillaries.out_of_band
    task = Task(
        scenario=ancillaries.scenario,
        technology=technology,
        catalog=sources.catalog,
        tariff=rates,
        constant_usd=fixed.npv_usd,
        output=output_of(scenario, sources, technology),
        server_capex_usd=fixed.capex_usd(scenario.years),
        ancillaries=ancillaries,
        impossible=unreachable_uplink(scenario, sources.catalog, rates) if asks_uplinks else "",
    )
    return task, lacking


def answer_of(asked: Question, plan: Plan, sources: Sources, options: PlanOptions) -> FabricResult:
    """Everything that is computed from a plan without the solver, and the independent check of it."""
    if not plan.designs:
        return FabricResult(plan)
    scenario, rates, fixed = asked.task.scenario, asked.task.tariff, asked.fixed
    try:
        performance = performance_of(plan, scenario, sources)
    except ThroughputError as error:
        reason = f"workload: {error}"
        return FabricResult(replace(plan, status="infeasible", reason=reason, designs=(), holdings=()))
    plan = with_side_fabrics(plan, (side.plan.solver for side in fixed.asked), fixed.npv_usd)
    plan = replace(plan, warnings=_warnings(plan, performance, scenario, sources))
    bill = bill_of(plan, rates, fixed, sources)
    totals = WITHHELD if fixed.missing else totals_of(bill.costs, bill.years, performance.estimates, scenario)
    result = FabricResult(
        plan,
        rates=rates,
        headroom=performance.headroom,
        wide_link=performance.wide_link,
        bom=bill.bom,
        costs=bill.costs,
        years=bill.years,
        estimates=performance.estimates,
        missing_prices=fixed.missing,
        operations=performance.operations,
        tco_usd=totals.tco_usd,
        network_tco_usd=sum(line.npv_usd for line in bill.costs if line.network),
        usd_per_effective_tflops=totals.usd_per_effective_tflops,
        levelised_usd_per_effective_tflops_year=totals.levelised_usd_per_effective_tflops_year,
        price_grades=bill.grades,
        sides=fixed.sides,
    )
    return replace(result, faults=_faults(result, asked.task, sources, options))


def performance_of(plan: Plan, scenario: Scenario, sources: Sources) -> Performance:
    """What the plan's designs get done. Raises ThroughputError where there is no estimate."""
    kinds = [plan.technology_in(design.year) for design in plan.designs]
    estimates = tuple(
        estimate_design(design, scenario, sources, kind)
        for design, kind in zip(plan.designs, kinds, strict=True)
    )
    last = scenario.growth[-1].year - scenario.growth[0].year
    grown = plan.designs[last], estimates[last], scenario, sources, kinds[last]
    return Performance(
        estimates=estimates,
        headroom=tier_headrooms(plan.designs, scenario, sources.catalog.accelerators),
        operations=operations_cost(*grown),
        wide_link=wide_link_cost(*grown),
    )


def _warnings(plan: Plan, performance: Performance, scenario: Scenario, sources: Sources) -> tuple[str, ...]:
    switches: Mapping[str, SwitchModel] = {
        **sources.catalog.switches,
        **{switch.id: switch for switch in scenario.own_switches},
    }
    stranded = sources.defaults["warnings.stranded_ports_ratio"].value
    return warnings_for(plan, switches, performance.estimates, scenario, stranded)


def _faults(result: FabricResult, task: Task, sources: Sources, options: PlanOptions) -> tuple[str, ...]:
    """What the independent check finds, with the prices that hold before and after a change of technology."""
    scenario, rates = task.scenario, task.tariff
    later = rates.book_in(scenario.finance.horizon_years)
    books = Books(rates.book_in(0), later, rates.installed_book)
    found = check_answer(result, scenario, sources.catalog, books, options.objective)
    return (*found, *headroom_faults(result.plan.designs, result.headroom))
