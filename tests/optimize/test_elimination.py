"""What the bounds drop is never part of a cheaper plan: against trying every path and every purchase."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import strategies as st

from planner.optimize.elimination import (
    common_usd,
    eliminate,
    node_bounds,
    on_paths_within,
    plan_cost,
    speculation,
    stock_bound,
)
from planner.optimize.problem import Problem, Remaining
from tests.optimize.made_problems import every_path, moves_usd, problems, with_credit
from tests.support.examples import Examples


def survives(path: tuple[int, ...], remaining: Remaining) -> bool:
    pairs = zip(path, path[1:], strict=False)
    return all(c in nodes for c, nodes in zip(path, remaining.nodes, strict=True)) and all(
        pair in arcs for pair, arcs in zip(pairs, remaining.arcs, strict=True)
    )


def test_the_cost_of_a_path_is_the_least_of_all_purchases(examples: Examples) -> None:
    """Needs that rise and fall again, pieces that are there, any rate."""

    def check(problem: Problem) -> None:
        for path, usd in every_path(problem).items():
            assert plan_cost(problem, path) == pytest.approx(usd, abs=1e-6)

    examples(check, 60, problems())


def test_the_cheapest_paths_survive(examples: Examples) -> None:
    def check(problem: Problem) -> None:
        remaining, every = eliminate(problem), every_path(problem)
        least = min(every.values())
        best = [p for p, usd in every.items() if usd <= least + 1e-9]
        assert any(survives(p, remaining) for p in best)
        assert remaining.lower_usd <= least + 1e-6
        assert every[remaining.path] == pytest.approx(remaining.upper_usd)

    examples(check, 80, problems())


def test_every_path_within_the_margin_survives(examples: Examples) -> None:
    """Also those that cost more than the best by less than the cushion: a limit on money may need them."""

    def check(problem: Problem, margin: float) -> None:
        remaining = eliminate(problem, margin)
        for path, usd in every_path(problem).items():
            if usd <= remaining.upper_usd + remaining.cushion_usd - 1e-9:
                assert survives(path, remaining)

    examples(check, 60, problems(), st.sampled_from([0.02, 0.2]))


def test_the_cheapest_path_survives_where_output_is_worth_something(examples: Examples) -> None:
    def check(problem: Problem, usd: float, data: st.DataObject) -> None:
        worth = st.floats(0, 5)
        output = [[data.draw(worth) for _ in problem.labels] for _ in problem.decides]
        credited = with_credit(problem, output, usd)
        every = every_path(credited)
        least = min(every.values())
        assert any(survives(p, eliminate(credited)) for p, x in every.items() if x <= least + 1e-9)

    examples(check, 40, problems(), st.sampled_from([1.0, 7.5]), st.data())


def test_a_path_never_costs_less_than_its_bounds(examples: Examples) -> None:
    def check(problem: Problem) -> None:
        bounds = node_bounds(problem)
        assert np.isinf(bounds[0][~problem.serves[0]]).all()
        for path, usd in every_path(problem).items():
            moves = moves_usd(problem, path) - float(problem.first_usd[path[0]])
            assert sum(float(b[c]) for b, c in zip(bounds, path, strict=True)) + moves <= usd + 1e-6

    examples(check, 60, problems())


def test_what_every_candidate_takes_is_in_every_path(examples: Examples) -> None:
    """The common cost, with all that stock and trade can save, is below every path without its moves."""

    def check(problem: Problem) -> None:
        common = common_usd(problem) + stock_bound(problem) + speculation(problem)
        assert stock_bound(problem) <= 0 and speculation(problem) <= 0
        for path, usd in every_path(problem).items():
            assert common <= usd - moves_usd(problem, path) + 1e-6

    examples(check, 60, problems())


def test_every_path_within_a_limit_keeps_its_candidates_and_no_other_stays(examples: Examples) -> None:
    """Bounds and moves alone: the rows that are left are exactly those of the paths within the limit."""

    def check(problem: Problem, share: float) -> None:
        bounds = [np.where(np.isinf(b), inf, np.maximum(b, 0)) for b in node_bounds(problem)]
        rows = [problem.usable(j) for j in range(len(bounds))]
        cost = {
            path: sum(float(b[c]) for b, c in zip(bounds, path, strict=True))
            + moves_usd(problem, path)
            - float(problem.first_usd[path[0]])
            for path in every_path(problem)
        }
        limit = min(cost.values()) + share * (max(cost.values()) - min(cost.values())) + 1e-9
        within = [path for path, usd in cost.items() if usd <= limit]
        kept = on_paths_within(problem.arc_usd, bounds, rows, limit)
        assert [set(k.tolist()) for k in kept] == [{p[j] for p in within} for j in range(len(bounds))]

    examples(check, 60, problems(), st.sampled_from([0.0, 0.3, 0.8]))
