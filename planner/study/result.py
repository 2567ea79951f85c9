"""One technology's answer: that of one fabric, or that of a cluster of islands with their sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from planner.catalog.sources import Sources
from planner.cost.bom_lines import BomLine
from planner.cost.finance import opex_factor
from planner.cost.price_grades import PriceGrades
from planner.cost.tariff import Tariff
from planner.cost.tco import CostLine, YearTotals
from planner.fabric.design import ClusterPlan, Design, Plan, YearDesign
from planner.planning.bandwidth_headroom import TierHeadroom
from planner.scenario.generations import peak_tflops
from planner.scenario.scenario import Scenario
from planner.study.islands import island_name
from planner.study.side_fabrics import SideFabric
from planner.throughput.between_sites import WideLink
from planner.throughput.operating_states import OperationsCost
from planner.throughput.result import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What is counted of one fabric as of several. Money is None where there is no design or a price is
    missing.

    ``years`` and ``estimates`` have one entry a year of the plan's designs, or none. ``operations`` is of the
    year of the last growth step. ``price_grades`` says how sure the totals are: of known prices only, where
    one is missing. ``faults`` is what the independent check found: empty, or the plan must not be built.
    """

    bom: tuple[BomLine, ...] = ()
    costs: tuple[CostLine, ...] = ()
    years: tuple[YearTotals, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    missing_prices: tuple[str, ...] = ()
    operations: OperationsCost | None = None
    tco_usd: float | None = None
    network_tco_usd: float | None = None
    usd_per_effective_tflops: float | None = None
    levelised_usd_per_effective_tflops_year: float | None = None
    price_grades: PriceGrades | None = None
    sides: tuple[SideFabric, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether the technology has a design and every price."""
        return self.levelised_usd_per_effective_tflops_year is not None

    @property
    def network_share_ratio(self) -> float | None:
        """Network TCO as a share of the whole TCO."""
        if self.tco_usd is None or self.network_tco_usd is None:
            return None
        return self.network_tco_usd / self.tco_usd


@dataclass(frozen=True, slots=True)
class PanelChoice:
    """Whether the plan that was kept has patch panels, and how both ways compare.

    Values are what the objective asks for: USD of TCO, or USD per effective TFLOP/s-year; None: no design.
    """

    used: bool
    with_panels: float | None
    without_panels: float | None


@dataclass(frozen=True, slots=True)
class FabricResult(Figures):
    """One technology's answer for a compute fabric and its side fabrics.

    ``headroom`` has one entry a year, as ``plan.designs`` has; ``wide_link`` is of the year of the last
    growth step. ``panels``: how patch panels were chosen, where that is open. ``rates``: the prices of the
    fabric.
    """

    plan: Plan
    rates: Tariff | None = None
    headroom: tuple[tuple[TierHeadroom, ...], ...] = ()
    wide_link: WideLink | None = None
    panels: PanelChoice | None = None

    @property
    def technology(self) -> str:
        """What the answer is called by: the technology's id, or the name of a path of technologies."""
        return self.plan.name

    @property
    def designs(self) -> tuple[YearDesign, ...]:
        """What is in service in each year, read as of one fabric or several."""
        return self.plan.designs

    @property
    def has_design(self) -> bool:
        """Whether the technology can be built at all."""
        return bool(self.plan.designs)

    @property
    def fabrics(self) -> tuple[FabricResult]:
        """Itself, as one of a cluster's."""
        return (self,)

    @property
    def islands(self) -> tuple[Island, ...]:
        """None: all servers share the fabric."""
        return ()

    def headroom_at(self, position: int) -> tuple[TierHeadroom, ...]:
        """The tiers' room in the year at ``position``; none where it is not known."""
        return self.headroom[position] if self.headroom else ()


@dataclass(frozen=True, slots=True)
class Island:
    """One server generation with a fabric of its own: its scenario and its answer."""

    scenario: Scenario
    result: FabricResult

    @property
    def name(self) -> str:
        """Its servers, rate and first year."""
        return island_name(self.scenario)

    def peak_tflops(self, sources: Sources) -> float:
        """Dense peak (TFLOP/s) of one of its GPUs in the job's precision."""
        accelerator = sources.catalog.accelerators[self.scenario.server.accelerator]
        return peak_tflops(accelerator, self.scenario.workload.precision)


@dataclass(frozen=True, slots=True)
class ClusterResult(Figures):
    """One technology's answer for several islands, of which every figure is the sum."""

    plan: ClusterPlan
    islands: tuple[Island, ...]

    @property
    def technology(self) -> str:
        """The technology's id."""
        return self.plan.name

    @property
    def designs(self) -> tuple[YearDesign, ...]:
        """What is in service in each year, read as of one fabric or several."""
        return self.plan.designs

    @property
    def has_design(self) -> bool:
        """Whether the technology can be built at all."""
        return bool(self.plan.designs)

    @property
    def fabrics(self) -> tuple[FabricResult, ...]:
        """The answers of the islands."""
        return tuple(island.result for island in self.islands)

    def headroom_at(self, position: int) -> tuple[TierHeadroom, ...]:
        """None: each island has tiers of its own."""
        return ()


TechnologyResult: TypeAlias = FabricResult | ClusterResult


def islands_in(result: TechnologyResult, year: int) -> Iterator[tuple[Island, Design]]:
    """The islands in service in a year, each with its own design; none where there is one fabric."""
    for island in result.islands:
        for own in island.result.plan.designs:
            if own.year == year:
                yield island, own


@dataclass(frozen=True, slots=True)
class Totals:
    """The totals that need every price; None where one is missing, or nothing is delivered for a cost per
    output."""

    tco_usd: float | None = None
    usd_per_effective_tflops: float | None = None
    levelised_usd_per_effective_tflops_year: float | None = None


WITHHELD = Totals()


def totals_of(
    costs: Sequence[CostLine], years: Sequence[YearTotals], estimates: Sequence[Estimate], scenario: Scenario
) -> Totals:
    """Totals of a bill and the output that it buys, with at least a year of each."""
    tco = sum(line.npv_usd for line in costs)
    first = years[0].year - scenario.base_year
    delivered = delivered_tflops_years(estimates, scenario.finance.discount_rate, first)
    return Totals(tco, _per(years[0].capex_usd, estimates[0].effective_tflops), _per(tco, delivered))


def _per(usd: float, output: float) -> float | None:
    """Cost per output; None where nothing is delivered."""
    return usd / output if output > 0 else None


def delivered_tflops_years(estimates: Sequence[Estimate], discount_rate: float, first_t: int = 0) -> float:
    """Effective TFLOP/s-years over the horizon, each year's discounted from its end."""
    years = enumerate(estimates, first_t)
    return sum(e.effective_tflops * opex_factor(discount_rate, t) for t, e in years)


def cost_at_ratio(result: FabricResult, scenario: Scenario, ratio_usd: float) -> float | None:
    """TCO less ``ratio_usd`` for each effective TFLOP/s-year; None where there is no total."""
    if result.tco_usd is None:
        return None
    first = result.plan.designs[0].year - scenario.base_year
    rate = scenario.finance.discount_rate
    return result.tco_usd - ratio_usd * delivered_tflops_years(result.estimates, rate, first)
