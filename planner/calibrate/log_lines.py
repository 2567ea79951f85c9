"""Raw bytes of a log -> numbered lines of plain text, without what launchers put before them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# what mpirun --tag-output, kubectl --timestamps and srun --label put before a line
_PREFIX = re.compile(
    r"(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? ?(?=[ #\[-]|$)(?! *\S+ NCCL)"
    r"|(?:\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4} ?)?\[\d+,\d+\] ?<std(?:out|err)>: ?"
    r"|\d+: )"
)

_LONGEST = 4_000  # characters of a line that are looked at: no tool prints a row as long


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number in the file, its text, and what is wrong with it.

    ``readable`` is False where bytes are no text; ``ended`` is False where the file stops before its
    line end. A figure on such a line may have lost its tail.
    """

    number: int
    text: str
    readable: bool = True
    ended: bool = True

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
    return tuple(
        _line(i, piece, whole) for i, (piece, whole) in enumerate(zip(pieces, ended, strict=True), start=1)
    )


def _line(number: int, piece: bytes, ended: bool) -> Line:
    text = piece.rstrip(b"\r").decode("utf-8", errors="replace")
    readable = "\N{REPLACEMENT CHARACTER}" not in text and "\0" not in text
    plain = _ANSI.sub("", text[:_LONGEST])
    found = _PREFIX.match(plain)
    return Line(number, plain[found.end() :] if found else plain, readable, ended)
