"""Text of other programs that falls between, and into, the lines of nccl-tests."""

from __future__ import annotations

import re
from collections.abc import Collection

_HOST = r"(?P<host>[A-Za-z0-9_.-]+)"
_TEXTS = (
    re.compile(r"(?:\[[^\[\]]{8,40}\] ?)?" + _HOST + r":\d+:\d+ \[\d+\] (?:\S+ )?NCCL [A-Z]+"),
    re.compile(_HOST + r": Test (?:\w+ )*failure"),
    re.compile(r"\.\. " + _HOST + r" pid \d+: Test failure"),
    re.compile(r"(?P<host>)NCCL version \d"),
)
_FAILURE = re.compile(r"Test (?:\w+ )*failure")
# a figure printed just before, with nothing between it and the host's name
_FIGURE = re.compile(r"N/A|-?\d+(?:\.\d+)?(?:e[+-]\d+)?", re.IGNORECASE)


def without_debug(text: str, hosts: Collection[str]) -> str:
    """What nccl-tests itself printed on a line; ``hosts`` are those of its device lines.

    >>> without_debug("  -1node-a:7:8 [0] NCCL INFO x", ["node-a"])
    '  -1'
    """
    starts = [_start(found, hosts) for pattern in _TEXTS if (found := pattern.search(text))]
    return text[: min(starts)] if starts else text


def _start(found: re.Match[str], hosts: Collection[str]) -> int:
    """Where the other text begins: the figure that its host's name is glued to is not part of it."""
    host, at = found["host"], found.start("host")
    if not host or host in hosts:
        return found.start()
    known = max((name for name in hosts if host.endswith(name)), key=len, default=None)
    if known is not None:
        return at + len(host) - len(known)
    figure = _FIGURE.match(host)
    return at + figure.end() if figure else found.start()


def is_failure(text: str) -> bool:
    """Whether the line says that the test itself failed."""
    return _FAILURE.search(text) is not None
