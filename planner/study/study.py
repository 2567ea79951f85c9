"""Scenario -> Study: every technology planned and answered, then compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.candidates.budget import Budget
from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology
from planner.cost.bom_lines import of_compute_fabric
from planner.cost.break_even import BreakEven, Offer, break_evens
from planner.cost.infiniband_ratio_examined import Ratios, ratio_table
from planner.planning.plan import FIRST_PLAN_SHARE
from planner.planning.planning_task import PlanOptions
from planner.scenario.scenario import Scenario
from planner.study.cluster_sums import cluster_result
from planner.study.fabric_answer import fabric_result
from planner.study.islands import island_name, islands
from planner.study.least_common_ratio import at_least_ratio
from planner.study.notes import notes
from planner.study.recommendation import Recommendation, recommended
from planner.study.result import ClusterResult, Island, TechnologyResult, delivered_tflops_years
from planner.study.side_fabrics import KnownSideFabrics
from planner.throughput.constants import load_constants


@dataclass(frozen=True, slots=True)
class Study:
    """The whole answer. ``notes`` says what was assumed and what is not counted; ``ratios`` examines
    InfiniBand's price ratio for these plans; ``break_even`` sets the technology of least levelised cost
    against each other one."""

    scenario: Scenario
    results: tuple[TechnologyResult, ...]
    recommendation: Recommendation
    notes: tuple[str, ...]
    ratios: Ratios | None = None
    break_even: tuple[BreakEven, ...] = ()

    @property
    def best(self) -> TechnologyResult | None:
        """The technology of least levelised cost, None where none is complete."""
        complete = [result for result in self.results if result.is_complete]
        return min(complete, key=lambda r: r.levelised_usd_per_effective_tflops_year or 0.0, default=None)


_DEFAULT = PlanOptions()


def plan_scenario(scenario: Scenario, sources: Sources, options: PlanOptions = _DEFAULT) -> Study:
    """Plans every technology asked for and compares them.

    Scenario -> demand -> candidates -> programme -> plan -> BOM, cost and throughput -> comparison. The
    technologies share the budget: each has an equal part of what is left, islands and side fabrics with it.
    """
    asked = options.technologies or scenario.fabric.technologies
    known = KnownSideFabrics()
    results = list[TechnologyResult]()
    for left, technology in zip(range(len(asked), 0, -1), asked, strict=True):
        own = replace(options, budget=options.budget.part(1 / left).naming(technology))
        results.append(technology_result(scenario, sources, technology, own, known))
    return compared(scenario, sources, results)


def technology_result(
    scenario: Scenario,
    sources: Sources,
    technology: Technology,
    options: PlanOptions = _DEFAULT,
    known: KnownSideFabrics | None = None,
) -> TechnologyResult:
    """The answer of one technology: of its fabric, or of each island of servers and their sum. ``known``:
    side fabrics that technologies share."""
    known, parts = known or KnownSideFabrics(), islands(scenario)
    if len(parts) == 1:
        return fabric_result(parts[0], sources, technology, options, known)

    def planned(ratio_usd: float | None, budget: Budget) -> ClusterResult:
        found = list[Island]()
        for left, part in zip(range(len(parts), 0, -1), parts, strict=True):
            own = budget.part(1 / left).naming(island_name(part))
            asked = replace(options, ratio_usd=ratio_usd, budget=own)
            found.append(Island(part, fabric_result(part, sources, technology, asked, known)))
        return cluster_result(tuple(found), scenario, sources, options.objective)

    rounds = options.objective == "levelised-cost"
    first = planned(None, options.budget.part(FIRST_PLAN_SHARE) if rounds else options.budget)
    if not rounds or first.tco_usd is None:
        return first
    return at_least_ratio(first, lambda ratio_usd: planned(ratio_usd, options.budget), scenario)


def compared(scenario: Scenario, sources: Sources, results: Sequence[TechnologyResult]) -> Study:
    """The answer to a scenario, made of its technologies' results."""
    bills = {r.technology: of_compute_fabric(r.bom) for r in results}
    ratios = ratio_table(scenario, sources, bills.get("infiniband", ()), bills.get("roce", ()))
    offers = [offer for offer in (_offer(r, scenario) for r in results) if offer]
    return Study(
        scenario=scenario,
        results=tuple(results),
        recommendation=recommended(scenario, results, ratios, load_constants().scaling_band),
        notes=notes(scenario, results),
        ratios=ratios,
        break_even=break_evens(offers),
    )


def _offer(result: TechnologyResult, scenario: Scenario) -> Offer | None:
    """What a technology costs and delivers; None without sound totals."""
    if result.tco_usd is None or result.network_tco_usd is None or result.faults:
        return None
    delivered = delivered_tflops_years(result.estimates, scenario.finance.discount_rate)
    return Offer(result.technology, result.tco_usd, result.network_tco_usd, delivered)
