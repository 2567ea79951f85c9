"""InfiniBand's price ratio examined: by part, by whole bill, by rule and by size.

``ratio_table`` puts together what one scenario and its InfiniBand and RoCE plans show of it. The rule itself
is in ``pricing.infiniband_rule``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from planner.catalog.parts import Catalog
from planner.catalog.sources import Sources
from planner.cost.bom_lines import BomLine
from planner.cost.price_list import capacity_gbps, list_prices, net_price_list
from planner.cost.switch_bill_ratio import ScaleRow, TierLimit, scale_rows, tier_limits
from planner.cost.tariff import Tariff, tariff
from planner.cost.tco import KINDS
from planner.scenario.scenario import InfinibandPricing, Scenario
from pricing.infiniband_rule import RULED_CLASSES, Observation, ruled_usd
from pricing.price_book import ItemClass, Price, PriceBook
from pricing.provenance import Source

_KEY = "prices.infiniband_price_ratio"


@dataclass(frozen=True, slots=True)
class Band:
    """Low, mid and high of a ratio or a price."""

    low: float
    mid: float
    high: float


@dataclass(frozen=True, slots=True)
class ItemRatio:
    """One InfiniBand part against its named counterpart, in USD per port-Gb/s.

    ``rule`` is the band of the ratio rule (None for optics, which it does not price) and ``rule_usd``
    what the part then costs; ``book_ratio`` is what the book's own prices say: mid over mid, the band
    from lowest over highest to highest over lowest. None where the book lacks one of the two.
    """

    ib_sku: str
    counterpart_sku: str
    item_class: ItemClass
    in_plan: bool
    same_part: bool
    rule: Band | None
    rule_usd: Band | None
    ib_usd_per_gbps: Band | None
    counterpart_usd_per_gbps: Band | None
    book_ratio: Band | None
    ib_source: Source | None
    counterpart_source: Source | None
    note: str


def item_ratios(scenario: Scenario, sources: Sources, in_plan: Collection[str] = ()) -> tuple[ItemRatio, ...]:
    """Every InfiniBand part that has a counterpart; ``in_plan`` are the SKUs that a plan buys.

    Prices are the books' own, before discounts and the scenario's own prices.
    """
    book = list_prices(scenario, sources)
    band = rule_band(scenario, sources)
    return tuple(_items(book, sources, band, in_plan))


def rule_band(scenario: Scenario, sources: Sources) -> Band:
    """The rule's ratio: the scenario's, within the band of the data, which it may leave."""
    default, ratio = sources.defaults[_KEY], scenario.prices.infiniband_price_ratio
    low, high = (default.low or default.value), (default.high or default.value)
    return Band(min(low, ratio), ratio, max(high, ratio))


def _items(book: PriceBook, sources: Sources, rule: Band, in_plan: Collection[str]) -> Iterator[ItemRatio]:
    capacity = _capacities(sources.catalog)
    for pair in (*sources.counterparts.values(), *sources.optics_counterparts.values()):
        ib, other = book.price(pair.ib_sku), book.price(pair.counterpart_sku)
        ib_band = _per_gbps(ib, capacity)
        other_band = _per_gbps(other, capacity)
        ruled = pair.item_class in RULED_CLASSES and other is not None
        yield ItemRatio(
            ib_sku=pair.ib_sku,
            counterpart_sku=pair.counterpart_sku,
            item_class=pair.item_class,
            in_plan=pair.ib_sku in in_plan,
            same_part=pair.ib_sku == pair.counterpart_sku,
            rule=rule if ruled else None,
            rule_usd=_ruled_usd(rule, other_band, capacity.get(pair.ib_sku)) if ruled else None,
            ib_usd_per_gbps=ib_band,
            counterpart_usd_per_gbps=other_band,
            book_ratio=_over(ib_band, other_band, same=pair.ib_sku == pair.counterpart_sku),
            ib_source=ib.source if ib else None,
            counterpart_source=other.source if other else None,
            note=pair.note,
        )


def _capacities(catalog: Catalog) -> Mapping[str, float]:
    """Port-Gb/s of switches, NICs and modules."""
    modules = {m.id: float(max(m.rates_gbps) * m.connectors) for m in catalog.transceivers.values()}
    return modules | capacity_gbps(catalog)


def _per_gbps(price: Price | None, capacity: Mapping[str, float]) -> Band | None:
    if price is None or not capacity.get(price.sku):
        return None
    return Band(*(usd / capacity[price.sku] for usd in (price.low_usd, price.mid_usd, price.high_usd)))


def _ruled_usd(rule: Band, counterpart: Band | None, gbps: float | None) -> Band | None:
    """What the rule makes a part cost (USD) at each of its ratios, from the counterpart's mid price."""
    if counterpart is None or gbps is None:
        return None
    return Band(*(ruled_usd(ratio, counterpart.mid, gbps) for ratio in (rule.low, rule.mid, rule.high)))


def _over(ib: Band | None, other: Band | None, *, same: bool) -> Band | None:
    """The ratio that the prices of two parts give; one part that serves both has the ratio 1."""
    if ib is None or other is None or not other.low:
        return None
    return Band(1.0, 1.0, 1.0) if same else Band(ib.low / other.high, ib.mid / other.mid, ib.high / other.low)


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
    infiniband: Iterable[BomLine], roce: Iterable[BomLine], classes: Mapping[str, ItemClass]
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
        BillRatio(kind, sums[0][kind], sums[1][kind], _quotient(sums[0][kind], sums[1][kind]))
        for kind in kinds
    )


def _quotient(part: float, base: float) -> float | None:
    return part / base if base else None


def ratios_by_rule(
    scenario: Scenario, sources: Sources, infiniband: Sequence[BomLine], roce: Sequence[BomLine]
) -> tuple[RuleRatio, ...]:
    """The whole bill's ratio at the rule's low, mid and high, and at the book's own InfiniBand prices."""
    base_usd = sum(line.extended_price_usd for line in roce)
    band = rule_band(scenario, sources)
    ratios = dict.fromkeys((band.low, band.mid, band.high))
    rules: list[tuple[str, InfinibandPricing, float]] = [(f"ratio {r:g}", "ratio", r) for r in ratios]
    rules.append(("book prices", "book", band.mid))
    rows = []
    for name, pricing, ratio in rules:
        asked = replace(scenario.prices, infiniband_pricing=pricing, infiniband_price_ratio=ratio)
        rates = tariff(replace(scenario, prices=asked), "infiniband", sources)
        usd = sum(_again(line, rates) for line in infiniband)
        if base_usd:
            rows.append(RuleRatio(name, usd, usd / base_usd))
    return tuple(rows)


def _again(line: BomLine, rates: Tariff) -> float:
    """A line at the prices of another tariff."""
    if rates.book.price(line.sku) is None:
        return line.extended_price_usd
    price_usd = rates.price_in_year(line.sku, line.year - rates.scenario.base_year)
    return price_usd * (line.quantity + line.spares)


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
    priced = net_price_list(scenario, "infiniband", sources).prices
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
