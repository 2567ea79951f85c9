"""A scenario document -> TOML text: the same text for the same document, whatever made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import tomli_w


def dump_document(doc: Mapping[str, Any]) -> str:
    """The document as TOML. Keys keep their order, values before tables; a None is left out.

    ``tomllib.loads`` gives the same document back: whole numbers, decimals, truth values, text, dates,
    lists, tables and lists of tables. Raises TypeError for anything else.

    >>> print(dump_document({"growth": [{"year": 2027, "gpus": 8}], "schema": 1}), end="")
    schema = 1
    <BLANKLINE>
    [[growth]]
    year = 2027
    gpus = 8
    """
    return "\n".join(_parts(_given(doc)))


def _given(value: Any) -> Any:
    """The value without the keys that hold None, at any depth."""
    if isinstance(value, Mapping):
        return {key: _given(each) for key, each in value.items() if each is not None}
    if isinstance(value, list | tuple):
        return [_given(each) for each in value]
    return value


def _parts(doc: Mapping[str, Any]) -> Iterator[str]:
    """The values above the first section, then a text for each section and each of its rows."""
    tables = {key for key, value in doc.items() if isinstance(value, Mapping) or _is_rows(value)}
    values = {key: value for key, value in doc.items() if key not in tables}
    if values:
        yield _dumped(values)
    for key in (key for key in doc if key in tables):
        if not _is_rows(doc[key]):
            yield _dumped({key: doc[key]})
            continue
        # tomli-w would write short rows within one list; rows of their own are how scenarios are written
        header = tomli_w.dumps({key: {}}).strip()
        for row in doc[key]:
            yield f"[{header}]\n{_dumped(row)}"


def _dumped(table: Mapping[str, Any]) -> str:
    """A table as TOML: a file's content stands in lines, unless TOML would change their ends."""
    texts = list(_texts(table))
    in_lines = any(text.count("\n") > 1 for text in texts) and not any("\r" in text for text in texts)
    return tomli_w.dumps(table, multiline_strings=in_lines)


def _texts(value: object) -> Iterator[str]:
    """Every text within a value."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value


def _is_rows(value: object) -> bool:
    """Whether it is a list of flat tables, as the rows of a repeated section are."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, Mapping) and not any(map(_has_tables, row.values())) for row in value)
    )


def _has_tables(value: object) -> bool:
    """Whether a value of a row would be written under a header of its own."""
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(each, Mapping) for each in value)
    )
