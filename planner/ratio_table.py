"""InfiniBand's price ratio examined, for one scenario and its plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.bom import BomLine
from planner.costing import tariff
from planner.ratio_bill import BillRatio, RuleRatio, bill_ratios, ratios_by_rule
from planner.ratio_items import Band, ItemRatio, item_ratios, rule_band
from planner.ratio_scale import ScaleRow, TierLimit, scale_rows, tier_limits
from planner.scenario import Scenario
from planner.sources import Sources
from pricing.ratio_observations import Observation


@dataclass(frozen=True, slots=True)
class Ratios:
    """The rule's band, the ratio by item, what was observed, of the whole bill, and at other sizes.

    ``bill`` and ``by_rule`` are empty without both an InfiniBand and a RoCE plan.
    """

    rule: Band
    items: tuple[ItemRatio, ...]
    observations: tuple[Observation, ...]
    bill: tuple[BillRatio, ...]
    by_rule: tuple[RuleRatio, ...]
    scale: tuple[ScaleRow, ...]
    limits: tuple[TierLimit, ...]


def ratio_table(
    scenario: Scenario, sources: Sources, infiniband: Sequence[BomLine] = (), roce: Sequence[BomLine] = ()
) -> Ratios:
    """Everything that is known of the ratio, beside the bills of the two plans."""
    book = sources.books[scenario.prices.book]
    priced = tariff(scenario, "infiniband", sources.catalog, book, sources.counterparts).book.prices
    both = bool(infiniband) and bool(roce)
    return Ratios(
        rule=rule_band(scenario, sources),
        items=item_ratios(scenario, sources, {line.sku for line in infiniband}),
        observations=sources.ratio_observations,
        bill=bill_ratios(infiniband, roce, {s: p.item_class for s, p in priced.items()}) if both else (),
        by_rule=ratios_by_rule(scenario, sources, infiniband, roce) if both else (),
        scale=scale_rows(scenario, sources),
        limits=tier_limits(scenario, sources),
    )
