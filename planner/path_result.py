"""A change of technology midway, planned and computed: one programme over the fat-trees of both."""

from __future__ import annotations

from dataclasses import replace

from planner.costing import tariff
from planner.demand import YearDemand, demand
from planner.design import Plan, TechnologyPath, Wiring
from planner.extras import extras_of
from planner.fixed_costs import Fixed, fixed_costs
from planner.infeasible import Refusal
from planner.panel_choice import better, panel_ways, value_of
from planner.path_tariff import PathTariff, own_parts, path_tariffs
from planner.planning import plan_over
from planner.scenario import Scenario
from planner.side import SideMemory
from planner.sources import Sources
from planner.spans import Span
from planner.study import TechnologyResult, answer_of
from planner.study_estimate import output_of
from planner.switch_choice import switch_choice
from planner.task import PlanOptions, Task, search_of
from planner.tco import tuning_costs


def path_result(
    scenario: Scenario, sources: Sources, path: TechnologyPath, options: PlanOptions, memory: SideMemory
) -> TechnologyResult:
    """The cheapest plan of a path; where patch panels are open, the better of both ways."""
    found = [_one_way(way, sources, path, options, memory) for way in panel_ways(scenario)]
    if len(found) == 1:
        return found[0]
    values = [None if r.missing_prices else value_of(r.plan.solver, options.objective) for r in found]
    choice = better(values)
    return replace(found[int(choice.used)], panels=choice)


def _one_way(
    scenario: Scenario, sources: Sources, path: TechnologyPath, options: PlanOptions, memory: SideMemory
) -> TechnologyResult:
    """The cheapest plan that changes from one technology to the other in a build year.

    Fat-trees of the first serve in the build years before, those of the later from it on. Pieces are known by
    their SKU alone, so that NICs, modules and fibres that both use are not bought again; links whose switch
    or NIC is another model move. Side fabrics stay those of the first technology. The scenario has one
    fabric: no islands of server generations.
    """
    parts = sources.catalog, sources.books[scenario.prices.book], sources.counterparts
    before, after = (tariff(scenario, name, *parts) for name in (path.first, path.later))
    own = own_parts(scenario, sources.catalog, path.first, path.later)
    first, later = path_tariffs(before, after, path.from_year - scenario.base_year, own)
    fixed = _fixed(scenario, sources, path, first, options, memory)
    halves, missing = _halves(scenario, sources, path, (first, later), fixed)
    fixed = replace(fixed, missing=tuple(dict.fromkeys((*fixed.missing, *missing))))
    outputs = {name: output_of(scenario, sources, name) for name in (path.first, path.later)}

    def output(wiring: Wiring, year: YearDemand) -> float:
        return outputs[path.first if year.year < path.from_year else path.later](wiring, year)

    whole = replace(halves[0], technology=path.name, output=output, extras=None)
    plan = replace(_planned(whole, halves, path, options), path=path)
    return answer_of(whole, sources, options, plan, fixed)


def _fixed(
    scenario: Scenario,
    sources: Sources,
    path: TechnologyPath,
    rates: PathTariff,
    options: PlanOptions,
    memory: SideMemory,
) -> Fixed:
    """Servers and the first technology's side fabrics; engineers of a tuned fabric in its own years only."""
    found = fixed_costs(scenario, sources, path.first, rates, options, memory)
    years = demand(scenario)
    throughout = tuning_costs(scenario, path.first, years)
    tuning = [
        line
        for name, own in (
            (path.first, [y for y in years if y.year < path.from_year]),
            (path.later, [y for y in years if y.year >= path.from_year]),
        )
        for line in tuning_costs(scenario, name, own)
    ]
    return replace(found, lines=(*(x for x in found.lines if x not in throughout), *tuning))


def _halves(
    scenario: Scenario,
    sources: Sources,
    path: TechnologyPath,
    rates: tuple[PathTariff, PathTariff],
    fixed: Fixed,
) -> tuple[tuple[Task, Task], tuple[str, ...]]:
    """What each technology's fat-trees are looked for with, and the parts that they lack."""
    names, missing, tasks = (path.first, path.later), list[str](), list[Task]()
    models = [
        {s.id for s in switch_choice(scenario, name, sources.catalog, own.price_usd).models}
        for name, own in zip(names, rates, strict=True)
    ]
    for name, own in zip(names, rates, strict=True):
        extras, lacking = extras_of(scenario, name, sources.catalog, own, fixed.beside)
        missing += lacking
        tasks.append(
            Task(
                scenario=scenario,
                technology=name,
                catalog=sources.catalog,
                tariff=own,
                constant_usd=fixed.npv_usd,
                output=output_of(scenario, sources, name),
                server_capex_usd=fixed.capex_usd(scenario.years),
                extras=extras,
                shared=frozenset(models[0] & models[1]),
            )
        )
    return (tasks[0], tasks[1]), tuple(missing)


def _planned(whole: Task, halves: tuple[Task, Task], path: TechnologyPath, options: PlanOptions) -> Plan:
    """One programme over the fat-trees of both technologies, each in its own build years."""
    builds = [y for y in demand(whole.scenario) if y.decides]
    spans, excluded, refused = list[Span](), list[str](), None
    for task, early in zip(halves, (True, False), strict=True):
        search, left_out, refusal = search_of(task)
        own = frozenset(y.t for y in builds if (y.year < path.from_year) == early)
        spans.append(Span(search, task.ways.found, own))
        excluded += left_out
        if refusal and refused is None:
            refused = Refusal(refusal.status, f"{task.technology}: {refusal.reason}")
    return plan_over(tuple(spans), whole, options, tuple(dict.fromkeys(excluded)), refused)
