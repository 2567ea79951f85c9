"""The bill of materials: what is bought in each year, priced line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from planner.cost.ancillaries import SECTION_OF_TIER
from planner.cost.price_list import INSTALL_LINK, MOVE_CORD, RECABLE_LINK
from planner.cost.spares import is_spare, part_of
from planner.cost.tariff import Tariff
from planner.fabric.design import Design, Plan, Section
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
    section: Section
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


@dataclass(frozen=True, slots=True)
class _Year:
    """One year of a section's plan: its design, what the year before used, and the prices."""

    plan_name: str
    section: Section
    design: Design
    used_before: Mapping[tuple[str, str], int]
    tariff: Tariff

    @property
    def labour_tier(self) -> str:
        """Where labour and charges stand: as of the fabric, or as of the side fabric's section."""
        return "fabric" if self.section == "compute" else self.section

    def line(
        self, tier: str, sku: str, quantity: int, *, spares: int = 0, section: Section | None = None
    ) -> BomLine:
        """A line at the prices of the year; in the section that its tier belongs to unless one is given."""
        t = self.design.year - self.tariff.scenario.base_year
        price = self.tariff.book_in(t).prices[sku]
        return BomLine(
            technology=self.plan_name,
            year=self.design.year,
            section=section or SECTION_OF_TIER.get(tier, self.section),
            tier=tier,
            sku=sku,
            description=described(price),
            manufacturer=price.manufacturer,
            quantity=quantity,
            spares=spares,
            unit_price_usd=self.tariff.price_in_year(sku, t),
            price_source=price_source(price, self.tariff.scenario.base_year),
            price_date=price.source.date,
            price_grade=price.source.grade.value,
            power_w=self.tariff.power_w.get(sku, 0.0),
        )


def bom_lines(plan: Plan, tariff: Tariff, section: Section = "compute") -> tuple[BomLine, ...]:
    """Every purchase, service and charge of a section's plan, sorted by year, section, tier, SKU."""
    rows, before = list[BomLine](), dict[tuple[str, str], int]()
    for design in plan.designs:
        year = _Year(plan.name, section, design, before, tariff)
        bought = [*_part_lines(year), *_service_lines(year)]
        rows += [*bought, *_charge_lines(year, bought)]
        before = dict(design.need_by_tier)
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


def _part_lines(year: _Year) -> list[BomLine]:
    """The pieces bought, by the tiers that use them, and spares beside them."""
    bought = sorted(year.design.change.bought.items())
    found = {
        (tier, sku): year.line(tier, sku, n)
        for sku, quantity in bought
        if not is_spare(sku)
        for tier, n in _by_tier(sku, quantity, year.used_before, year.design.need_by_tier)
    }
    for sku, quantity in bought:
        if is_spare(sku):
            part = part_of(sku)
            tier = _main_tier(part, year.design, found)
            line = found.get((tier, part)) or year.line(tier, part, 0)
            found[tier, part] = replace(line, spares=line.spares + quantity)
    return list(found.values())


def _main_tier(sku: str, design: Design, found: Mapping[tuple[str, str], BomLine]) -> str:
    """The tier whose line shows a SKU's spares: one that is bought this year, else the one that uses most."""
    bought = [tier for tier, other in found if other == sku]
    uses = {tier: n for (tier, other), n in design.need_by_tier.items() if other == sku}
    return min(bought or uses or ["fabric"], key=lambda tier: (-uses.get(tier, 0), tier))


def _service_lines(year: _Year) -> Iterator[BomLine]:
    """Links installed and moved."""
    change = year.design.change
    for sku, links in (
        (INSTALL_LINK, change.installed_links),
        (RECABLE_LINK, change.recabled_links - change.panel_links),
        (MOVE_CORD, change.panel_links),
    ):
        if links:
            yield year.line(year.labour_tier, sku, links, section="services")


def _charge_lines(year: _Year, bought: Sequence[BomLine]) -> Iterator[BomLine]:
    """Freight, duty, sales tax and contingency on the hardware bought, a line each."""
    tariff = year.tariff
    base = sum(r.extended_price_usd for r in bought if tariff.charges_ratio(r.sku))
    for name, share in tariff.scenario.bill.charges.shares().items():
        if base:
            yield BomLine(
                technology=year.plan_name,
                year=year.design.year,
                section="services",
                tier=year.labour_tier,
                sku=CHARGE + name,
                description=f"{name}, {share:.4g} of the price of the hardware",
                manufacturer="",
                quantity=1,
                spares=0,
                unit_price_usd=base * share,
                price_source="scenario: [charges]",
                price_date=str(tariff.scenario.base_year),
                price_grade="quote",
                power_w=0.0,
            )


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
