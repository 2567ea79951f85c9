"""Amounts, days and currencies as vendors write them, and conversion at a stated rate."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from functools import lru_cache

from pricing.quotes.quote_values import Rate
from pricing.quotes.words import half_width

_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f\u2002\u2003"), " ")
_APOSTROPHES = dict.fromkeys(map(ord, "\u2019\u02bc\u2018\u0060\u00b4"), "'")
_MOST_DIGITS = 15
_NO_CENTS = re.compile(r"(?P<mark>[.,])[-\u2013\u2014]{1,2}$")
_LAKHS = r"\d{1,2}(?:,\d{2})+,\d{3}"  # 12,34,567
# the first letters of each month's name: English, German, French, Spanish, Italian
_MONTHS = (
    ("jan", "ene", "gen"), ("feb", "fév", "fev"), ("mar", "mär", "mrz"), ("apr", "avr", "abr"),
    ("may", "mai", "mag"), ("jun", "juin", "giu"), ("jul", "juil", "lug"), ("aug", "aoû", "aou", "ago"),
    ("sep", "set"), ("oct", "okt", "ott"), ("nov",), ("dec", "dez", "déc", "dic"),
)  # fmt: skip


def read_amount(text: str, decimal: str | None = None) -> tuple[Decimal, ...]:
    """Every amount that ``text`` can mean: one where it is sure, two where it is not, none if no number.

    ``decimal`` is the decimal mark where it is known. The text has digits and separators only.

    >>> read_amount("1.234,50"), read_amount("1.234"), read_amount("1.234", ",")
    ((Decimal('1234.50'),), (Decimal('1234'), Decimal('1.234')), (Decimal('1234'),))
    """
    body = text.translate(_SPACES | _APOSTROPHES).strip()
    bare = _NO_CENTS.search(body)
    if bare:  # 1'234.- and 1.234,-- have no cents, and tell the decimal mark
        if decimal not in (None, bare["mark"]):
            return ()
        body, decimal = body[: bare.start()], bare["mark"]
    if not body.isascii() or sum(c.isdigit() for c in body) > _MOST_DIGITS:
        return ()
    found = [_read(body, mark) for mark in ((decimal,) if decimal else (",", "."))]
    return tuple(dict.fromkeys(value for value in found if value is not None))


def _read(body: str, decimal: str) -> Decimal | None:
    """The amount with this decimal mark, None where it is not written so."""
    whole, mark, cents = body.partition(decimal)
    if mark and not re.fullmatch(r"\d+", cents, re.ASCII):
        return None
    separators = {"."} if decimal == "," else {","}
    plain = r"\d+" if whole or not mark else ""
    for separator in (*separators, " ", "'"):
        groups = rf"\d{{1,3}}(?:{re.escape(separator)}\d{{3}})+" + (f"|{_LAKHS}" if separator == "," else "")
        if re.fullmatch(groups, whole, re.ASCII) and not whole.startswith("0"):
            return Decimal(whole.replace(separator, "") + (f".{cents}" if mark else ""))
    if re.fullmatch(plain, whole, re.ASCII):
        return Decimal((whole or "0") + (f".{cents}" if mark else ""))
    return None


def read_dates(text: str) -> tuple[dt.date, ...]:
    """Every day that ``text`` can mean; none where it is no date. Two-digit years are not read.

    >>> read_dates("31.12.2026"), read_dates("03/04/2026")
    ((datetime.date(2026, 12, 31),), (datetime.date(2026, 4, 3), datetime.date(2026, 3, 4)))
    >>> read_dates("2025年1月31日"), read_dates("31 décembre 2026")
    ((datetime.date(2025, 1, 31),), (datetime.date(2026, 12, 31),))
    """
    body = re.sub(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]", r"\1-\2-\3", half_width(text)).strip(
        " .。前止"
    )
    iso = re.fullmatch(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?", body, re.ASCII)
    if iso:
        return _days([(int(iso[1]), int(iso[2]), int(iso[3]))])
    dotted = re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", body, re.ASCII)
    if dotted:
        return _days([(int(dotted[3]), int(dotted[2]), int(dotted[1]))])
    parts = re.fullmatch(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})", body, re.ASCII)
    if parts:
        first, second, year = (int(part) for part in parts.groups())
        return _days([(year, second, first), (year, first, second)])
    return _days(_named(body))


def _named(body: str) -> list[tuple[int, int, int]]:
    """Day and month in words: 31 Dec 2026, December 31, 2026."""
    word = r"([^\W\d_]{3,10})"
    found = re.fullmatch(
        rf"([0-9]{{1,2}})(?:\.|er|st|nd|rd|th)?[ -](?:de )?{word}\.?(?:[ ,-]+| de )([0-9]{{4}})", body
    )
    other = re.fullmatch(rf"{word}\.? ([0-9]{{1,2}})(?:st|nd|rd|th)?,? ([0-9]{{4}})", body)
    if found:
        day, month, year = found.groups()
    elif other:
        month, day, year = other.groups()
    else:
        return []
    named = [i for i, names in enumerate(_MONTHS, start=1) if month.lower().startswith(names)]
    return [(int(year), number, int(day)) for number in named]


def _days(found: list[tuple[int, int, int]]) -> tuple[dt.date, ...]:
    days = []
    for year, month, day in found:
        try:
            days.append(dt.date(year, month, day))
        except ValueError:
            continue
    return tuple(dict.fromkeys(days))


CODES = (
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "SGD", "HKD", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "PLN",
    "CZK", "HUF", "INR", "KRW", "TWD", "THB", "MYR", "AED", "SAR", "ILS", "TRY", "BRL", "MXN", "ZAR",
)  # fmt: skip
# sign -> the currencies that it can mean; longer signs are looked for first
SIGNS: dict[str, tuple[str, ...]] = {
    "US$": ("USD",), "C$": ("CAD",), "CA$": ("CAD",), "A$": ("AUD",), "AU$": ("AUD",), "S$": ("SGD",),
    "HK$": ("HKD",), "NZ$": ("NZD",), "NT$": ("TWD",), "R$": ("BRL",), "RMB": ("CNY",), "€": ("EUR",),
    "£": ("GBP",), "₹": ("INR",), "₩": ("KRW",), "SFr.": ("CHF",), "Fr.": ("CHF",), "zł": ("PLN",),
    "美元": ("USD",), "欧元": ("EUR",), "英镑": ("GBP",), "港元": ("HKD",), "港币": ("HKD",),
    "日元": ("JPY",), "人民币": ("CNY",), "新台币": ("TWD",), "円": ("JPY",), "Kč": ("CZK",), "₪": ("ILS",),
    "₺": ("TRY",), "฿": ("THB",),
    "¥": ("JPY", "CNY"), "￥": ("CNY", "JPY"), "元": ("CNY",), "kr": ("SEK", "NOK", "DKK"),
    "$": ("USD", "CAD", "AUD", "SGD", "HKD"),
}  # fmt: skip
_WORDS = {"EURO": "EUR", "EUROS": "EUR", "DOLLAR": "$", "DOLLARS": "$"}
USD = Rate(1.0, "")


@lru_cache(maxsize=4096)  # a list says the same few thousand times
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


def currencies_in_words(note: str) -> tuple[str, ...]:
    """The currencies that a sentence can mean, by their signs, names or codes in capitals.

    >>> currencies_in_words("All prices in CAD, please try us"), currencies_in_words("Preise in Euro")
    (('CAD',), ('EUR',))
    """
    words = re.sub(r"[A-Za-z]+", lambda m: m[0] if m[0].isupper() or m[0].upper() in _WORDS else " ", note)
    return take_currency(words)[0]


def _agreed(found: list[tuple[str, ...]]) -> tuple[str, ...]:
    """What every sign allows; every one of them where they contradict each other."""
    if not found:
        return ()
    common = tuple(code for code in found[0] if all(code in other for other in found))
    return common or tuple(dict.fromkeys(code for codes in found for code in codes))


def to_usd(amount: Decimal, rate: Rate, pack: int = 1) -> float:
    """USD a piece: amount x rate / pieces in a pack."""
    return float(amount) * rate.usd / pack
