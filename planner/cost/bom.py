"""The bill of materials: what is bought in each year, priced line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from planner.cost.ancillaries import SECTION_OF_TIER
from planner.cost.price_list import INSTALL_LINK, MOVE_CORD, RECABLE_LINK
from planner.cost.spares import is_spare, part_of
from planner.cost.tariff import Tariff
from planner.fabric.design import Design, Plan
from planner.fabric.patch_panels import PANEL_TIERS
from pricing.price_book import described, price_source

CHARGE = "charge-"  # before the name of a rate on the hardware's price


@dataclass(frozen=True, slots=True)
class BomLine:
    """One row of the BOM CSV: pieces bought in ``year``. Sections and tiers as in the contract.

    ``unit_price_usd`` is the price of that year, after erosion; ``power_w`` is of one piece.
    """

    technology: str
    year: int
    section: str  # compute | storage | frontend | management | services
    tier: str  # node | node-leaf | leaf | ... | core | fabric, or one of ancillaries.SECTION_OF_TIER
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


_TIERS = (
    "node", "node-leaf", "leaf", "leaf-leaf", "leaf-spine", "spine", "spine-core", "core",
    *PANEL_TIERS.values(), *SECTION_OF_TIER,
)  # fmt: skip


def bom_lines(plan: Plan, tariff: Tariff, section: str = "compute") -> tuple[BomLine, ...]:
    """Every purchase, service and charge of a section's plan, sorted by year, section, tier, SKU."""
    rows = [
        row for i, design in enumerate(plan.designs) for row in _year_lines(plan, i, design, tariff, section)
    ]
    return sorted_lines(rows)


def of_compute_fabric(rows: Iterable[BomLine]) -> tuple[BomLine, ...]:
    """The lines of the compute fabric and its labour: what technologies are compared by."""
    return tuple(
        row
        for row in rows
        if row.section == "compute" or (row.tier == "fabric" and not row.sku.startswith(CHARGE))
    )


def sorted_lines(rows: Iterable[BomLine]) -> tuple[BomLine, ...]:
    """Lines by year, section, tier, SKU."""
    return tuple(sorted(rows, key=lambda r: (r.year, r.section, r.tier, r.sku)))


def _year_lines(plan: Plan, index: int, design: Design, tariff: Tariff, section: str) -> list[BomLine]:
    before = plan.designs[index - 1].need_by_tier if index else {}
    found = dict[tuple[str, str], BomLine]()
    at = plan.name, design.year, design.year - tariff.scenario.base_year
    for sku, quantity in sorted(design.change.bought.items()):
        for tier, n in _by_tier(sku, quantity, before, design.need_by_tier) if not is_spare(sku) else ():
            found[tier, sku] = _line(*at, SECTION_OF_TIER.get(tier, section), tier, sku, n, tariff)
    for sku, quantity in sorted(design.change.bought.items()):
        if is_spare(sku):
            tier = _main_tier(part_of(sku), design, found)
            place = *at, SECTION_OF_TIER.get(tier, section), tier, part_of(sku), 0, tariff
            line = found.get((tier, part_of(sku))) or _line(*place)
            found[tier, part_of(sku)] = replace(line, spares=line.spares + quantity)
    labour = "fabric" if section == "compute" else section
    services = (
        (INSTALL_LINK, design.change.installed_links),
        (RECABLE_LINK, design.change.recabled_links - design.change.panel_links),
        (MOVE_CORD, design.change.panel_links),
    )
    rows = list(found.values())
    rows += [_line(*at, "services", labour, sku, n, tariff) for sku, n in services if n]
    return [*rows, *_charges(rows, labour, tariff)]


def _main_tier(sku: str, design: Design, found: Mapping[tuple[str, str], BomLine]) -> str:
    """The tier whose line shows a SKU's spares: one that is bought this year, else the one that uses most."""
    bought = [tier for tier, other in found if other == sku]
    uses = {tier: n for (tier, other), n in design.need_by_tier.items() if other == sku}
    return min(bought or uses or ["fabric"], key=lambda tier: (-uses.get(tier, 0), tier))


def _charges(rows: list[BomLine], tier: str, tariff: Tariff) -> Iterator[BomLine]:
    """Freight, duty, sales tax and contingency on the hardware among the rows, a line each."""
    hardware = [r for r in rows if tariff.charges_ratio(r.sku)]
    base = sum(r.extended_price_usd for r in hardware)
    for name, share in tariff.scenario.bill.charges.shares().items():
        if base:
            first = hardware[0]
            yield BomLine(
                technology=first.technology, year=first.year, section="services", tier=tier,
                sku=CHARGE + name, description=f"{name}, {share:.4g} of the price of the hardware",
                manufacturer="", quantity=1, spares=0, unit_price_usd=base * share,
                price_source="scenario: [charges]", price_date=str(tariff.scenario.base_year),
                price_grade="quote", power_w=0.0,
            )  # fmt: skip


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
    price = tariff.book_in(t).prices[sku]
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
