"""Small random problems, and the cost of a path by trying every purchase. No code of the planner's counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
from hypothesis import strategies as st

from planner.cost.cheapest_holdings import Lot
from planner.cost.finance import UnitCost
from planner.optimize.problem import Column, Problem
from planner.scenario.scenario import ResidualRule
from tests.support.holdings_enumerated import least_usd

Path = tuple[int, ...]
FEW = st.integers(0, 2)
MONEY = st.integers(0, 6).map(float)


@st.composite
def problems(draw: st.DrawFn, *, falling_prices: bool = False, stock: bool = True) -> Problem:
    """Two or three steps, two to four candidates, two SKUs; random needs, moves, first services, stock.

    ``falling_prices``: no price rises and the rate is not below 0, so that holding longer never costs less.
    """
    steps, count = draw(st.integers(2, 3)), draw(st.integers(2, 4))
    horizon = steps + draw(st.integers(0, 1))
    serves = tuple(np.ones(count, dtype=np.bool_) for _ in range(steps))
    serves[0][draw(st.integers(0, count - 2))] = False
    need = tuple(
        np.array([[draw(FEW), draw(FEW)] for _ in range(count)], dtype=np.int64) * s[:, None] for s in serves
    )
    arcs = [np.array([[draw(MONEY) for _ in range(count)] for _ in range(count)]) for _ in range(steps)]
    rates = [0.0, 0.1] if falling_prices else [0.0, 0.1, -0.3]
    rule, rate = draw(st.sampled_from(get_args(ResidualRule))), draw(st.sampled_from(rates))

    def column(sku: str) -> Column:
        prices = [float(draw(st.integers(1, 20))) for _ in range(horizon + 1)]
        prices = sorted(prices, reverse=True) if falling_prices else prices
        unit = UnitCost(
            sku, tuple(prices), (draw(MONEY),) * horizon, draw(st.integers(1, 4)), rate, rule, 0.3,
            charges_ratio=draw(st.sampled_from([0.0, 0.2])),
        )  # fmt: skip
        return Column(unit, lots(horizon) if stock and draw(st.booleans()) else ())

    def lots(years: int) -> tuple[Lot, ...]:
        until = draw(st.integers(1, years))
        worth = sorted((float(draw(st.integers(0, 12))) for _ in range(until + 1)), reverse=True)
        return (Lot(-draw(st.integers(1, 2)), until, draw(st.integers(1, 2)), tuple(worth)),)

    return Problem(
        name="random",
        horizon=horizon,
        decides=tuple(range(steps)),
        labels=tuple(f"c{i}" for i in range(count)),
        columns=(column("a"), column("b")),
        serves=serves,
        need=need,
        first_usd=np.array([draw(MONEY) for _ in range(count)]),
        arc_usd=lambda step, old, new: arcs[step][np.ix_(old, new)],
        constant_usd=1000.0,
        base_year=2027,
    )


def with_credit(problem: Problem, output: list[list[float]], usd: float) -> Problem:
    """The same problem where what is delivered is worth something."""
    return replace(problem, output=tuple(np.array(row) for row in output), credit_usd=usd)


def serving_years(problem: Problem) -> list[list[int]]:
    """The years in which the choice of each step serves."""
    ends = [*problem.decides[1:], problem.horizon]
    return [list(range(start, end)) for start, end in zip(problem.decides, ends, strict=True)]


def moves_usd(problem: Problem, path: Path) -> float:
    """First services and moves of a path."""
    pairs = zip(path, path[1:], strict=False)
    moves = (problem.arc_usd(j, np.array([a]), np.array([b])) for j, (a, b) in enumerate(pairs, start=1))
    return float(problem.first_usd[path[0]]) + sum(float(m[0, 0]) for m in moves)


def needs_of(problem: Problem, path: Path) -> list[tuple[Column, list[int]]]:
    """Pieces of each column that a path needs in each year."""
    needs = [(column, [0] * problem.horizon) for column in problem.columns]
    for j, years in enumerate(serving_years(problem)):
        for t in years:
            for k, (_, need) in enumerate(needs):
                need[t] = int(problem.need[j][path[j], k])
    return needs


def opex_usd(column: Column, need: list[int]) -> float:
    """Present value of what the needed pieces cost to run."""
    growth = 1 + column.unit.discount_rate
    return float(sum(n * column.unit.opex_usd[t] / growth ** (t + 1) for t, n in enumerate(need)))


def path_usd(problem: Problem, path: Path) -> float:
    """The least cost of a path, without the constant."""
    total = moves_usd(problem, path)
    for column, need in needs_of(problem, path):
        total += opex_usd(column, need)
        total += least_usd(column.unit, need, column.lots)
    if problem.credit_usd:
        total -= problem.credit_usd * sum(float(problem.output[j][c]) for j, c in enumerate(path))
    return total


def every_path(problem: Problem) -> dict[Path, float]:
    """The cost of every path."""
    rows = [[c for c in range(len(problem.labels)) if serves[c]] for serves in problem.serves]
    return {path: path_usd(problem, path) for path in product(*rows)}
