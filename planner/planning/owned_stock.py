"""What a planner who does not look ahead owns, and what more of it would cost him if nothing grew any more.

All money is present worth at the base year; years are positions (t) of the horizon.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from planner.cost.finance import UnitCost, discount_factor
from planner.optimize.problem import Floats, Ints

EPSILON_USD = 1e-9


@dataclass(frozen=True, slots=True)
class Lot:
    """Pieces of a SKU that are owned: of year ``bought_t`` (below 0: before the base year), usable up to the
    start of year ``until``. ``sale_usd[t]``: what one sells for at the start of year t."""

    sku: str
    bought_t: int
    until: int
    quantity: int
    sale_usd: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """The best use of a lot from year t on: it serves up to year ``to`` and is replaced then.

    ``usd``: what one piece costs that way, its replacements counted, the piece itself being there.
    """

    lot: Lot
    to: int
    usd: float


def bought_lot(unit: UnitCost, bought_t: int, quantity: int) -> Lot:
    """Pieces that are bought within the horizon."""
    until = min(bought_t + unit.life_years, unit.horizon)
    sale = [
        unit.resale_usd(bought_t, t) * discount_factor(unit.discount_rate, t) if t > bought_t else inf
        for t in range(until + 1)
    ]
    return Lot(unit.sku, bought_t, until, quantity, tuple(sale))


def fresh_usd(unit: UnitCost, t: int) -> float:
    """A new piece from year t to the end of the horizon, replacements counted; infinite before it is sold."""
    return unit.cover_usd[t] if t >= unit.first_t or t == unit.horizon else inf


def uses(unit: UnitCost, lots: Iterable[Lot], t: int) -> list[Use]:
    """The lots' best uses from year t on, the one that saves most first."""
    found = []
    for lot in lots:
        ways = [(fresh_usd(unit, s) - lot.sale_usd[s], -s) for s in range(t + 1, lot.until + 1)]
        if ways:
            usd, to = min(ways)
            found.append(Use(lot, -to, usd))
    return sorted(found, key=lambda use: (use.usd + use.lot.sale_usd[t], -use.to, use.lot.bought_t))


def extra_usd(use: Use, t: int) -> float:
    """What keeping a piece costs against selling it at the start of year t."""
    return use.usd + use.lot.sale_usd[t]


def need_usd(unit: UnitCost, lots: Sequence[Lot], t: int, need: Ints) -> tuple[Floats, Ints]:
    """Least cost of ``need`` pieces from year t on, above that of selling all that is owned; and how many
    are bought in year t. Owned pieces serve first where they cost no more."""
    left, fresh = need.copy(), fresh_usd(unit, t)
    usd = np.zeros(len(need))
    for use in uses(unit, lots, t):
        if extra_usd(use, t) <= fresh + EPSILON_USD:
            taken = np.minimum(left, use.lot.quantity)
            usd += taken * extra_usd(use, t)
            left = left - taken
    usd[left > 0] += left[left > 0] * fresh
    return usd + need * sum(unit.opex_npv_usd(s) for s in range(t, unit.horizon)), left


def most_saved_usd(unit: UnitCost, lots: Sequence[Lot], t: int) -> float:
    """The most that owned pieces can save from year t on against new ones."""
    return sum(
        use.lot.quantity * max(0.0, unit.cover_usd[t] - extra_usd(use, t)) for use in uses(unit, lots, t)
    )


def owned_later(
    units: Mapping[str, UnitCost], lots: Sequence[Lot], need: Mapping[str, int], t: int, later: int
) -> tuple[Lot, ...]:
    """What is owned at the start of year ``later`` after serving ``need`` since year t."""
    found: dict[tuple[str, int], int] = defaultdict(int)
    old: dict[tuple[str, int], Lot] = {}
    for sku, unit in units.items():
        left = need.get(sku, 0)
        for use in uses(unit, [lot for lot in lots if lot.sku == sku], t):
            keeps = extra_usd(use, t) <= fresh_usd(unit, t) + EPSILON_USD
            taken = min(left, use.lot.quantity) if keeps else 0
            left -= taken
            if use.to >= later:
                # what would sell for nothing stays, too
                stays = use.lot.quantity if use.lot.sale_usd[t] <= 0 and use.lot.until >= later else taken
                found[sku, use.lot.bought_t] += stays
                old[sku, use.lot.bought_t] = use.lot
            else:
                found[sku, _in_service(unit, use.to, later)] += taken
        if left:
            found[sku, _in_service(unit, t, later)] += left
    return tuple(
        old[key]
        if key in old and old[key].quantity == n
        else _of(old[key], n) if key in old else bought_lot(units[key[0]], key[1], n)
        for key, n in sorted(found.items())
        if n
    )  # fmt: skip


def _of(lot: Lot, quantity: int) -> Lot:
    return Lot(lot.sku, lot.bought_t, lot.until, quantity, lot.sale_usd)


def _in_service(unit: UnitCost, start: int, later: int) -> int:
    """The year of purchase of the piece that serves before ``later``, of those bought from ``start`` on."""
    while True:
        last = min(start + unit.life_years, unit.horizon)
        ends = range(start + 1, last + 1)
        least = min(unit.holding_usd(start, b) + unit.cover_usd[b] for b in ends)
        end = max(b for b in ends if unit.holding_usd(start, b) + unit.cover_usd[b] <= least + EPSILON_USD)
        if end >= later:
            return start
        start = end
