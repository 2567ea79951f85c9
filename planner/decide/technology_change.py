"""Changing the technology midway: planned beside the technologies of a study, and compared with either
alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from planner.candidates.switch_models import switch_choice
from planner.catalog.sources import Sources
from planner.catalog.technologies import TECHNOLOGY_NAMES, TechnologyPath
from planner.cost.spares import is_spare, part_of
from planner.cost.tariff import Tariff, path_tariffs
from planner.cost.tco import tuning_costs
from planner.fabric.demand import YearDemand, demand
from planner.fabric.design import Plan, Wiring
from planner.planning.infeasibility import Refusal
from planner.planning.plan import plan_over
from planner.planning.planning_task import PlanOptions, Task, design_space_of
from planner.planning.technology_phases import Phase
from planner.scenario.scenario import Scenario
from planner.study.design_estimates import output_of
from planner.study.fabric_answer import Question, answer_of, technology_task
from planner.study.islands import islands
from planner.study.patch_panel_choice import with_better_way
from planner.study.result import FabricResult, TechnologyResult
from planner.study.side_fabrics import KnownSideFabrics
from planner.study.study import Study
from planner.study.whole_bill import FixedCosts, fixed_costs
from planner.text.format import count, usd


@dataclass(frozen=True, slots=True)
class PathResult:
    """One technology first and another later: the answer, and how it compares with either alone."""

    path: TechnologyPath
    result: FabricResult
    advice: PathAdvice


@dataclass(frozen=True, slots=True)
class Changeover:
    """What happens at the start of the year of the change. Money is nominal.

    ``given_up_usd``: paid, from the base year on, for pieces that serve before and not after; ``sold_usd``:
    what they bring.
    ``reused``: pieces (by SKU) in service before and after, labour and licences left out.
    """

    moved_links: int
    installed_links: int
    idled_gpus: float
    given_up_usd: float
    sold_usd: float
    reused: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PathAdvice:
    """A path against the later technology from the start and the first throughout (TCO, USD; positive: the
    path is dearer; None where a total is lacking). ``less_by_year``: by year of change, what changing then
    costs less than starting with the later technology (negative: more)."""

    over_later_usd: float | None
    over_first_usd: float | None
    change: Changeover | None
    less_by_year: Mapping[int, float | None]
    sentences: tuple[str, ...]


def path_result(
    scenario: Scenario, sources: Sources, path: TechnologyPath, options: PlanOptions, known: KnownSideFabrics
) -> FabricResult:
    """The cheapest plan of a path; where patch panels are open, the better of both ways."""

    def one_way(way: Scenario, options: PlanOptions) -> FabricResult:
        return _one_way(way, sources, path, options, known)

    return with_better_way(scenario, options, one_way)


def _one_way(
    scenario: Scenario, sources: Sources, path: TechnologyPath, options: PlanOptions, known: KnownSideFabrics
) -> FabricResult:
    """The cheapest plan that changes from one technology to the other in a build year.

    Fat-trees of the first serve in the build years before, those of the later from it on. Pieces are known by
    their SKU alone, so that NICs, modules and fibres that both use are not bought again; links whose switch
    or NIC is another model move. Side fabrics stay those of the first technology. The scenario has one
    fabric: no islands of server generations.
    """
    first, later = path_tariffs(scenario, path, sources)
    fixed = _fixed(scenario, sources, path, first, options, known)
    tasks, missing = _tasks(scenario, sources, path, (first, later), fixed)
    fixed = replace(fixed, missing=tuple(dict.fromkeys((*fixed.missing, *missing))))
    outputs = {name: output_of(scenario, sources, name) for name in (path.first, path.later)}

    def output(wiring: Wiring, year: YearDemand) -> float:
        return outputs[path.technology_in(year.year)](wiring, year)

    whole = replace(tasks[0], path=path, output=output, ancillaries=None)
    plan = _planned(whole, tasks, path, options)
    return answer_of(Question(whole, fixed), plan, sources, options)


def _fixed(
    scenario: Scenario,
    sources: Sources,
    path: TechnologyPath,
    rates: Tariff,
    options: PlanOptions,
    known: KnownSideFabrics,
) -> FixedCosts:
    """Servers and the first technology's side fabrics; engineers of a tuned fabric in its own years only."""
    found = fixed_costs(scenario, sources, path.first, rates, options, known)
    years = demand(scenario)
    throughout = tuning_costs(scenario, path.first, years)
    tuning = [
        line
        for name in (path.first, path.later)
        for line in tuning_costs(scenario, name, [y for y in years if path.technology_in(y.year) == name])
    ]
    return replace(found, lines=(*(x for x in found.lines if x not in throughout), *tuning))


