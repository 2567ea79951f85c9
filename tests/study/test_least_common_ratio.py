"""The least cost per output over several islands, against every choice of a plan for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import strategies as st

from planner.study.least_common_ratio import Outcome, least_ratio_of_all
from tests.support.examples import Examples

Plans = Sequence[tuple[int, int]]  # of an island: (USD, effective TFLOP/s-years)


def test_the_least_cost_per_output_is_looked_for_over_all_islands() -> None:
    """A delivers 2 for 10 or 0.5 for 4, B 100 for 100. By itself A is best at 5 a unit: 110 / 102 = 1.0784.

    At what a unit costs in all, A is worth least: 104 / 100.5 = 1.0348. Its own best ratio would be kept.
    """
    plans, tried = ((10.0, 2.0), (4.0, 0.5)), []

    def at_ratio(ratio: float) -> Outcome:
        cost, delivered = min(plans, key=lambda p: p[0] - ratio * p[1])
        tried.append(ratio)
        return Outcome(100.0 + cost, 100.0 + delivered, 0.0)

    least = least_ratio_of_all(Outcome(110.0, 102.0, 0.0), at_ratio)
    assert (least.best, least.ratio) == (1, pytest.approx(104.0 / 100.5))
    assert (least.bound, least.proven, least.rounds) == (pytest.approx(least.ratio), True, 2)
    assert tried == pytest.approx([110.0 / 102.0, 104.0 / 100.5])


def test_an_open_bound_proves_nothing() -> None:
    """The solver may be 2 off: 2 / 100 of the ratio stays open, and the plan is only feasible."""
    least = least_ratio_of_all(Outcome(100.0, 100.0, 2.0), lambda ratio: Outcome(100.0, 100.0, 2.0))
    assert (least.ratio, least.bound, least.proven) == (1.0, pytest.approx(0.98), False)


def total(chosen: Sequence[tuple[int, int]]) -> Outcome:
    return Outcome(float(sum(usd for usd, _ in chosen)), float(sum(output for _, output in chosen)), 0.0)


def agree(islands: Sequence[Plans]) -> None:
    """The ratio is the least of all choices, it is proven, and the round that is kept has it."""
    least = min(total(chosen).ratio for chosen in product(*islands))
    start = total([min(plans, key=lambda p: p[0] / p[1]) for plans in islands])  # each at its own least
    tried = [start]

    def at_ratio(ratio: float) -> Outcome:
        tried.append(total([min(plans, key=lambda p: p[0] - ratio * p[1]) for plans in islands]))
        return tried[-1]

    found = least_ratio_of_all(start, at_ratio)
    assert found.ratio == pytest.approx(least, rel=1e-9)
    assert found.bound <= least * (1 + 1e-6)
    assert (found.proven, tried[found.best].ratio) == (True, pytest.approx(least, rel=1e-9))


def test_no_choice_of_plans_has_a_lower_ratio(examples: Examples) -> None:
    plans = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 20)), min_size=1, max_size=5)
    examples(agree, 300, st.lists(plans, min_size=1, max_size=4))


def test_what_a_bound_leaves_open_is_not_called_proven(examples: Examples) -> None:
    """A solver that may be off by ``open_usd`` bounds the ratio by that much less over the output."""

    def check(usd: int, output: int, open_usd: int) -> None:
        outcome = Outcome(float(usd), float(output), float(open_usd))
        found = least_ratio_of_all(outcome, lambda ratio: outcome)
        assert found.ratio == usd / output
        assert found.bound == pytest.approx((usd - open_usd) / output)
        assert found.proven == (open_usd == 0)

    examples(check, 100, st.integers(1, 100), st.integers(1, 100), st.integers(0, 50))
