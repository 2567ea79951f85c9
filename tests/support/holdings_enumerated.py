"""The least cost of owning pieces, by trying every purchase and every sale.

It shares no code with the planner: of a ``UnitCost`` and a ``Lot`` only the figures are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import inf

from planner.cost.cheapest_holdings import Lot
from planner.cost.finance import UnitCost

Ends = tuple[int, ...]  # the years at whose start owned pieces go, in order


def owning_usd(unit: UnitCost, bought: int, until: int) -> float:
    """Present worth of one piece bought at the start of one year and sold at that of another."""
    paid, new = unit.price_usd[bought], unit.price_usd[until]
    left = max(0.0, 1 - (until - bought) / unit.life_years)
    back = {
        "none": 0.0,
        "unexpired-life": min(paid * left, new),
        "market": min(paid * left, new, unit.market_resale_ratio * left * new),
    }[unit.residual_rule]
    growth = 1 + unit.discount_rate
    return paid * (1 + unit.charges_ratio) / growth**bought - back / growth**until


def least_usd(unit: UnitCost, need: Sequence[int], lots: Sequence[Lot] = ()) -> float:
    """In no year more pieces than that year or a later one needs; infinite where the need can't be met."""
    horizon = len(need)
    most = [max(need[t:]) for t in range(horizon)]

    @cache
    def from_year(t: int, owned: Ends) -> float:
        if t == horizon:
            return 0.0
        held = tuple(end for end in owned if end > t)
        ends = range(t + 1, min(t + unit.life_years, horizon) + 1) if t >= unit.first_t else range(0)
        best = inf
        for more in range(max(0, need[t] - len(held)), most[t] - len(held) + 1):
            for new in combinations_with_replacement(ends, more):
                usd = sum(owning_usd(unit, t, end) for end in new)
                best = min(best, usd + from_year(t + 1, tuple(sorted((*held, *new)))))
        return best

    return min(from_year(0, ends) - usd for ends, usd in _sales(lots))


def _sales(lots: Sequence[Lot]) -> Iterator[tuple[Ends, float]]:
    """Every way to sell the lots: when each piece goes, and what all of them bring."""
    if not lots:
        yield (), 0.0
        return
    first = lots[0]
    for later, usd in _sales(lots[1:]):
        for ends in combinations_with_replacement(range(first.until + 1), first.quantity):
            yield tuple(sorted((*ends, *later))), usd + sum(first.sale_usd[end] for end in ends)
