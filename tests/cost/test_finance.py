"""Money over time: residuals, covers, erosion, and the yearly rents that bound them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import strategies as st

from planner.cost.finance import UnitCost, eroded_price, residual_usd
from planner.optimize.elimination import dual_prices
from tests.support.examples import Examples
from tests.support.holdings_enumerated import least_usd, owning_usd

MONEY = st.sampled_from([5.0, 20.0, 50.0, 100.0])


@st.composite
def units(draw: st.DrawFn) -> UnitCost:
    horizon = draw(st.integers(1, 5))
    prices = draw(st.lists(MONEY, min_size=horizon + 1, max_size=horizon + 1))
    return UnitCost(
        "x",
        tuple(prices),
        (1.0,) * horizon,
        draw(st.integers(1, 7)),
        draw(st.sampled_from([0.0, 0.08, -0.05])),
        draw(st.sampled_from(["unexpired-life", "market", "none"])),
        0.3,
    )


def test_rents_never_exceed_what_a_holding_costs(examples: Examples) -> None:
    """The dual of covering years: what makes the bound of the optimiser exact."""

    def check(unit: UnitCost) -> None:
        rent = dual_prices(unit)
        assert len(rent) == unit.horizon and min(rent) >= 0.0
        for a in range(unit.horizon):
            for b in range(a + 1, min(a + unit.life_years, unit.horizon) + 1):
                assert sum(rent[a:b]) <= owning_usd(unit, a, b) + 1e-9 or set(rent) == {0.0}

    examples(check, 100, units())


def test_a_holding_that_costs_nothing_leaves_no_rent() -> None:
    """Price 0 in the second year, and what is bought then sells for nothing either: its years are free."""
    unit = UnitCost("x", (50.0, 0.0, 50.0, 50.0), (0.0,) * 3, 2, 0.0, "none", 0.3)
    rent = dual_prices(unit)
    assert rent[1] + rent[2] == 0.0 and min(rent) >= 0.0


def test_rents_of_an_even_price_share_out_the_life() -> None:
    """Rate 0, 100, life 5, unexpired life: 20 a year."""
    unit = UnitCost("x", (100.0,) * 6, (0.0,) * 5, 5, 0.0, "unexpired-life", 0.3)
    assert dual_prices(unit) == pytest.approx((20.0,) * 5)


def test_cover_is_the_least_of_all_purchases(examples: Examples) -> None:
    """One piece in every year from t on, nothing bought before: tried one by one, from the end."""

    def check(unit: UnitCost) -> None:
        for t in range(unit.horizon):
            later = replace(unit, price_usd=unit.price_usd[t:], opex_usd=unit.opex_usd[t:])
            usd = least_usd(later, (1,) * later.horizon) / (1 + unit.discount_rate) ** t
            assert unit.cover_usd[t] == pytest.approx(usd, abs=1e-6)
        assert unit.cover_usd[unit.horizon] == 0.0

    examples(check, 100, units())


def test_cover_is_the_cost_from_each_year_on() -> None:
    """Life 2, residual none, 100: from the years 0 to 3 of 3 on, 2, 1, 1 and no purchase."""
    unit = UnitCost("x", (100.0,) * 4, (0.0,) * 3, 2, 0.0, "none", 0.3)
    assert unit.cover_usd == pytest.approx((200.0, 100.0, 100.0, 0.0))


def test_an_expired_piece_is_worth_nothing() -> None:
    assert residual_usd(100.0, 7, 5, 100.0, "unexpired-life", 0.3) == 0.0
    assert residual_usd(100.0, 7, 5, 100.0, "market", 0.3) == 0.0


def test_prices_erode_by_compounding() -> None:
    """100 at 10 % a year: 72.9 after three, not 70."""
    assert eroded_price(100.0, 0.1, 3) == pytest.approx(72.9)
    assert eroded_price(100.0, -0.1, 2) == pytest.approx(121.0)


def test_an_unknown_residual_rule_is_an_error() -> None:
    rule: Any = "half"
    with pytest.raises(AssertionError, match="half"):
        residual_usd(100.0, 1, 5, 100.0, rule, 0.3)
