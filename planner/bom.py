"""The bill of materials: what is bought in each year, priced line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from planner.costing import INSTALL_LINK, RECABLE_LINK, Tariff
from planner.design import Design, Plan
from pricing.price_words import described, price_source


@dataclass(frozen=True, slots=True)
class BomLine:
    """One row of the BOM CSV: pieces bought in ``year``. Sections and tiers as in the contract.

    ``unit_price_usd`` is the price of that year, after erosion; ``power_w`` is of one piece.
    """

    technology: str
    year: int
    section: str  # compute | storage | frontend | management | services
    tier: str  # node | node-leaf | leaf | leaf-spine | spine | spine-core | core | fabric
    sku: str
    description: str
    manufacturer: str
    quantity: int
    spares: int
    unit_price_usd: float
    price_source: str
    price_date: str
    price_grade: str
    power_w: float

    @property
    def extended_price_usd(self) -> float:
        """Unit price x (quantity + spares)."""
        return self.unit_price_usd * (self.quantity + self.spares)


_TIERS = ("node", "node-leaf", "leaf", "leaf-spine", "spine", "spine-core", "core")


def bom_lines(plan: Plan, tariff: Tariff) -> tuple[BomLine, ...]:
    """Every purchase and service of a plan, sorted by year, section, tier, SKU."""
    rows = [row for i, design in enumerate(plan.designs) for row in _year_lines(plan, i, design, tariff)]
    return tuple(sorted(rows, key=lambda r: (r.year, r.section, r.tier, r.sku)))


def _year_lines(plan: Plan, index: int, design: Design, tariff: Tariff) -> Iterator[BomLine]:
    before = plan.designs[index - 1].need_by_tier if index else {}
    for sku, quantity in sorted(design.change.bought.items()):
        for tier, n in _by_tier(sku, quantity, before, design.need_by_tier):
            yield _line(plan.technology, design.year, index, "compute", tier, sku, n, tariff)
    services = (
        (INSTALL_LINK, design.change.installed_links),
        (RECABLE_LINK, design.change.recabled_links),
    )
    for sku, n in services:
        if n:
            yield _line(plan.technology, design.year, index, "services", "fabric", sku, n, tariff)


def _by_tier(
    sku: str, quantity: int, before: Mapping[tuple[str, str], int], now: Mapping[tuple[str, str], int]
) -> Iterator[tuple[str, int]]:
    """Shares a purchase out over the tiers that use the SKU: growth first, then use."""
    tiers = [t for t in _TIERS if now.get((t, sku), 0)]
    room = {t: max(0, now[t, sku] - before.get((t, sku), 0)) for t in tiers}
    left = quantity
    share = dict.fromkeys(tiers, 0)
    for limit in (room, {t: now[t, sku] for t in tiers}):
        for tier in tiers:
            n = min(left, limit[tier] - share[tier]) if limit[tier] > share[tier] else 0
            share[tier] += n
            left -= n
    if left:
        # bought ahead of its use: it goes to the first tier that uses the SKU, or to stock
        first = tiers[0] if tiers else "fabric"
        share[first] = share.get(first, 0) + left
    yield from ((tier, n) for tier, n in share.items() if n)


def _line(
    technology: str, year: int, t: int, section: str, tier: str, sku: str, quantity: int, tariff: Tariff
) -> BomLine:
    price = tariff.book.prices[sku]
    return BomLine(
        technology=technology,
        year=year,
        section=section,
        tier=tier,
        sku=sku,
        description=described(price),
        manufacturer=price.manufacturer,
        quantity=quantity,
        spares=0,
        unit_price_usd=tariff.price_in_year(sku, t),
        price_source=price_source(price, tariff.scenario.base_year),
        price_date=price.source.date,
        price_grade=price.source.grade.value,
        power_w=tariff.power_w.get(sku, 0.0),
    )
