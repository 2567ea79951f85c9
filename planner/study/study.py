"""Scenario -> Study: every technology planned and answered, then compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology
from planner.cost.bom import of_compute_fabric
from planner.cost.break_even import BreakEven, Offer, break_evens
from planner.cost.infiniband_ratio import Ratios, ratio_table
from planner.planning.task import PlanOptions
from planner.scenario.scenario import Scenario
from planner.study.cluster_sums import cluster_result
from planner.study.fabric_answer import fabric_result
from planner.study.islands import islands
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

    Scenario -> demand -> candidates -> programme -> plan -> BOM, cost and throughput -> comparison.
    """
    asked = options.technologies or scenario.fabric.technologies
    known = KnownSideFabrics()
    results = (technology_result(scenario, sources, technology, options, known) for technology in asked)
    return compared(scenario, sources, tuple(results))


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

    def planned(ratio_usd: float | None) -> ClusterResult:
        asked = replace(options, ratio_usd=ratio_usd)
        found = tuple(Island(p, fabric_result(p, sources, technology, asked, known)) for p in parts)
        return cluster_result(found, scenario, sources, options.objective)

    first = planned(None)
    if options.objective != "levelised-cost" or first.tco_usd is None:
        return first
    return at_least_ratio(first, planned, scenario)


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
