"""Scenario -> Study: the whole pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from planner.bom import BomLine
from planner.design import Plan
from planner.scenario import Scenario
from planner.tco import CostLine, YearTotals
from planner.throughput import Estimate


@dataclass(frozen=True, slots=True)
class TechnologyResult:
    """One technology's answer. Money is None where there is no design or a price is missing.

    ``years``, ``estimates`` and ``plan.designs`` have one entry a year of the horizon, or none.
    """

    plan: Plan
    bom: tuple[BomLine, ...] = ()
    costs: tuple[CostLine, ...] = ()
    years: tuple[YearTotals, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    missing_prices: tuple[str, ...] = ()
    tco_usd: float | None = None
    network_tco_usd: float | None = None
    usd_per_effective_tflops: float | None = None
    levelised_usd_per_effective_tflops_year: float | None = None

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
class Recommendation:
    """``technology`` is an id, "either" where the bands overlap, None where nothing has a design."""

    technology: str | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Study:
    """The whole answer. ``notes`` says what was assumed and what is not counted."""

    scenario: Scenario
    results: tuple[TechnologyResult, ...]
    recommendation: Recommendation
    notes: tuple[str, ...]
