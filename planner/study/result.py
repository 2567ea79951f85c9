"""One technology's answer, and its totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.catalog.sources import Sources
from planner.cost.bom import BomLine
from planner.cost.finance import discount_factor
from planner.cost.grades import PriceGrades
from planner.cost.tariff import Tariff
from planner.cost.tco import CostLine, YearTotals
from planner.fabric.design import Plan
from planner.planning.foresight import Foresight
from planner.planning.headroom import TierHeadroom
from planner.scenario.generations import peak_tflops
from planner.scenario.scenario import Scenario
from planner.study.islands import island_name
from planner.study.patch_panel_choice import PanelChoice
from planner.study.side_fabrics import SidePlan
from planner.throughput.between_sites import WideLink
from planner.throughput.operations import OperationsCost
from planner.throughput.result import Estimate


@dataclass(frozen=True, slots=True)
class TechnologyResult:
    """One technology's answer. Money is None where there is no design or a price is missing.

    ``years``, ``estimates``, ``headroom`` and ``plan.designs`` have one entry a year of the horizon, or none.
    ``operations`` and ``wide_link`` are of the year of the last growth step.
    ``price_grades`` says how sure the totals are: of known prices only, where one is missing.
    ``panels``: how patch panels were chosen, where that is open.
    ``faults`` is what the independent check found: empty, or the plan must not be built. ``islands``: of
    several server generations each with its answer, of which all else is the sum (but for ``headroom`` and
    ``panels``, which only the islands have); ``rates`` is the first's.
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
    foresight: Foresight | None = None
    headroom: tuple[tuple[TierHeadroom, ...], ...] = ()
    panels: PanelChoice | None = None
    islands: tuple[Island, ...] = ()

    @property
    def technology(self) -> str:
        """The technology's id."""
        return self.plan.technology

    @property
    def has_design(self) -> bool:
        """Whether the technology can be built at all."""
        return bool(self.plan.designs)

    @property
    def is_complete(self) -> bool:
        """Whether the technology has a design and every price."""
        return self.has_design and self.levelised_usd_per_effective_tflops_year is not None

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


def with_totals(result: TechnologyResult, scenario: Scenario) -> TechnologyResult:
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


def delivered_tflops_years(estimates: Sequence[Estimate], discount_rate: float, first_t: int = 0) -> float:
    """Effective TFLOP/s-years over the horizon, each year's discounted from its end."""
    ends = enumerate(estimates, first_t + 1)
    return sum(e.effective_tflops * discount_factor(discount_rate, t) for t, e in ends)


def cost_at_ratio(result: TechnologyResult, scenario: Scenario, ratio_usd: float) -> float | None:
    """TCO less ``ratio_usd`` for each effective TFLOP/s-year; None where there is no total."""
    if result.tco_usd is None:
        return None
    first = result.plan.designs[0].year - scenario.base_year
    rate = scenario.finance.discount_rate
    return result.tco_usd - ratio_usd * delivered_tflops_years(result.estimates, rate, first)