def _tasks(
    scenario: Scenario,
    sources: Sources,
    path: TechnologyPath,
    rates: tuple[Tariff, Tariff],
    fixed: FixedCosts,
) -> tuple[tuple[Task, Task], tuple[str, ...]]:
    """What each technology's fat-trees are looked for with, and the parts that they lack."""
    pairs = tuple(zip((path.first, path.later), rates, strict=True))
    first, later = (technology_task(scenario, sources, name, own, fixed) for name, own in pairs)
    models = [
        {switch.id for switch in switch_choice(scenario, name, sources.catalog, own.price_usd).models}
        for name, own in pairs
    ]
    shared = frozenset(models[0] & models[1])
    return (replace(first[0], shared=shared), replace(later[0], shared=shared)), (*first[1], *later[1])


def _planned(whole: Task, tasks: tuple[Task, Task], path: TechnologyPath, options: PlanOptions) -> Plan:
    """One programme over the fat-trees of both technologies, each in its own build years."""
    builds = [y for y in demand(whole.scenario) if y.decides]
    phases, excluded, refused = list[Phase](), list[str](), None
    for task in tasks:
        space, left_out, refusal = design_space_of(task)
        own = tuple(y for y in builds if path.technology_in(y.year) == task.technology)
        phases.append(Phase(space, task.ways.found, own))
        excluded += left_out
        if refusal and refused is None:
            refused = Refusal(refusal.status, f"{task.technology}: {refusal.reason}")
    return plan_over(tuple(phases), whole, options, tuple(dict.fromkeys(excluded)), refused)


def changeover(plan: Plan, rates: Tariff) -> Changeover | None:
    """What the change takes; None without a design."""
    path, base = plan.path, rates.scenario.base_year
    if path is None or not plan.designs:
        return None
    year = path.from_year
    at = next(i for i, d in enumerate(plan.designs) if d.year == year)
    before, now = plan.designs[at - 1], plan.designs[at]
    paid, sold = 0.0, 0.0
    idle = {sku: n - now.need.get(sku, 0) for sku, n in before.need.items() if _lasts(sku, rates)}
    for h in sorted(plan.holdings, key=lambda h: h.until_year):
        if base <= h.bought_year < year <= h.until_year and (n := min(h.quantity, idle.get(h.sku, 0))) > 0:
            idle[h.sku] -= n
            unit, span = rates.unit_cost(h.sku), (h.bought_year - base, h.until_year - base)
            paid += n * unit.price_usd[span[0]]
            sold += n * unit.resale_usd(*span)
    reused = {
        sku: min(n, now.need[sku])
        for sku, n in sorted(before.need.items())
        if sku in now.need and not is_spare(sku) and _lasts(sku, rates)
    }
    moves = now.change
    return Changeover(moves.recabled_links, moves.installed_links, moves.idled_gpus, paid, sold, reused)


def _lasts(sku: str, rates: Tariff) -> bool:
    price = rates.book.price(part_of(sku))
    return price is not None and price.item_class not in ("service", "licence")


