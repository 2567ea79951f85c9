"""Money over time, in one timing convention that the programme and the report share.

Years are counted t = 0, 1, ... from the base year. Capex falls at the start of year t and is
discounted t years; opex and output fall at its end and are discounted t + 1; a residual at the
start of year t (the end of the horizon is t = horizon) is discounted t. ``capex_factor``,
``opex_factor`` and ``sale_factor`` are the only places that say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from planner.scenario.scenario import ResidualRule


def discount_factor(rate: float, t: float) -> float:
    """Present worth of 1 USD after ``t`` years at a nominal ``rate`` a year.

    >>> round(discount_factor(0.08, 1), 6)
    0.925926
    """
    return float((1.0 + rate) ** -t)


def capex_factor(rate: float, t: int) -> float:
    """Discount factor of what is bought or paid for at the start of year t."""
    return discount_factor(rate, t)


def opex_factor(rate: float, t: int) -> float:
    """Discount factor of what is spent, or delivered, over year t: it counts at the year's end.

    >>> opex_factor(0.25, 0)
    0.8
    """
    return discount_factor(rate, t + 1)


def sale_factor(rate: float, t: int) -> float:
    """Discount factor of what is sold at the start of year t, or at the horizon's end (t = horizon)."""
    return discount_factor(rate, t)


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
    rule: ResidualRule,
    market_resale_ratio: float,
) -> float:
    """What a piece is worth when it is retired, or at the end of the horizon (USD).

    "unexpired-life": paid x remaining life / life, at most the replacement price of that year.
    "market": the same, but of the replacement price times a resale ratio. "none": 0.
    Raises AssertionError on any other rule.

    >>> residual_usd(100.0, 2, 5, 100.0, "unexpired-life", 0.28)
    60.0
    """
    remaining = max(0, life_years - age_years) / life_years
    unexpired = min(paid_usd * remaining, replacement_usd)
    match rule:
        case "none":
            return 0.0
        case "unexpired-life":
            return unexpired
        case "market":
            return min(unexpired, market_resale_ratio * replacement_usd * remaining)
        case _:
            assert_never(rule)


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
    residual_rule: ResidualRule
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
        paid *= capex_factor(self.discount_rate, bought)
        return paid - self.resale_usd(bought, until) * sale_factor(self.discount_rate, until)

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

    @cached_property
    def longer_costs_more(self) -> bool:
        """Whether of holdings from the same year the longer never costs less, and none costs less than 0."""
        usd = {(a, b): self.holding_usd(a, b) for a, b in self.intervals()}
        return all(x >= max(0.0, usd.get((a, b - 1), 0.0) - 1e-9) for (a, b), x in usd.items())

    def opex_npv_usd(self, t: int) -> float:
        """Present worth (USD) of one piece's opex in year ``t``."""
        return self.opex_usd[t] * opex_factor(self.discount_rate, t)
