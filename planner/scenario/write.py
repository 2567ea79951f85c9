"""A scenario document -> TOML text: the same text for the same document, whatever made it."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def dump_document(doc: Mapping[str, Any]) -> str:
    """The document as TOML. Keys keep their order, values before tables; a None is left out.

    ``tomllib.loads`` gives the same document back: whole numbers, decimals, truth values, text, dates,
    lists, tables and lists of tables. Raises TypeError for anything else.

    >>> print(dump_document({"schema": 1, "growth": [{"year": 2027, "gpus": 8}]}), end="")
    schema = 1
    <BLANKLINE>
    [[growth]]
    year = 2027
    gpus = 8
    """
    return "\n".join(_table(doc, ())).lstrip("\n") + "\n"


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    """The lines of a table: its values, then its tables, each under its header."""
    given = {_text_key(key): value for key, value in table.items() if value is not None}
    lines = [
        f"{_key(k)} = {_value(v)}" for k, v in given.items() if not isinstance(v, Mapping) and not _is_rows(v)
    ]
    for key, value in given.items():
        below = (*path, key)
        dotted = ".".join(map(_key, below))
        if isinstance(value, Mapping):
            lines += ["", f"[{dotted}]", *_table(value, below)]
        elif _is_rows(value):
            for row in value:
                lines += ["", f"[[{dotted}]]", *_table(row, below)]
    return lines


def _is_rows(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _text_key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a TOML key is text, not {type(key).__name__}")
    return key


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _decimal(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    if isinstance(value, Mapping):  # a table within a list of other things
        return "{" + ", ".join(f"{_key(_text_key(k))} = {_value(v)}" for k, v in value.items()) + "}"
    raise TypeError(f"TOML has no value for a {type(value).__name__}")


def _decimal(value: float) -> str:
    if math.isfinite(value):
        return repr(float(value))
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def _text(text: str) -> str:
    """A basic string: control characters and quotes escaped."""
    out = "".join(
        _ESCAPES.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 0x20 or ord(c) == 0x7F else c) for c in text
    )
    return f'"{out}"'
