"""Money over time, in one timing convention that the programme and the report share.

Years are counted t = 0, 1, ... from the base year. Capex falls at the start of year t and is
discounted t years; opex and output fall at its end and are discounted t + 1; a residual at the
start of year t (the end of the horizon is t = horizon) is discounted t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property


def discount_factor(rate: float, t: float) -> float:
    """Present worth of 1 USD after ``t`` years at a nominal ``rate`` a year.

    >>> round(discount_factor(0.08, 1), 6)
    0.925926
    """
    return float((1.0 + rate) ** -t)


def npv(rate: float, amounts_usd: Sequence[float], *, at_year_end: bool) -> float:
    """Present worth (USD) of one amount a year, at the start or at the end of each year.

    >>> npv(0.0, [1.0, 2.0], at_year_end=True)
    3.0
    """
    shift = 1 if at_year_end else 0
    return sum(a * discount_factor(rate, t + shift) for t, a in enumerate(amounts_usd))


def eroded_price(base_usd: float, erosion_per_year: float, t: int) -> float:
    """Price (USD) ``t`` years after the base year: base x (1 - erosion)^t.

    >>> eroded_price(100.0, 0.1, 2)
    81.0
    """
    return base_usd * (1.0 - erosion_per_year) ** t


def residual_usd(
    paid_usd: float,
    age_years: int,
    life_years: int,
    replacement_usd: float,
    rule: str,
    market_resale_ratio: float,
) -> float:
    """What a piece is worth when it is retired, or at the end of the horizon (USD).

    "unexpired-life": paid x remaining life / life, at most the replacement price of that year.
    "market": the same, but of the replacement price times a resale ratio. "none": 0.

    >>> residual_usd(100.0, 2, 5, 100.0, "unexpired-life", 0.28)
    60.0
    """
    remaining = max(0, life_years - age_years) / life_years
    if rule == "none":
        return 0.0
    unexpired = min(paid_usd * remaining, replacement_usd)
    if rule == "market":
        return min(unexpired, market_resale_ratio * replacement_usd * remaining)
    return unexpired


@dataclass(frozen=True)
class UnitCost:
    """What one piece of a SKU costs over the horizon.

    ``price_usd`` has one price a year and one for the end of the horizon (H + 1 values);
    ``opex_usd`` one nominal amount for each year in service (H values). ``charges_ratio``: freight,
    duty, tax and contingency on top of the price; they are sunk, and never in a residual. It can't be
    had before ``first_t``.
    """

    sku: str
    price_usd: tuple[float, ...]
    opex_usd: tuple[float, ...]
    life_years: int
    discount_rate: float
    residual_rule: str
    market_resale_ratio: float
    first_t: int = 0
    charges_ratio: float = 0.0

    @property
    def horizon(self) -> int:
        """Years of the horizon."""
        return len(self.opex_usd)

    def resale_usd(self, bought: int, until: int) -> float:
        """Nominal residual (USD) of a piece bought at the start of year ``bought``, sold at ``until``."""
        return residual_usd(
            self.price_usd[bought],
            until - bought,
            self.life_years,
            self.price_usd[until],
            self.residual_rule,
            self.market_resale_ratio,
        )

    def holding_usd(self, bought: int, until: int) -> float:
        """Present worth (USD) of owning one piece over [bought, until): price less resale.

        Raises ValueError where the piece would outlive its life.
        """
        if not bought < until <= min(bought + self.life_years, self.horizon):
            raise ValueError(f"{self.sku} cannot be held from year {bought} to {until}")
        paid = self.price_usd[bought] * (1.0 + self.charges_ratio)
        paid *= discount_factor(self.discount_rate, bought)
        return paid - self.resale_usd(bought, until) * discount_factor(self.discount_rate, until)

    def intervals(self) -> list[tuple[int, int]]:
        """Every [bought, until) that the life and the horizon allow."""
        return [
            (a, b)
            for a in range(self.first_t, self.horizon)
            for b in range(a + 1, min(a + self.life_years, self.horizon) + 1)
        ]

    @cached_property
    def cover_usd(self) -> tuple[float, ...]:
        """Least present worth (USD) of having one piece from year t to the horizon's end, for each t.

        H + 1 values, the last 0. By dynamic programming over holdings end to end. Before ``first_t``:
        as from ``first_t``.
        """
        best = [0.0] * (self.horizon + 1)
        for a in reversed(range(self.first_t, self.horizon)):
            last = min(a + self.life_years, self.horizon)
            best[a] = min(self.holding_usd(a, b) + best[b] for b in range(a + 1, last + 1))
        return (best[min(self.first_t, self.horizon)],) * self.first_t + tuple(best[self.first_t :])

    def opex_npv_usd(self, t: int) -> float:
        """Present worth (USD) of one piece's opex in year ``t``."""
        return self.opex_usd[t] * discount_factor(self.discount_rate, t + 1)


def cheapest_holdings(cost: UnitCost, need: Sequence[int]) -> tuple[float, list[tuple[int, int, int]]]:
    """Cheapest way to own ``need[t]`` pieces in every year t.

    Returns the present worth (USD, without opex) and (bought, until, quantity) rows. The need is cut
    into layers; a layer's years are covered by holdings, which may run on over a gap.
    """
    total, rows = 0.0, dict[tuple[int, int], int]()
    levels = sorted({n for n in need if n > 0})
    below = 0
    for level in levels:
        wanted = [n >= level for n in need]
        usd, holdings = _cover(cost, wanted)
        total += usd * (level - below)
        for held in holdings:
            rows[held] = rows.get(held, 0) + level - below
        below = level
    return total, [(a, b, q) for (a, b), q in sorted(rows.items())]


def _cover(cost: UnitCost, wanted: Sequence[bool]) -> tuple[float, list[tuple[int, int]]]:
    """Cheapest holdings of one piece that cover every wanted year."""
    horizon = cost.horizon
    best = [0.0] * (horizon + 1)
    step: list[tuple[int, int] | None] = [None] * (horizon + 1)
    for a in reversed(range(horizon)):
        best[a] = best[a + 1] if not wanted[a] else float("inf")
        if a < cost.first_t:
            continue
        for b in range(a + 1, min(a + cost.life_years, horizon) + 1):
            usd = cost.holding_usd(a, b) + best[b]
            # a longer holding wins a tie: nothing is sold and bought again for no gain
            if usd < best[a] - 1e-9 or (step[a] and usd <= best[a] + 1e-9):
                best[a], step[a] = min(best[a], usd), (a, b)
    rows, t = list[tuple[int, int]](), 0
    while t < horizon:
        held = step[t]
        if held is None:
            t += 1
        else:
            rows.append(held)
            t = held[1]
    return best[0], rows
