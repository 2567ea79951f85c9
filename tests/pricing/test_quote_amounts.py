"""Amounts, dates, packs and currencies: either exactly what was meant, or every reading as a doubt."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.quotes.amounts import CODES, read_amount, read_dates, take_currency, to_usd
from pricing.quotes.packs import packs_in
from pricing.quotes.quote_values import Rate

AMOUNTS = st.tuples(st.integers(0, 10**9), st.integers(0, 4))
STYLES = st.sampled_from(
    [(d, t) for d in ",." for t in ("", ",", ".", " ", "'", "\u00a0", "\u2019") if d != t]
)


def written(digits: int, decimals: int, style: tuple[str, str]) -> tuple[Decimal, str]:
    """An amount and how somebody of that style writes it."""
    decimal, thousands = style
    amount = Decimal(digits).scaleb(-decimals)
    whole, _, cents = f"{amount:.{decimals}f}".partition(".")
    grouped = f"{int(whole):,}".replace(",", thousands)
    return amount, grouped + (decimal + cents if cents else "")


@given(AMOUNTS, STYLES)
def test_an_amount_is_read_exactly_or_both_readings_are_given(
    amount: tuple[int, int], style: tuple[str, str]
) -> None:
    """One reading is the right one; of two, one is. Python's own float("1,234") style traps give another."""
    value, text = written(*amount, style)
    found = read_amount(text)
    assert value in found
    assert len(found) == 1 or text.replace(".", ",").count(",") == 1


@given(AMOUNTS, STYLES)
def test_a_stated_decimal_mark_leaves_no_doubt(amount: tuple[int, int], style: tuple[str, str]) -> None:
    value, text = written(*amount, style)
    assert read_amount(text, style[0]) == (value,)


@given(AMOUNTS, STYLES)
def test_the_wrong_decimal_mark_is_never_a_third_amount(
    amount: tuple[int, int], style: tuple[str, str]
) -> None:
    value, text = written(*amount, style)
    found = read_amount(text, "." if style[0] == "," else ",")
    assert len(found) <= 1 and set(found) <= set(read_amount(text))


@given(st.text(alphabet="0123456789.,' -+eE%$()x\u0660\u00b2", max_size=12))
def test_any_text_has_at_most_two_readings_and_only_digits_make_them(text: str) -> None:
    found = read_amount(text)
    digits = "".join(c for c in text if c in "0123456789").lstrip("0")
    assert len(found) <= 2
    assert all("".join(c for c in f"{v:f}" if c.isdigit()).lstrip("0") == digits for v in found)


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("1.234", ("1234", "1.234")), ("1,234", ("1234", "1.234")), ("0.123", ("0.123",)),
        ("12.5", ("12.5",)), ("1234.567", ("1234.567",)), ("1.234.567", ("1234567",)), ("1'234.-", ("1234",)),
        ("1.234,-", ("1234",)),
        ("12,34,567.00", ("1234567.00",)), ("1,23,45", ()), ("1.23.456", ()), ("1,23,456", ("123456",)),
        ("5e3", ()), ("-5", ()),
        ("12 34", ()), ("", ()), (".5", ("0.5",)), ("1.", ()), ("\u0661\u0662", ()), ("12\u00b2", ()),
        ("n/a", ()),
        ("1234567890123456", ()),
    ],
)  # fmt: skip
def test_amounts(text: str, amounts: tuple[str, ...]) -> None:
    assert set(read_amount(text)) == {Decimal(amount) for amount in amounts}


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2026-11-30", ["2026-11-30"]), ("30.11.2026", ["2026-11-30"]), ("11/30/2026", ["2026-11-30"]),
        ("03/04/2026", ["2026-04-03", "2026-03-04"]), ("05/05/2026", ["2026-05-05"]),
        ("Nov 30, 2026", ["2026-11-30"]),
        ("30 November 2026", ["2026-11-30"]), ("31.02.2026", []), ("1/2/26", []), ("soon", []), ("2026", []),
    ],
)  # fmt: skip
def test_dates(text: str, days: list[str]) -> None:
    assert list(read_dates(text)) == [dt.date.fromisoformat(day) for day in days]


@pytest.mark.parametrize(
    ("text", "packs"),
    [
        ("10-pack", (10,)), ("pkg of 10", (10,)), ("Pack of 2, box of 20", (2, 20)), ("5 pcs", (5,)),
        ("10er-Pack", (10,)), ("VPE: 12", (12,)), ("1 pc", ()), ("800G OSFP 2xSR4", ()),
        ("MPO-12 OM4 10 m", ()),
    ],
)  # fmt: skip
def test_packs(text: str, packs: tuple[int, ...]) -> None:
    assert packs_in(text) == packs


@pytest.mark.parametrize(
    ("text", "codes", "rest"),
    [
        ("1.234,50 €", ("EUR",), "1.234,50"), ("EUR 5", ("EUR",), "5"), ("US$ 5", ("USD",), "5"),
        ("$5", ("USD", "CAD", "AUD", "SGD", "HKD"), "5"), ("5 kr", ("SEK", "NOK", "DKK"), "5"),
        ("$5 CAD", ("CAD",), "5"), ("USD 5 €", ("USD", "EUR"), "5"), ("5", (), "5"), ("Price", (), "Price"),
    ],
)  # fmt: skip
def test_currencies(text: str, codes: tuple[str, ...], rest: str) -> None:
    assert take_currency(text) == (codes, rest)


@given(
    st.decimals(min_value=Decimal("0.01"), max_value=Decimal(10) ** 9, places=2),
    st.floats(min_value=1e-4, max_value=1e3),
    st.integers(1, 1000),
)
def test_conversion_comes_back_to_one_part_in_a_thousand_million(
    amount: Decimal, usd: float, pack: int
) -> None:
    rate = Rate(usd, "2026-11-01")
    assert to_usd(amount, rate, pack) * pack / rate.usd == pytest.approx(float(amount), rel=1e-9)


def test_every_code_is_read_on_either_side() -> None:
    assert {take_currency(f"{code} 1") for code in CODES} == {((code,), "1") for code in CODES}
    assert {take_currency(f"1 {code}") for code in CODES} == {((code,), "1") for code in CODES}
