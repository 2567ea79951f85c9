"""Amounts, dates and packs as people write them: every possible reading, never a silent choice."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f\u2002\u2003"), " ")
_APOSTROPHES = dict.fromkeys(map(ord, "\u2019\u02bc\u2018\u0060\u00b4"), "'")
_MOST_DIGITS = 15
_NO_CENTS = re.compile(r"(?P<mark>[.,])[-\u2013\u2014]{1,2}$")
_LAKHS = r"\d{1,2}(?:,\d{2})+,\d{3}"  # 12,34,567
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PACK = re.compile(
    r"(?:\b(?:pack|pkg|package|packet|box|set|case|lot|bundle|bag)s?\.?\s*(?:of|a|à|=|:|x)?\s*(\d{1,4})\b)"
    r"|(?:\b(\d{1,4})\s*[-\u2010\u2011 ]?\s*(?:er[- ]?)?(?:packs?|pk|pkg|pcs|pieces|pces|stk|stück|units)\b)"
    r"|(?:\b(?:vpe|moq|ve)\s*[:=]?\s*(\d{1,4})\b)",
    re.IGNORECASE,
)


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
    """
    body = text.strip()
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
    found = re.fullmatch(r"(\d{1,2})\.?[ -]([A-Za-z]{3,9})\.?[ ,-]+(\d{4})", body, re.ASCII)
    other = re.fullmatch(r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})", body, re.ASCII)
    if found:
        day, month, year = found.groups()
    elif other:
        month, day, year = other.groups()
    else:
        return []
    named = [i for i, name in enumerate(_MONTHS, start=1) if month[:3].lower() == name]
    return [(int(year), number, int(day)) for number in named]


def _days(found: list[tuple[int, int, int]]) -> tuple[dt.date, ...]:
    days = []
    for year, month, day in found:
        try:
            days.append(dt.date(year, month, day))
        except ValueError:
            continue
    return tuple(dict.fromkeys(days))


def packs_in(text: str) -> tuple[int, ...]:
    """Every pack of more than one piece that ``text`` names.

    >>> packs_in("DAC 2 m, 10-pack"), packs_in("pkg of 5"), packs_in("QM9700 64 x 400G")
    ((10,), (5,), ())
    """
    counts = (int(next(part for part in found if part)) for found in _PACK.findall(text))
    return tuple(dict.fromkeys(n for n in counts if n > 1))
