"""What the bounds drop is never part of a cheaper plan: against trying every path."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.cost.finance import UnitCost
from planner.optimize.elimination import eliminate, node_bounds, plan_cost
from planner.optimize.model import build
from planner.optimize.problem import Problem
from planner.optimize.solve import solve


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Two or three steps, two to five candidates, two SKUs, random needs, moves and first services."""
    steps, count = draw(st.integers(2, 3)), draw(st.integers(2, 5))
    horizon = steps + draw(st.integers(0, 2))
    whole = st.integers(0, 6)
    need = tuple(
        np.array([[draw(whole), draw(whole)] for _ in range(count)], dtype=np.int64) for _ in range(steps)
    )
    refused = draw(st.integers(0, count - 2))
    need[0][refused] = -1
    arcs = [
        np.array([[float(draw(whole)) for _ in range(count)] for _ in range(count)]) for _ in range(steps)
    ]
    rule, rate = draw(st.sampled_from(["none", "unexpired-life"])), draw(st.sampled_from([0.0, 0.1]))

    def unit(sku: str) -> UnitCost:
        prices = tuple(float(draw(st.integers(1, 20))) for _ in range(horizon + 1))
        life = draw(st.integers(1, 5))
        return UnitCost(sku, prices, (float(draw(whole)),) * horizon, life, rate, rule, 0.3)

    return Problem(
        name="random",
        horizon=horizon,
        decides=tuple(range(steps)),
        labels=tuple(f"c{i}" for i in range(count)),
        need=need,
        units=(unit("a"), unit("b")),
        first_usd=np.array([float(draw(whole)) for _ in range(count)]),
        arc_usd=lambda step, old, new: arcs[step][np.ix_(old, new)],
        constant_usd=1000.0,
        base_year=2027,
    )


def paths(problem: Problem) -> dict[tuple[int, ...], float]:
    """The cost of every path."""
    rows = [problem.usable(j) for j in range(len(problem.decides))]
    return {
        tuple(int(c) for c in path): plan_cost(problem, tuple(int(c) for c in path))
        for path in product(*rows)
    }


@settings(max_examples=120)
@given(problems())
def test_the_cheapest_path_survives(problem: Problem) -> None:
    kept, every = eliminate(problem), paths(problem)
    least = min(every.values())
    best = [p for p, usd in every.items() if usd <= least + 1e-9]
    survivors = [
        p
        for p in best
        if all(c in nodes for c, nodes in zip(p, kept.nodes, strict=True))
        and all(pair in arcs for pair, arcs in zip(zip(p, p[1:], strict=False), kept.arcs, strict=True))
    ]
    assert survivors
    assert kept.lower_usd <= least + 1e-6 and kept.upper_usd >= least - 1e-6
    assert every[kept.path] == pytest.approx(kept.upper_usd)


@settings(max_examples=60)
@given(problems())
def test_the_programme_finds_the_cheapest_path(problem: Problem) -> None:
    """Holdings, moves, running cost and the constant: the solver's value is the least of all paths."""
    programme, _ = build(problem, eliminate(problem))
    outcome = solve(programme)
    assert outcome.status == "optimal"
    assert outcome.objective == pytest.approx(min(paths(problem).values()) + 1000.0, abs=1e-5)


@settings(max_examples=60)
@given(problems())
def test_a_path_never_costs_less_than_its_bounds(problem: Problem) -> None:
    bounds = node_bounds(problem)
    assert np.isinf(bounds[0][problem.need[0][:, 0] < 0]).all()
    for path, usd in paths(problem).items():
        moves = sum(
            float(problem.arc_usd(j, np.array([path[j - 1]]), np.array([path[j]]))[0, 0])
            for j in range(1, len(path))
        )
        assert sum(float(b[c]) for b, c in zip(bounds, path, strict=True)) + moves <= usd + 1e-6
