"""Text for a terminal, which obeys control characters: names and cells of files may come from anybody."""

from __future__ import annotations

import re

# Control characters but tab and line feed; marks that turn the direction of text; half characters.
_OBEYED = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069"
    "\\ud800-\\udfff"
)
_IN_TEXT, _IN_LINE = re.compile(f"[{_OBEYED}]"), re.compile(f"[{_OBEYED}\\n]")


def terminal_text(text: str) -> str:
    """Several lines with everything escaped that a terminal would obey.

    >>> terminal_text("a\\x1b[2J\\nb")
    'a\\\\x1b[2J\\nb'
    """
    return _IN_TEXT.sub(_escaped, text)


def one_line(text: str) -> str:
    """The same in one line: a line feed is escaped, too.

    >>> one_line("a\\nb")
    'a\\\\nb'
    """
    return _IN_LINE.sub(_escaped, text)


def is_plain(text: str) -> bool:
    """Whether the text is one line that a terminal shows as it stands."""
    return _IN_LINE.search(text) is None


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
