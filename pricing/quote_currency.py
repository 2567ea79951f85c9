"""Currencies in cells and headings, and conversion at a stated rate."""

from __future__ import annotations

import re
from decimal import Decimal

from pricing.quote_types import Rate

CODES = (
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "SGD", "HKD", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "PLN",
    "CZK", "HUF", "INR", "KRW", "TWD", "THB", "MYR", "AED", "SAR", "ILS", "TRY", "BRL", "MXN", "ZAR",
)  # fmt: skip
# sign -> the currencies that it can mean; longer signs are looked for first
SIGNS: dict[str, tuple[str, ...]] = {
    "US$": ("USD",), "C$": ("CAD",), "CA$": ("CAD",), "A$": ("AUD",), "AU$": ("AUD",), "S$": ("SGD",),
    "HK$": ("HKD",), "NZ$": ("NZD",), "NT$": ("TWD",), "R$": ("BRL",), "RMB": ("CNY",), "€": ("EUR",),
    "£": ("GBP",), "₹": ("INR",), "₩": ("KRW",), "SFr.": ("CHF",), "Fr.": ("CHF",), "zł": ("PLN",),
    "¥": ("JPY", "CNY"), "￥": ("CNY", "JPY"), "元": ("CNY",), "kr": ("SEK", "NOK", "DKK"),
    "$": ("USD", "CAD", "AUD", "SGD", "HKD"),
}  # fmt: skip
_WORDS = {"EURO": "EUR", "EUROS": "EUR", "DOLLAR": "$", "DOLLARS": "$"}
USD = Rate(1.0, "")


def take_currency(text: str) -> tuple[tuple[str, ...], str]:
    """The currencies that a text can be in (none named: empty), and the text without them.

    >>> take_currency("1.234,50 €"), take_currency("$5")
    ((('EUR',), '1.234,50'), (('USD', 'CAD', 'AUD', 'SGD', 'HKD'), '5'))
    """
    found: list[tuple[str, ...]] = []
    rest = text
    for word in re.findall(r"[A-Za-z]+", text):
        code = _WORDS.get(word.upper(), word.upper())
        if code in CODES or code in SIGNS and word.upper() in _WORDS:
            found.append((code,) if code in CODES else SIGNS[code])
            rest = re.sub(rf"\b{word}\b", " ", rest, count=1)
    for sign in sorted(SIGNS, key=len, reverse=True):
        pattern = rf"(?<![A-Za-z]){re.escape(sign)}" + ("(?![A-Za-z])" if sign[-1].isalpha() else "")
        if re.search(pattern, rest):
            found.append(SIGNS[sign])
            rest = re.sub(pattern, " ", rest)
    return _agreed(found), rest.strip()


def _agreed(found: list[tuple[str, ...]]) -> tuple[str, ...]:
    """What every sign allows; every one of them where they contradict each other."""
    if not found:
        return ()
    common = tuple(code for code in found[0] if all(code in other for other in found))
    return common or tuple(dict.fromkeys(code for codes in found for code in codes))


def to_usd(amount: Decimal, rate: Rate, pack: int = 1) -> float:
    """USD a piece: amount x rate / pieces in a pack."""
    return float(amount) * rate.usd / pack


def from_usd(usd: float, rate: Rate, pack: int = 1) -> float:
    """The amount in the currency of ``rate`` for a pack: what ``to_usd`` was given."""
    return usd * pack / rate.usd
