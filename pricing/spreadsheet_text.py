"""Text that a spreadsheet would run as a formula, made inert wherever a table may leave as CSV."""

from __future__ import annotations

import re
from typing import TypeVar

_T = TypeVar("_T")
_RUN_AS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,]*\s?%?|[+-]?\$[0-9][0-9.,]*[kMB]?")


def defused(value: _T) -> _T | str:
    """Text that a spreadsheet would run as a formula gets an apostrophe in front.

    >>> defused("=1+1"), defused("-2 m copper"), defused("a"), defused(-5)
    ("'=1+1", "'-2 m copper", 'a', -5)
    """
    if isinstance(value, str) and value.startswith(_RUN_AS_FORMULA):
        return "'" + value
    return value


def shown_inert(value: _T) -> _T | str:
    """The same for a cell of a grid on a page, where a text that is a number stays one.

    >>> shown_inert("-5.0%"), shown_inert("+1,024"), shown_inert("-$4.0M"), shown_inert("-1+cmd")
    ('-5.0%', '+1,024', '-$4.0M', "'-1+cmd")
    """
    return value if isinstance(value, str) and _NUMBER.fullmatch(value) else defused(value)
