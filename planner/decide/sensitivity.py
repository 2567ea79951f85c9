"""Results that flip when the horizon or the residual rule moves, everything else equal.

What flips: the technologies that are best on levelised cost, where none of them is among the best any more
(those within the band of scaling of the least are equally good, and no difference between them is claimed);
and the switches of the first build year of the technology of least levelised cost. Every change is planned
anew, all technologies, with the solver's proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from planner.catalog.sources import Sources
from planner.fabric.design import YearDesign, largest_fabric
from planner.planning.planning_task import PlanOptions
from planner.scenario.scenario import ResidualRule, Scenario
from planner.study.result import TechnologyResult
from planner.study.study import Study, plan_scenario
from planner.throughput.constants import load_constants

RESIDUALS: tuple[ResidualRule, ...] = get_args(ResidualRule)
HORIZON_STEPS = (-1, 2)  # years


@dataclass(frozen=True, slots=True)
class Variation:
    """One change of the scenario: ``key`` of its [finance] and the value that it gets."""

    key: Literal["horizon_years", "residual"]
    value: int | ResidualRule


@dataclass(frozen=True, slots=True)
class Flip:
    """A result that is another one under a variation.

    ``what``: "technology" (``before`` and ``after`` are ids; ``share``: by how much of the least levelised
    cost the former one is dearer now, None where it has none) or "design" (``before`` and ``after`` are the
    first build year's designs of ``technology``).
    """

    variation: Variation
    what: Literal["technology", "design"]
    technology: str
    before: str | YearDesign
    after: str | YearDesign | None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Flips:
    """What was tried and what flipped. ``failed``: variations under which nothing had a levelised cost."""

    tried: tuple[Variation, ...]
    found: tuple[Flip, ...]
    failed: tuple[Variation, ...] = ()


def variations(scenario: Scenario) -> tuple[Variation, ...]:
    """A year less (where that leaves a year after the last growth step's own start), two years more, and the
    other residual rules."""
    finance = scenario.finance
    grown = scenario.growth[-1].year - scenario.base_year + 1
    years = (finance.horizon_years + step for step in HORIZON_STEPS)
    rules = (rule for rule in RESIDUALS if rule != finance.residual)
    return (
        *(Variation("horizon_years", n) for n in years if n >= grown),
        *(Variation("residual", rule) for rule in rules),
    )


def varied(scenario: Scenario, variation: Variation) -> Scenario:
    """The scenario with one variation."""
    if isinstance(variation.value, int):
        return replace(scenario, finance=replace(scenario.finance, horizon_years=variation.value))
    return replace(scenario, finance=replace(scenario.finance, residual=variation.value))


def planned_flips(study: Study, sources: Sources, options: PlanOptions) -> Flips:
    """What flips, with every variation planned; takes about as long as that many studies."""
    tried = variations(study.scenario)

    def plan(variation: Variation) -> Study:
        budget = options.budget.part(1 / (len(tried) - tried.index(variation)))
        plain = replace(options, lp_dir=None, budget=budget.naming(f"{variation.key} {variation.value}"))
        return plan_scenario(varied(study.scenario, variation), sources, plain)

    return flips(study, plan, load_constants().scaling_band)


def flips(study: Study, planned: Callable[[Variation], Study], band: float) -> Flips:
    """What flips. ``planned``: the study of a variation; ``band``: as in a recommendation."""
    tried = variations(study.scenario)
    costs, found, failed = _levelised(study), list[Flip](), list[Variation]()
    if not costs:
        return Flips((), ())
    first = min(costs, key=lambda name: (costs[name], name))
    for variation in tried:
        other = planned(variation)
        now = _levelised(other)
        if not now:
            failed.append(variation)
            continue
        if not _best(costs, band) & _best(now, band):
            found.append(_technology(variation, first, now))
        found += _design(variation, _result(study, first), _result(other, first))
    return Flips(tried, tuple(found), tuple(failed))


def _levelised(study: Study) -> dict[str, float]:
    """Levelised cost by technology, of sound answers that have one above 0, which alone ranks them."""
    rows = ((r.technology, r.levelised_usd_per_effective_tflops_year) for r in study.results if not r.faults)
    return {name: usd for name, usd in rows if usd is not None and usd > 0.0}


def _best(costs: Mapping[str, float], band: float) -> set[str]:
    """The technologies between which the estimate can't tell."""
    least = min(costs.values())
    return {name for name, usd in costs.items() if usd <= least * (1 + band)}


def _technology(variation: Variation, before: str, now: Mapping[str, float]) -> Flip:
    after = min(now, key=lambda name: (now[name], name))
    share = now[before] / now[after] - 1 if before in now else None
    return Flip(variation, "technology", after, before, after, share)


def _result(study: Study, technology: str) -> TechnologyResult:
    return next(r for r in study.results if r.technology == technology)


def _design(variation: Variation, old: TechnologyResult, new: TechnologyResult) -> list[Flip]:
    """The first build year's switches, where they are others; no design at all is one, too."""
    before = old.plan.designs[0]
    after = new.plan.designs[0] if new.plan.designs else None
    if after is not None and _switches(before) == _switches(after):
        return []
    return [Flip(variation, "design", old.technology, before, after)]


def _switches(design: YearDesign) -> tuple[object, ...]:
    """What is bought differently where it differs: tiers, and models with their number; of several islands,
    of the one with the most GPUs."""
    fabric = largest_fabric(design)
    return fabric.wiring.tiers, fabric.wiring.planes, fabric.wiring.link_gbps, *fabric.tiers
