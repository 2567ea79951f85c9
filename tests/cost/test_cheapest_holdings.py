"""Holdings: the cheapest way to own pieces over time, against trying every purchase and sale."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import pulp
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from planner.cost import cheapest_holdings as holdings
from planner.cost.cheapest_holdings import Holdings, Lot, Purchase, Sale, cheapest_holdings, layers_are_exact
from planner.cost.finance import UnitCost
from planner.optimize.solve import solve
from tests.support.examples import Examples
from tests.support.holdings_enumerated import least_usd, owning_usd

FLAT = UnitCost("x", (100.0,) * 4, (0.0,) * 3, 2, 0.0, "none", 0.3)


@st.composite
def units(draw: st.DrawFn, most_years: int = 5) -> UnitCost:
    """Prices that rise and fall, lives shorter and longer than the horizon, rates far below 0, too."""
    horizon = draw(st.integers(1, most_years))
    return UnitCost(
        sku="x",
        price_usd=tuple(
            draw(
                st.lists(
                    st.sampled_from([5.0, 20.0, 50.0, 100.0]), min_size=horizon + 1, max_size=horizon + 1
                )
            )
        ),
        opex_usd=(1.0,) * horizon,
        life_years=draw(st.integers(1, 4)),
        discount_rate=draw(st.sampled_from([0.0, 0.08, -0.05, -0.4])),
        residual_rule=draw(st.sampled_from(["unexpired-life", "market", "none"])),
        market_resale_ratio=0.3,
        first_t=draw(st.sampled_from([0, 0, 0, 1])),
        charges_ratio=draw(st.sampled_from([0.0, 0.1])),
    )


def needs(unit: UnitCost) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*[st.integers(0, 3)] * unit.horizon)


@st.composite
def lots_of(draw: st.DrawFn, unit: UnitCost) -> tuple[Lot, ...]:
    found = []
    for _ in range(draw(st.integers(1, 2))):
        until = draw(st.integers(1, unit.horizon))
        sale = tuple(draw(st.sampled_from([0.0, 3.0, 10.0, 40.0])) for _ in range(until + 1))
        found.append(Lot(-draw(st.integers(1, 3)), until, draw(st.integers(1, 2)), sale))
    return tuple(found)


def consistent(unit: UnitCost, need: tuple[int, ...], lots: tuple[Lot, ...], held: Holdings) -> None:
    """The need is met, nothing is bought before it can be, each lot goes once, and the money adds up."""
    for t, wanted in enumerate(need):
        owned = sum(n for a, b, n in held.bought if a <= t < b) + sum(n for _, b, n in held.sold if b > t)
        assert owned >= wanted
    assert all(
        a >= unit.first_t and a < b <= min(a + unit.life_years, unit.horizon) for a, b, _ in held.bought
    )
    assert [sum(n for k, _, n in held.sold if k == i) for i in range(len(lots))] == [x.quantity for x in lots]
    paid = sum(n * owning_usd(unit, a, b) for a, b, n in held.bought)
    assert held.cost_usd == pytest.approx(
        paid - sum(n * lots[i].sale_usd[t] for i, t, n in held.sold), abs=1e-6
    )


def test_a_need_that_rises_and_falls_again_crosses_its_holdings() -> None:
    """1, 2, 1 pieces of 100, life 2: [0, 2) and [1, 3) cost 200. Covered layer by layer it would be 300."""
    assert cheapest_holdings(FLAT, [1, 2, 1]) == Holdings(200.0, (Purchase(0, 2, 1), Purchase(1, 3, 1)))


@pytest.mark.parametrize(
    ("need", "usd"),
    [
        ((1, 2, 1), 200),
        ((2, 3, 2), 400),
        ((1, 3, 2), 300),
        ((2, 1, 2), 400),
        ((0, 1, 0), 100),
        ((1, 0, 1), 200),
    ],
)
def test_rising_and_falling_needs_by_hand(need: tuple[int, ...], usd: float) -> None:
    """Life 2, three years: a piece serves two years in a row, or its price is lost."""
    assert cheapest_holdings(FLAT, need).cost_usd == pytest.approx(usd)
    assert least_usd(FLAT, need) == pytest.approx(usd)


def test_a_piece_that_is_there_takes_part_in_the_crossing() -> None:
    """1, 2, 1 again with one piece that lasts a year more: [1, 3) and one of a year: 200, not 300 nor 100."""
    lot = Lot(-1, 1, 1, (0.0, 0.0))
    assert cheapest_holdings(FLAT, [1, 2, 1], [lot]).cost_usd == pytest.approx(200.0)
    assert cheapest_holdings(FLAT, [1, 1, 1], [lot]) == Holdings(
        100.0, (Purchase(1, 3, 1),), (Sale(0, 1, 1),)
    )


def test_what_can_not_be_had_costs_more_than_any_money() -> None:
    late = replace(FLAT, first_t=1)
    assert cheapest_holdings(late, [1, 1, 1]).cost_usd == inf
    assert cheapest_holdings(late, [1, 2, 1]).cost_usd == inf
    assert cheapest_holdings(late, [0, 2, 1]).cost_usd == pytest.approx(200.0)


def test_no_money_is_made_by_trading() -> None:
    """At a rate of -40 % selling later is worth more than buying now; no more is bought than is needed."""
    odd = UnitCost("x", (100.0,) * 4, (0.0,) * 3, 4, -0.4, "unexpired-life", 0.3)
    for need in ((1, 2, 1), (0, 1, 0), (1, 1, 1)):
        held = cheapest_holdings(odd, need)
        assert held.cost_usd == pytest.approx(least_usd(odd, need))


def test_holdings_cost_the_least_of_all(examples: Examples) -> None:
    """Any prices and any need, against every purchase."""

    def check(data: st.DataObject) -> None:
        unit = data.draw(units())
        need = data.draw(needs(unit))
        held = cheapest_holdings(unit, need)
        assert held.cost_usd == pytest.approx(least_usd(unit, need), abs=1e-6)
        if held.cost_usd < inf:
            consistent(unit, need, (), held)

    examples(check, 250, st.data())


def test_holdings_with_pieces_that_are_there_cost_the_least_of_all(examples: Examples) -> None:
    """Lots of any age and resale beside them: when each is sold is part of the choice."""

    def check(data: st.DataObject) -> None:
        unit = data.draw(units(most_years=4))
        need, lots = data.draw(needs(unit)), data.draw(lots_of(unit))
        held = cheapest_holdings(unit, need, lots)
        assert held.cost_usd == pytest.approx(least_usd(unit, need, lots), abs=1e-6)
        if held.cost_usd < inf:
            consistent(unit, need, lots, held)

    examples(check, 150, st.data())


def least_by_linear_programme(unit: UnitCost, need: tuple[int, ...]) -> float:
    """The interval programme written out for a solver."""
    asked = pulp.LpProblem("cover", pulp.LpMinimize)
    spans = [
        (a, b)
        for a in range(unit.first_t, unit.horizon)
        for b in range(a + 1, min(a + unit.life_years, unit.horizon) + 1)
    ]
    pieces = {(a, b): asked.add_variable(f"x_{a}_{b}", 0) for a, b in spans}
    asked.setObjective(pulp.lpSum(owning_usd(unit, a, b) * x for (a, b), x in pieces.items()))
    for t in range(unit.horizon):
        held = pulp.lpSum(x for (a, b), x in pieces.items() if a <= t < b)
        asked.addConstraint(held >= need[t], f"cover_{t}")
        asked.addConstraint(held <= max(need[t:]), f"use_{t}")
    outcome = solve(asked)
    return inf if outcome.objective is None else outcome.objective


def test_holdings_beyond_the_reach_of_enumeration_cost_what_a_linear_programme_says(
    examples: Examples,
) -> None:
    """Up to ten years and thousands of pieces, prices and rates that make trade pay."""

    def check(data: st.DataObject) -> None:
        unit = data.draw(units(most_years=10))
        need = data.draw(st.tuples(*[st.integers(0, 5000)] * unit.horizon))
        least = least_by_linear_programme(unit, need)
        assert cheapest_holdings(unit, need).cost_usd == pytest.approx(least, rel=1e-6, abs=1e-3)

    examples(check, 60, st.data())


def test_layers_are_the_cheapest_where_they_are_said_to_be(examples: Examples) -> None:
    """The short way, alone: a need that only rises or only falls, a longer holding never cheaper."""

    def check(data: st.DataObject) -> None:
        unit = data.draw(units())
        need = tuple(sorted(data.draw(needs(unit)), reverse=data.draw(st.booleans())))
        assume(layers_are_exact(unit, need))
        assert holdings._by_layers(unit, need)[0] == pytest.approx(least_usd(unit, need), abs=1e-6)

    examples(check, 150, st.data())


@pytest.mark.parametrize(
    ("need", "exact"), [((1, 2, 3), True), ((3, 2, 2), True), ((1, 2, 1), False), ((2, 1, 2), False)]
)
def test_only_a_need_that_turns_leaves_the_layers(need: tuple[int, ...], exact: bool) -> None:
    assert layers_are_exact(FLAT, need) is exact


def test_a_longer_holding_that_is_cheaper_leaves_the_layers_too() -> None:
    """Price 5 in the second year: what is sold then brings 5, a year later 60."""
    odd: Any = replace(
        FLAT, price_usd=(100.0, 5.0, 100.0, 100.0), life_years=5, residual_rule="unexpired-life"
    )
    assert not layers_are_exact(odd, (1, 1, 1))
