"""What a user types or pastes, read strictly: a number is taken as written or refused, never guessed.

A browser in a comma locale pastes 23.4 as "23,4"; a lenient reader makes it 234.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from planner.text import format as form

_SPACES = "\u00a0\u2009\u202f"  # no-break, thin and narrow no-break: what grouping looks like when pasted
_WHOLE = re.compile(r"[0-9]+|[0-9]{1,3}(,[0-9]{3})+|[0-9]{1,3}( [0-9]{3})+")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]+)?|\.[0-9]+)")
_MAX_CHARACTERS = 30


class UnreadableError(ValueError):
    """The text is not a number beyond doubt: what is wrong with it, and what to write instead."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message}; {remedy}")
        self.message = message
        self.remedy = remedy


def _clean(text: str) -> str:
    for space in _SPACES:
        text = text.replace(space, " ")
    text = text.strip()
    if len(text) > _MAX_CHARACTERS:
        raise UnreadableError("is too long for a number", "write at most 30 characters")
    return text


def read_whole(text: str) -> int:
    """A whole number without sign; thousands may be grouped by commas or spaces.

    Raises UnreadableError for anything else: decimals, signs, wrong grouping, words.

    >>> read_whole("1,024"), read_whole("1 024"), read_whole("1024")
    (1024, 1024, 1024)
    """
    cleaned = _clean(text)
    if not _WHOLE.fullmatch(cleaned):
        raise UnreadableError("is not a whole number", "write it like 1024 or 1,024")
    return int(cleaned.replace(",", "").replace(" ", ""))


def read_decimal(text: str) -> Decimal:
    """A decimal number with a point; a comma is refused because it can mean two things.

    Raises UnreadableError.

    >>> read_decimal("23.4")
    Decimal('23.4')
    """
    cleaned = _clean(text)
    if "," in cleaned:
        raise UnreadableError(
            "can be read in two ways because of the comma",
            "write decimals after a point and do not group thousands, like 1234.5",
        )
    if not _DECIMAL.fullmatch(cleaned):
        raise UnreadableError("is not a number", "write it like 0.08 or 12")
    return Decimal(cleaned)


def read_percent(text: str) -> Decimal:
    """A share written in per cent, with or without the sign: 8 and 8 % are 0.08. Raises UnreadableError.

    >>> read_percent("8.5 %")
    Decimal('0.085')
    """
    return read_decimal(_clean(text).removesuffix("%")) / 100


READERS: dict[str, Callable[[str], int | Decimal]] = {
    "whole": read_whole,
    "decimal": read_decimal,
    "percent": read_percent,
}


def read_typed(kind: str, text: str) -> int | float | str:
    """The number that the text means; the text itself where it means none, to be put right later."""
    try:
        number = READERS[kind](text)
    except UnreadableError:
        return text
    return float(number) if isinstance(number, Decimal) else number


def typed_text(kind: str, value: object) -> str:
    """The text that shows a value of the document; the reverse of ``read_typed``."""
    if value is None or isinstance(value, str):
        return value or ""
    if kind == "percent" and isinstance(value, int | float):
        return form.percent_points(value)
    return form.count(value) if kind == "whole" and isinstance(value, int) else form.plain(value)
