"""What the planner without foresight owns and believes, against trying every purchase and sale."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import strategies as st

from planner.cost.cheapest_holdings import Lot
from planner.cost.finance import UnitCost
from planner.planning.owned_stock import bought_lot, most_saved_usd, need_usd, owned_later
from tests.support.examples import Examples
from tests.support.holdings_enumerated import least_usd

FLAT = UnitCost("x", (100.0,) * 5, (3.0,) * 4, 2, 0.0, "none", 0.3)


@st.composite
def cases(draw: st.DrawFn) -> tuple[UnitCost, tuple[Lot, ...], int]:
    """A SKU, lots of it, and the year from which on they are looked at."""
    horizon = draw(st.integers(1, 4))
    t = draw(st.integers(0, horizon - 1))
    prices = tuple(float(draw(st.sampled_from([5, 20, 50, 100]))) for _ in range(horizon + 1))
    unit = UnitCost(
        "x", prices, tuple(float(draw(st.integers(0, 3))) for _ in range(horizon)), draw(st.integers(1, 4)),
        draw(st.sampled_from([0.0, 0.08, -0.05])),
        draw(st.sampled_from(["unexpired-life", "market", "none"])),
        0.3, first_t=draw(st.sampled_from([0, 0, 1])),
    )  # fmt: skip
    lots = []
    for age in range(draw(st.integers(0, 2))):
        until = draw(st.integers(t + 1, horizon))
        sale = tuple(float(draw(st.sampled_from([0, 3, 10, 40]))) for _ in range(until + 1))
        lots.append(Lot(-1 - age, until, draw(st.integers(1, 2)), sale))
    return unit, tuple(lots), t


def from_year(unit: UnitCost, lots: tuple[Lot, ...], t: int) -> tuple[UnitCost, tuple[Lot, ...]]:
    """The same with year t as the first: what lies before it is gone. Money is worth of year t."""
    growth = (1 + unit.discount_rate) ** t
    later = replace(
        unit, price_usd=unit.price_usd[t:], opex_usd=unit.opex_usd[t:], first_t=max(0, unit.first_t - t)
    )
    sale = [tuple(usd * growth for usd in lot.sale_usd[t:]) for lot in lots]
    return later, tuple(
        replace(lot, until=lot.until - t, sale_usd=usd) for lot, usd in zip(lots, sale, strict=True)
    )


def believed_usd(unit: UnitCost, lots: tuple[Lot, ...], t: int, need: int) -> float:
    """The least cost of so many pieces from year t to the end, above that of selling all lots in year t."""
    later, there = from_year(unit, lots, t)
    growth = 1 + unit.discount_rate
    sold = sum(lot.quantity * lot.sale_usd[0] for lot in there)
    opex = sum(usd / growth ** (s + 1) for s, usd in enumerate(later.opex_usd))
    usd = least_usd(later, (need,) * later.horizon, there) + sold + need * opex
    return float(usd / growth**t)


def test_a_steady_need_costs_the_least_of_all(examples: Examples) -> None:
    def check(case: tuple[UnitCost, tuple[Lot, ...], int], most: int) -> None:
        unit, lots, t = case
        usd, _ = need_usd(unit, lots, t, np.arange(most + 1))
        assert usd.tolist() == pytest.approx(
            [believed_usd(unit, lots, t, n) for n in range(most + 1)], abs=1e-6
        )

    examples(check, 150, cases(), st.integers(1, 3))


def test_owned_pieces_save_no_more_than_said(examples: Examples) -> None:
    """Against having nothing, for any need: it is what limits the designs that are looked at."""

    def check(case: tuple[UnitCost, tuple[Lot, ...], int], need: int) -> None:
        unit, lots, t = case
        without = believed_usd(unit, (), t, need)
        if without < inf:
            saved = without - believed_usd(unit, lots, t, need)
            assert saved <= most_saved_usd(unit, lots, t) + 1e-6

    examples(check, 150, cases(), st.integers(0, 4))


def test_how_many_are_bought_beside_those_that_serve_on() -> None:
    """Two are there for two more years, residual none: of three pieces one is bought."""
    lots = (Lot(-1, 2, 2, (0.0, 0.0, 0.0)),)
    usd, bought = need_usd(FLAT, lots, 0, np.array([0, 2, 3]))
    assert bought.tolist() == [0, 0, 1]
    # two years of the two, then new ones for two; the third is bought twice; opex 12 a piece
    assert usd.tolist() == pytest.approx([0.0, 224.0, 200.0 + 200.0 + 36.0])


def test_what_is_owned_a_year_later() -> None:
    """Life 2, three needed, two there that last: the two and one of this year; a year on only that one."""
    owned = {"x": (Lot(-1, 2, 2, (0.0, 0.0, 0.0)),)}
    later = owned_later({"x": FLAT}, owned, {"x": 3}, 0, 1)
    assert [(lot.bought_t, lot.until, lot.quantity) for lot in later["x"]] == [(-1, 2, 2), (0, 2, 1)]
    # in year 2 the pieces that replace them are owned, bought in year 2 themselves: none is there before
    assert owned_later({"x": FLAT}, later, {"x": 0}, 1, 2)["x"][0].quantity == 2


def test_what_is_bought_sells_for_its_residual() -> None:
    unit = replace(FLAT, residual_rule="unexpired-life", life_years=4, discount_rate=0.25)
    assert bought_lot(unit, 1, 2) == Lot(1, 4, 2, (inf, inf, 75.0 / 1.25**2, 50.0 / 1.25**3, 25.0 / 1.25**4))
