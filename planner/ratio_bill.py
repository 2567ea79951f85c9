"""The ratio of the whole network bill: an InfiniBand plan against a RoCE plan of the same scenario."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from planner.bom import BomLine
from planner.costing import Tariff, tariff
from planner.ratio_items import Band, rule_band
from planner.scenario import Scenario
from planner.sources import Sources
from planner.tco import KINDS

WHOLE = "whole network bill"


@dataclass(frozen=True, slots=True)
class BillRatio:
    """One kind of part, or the whole bill, over the horizon in nominal USD; None: RoCE buys none of it."""

    kind: str
    infiniband_usd: float
    roce_usd: float
    ratio: float | None


@dataclass(frozen=True, slots=True)
class RuleRatio:
    """The whole bill's ratio if InfiniBand parts were priced by this rule, the plans left as they are."""

    rule: str
    infiniband_usd: float
    ratio: float


def bill_ratios(
    infiniband: Iterable[BomLine], roce: Iterable[BomLine], classes: Mapping[str, str]
) -> tuple[BillRatio, ...]:
    """By kind of part, then the whole bill. ``classes``: SKU -> item class.

    Bills are what the plans buy over the horizon, services included, servers not.
    """
    sums = [defaultdict[str, float](float), defaultdict[str, float](float)]
    for bill, lines in zip(sums, (infiniband, roce), strict=True):
        for line in lines:
            bill[KINDS[classes[line.sku]]] += line.extended_price_usd
            bill[WHOLE] += line.extended_price_usd
    kinds = [kind for kind in (*KINDS.values(), WHOLE) if sums[0][kind] or sums[1][kind]]
    return tuple(
        BillRatio(kind, sums[0][kind], sums[1][kind], _over(sums[0][kind], sums[1][kind])) for kind in kinds
    )


def _over(part: float, base: float) -> float | None:
    return part / base if base else None


def ratios_by_rule(
    scenario: Scenario, sources: Sources, infiniband: Sequence[BomLine], roce: Sequence[BomLine]
) -> tuple[RuleRatio, ...]:
    """The whole bill's ratio at the rule's low, mid and high, and at the book's own InfiniBand prices."""
    base_usd = sum(line.extended_price_usd for line in roce)
    band: Band = rule_band(scenario, sources)
    rules = [(f"ratio {r:g}", "ratio", r) for r in dict.fromkeys((band.low, band.mid, band.high))]
    rows = []
    for name, pricing, ratio in (*rules, ("book prices", "book", band.mid)):
        asked = replace(scenario.prices, infiniband_pricing=pricing, infiniband_price_ratio=ratio)
        rates = _tariff(replace(scenario, prices=asked), sources)
        usd = sum(_again(line, rates) for line in infiniband)
        if base_usd:
            rows.append(RuleRatio(name, usd, usd / base_usd))
    return tuple(rows)


def _tariff(scenario: Scenario, sources: Sources) -> Tariff:
    book = sources.books[scenario.prices.book]
    return tariff(scenario, "infiniband", sources.catalog, book, sources.counterparts)


def _again(line: BomLine, rates: Tariff) -> float:
    """A line at the prices of another tariff."""
    if rates.book.price(line.sku) is None:
        return line.extended_price_usd
    price_usd = rates.price_in_year(line.sku, line.year - rates.scenario.base_year)
    return price_usd * (line.quantity + line.spares)
