"""Numbers as text: where the unit changes, rounding must not make a figure of the wrong size."""

from __future__ import annotations

from fractions import Fraction

import pytest

from planner.text.format import counted, gbps, kw, percent, ratio, tflops, usd


@pytest.mark.parametrize(
    ("amount_usd", "text"),
    [
        (0, "$0.00"),
        (-0.001, "$0.00"),
        (9.99, "$9.99"),
        (999.99, "$999.99"),
        (999.996, "$1,000"),
        (99_999.4, "$99,999"),
        (99_999.6, "$100k"),
        (999_499, "$999k"),
        (999_600, "$1.0M"),
        (999.94e6, "$999.9M"),
        (999.96e6, "$1.00B"),
        (1234e9, "$1,234.00B"),
        (-1500, "-$1,500"),
        (float("nan"), "n/a"),
    ],
)
def test_money_changes_its_unit_where_rounding_would_overflow_the_smaller_one(
    amount_usd: float, text: str
) -> None:
    assert usd(amount_usd) == text


def test_power_changes_its_unit_and_decimals_without_a_jump() -> None:
    assert [kw(value) for value in (0, 99.94, 99.96, 9_999.4, 9_999.6)] == [
        "0.0 kW", "99.9 kW", "100 kW", "9,999 kW", "10.0 MW",
    ]  # fmt: skip


def test_rates_keep_a_decimal_only_where_it_says_something() -> None:
    assert [gbps(value) for value in (25, 0.5, 9_999, 10_000)] == [
        "25 Gb/s", "0.5 Gb/s", "9,999 Gb/s", "10 Tb/s",
    ]  # fmt: skip


def test_computing_rates_have_four_significant_digits_at_any_size() -> None:
    assert [tflops(value) for value in (0, 0.12345, 9.9999, 123_456.0)] == [
        "0 TFLOP/s", "0.1235 TFLOP/s", "10.00 TFLOP/s", "123,500 TFLOP/s",
    ]  # fmt: skip


def test_shares_ratios_and_nouns() -> None:
    assert (percent(0.0004), percent(0)) == ("0.0%", "0.0%")
    assert ratio(Fraction(64, 62)) == "32:31"
    assert (counted(0, "spine"), counted(2, "leaf", "leaves")) == ("0 spines", "2 leaves")
