"""Study -> the frames and figures that the pages show. No text is made from numbers here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from planner.cost.grades import bill_shares
from planner.fabric.design import Design
from planner.study.result import TechnologyResult
from planner.study.study import Study
from pricing.provenance import Grade

_MOST_KINDS = 7  # a stack with more colours cannot be read
OTHER_KIND = "other"
RESIDUAL_KIND = "residual value"
_BOM_COLUMNS = (
    "year", "tier", "sku", "description", "quantity", "spares", "unit_price_usd", "extended_price_usd",
    "price_grade", "price_source", "price_date", "manufacturer", "section", "power_w",
)  # fmt: skip


def has_design(result: TechnologyResult) -> bool:
    """Whether the technology can be built at all."""
    return bool(result.plan.designs)


def is_complete(result: TechnologyResult) -> bool:
    """Whether the technology has a design and every price."""
    return has_design(result) and result.levelised_usd_per_effective_tflops_year is not None


def best_of(study: Study) -> TechnologyResult | None:
    """The technology of least levelised cost, None where none is complete."""
    complete = [r for r in study.results if is_complete(r)]
    return min(complete, key=_levelised, default=None)


def _levelised(result: TechnologyResult) -> float:
    found = result.levelised_usd_per_effective_tflops_year
    return float("inf") if found is None else found


def cost_by_kind(study: Study, network_only: bool) -> pd.DataFrame:
    """Discounted cost of each technology by kind, largest kinds first, small ones as "other".

    Columns: technology, kind, npv_usd, rank. A residual value is negative.
    """
    sums: dict[tuple[str, str], float] = defaultdict(float)
    sizes: dict[str, float] = defaultdict(float)
    for result in study.results:
        if not is_complete(result):
            continue
        for line in result.costs:
            if line.network or not network_only:
                kind = RESIDUAL_KIND if line.flow == "residual" else line.kind
                sums[result.technology, kind] += line.npv_usd
                sizes[kind] += abs(line.npv_usd)
    return _ranked(sums, kept_kinds(sizes))


def kept_kinds(sizes: Mapping[str, float]) -> list[str]:
    """The kinds that keep a colour of their own, largest first; the others become "other"."""
    order = [k for k, size in sorted(sizes.items(), key=lambda item: -item[1]) if size > 0]
    return order if len(order) <= _MOST_KINDS else order[: _MOST_KINDS - 1]


def _ranked(sums: Mapping[tuple[str, str], float], kept: list[str]) -> pd.DataFrame:
    folded: dict[tuple[str, str], float] = defaultdict(float)
    for (technology, kind), npv_usd in sums.items():
        folded[technology, kind if kind in kept else OTHER_KIND] += npv_usd
    ranks = {kind: rank for rank, kind in enumerate([*kept, OTHER_KIND])}
    rows = [(t, k, usd, ranks[k]) for (t, k), usd in folded.items() if usd]
    return pd.DataFrame(rows, columns=["technology", "kind", "npv_usd", "rank"])


def value_for_money(study: Study) -> pd.DataFrame:
    """TCO and discounted effective throughput of each technology against the best one's (1.0).

    Columns: technology, throughput_ratio, tco_ratio, levelised_usd. TCO / levelised cost is the
    discounted sum of effective TFLOP/s-years.
    """
    best = best_of(study)
    rows = []
    for result in study.results:
        if best is None or not is_complete(result) or not result.tco_usd or not best.tco_usd:
            continue
        tco_ratio = result.tco_usd / best.tco_usd
        levelised_ratio = _levelised(result) / _levelised(best)
        rows.append((result.technology, tco_ratio / levelised_ratio, tco_ratio, _levelised(result)))
    return pd.DataFrame(rows, columns=["technology", "throughput_ratio", "tco_ratio", "levelised_usd"])


def bom_frame(result: TechnologyResult, year: int | None) -> pd.DataFrame:
    """The bill of materials of one technology, of one year or of all."""
    rows = [
        [getattr(line, column) for column in _BOM_COLUMNS]
        for line in result.bom
        if year is None or line.year == year
    ]
    return pd.DataFrame(rows, columns=list(_BOM_COLUMNS))


def bill_usd(result: TechnologyResult, year: int | None) -> float:
    """What the bill of materials of a year, or of all years, comes to (nominal USD)."""
    return sum(line.extended_price_usd for line in result.bom if year is None or line.year == year)


def grade_shares(result: TechnologyResult) -> tuple[tuple[Grade, float], ...]:
    """The first-year network bill by grade of price, as shares of 1, greatest first."""
    first = result.plan.designs[0].year if result.plan.designs else 0
    return bill_shares(result.bom, first)


@dataclass(frozen=True, slots=True)
class TierCount:
    """The switches of one tier, all planes together."""

    tier: str
    switch: str
    count: int


def tier_counts(design: Design) -> tuple[TierCount, ...]:
    """The tiers of a design from the leaves up; those of several islands together."""
    return tuple(TierCount(*row) for row in design.tiers)


def leaf_ports(design: Design) -> tuple[int, int]:
    """The wired ports of one leaf, down and up, in links at the link rate."""
    return design.wiring.down, design.wiring.leaf_up * design.wiring.uplink_factor


def links_per_pair(design: Design) -> int:
    """Links at the link rate between a leaf and a spine of its pod."""
    return design.wiring.links_per_pair * design.wiring.uplink_factor


def years_of(designs: Iterable[Design]) -> list[tuple[int, int, Design]]:
    """Designs with the years that they stay unchanged: (first year, last year, design)."""
    spans: list[tuple[int, int, Design]] = []
    for design in designs:
        if spans and not _changes(design, spans[-1][2]):
            spans[-1] = (spans[-1][0], design.year, spans[-1][2])
        else:
            spans.append((design.year, design.year, design))
    return spans


def _changes(design: Design, before: Design) -> bool:
    change = design.change
    moved = change.recabled_links or any(change.bought.values()) or any(change.retired.values())
    return bool(moved) or (design.gpus, design.wiring, design.size) != (
        before.gpus, before.wiring, before.size)  # fmt: skip
