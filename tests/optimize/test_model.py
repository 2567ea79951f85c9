"""The programme against trying every path and every purchase, and its text for two problems made by hand."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import combinations_with_replacement, product
from math import inf
from pathlib import Path as File

import numpy as np
import pytest
from hypothesis import strategies as st

from planner.cost.cheapest_holdings import Lot
from planner.cost.finance import UnitCost
from planner.fabric.design import Holding
from planner.optimize.elimination import eliminate, plan_cost
from planner.optimize.model import build
from planner.optimize.problem import CapexCap, Column, Floats, Ints, Problem
from planner.optimize.solve import solve
from planner.planning.designs_by_year import cheapest_path_holdings, programme_holdings
from tests.optimize.made_problems import every_path, moves_usd, needs_of, opex_usd, problems
from tests.support.examples import Examples
from tests.support.holdings_enumerated import owning_usd

GOLDEN = File(__file__).parent / "golden"


def test_the_programme_finds_the_cheapest_path(examples: Examples) -> None:
    """Holdings, moves, running cost, stock and the constant: the solver's value is the least of all paths,
    and the path that it chose is one that costs so little."""

    def check(problem: Problem) -> None:
        programme, v = build(problem, eliminate(problem))
        outcome, every = solve(programme), every_path(problem)
        assert outcome.status == "optimal"
        assert outcome.objective == pytest.approx(min(every.values()) + 1000.0, abs=1e-5)
        chosen = tuple(c for (_, c), var in sorted(v.choose.items()) if (var.value() or 0) > 0.5)
        assert every[chosen] == pytest.approx(min(every.values()), abs=1e-5)

    examples(check, 60, problems(falling_prices=True))


def purchases(unit: UnitCost, need: list[int]) -> list[tuple[float, tuple[float, ...]]]:
    """Every way to have the need with no more pieces than it ever takes: cost, and what is paid by year."""
    horizon, most = len(need), max(need)
    spans = [(a, b) for a in range(horizon) for b in range(a + 1, min(a + unit.life_years, horizon) + 1)]
    found = dict[tuple[float, ...], float]()
    for n in range(sum(need) + 1):
        for held in combinations_with_replacement(spans, n):
            owned = [sum(a <= t < b for a, b in held) for t in range(horizon)]
            if all(most >= have >= want for have, want in zip(owned, need, strict=True)):
                bought = [sum(a == t for a, _ in held) for t in range(horizon)]
                paid = tuple(k * unit.price_usd[t] * (1 + unit.charges_ratio) for t, k in enumerate(bought))
                usd = sum(owning_usd(unit, a, b) for a, b in held)
                found[paid] = min(found.get(paid, inf), usd)
    return [(usd, paid) for paid, usd in found.items()]


def least_within_caps(problem: Problem) -> float:
    """The least cost of all paths and purchases that keep every year's cap; infinite where none does."""
    best, caps = inf, {cap.t: cap.usd for cap in problem.caps}
    for path in every_path(problem):
        total, ways = moves_usd(problem, path), []
        for column, need in needs_of(problem, path):
            total += opex_usd(column, need)
            ways.append(purchases(column.unit, need))
        services = [0.0] * problem.horizon
        services[0] = float(problem.first_usd[path[0]])
        for j in range(1, len(path)):
            pair = np.array([path[j - 1]]), np.array([path[j]])
            services[problem.decides[j]] += float(problem.arc_usd(j, *pair)[0, 0])
        for pick in product(*ways):
            paid = [services[t] + sum(p[t] for _, p in pick) for t in range(problem.horizon)]
            if all(paid[t] <= cap + 1e-9 for t, cap in caps.items()):
                best = min(best, total + sum(usd for usd, _ in pick))
    return best


def test_a_limit_on_money_is_kept_at_the_least_cost(examples: Examples) -> None:
    """Two SKUs that compete for a year's money; nothing is dropped before the solve."""

    def check(problem: Problem, cap: float) -> None:
        capped = replace(
            problem,
            horizon=problem.horizon,
            caps=tuple(CapexCap(t, cap) for t in range(problem.horizon)),
            first_services_usd=problem.first_usd,
            arc_services_usd=problem.arc_usd,
        )
        outcome = solve(build(capped, eliminate(capped, margin=1e6))[0])
        least = least_within_caps(capped)
        assert (outcome.status == "infeasible") == (least == inf)
        if least < inf:
            assert outcome.objective == pytest.approx(least + 1000.0, abs=1e-5)

    small = problems(falling_prices=True, stock=False).filter(lambda p: p.horizon == 2)
    examples(check, 40, small, st.sampled_from([10.0, 20.0, 40.0]))


