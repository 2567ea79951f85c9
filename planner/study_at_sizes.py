"""The whole network bill of InfiniBand against RoCE at other sizes of the same cluster, by planning each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.bom import of_compute_fabric
from planner.scenario import GrowthStep, Scenario
from planner.sources import Sources
from planner.study import PlanOptions, TechnologyResult, plan_scenario

SIZES = (256, 1024, 2048, 4096, 8192, 16_384)


@dataclass(frozen=True, slots=True)
class SizeRow:
    """One size, built in the base year and planned for it alone. Money is the year's bill without servers.

    None where one of the two has no design or no price.
    """

    gpus: int
    infiniband_tiers: int | None
    roce_tiers: int | None
    infiniband_usd: float | None
    roce_usd: float | None
    bill_ratio: float | None


def bills_at_sizes(scenario: Scenario, sources: Sources, sizes: Sequence[int] = SIZES) -> tuple[SizeRow, ...]:
    """Plans InfiniBand and RoCE at every size (GPUs); takes as long as that many studies."""
    return tuple(_row(scenario, sources, gpus) for gpus in sizes)


def _row(scenario: Scenario, sources: Sources, gpus: int) -> SizeRow:
    asked = replace(
        scenario,
        growth=(GrowthStep(scenario.base_year, gpus),),
        finance=replace(scenario.finance, horizon_years=1),
    )
    results = plan_scenario(asked, sources, PlanOptions(technologies=("infiniband", "roce"))).results
    tiers = [r.plan.designs[0].wiring.tiers if r.plan.designs else None for r in results]
    ib_usd, roce_usd = (_bill_usd(r) for r in results)
    ratio = ib_usd / roce_usd if ib_usd is not None and roce_usd else None
    return SizeRow(gpus, tiers[0], tiers[1], ib_usd, roce_usd, ratio)


def _bill_usd(result: TechnologyResult) -> float | None:
    return (
        sum(line.extended_price_usd for line in of_compute_fabric(result.bom))
        if result.plan.designs
        else None
    )
