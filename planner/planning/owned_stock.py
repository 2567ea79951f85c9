"""What a planner who does not look ahead owns, and what more of it would cost him if nothing grew any more.

All money is present worth at the base year; years are positions (t) of the horizon.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from planner.cost.cheapest_holdings import Lot
from planner.cost.finance import UnitCost, sale_factor
from planner.optimize.problem import Floats, Ints

EPSILON_USD = 1e-9

OwnedStock = Mapping[str, tuple[Lot, ...]]  # by SKU


@dataclass(frozen=True, slots=True)
class BestUse:
    """The best use of a lot from year t on: it serves up to year ``until`` and is replaced then.

    ``keeping_usd``: what one piece costs that way, its replacements counted, against selling it in year t.
    """

    lot: Lot
    until: int
    keeping_usd: float


def bought_lot(unit: UnitCost, bought_t: int, quantity: int) -> Lot:
    """Pieces that are bought within the horizon."""
    until = min(bought_t + unit.life_years, unit.horizon)
    sale = [
        unit.resale_usd(bought_t, t) * sale_factor(unit.discount_rate, t) if t > bought_t else inf
        for t in range(until + 1)
    ]
    return Lot(bought_t, until, quantity, tuple(sale))


def new_piece_usd(unit: UnitCost, t: int) -> float:
    """A new piece from year t to the end of the horizon, replacements counted; infinite before it is sold."""
    return unit.cover_usd[t] if t >= unit.first_t or t == unit.horizon else inf


def best_uses(unit: UnitCost, lots: Iterable[Lot], t: int) -> list[BestUse]:
    """The lots' best uses from year t on, the one that costs least first."""
    found = []
    for lot in lots:
        ways = [(new_piece_usd(unit, s) - lot.sale_usd[s], -s) for s in range(t + 1, lot.until + 1)]
        if ways:
            usd, until = min(ways)
            found.append(BestUse(lot, -until, usd + lot.sale_usd[t]))
    return sorted(found, key=lambda use: (use.keeping_usd, -use.until, use.lot.bought_t))


def need_usd(unit: UnitCost, lots: Sequence[Lot], t: int, need: Ints) -> tuple[Floats, Ints]:
    """Least cost of having ``need`` pieces in every year from t on, opex included, above that of selling all
    that is owned in year t; and how many are bought then. Owned pieces serve first where they cost no more.

    The need stays the same: each piece of it is served by one owned piece, or a new one, and what replaces
    it, whatever serves the others. So the cheapest owned pieces first is the least cost.
    """
    left, new = need.copy(), new_piece_usd(unit, t)
    usd = np.zeros(len(need))
    for use in best_uses(unit, lots, t):
        if use.keeping_usd <= new + EPSILON_USD:
            taken = np.minimum(left, use.lot.quantity)
            usd += taken * use.keeping_usd
            left = left - taken
    usd[left > 0] += left[left > 0] * new
    return usd + need * sum(unit.opex_npv_usd(s) for s in range(t, unit.horizon)), left


def most_saved_usd(unit: UnitCost, lots: Sequence[Lot], t: int) -> float:
    """The most that owned pieces can save from year t on against new ones."""
    uses = best_uses(unit, lots, t)
    return sum(use.lot.quantity * max(0.0, unit.cover_usd[t] - use.keeping_usd) for use in uses)


def owned_later(
    units: Mapping[str, UnitCost], owned: OwnedStock, need: Mapping[str, int], t: int, later: int
) -> OwnedStock:
    """What is owned at the start of year ``later`` after serving ``need`` since year t."""
    found: dict[str, tuple[Lot, ...]] = {}
    for sku, unit in sorted(units.items()):
        lots = _lots_later(unit, owned.get(sku, ()), need.get(sku, 0), t, later)
        if lots:
            found[sku] = lots
    return found


def _lots_later(unit: UnitCost, lots: Sequence[Lot], need: int, t: int, later: int) -> tuple[Lot, ...]:
    """The lots of one SKU at the start of year ``later``, by year of purchase."""
    quantities: dict[int, int] = defaultdict(int)
    kept: dict[int, Lot] = {}
    left, new = need, new_piece_usd(unit, t)
    for use in best_uses(unit, lots, t):
        lot = use.lot
        taken = min(left, lot.quantity) if use.keeping_usd <= new + EPSILON_USD else 0
        left -= taken
        if use.until >= later:
            # what would sell for nothing stays, too
            stays = lot.sale_usd[t] <= 0 and lot.until >= later
            quantities[lot.bought_t] += lot.quantity if stays else taken
            kept[lot.bought_t] = lot
        else:
            quantities[_bought_before(unit, use.until, later)] += taken
    if left:
        quantities[_bought_before(unit, t, later)] += left
    return tuple(
        replace(kept[bought_t], quantity=n) if bought_t in kept else bought_lot(unit, bought_t, n)
        for bought_t, n in sorted(quantities.items())
        if n
    )


def _bought_before(unit: UnitCost, start: int, later: int) -> int:
    """The year of purchase of the piece that serves up to ``later``, of those bought from ``start`` on."""
    while True:
        last = min(start + unit.life_years, unit.horizon)
        costs = {b: unit.holding_usd(start, b) + unit.cover_usd[b] for b in range(start + 1, last + 1)}
        end = max(b for b, usd in costs.items() if usd <= min(costs.values()) + EPSILON_USD)
        if end >= later:
            return start
        start = end