def no_moves(step: int, old: Ints, new: Ints) -> Floats:
    return np.zeros((len(old), len(new)))


def rising_and_falling() -> Problem:
    """One design a year that takes 1, 2, 1 pieces of 100 that last two years."""
    piece = UnitCost("leaf-64", (100.0,) * 4, (0.0,) * 3, 2, 0.0, "none", 0.0)
    return Problem(
        name="rising and falling",
        horizon=3,
        decides=(0, 1, 2),
        labels=("c0",),
        columns=(Column(piece),),
        serves=(np.array([True]),) * 3,
        need=tuple(np.array([[n]]) for n in (1, 2, 1)),
        first_usd=np.array([0.0]),
        arc_usd=no_moves,
        constant_usd=0.0,
        base_year=2027,
    )


def test_bound_known_plan_and_programme_agree_where_a_need_rises_and_falls() -> None:
    """Two pieces, [0, 2) and [1, 3): 200. A known plan of 300, layer by layer, would call it improvable."""
    problem = rising_and_falling()
    remaining = eliminate(problem)
    programme, v = build(problem, remaining)
    assert solve(programme).objective == pytest.approx(200.0)
    assert (remaining.upper_usd, plan_cost(problem, (0, 0, 0))) == (200.0, 200.0)
    held = {Holding("leaf-64", 1, 2027, 2029), Holding("leaf-64", 1, 2028, 2030)}
    assert set(cheapest_path_holdings(problem, (0, 0, 0))) == set(programme_holdings(problem, v)) == held


def growing() -> Problem:
    """Two small leaves or one large one, then three or two; a change between them costs 7.

    Large twice: services 2, running cost 5 + 10, 150 and 120 for the leaves: 287. Small twice is 319.
    """
    leaf = UnitCost("leaf-64", (100.0, 90.0, 80.0), (5.0, 5.0), 2, 0.0, "none", 0.0)
    large = UnitCost("large leaf", (150.0, 120.0, 100.0), (5.0, 5.0), 2, 0.0, "none", 0.0)
    return Problem(
        name="two build years",
        horizon=2,
        decides=(0, 1),
        labels=("c0_small", "c1_large"),
        columns=(Column(large), Column(leaf)),
        serves=(np.array([True, True]), np.array([True, True])),
        need=(np.array([[0, 2], [1, 0]]), np.array([[0, 3], [2, 0]])),
        first_usd=np.array([4.0, 2.0]),
        arc_usd=lambda step, old, new: np.where(old[:, None] == new[None, :], 0.0, 7.0),
        constant_usd=1000.0,
        base_year=2027,
    )


def limited() -> Problem:
    """One design, 100 to spend in 2028, a leaf that is there and sells for 30, then 10, then nothing.

    It serves on, one is bought for 100 in 2027 and one for 60 in 2028, services are 4: 164. Without the limit
    both would be bought in 2028: 124.
    """
    leaf = UnitCost("leaf-64", (100.0, 60.0, 60.0), (0.0, 0.0), 2, 0.0, "none", 0.0)
    return Problem(
        name="limited",
        horizon=2,
        decides=(0, 1),
        labels=("c0_small",),
        columns=(Column(leaf, (Lot(-1, 2, 1, (30.0, 10.0, 0.0)),)),),
        serves=(np.array([True]), np.array([True])),
        need=(np.array([[1]]), np.array([[3]])),
        first_usd=np.array([4.0]),
        arc_usd=no_moves,
        constant_usd=0.0,
        base_year=2027,
        caps=(CapexCap(1, 100.0),),
        first_services_usd=np.array([4.0]),
        arc_services_usd=no_moves,
    )


@pytest.mark.parametrize(
    ("name", "problem", "usd"), [("growing", growing(), 1287.0), ("limited", limited(), 164.0)]
)
def test_the_programme_reads_as_it_did(name: str, problem: Problem, usd: float, tmp_path: File) -> None:
    """A changed text is a changed programme: look at it, then write it anew with GOLDEN=write."""
    programme, _ = build(problem, eliminate(problem, margin=1.0))
    programme.writeLP(str(tmp_path / "found.lp"))
    text, golden = (tmp_path / "found.lp").read_text(encoding="utf-8"), GOLDEN / f"{name}.lp"
    if os.environ.get("GOLDEN") == "write":
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    assert solve(programme).objective == pytest.approx(usd)
