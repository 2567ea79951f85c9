"""The money of an answer as frames: by kind, by year, as it is paid, against the work it buys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

import pandas as pd

from planner.cost.price_grades import bill_shares
from planner.cost.tco import CostLine
from planner.study.result import TechnologyResult
from planner.study.study import Study
from pricing.provenance import Grade

_MOST_KINDS = 7  # a stack with more colours cannot be read
OTHER_KIND = "other"
RESIDUAL_KIND = "residual value"
_Group = TypeVar("_Group", str, int)  # a technology, or a year


def cost_by_kind(study: Study, network_only: bool) -> pd.DataFrame:
    """Discounted cost of each technology by kind, largest kinds first, small ones as "other".

    Columns: technology, kind, npv_usd, rank. A residual value is negative.
    """
    rows = [
        (result.technology, _kind(line), line.npv_usd)
        for result in study.results
        if result.is_complete
        for line in result.costs
        if line.network or not network_only
    ]
    return pd.DataFrame(_summed(rows), columns=["technology", "kind", "npv_usd", "rank"])


def value_for_money(study: Study) -> pd.DataFrame:
    """TCO and discounted effective throughput of each technology against the best one's (1.0).

    Columns: technology, throughput_ratio, tco_ratio, levelised_usd. TCO / levelised cost is the
    discounted sum of effective TFLOP/s-years.
    """
    best = study.best
    rows = []
    for result in study.results:
        if best is None or not result.is_complete or not result.tco_usd or not best.tco_usd:
            continue
        tco_ratio = result.tco_usd / best.tco_usd
        levelised_ratio = _levelised(result) / _levelised(best)
        rows.append((result.technology, tco_ratio / levelised_ratio, tco_ratio, _levelised(result)))
    return pd.DataFrame(rows, columns=["technology", "throughput_ratio", "tco_ratio", "levelised_usd"])


def _levelised(result: TechnologyResult) -> float:
    found = result.levelised_usd_per_effective_tflops_year
    return float("inf") if found is None else found


def bill_usd(result: TechnologyResult, year: int | None) -> float:
    """What the bill of materials of a year, or of all years, comes to (nominal USD)."""
    return sum(line.extended_price_usd for line in result.bom if year is None or line.year == year)


def first_bill_grades(result: TechnologyResult) -> tuple[tuple[Grade, float], ...]:
    """The first-year network bill by grade of price, as shares of 1, greatest first."""
    first = result.designs[0].year if result.designs else 0
    return bill_shares(result.bom, first)


def cost_by_year(result: TechnologyResult, network_only: bool) -> pd.DataFrame:
    """Nominal cost by kind and year, small kinds as "other". Columns: year, kind, amount_usd, rank.

    A residual value is negative and stands in the last year in which it is had.
    """
    lines = [line for line in result.costs if line.network or not network_only]
    rows = sorted(_summed([(line.year, _kind(line), line.amount_usd) for line in lines]))
    return pd.DataFrame(rows, columns=["year", "kind", "amount_usd", "rank"])


def _kind(line: CostLine) -> str:
    return RESIDUAL_KIND if line.flow == "residual" else line.kind


def _summed(rows: Sequence[tuple[_Group, str, float]]) -> list[tuple[_Group, str, float, int]]:
    """(group, kind, USD) summed, kinds that are small over all groups as "other"; with the kind's rank."""
    sizes: dict[str, float] = defaultdict(float)
    for _, kind, usd in rows:
        sizes[kind] += abs(usd)
    order = sorted((kind for kind, size in sizes.items() if size > 0), key=lambda kind: -sizes[kind])
    kept: list[str] = order if len(order) <= _MOST_KINDS else order[: _MOST_KINDS - 1]
    sums: dict[tuple[_Group, str], float] = defaultdict(float)
    for group, kind, usd in rows:
        sums[group, kind if kind in kept else OTHER_KIND] += usd
    ranks = {kind: rank for rank, kind in enumerate([*kept, OTHER_KIND])}
    return [(group, kind, usd, ranks[kind]) for (group, kind), usd in sums.items() if usd]


def cash_flow(study: Study, network_only: bool) -> pd.DataFrame:
    """What was paid up to the start of each year, nominal. Columns: technology, year, paid_usd.

    Capex is paid at the start of its year, opex at its end; the last row is the end of the horizon,
    before the residual value, which nobody pays out.
    """
    rows = []
    for result in study.results:
        if not result.is_complete:
            continue
        paid: dict[int, float] = defaultdict(float)
        for line in result.costs:
            if line.flow != "residual" and (line.network or not network_only):
                paid[line.year if line.flow == "capex" else line.year + 1] += line.amount_usd
        total_usd = 0.0
        for year in range(study.scenario.base_year, study.scenario.years.stop + 1):
            total_usd += paid[year]
            rows.append((result.technology, year, total_usd))
    return pd.DataFrame(rows, columns=["technology", "year", "paid_usd"])
