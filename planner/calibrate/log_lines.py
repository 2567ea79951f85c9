"""Raw bytes of a log -> numbered lines of plain text, without what launchers put before them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planner.calibrate.launcher_prefixes import without_prefixes

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST = 4_000  # characters of a line that are looked at: no tool prints a row as long


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number in the file, its text, and what is wrong with it.

    ``readable`` is False where bytes are no text; ``ended`` is False where the file stops before its
    line end. A figure on such a line may have lost its tail. ``label`` is the launcher's name of the task or
    host that wrote it, "" where none stands before it.
    """

    number: int
    text: str
    readable: bool = True
    ended: bool = True
    label: str = ""

    @property
    def blank(self) -> bool:
        """Whether nothing is on it."""
        return not self.text.strip()


def log_lines(raw: bytes) -> tuple[Line, ...]:
    """The lines of a log, counted from 1 as they lie in the file (UTF-8, or UTF-16 with its mark).

    >>> [line.text for line in log_lines(b"[1,0]<stdout>:# size\\r\\n\\n")]
    ['# size', '']
    """
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) and len(raw) % 2 == 0:
        raw = raw.decode("utf-16", errors="replace").encode()
    pieces = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    ended = [True] * (len(pieces) - 1) + [False]
    if pieces[-1] == b"":
        pieces, ended = pieces[:-1], ended[:-1]
    texts = [piece.rstrip(b"\r").decode("utf-8", errors="replace") for piece in pieces]
    written = without_prefixes([_ANSI.sub("", text[:_LONGEST]) for text in texts])
    return tuple(
        Line(number, own.text, _readable(text), whole, own.label)
        for number, (text, own, whole) in enumerate(zip(texts, written, ended, strict=True), start=1)
    )


def _readable(text: str) -> bool:
    return "\N{REPLACEMENT CHARACTER}" not in text and "\0" not in text
