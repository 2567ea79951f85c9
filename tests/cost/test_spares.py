"""Spares: the fewest that keep the service level, against sums of exact terms."""

from __future__ import annotations

import time
from decimal import Decimal, localcontext

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.cost.spares import SPARES, fewest_spares, is_spare, part_of, spares_of, stock_sku
from planner.scenario.bill import SparesAsk


def by_trial(mean: Decimal, level: Decimal) -> tuple[int, Decimal]:
    """One spare more until P(X <= s) reaches the level; and how near that or the one before came to it."""
    term = total = (-mean).exp()
    spares, before = 0, Decimal(0)
    while total < level:
        spares += 1
        term, before = term * mean / spares, total
        total += term
    return spares, min(total - level, level - before)


@settings(max_examples=200)
@given(
    st.integers(1, 20_000),
    st.decimals("0.001", "0.2", places=3),
    st.integers(1, 26),
    st.sampled_from(["0.5", "0.9", "0.95", "0.99", "0.999"]),
)
def test_one_spare_less_would_not_keep_the_level(pieces: int, rate: Decimal, weeks: int, level: str) -> None:
    with localcontext() as context:
        context.prec = 60
        right, margin = by_trial(pieces * rate * weeks / 52, Decimal(level))
    assume(margin > Decimal("1e-12"))  # nearer than that, floats may say either
    assert fewest_spares(pieces, float(rate), float(weeks), float(level)) == right


def test_a_great_mean_is_looked_at_all_at_once_and_agrees_with_one_by_one() -> None:
    """10,400 failures on average, just beyond where counting changes: the same as the sum of exact terms."""
    with localcontext() as context:
        context.prec = 60
        right, _ = by_trial(Decimal(10_400), Decimal("0.95"))
    assert fewest_spares(10_400, 1.0, 52.0, 0.95) == right


def test_the_greatest_numbers_that_a_scenario_may_give_take_no_time() -> None:
    """Ten million pieces that fail every week, ten years on their way: 5.2 thousand million failures, and
    1.645 standard deviations above them. One by one from 12 below it takes minutes."""
    began = time.process_time()
    mean = 10_000_000 * 52.0 * 10.0
    found = fewest_spares(10_000_000, 52.0, 520.0, 0.95)
    assert abs(found - (mean + 1.6449 * mean**0.5)) < 0.001 * mean**0.5
    assert time.process_time() - began < 5.0


def test_a_level_next_to_1_ends() -> None:
    """The rounded sum of chances need not reach it."""
    assert 8 < fewest_spares(10, 0.1, 52.0, 1.0 - 2.0**-53) < 100


def test_a_part_has_one_stock_for_all_its_tiers() -> None:
    """24 + 24 pieces at 1 % a year and 8 weeks take one spare, 24 alone none; no failures, no spare."""
    ask = SparesAsk(
        enabled=True, failures_per_year={"nic": 0.01}, replenishment_weeks=8.0, service_level_ratio=0.95
    )
    use = {("node", "n"): 24, ("leaf", "n"): 24, ("leaf", "s"): 8}
    stock = spares_of(use, {"n": "nic", "s": "switch"}, ask)
    assert stock == {(SPARES, stock_sku("n")): 1, (SPARES, stock_sku("s")): 0}
    assert [(part_of(sku), is_spare(sku)) for _, sku in stock] == [("n", True), ("s", True)]
    assert set(spares_of({("node", "n"): 24}, {"n": "nic"}, ask).values()) == {0}
    assert not is_spare("n") and part_of("n") == "n"