def path_advice(
    path: TechnologyPath,
    result: FabricResult,
    alone: Mapping[str, TechnologyResult],
    by_year: Mapping[int, FabricResult],
) -> PathAdvice:
    """The comparison. ``alone``: the technologies planned by themselves; ``by_year``: the same two
    technologies, changed in every build year after the first."""
    first, later = (_tco(alone.get(name)) for name in (path.first, path.later))
    own = _tco(result)
    less = {year: _less(later, _tco(other)) for year, other in sorted(by_year.items())}
    change = changeover(result.plan, result.rates) if result.rates else None
    over_later, over_first = _less(own, later), _less(own, first)
    said = tuple(_sentences(path, change, over_later, over_first, less))
    return PathAdvice(over_later, over_first, change, less, said)


def _tco(result: TechnologyResult | None) -> float | None:
    """A sound total; None where there is none."""
    return None if result is None or result.faults else result.tco_usd


def _less(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def _sentences(
    path: TechnologyPath,
    change: Changeover | None,
    over_later: float | None,
    over_first: float | None,
    less: Mapping[int, float | None],
) -> Iterable[str]:
    first, later, year = TECHNOLOGY_NAMES[path.first], TECHNOLOGY_NAMES[path.later], path.from_year
    if over_later is not None and change is not None:
        word = "less" if over_later > 0 else "more"
        yield (
            f"starting with {later} costs {usd(abs(over_later))} {word} over the horizon than changing in "
            f"{year}: at the change gear bought for {usd(change.given_up_usd)} is sold for "
            f"{usd(change.sold_usd)} and its like bought again, {count(change.moved_links)} links move"
        )
    if over_first is not None:
        word = "more" if over_first > 0 else "less"
        yield f"changing costs {usd(abs(over_first))} {word} than {first} throughout"
    known = {y: usd_less for y, usd_less in less.items() if usd_less is not None}
    if known:
        cheaper = [str(y) for y, usd_less in known.items() if usd_less > 0]
        looked = f"of the years of change ({', '.join(map(str, known))})"
        if cheaper:
            yield f"{looked} changing is cheaper than starting with {later} in {', '.join(cheaper)}"
        else:
            yield f"{looked} in none is changing cheaper than starting with {later}"
    if change is not None:
        nodes = Counter(change.reused).most_common(3)
        kept = ", ".join(f"{count(n)} {sku}" for sku, n in nodes) or "nothing"
        yield f"re-used over the change, mostly: {kept}"
    yield (
        f"side fabrics stay those of {first}; NICs, modules and fibres are re-used where both technologies "
        "use the same SKU, each taking the medium that is cheapest for itself; of a part that the later "
        "technology prices higher no more is bought before the change than serves before it"
    )


def planned_paths(study: Study, sources: Sources, options: PlanOptions) -> tuple[PathResult, ...]:
    """The paths that the scenario asks for, planned and compared; none for islands of server generations.

    Paths of a technology that the study has not planned are left out; each pair is planned for every build
    year after the first, to say when a change pays.
    """
    scenario = study.scenario
    if len(islands(scenario)) > 1:
        return ()
    alone = {r.technology: r for r in study.results}
    asked = [p for p in scenario.fabric.paths if p.first in alone and p.later in alone]
    years = [step.year for step in scenario.growth[1:]]
    every = dict.fromkeys(replace(path, from_year=year) for path in asked for year in years)
    known, quiet = KnownSideFabrics(), replace(options, lp_dir=None)
    planned = dict[TechnologyPath, FabricResult]()
    for left, path in zip(range(len(every), 0, -1), every, strict=True):
        own = options if path in asked else quiet
        own = replace(own, budget=own.budget.part(1 / left).naming(path.name))
        planned[path] = path_result(scenario, sources, path, own, known)
    rows = []
    for path in asked:
        by_year = {year: planned[replace(path, from_year=year)] for year in years}
        rows.append(PathResult(path, planned[path], path_advice(path, planned[path], alone, by_year)))
    return tuple(rows)
