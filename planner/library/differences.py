"""Two documents key by key: what differs, and a merge of two that started from the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Document = Mapping[str, Any]
Flat = dict[tuple[str, ...], Any]

_ROWS = {"growth": "year", "switch": "id"}  # lists of tables, and what tells their rows apart
_MOST_SHOWN = 200  # characters of a value
DEFAULT = "the default"


@dataclass(frozen=True, slots=True)
class Difference:
    """One key that differs; None on the side that does not say it."""

    path: tuple[str, ...]
    before: Any
    after: Any

    @property
    def key(self) -> str:
        """The key as messages spell it: ``finance.pue``, ``growth 2028``."""
        return " ".join(self.path) if self.path[0] in _ROWS else ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Clash:
    """One key that two people changed differently, from the same version."""

    path: tuple[str, ...]
    base: Any
    mine: Any
    theirs: Any

    @property
    def key(self) -> str:
        """The key as messages spell it."""
        return Difference(self.path, None, None).key


def differences(before: Document, after: Document) -> tuple[Difference, ...]:
    """Every key whose value differs, in the order of the documents.

    >>> [d.key for d in differences({"name": "a", "finance": {"pue": 1.2}}, {"name": "a"})]
    ['finance.pue']
    """
    old, new = _flat(before, after), _flat(after, before)
    return tuple(
        Difference(path, old.get(path), new.get(path))
        for path in dict.fromkeys([*old, *new])
        if not _same(old.get(path), new.get(path))
    )


def in_words(found: Difference, labels: Mapping[str, str] | None = None) -> str:
    """One difference as a sentence; ``labels``: key -> what people call it.

    >>> in_words(Difference(("finance", "pue"), 1.2, 1.3))
    'finance.pue: 1.3 instead of 1.2'
    >>> in_words(Difference(("growth", "2028"), {"year": 2028, "gpus": 4096}, None))
    'growth 2028: taken out (4,096 GPUs)'
    """
    place = (labels or {}).get(found.key, found.key)
    rows = found.path[0] in _ROWS and len(found.path) > 1
    if found.after is None:
        way = "taken out" if rows else f"back to {DEFAULT}"
        return f"{place}: {way} ({shown(found.before)})"
    if found.before is None:
        new = shown(found.after)
        return f"{place}: added, {new}" if rows else f"{place}: {new} instead of {DEFAULT}"
    return f"{place}: {shown(found.after)} instead of {shown(found.before)}"


def shown(value: Any) -> str:
    """A value of a document as a person reads it, cut where it is long, as the content of a file is."""
    text = " ".join(_in_full(value).split())
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _in_full(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        if {"year", "gpus"} <= set(value) and isinstance(value["gpus"], int):
            others = {k: v for k, v in value.items() if k not in ("year", "gpus") and v is not None}
            return ", ".join([f"{value['gpus']:,} GPUs", *(f"{k} {shown(v)}" for k, v in others.items())])
        return ", ".join(f"{key} {shown(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(shown(item) for item in value) or "none"
    return DEFAULT if value is None else str(value)


def merge(
    base: Document, mine: Document, theirs: Document, take_mine: Mapping[str, bool]
) -> tuple[dict[str, Any], tuple[Clash, ...]]:
    """Both people's changes in one document, and the keys that both changed differently.

    A clash is settled by ``take_mine`` (key -> whether mine holds); where that is silent theirs holds.
    """
    others = (base, mine, theirs)
    old, own, new = (_flat(doc, *others) for doc in others)
    merged, clashes = dict(new), list[Clash]()
    for path in dict.fromkeys([*old, *own]):
        was, now, other = old.get(path), own.get(path), new.get(path)
        if _same(was, now) or _same(now, other):
            continue
        clash = Clash(path, was, now, other)
        if not _same(was, other):
            clashes.append(clash)
            if not take_mine.get(clash.key, False):
                continue
        if now is None:
            merged.pop(path, None)
        else:
            merged[path] = now
    return _unflat(merged), tuple(clashes)


def _same(one: Any, other: Any) -> bool:
    """Equal in value and in kind: 1 and true differ."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _flat(doc: Document, *others: Document) -> Flat:
    """The document as path -> value; rows by what tells them apart, where that works in all documents."""
    flat: Flat = {}
    for key, value in doc.items():
        if key in _ROWS and all(_told_apart(key, each.get(key, [])) for each in (doc, *others)):
            flat |= {(key, str(row[_ROWS[key]])): row for row in value}
        elif isinstance(value, Mapping) and all(isinstance(each.get(key, {}), Mapping) for each in others):
            flat |= {(key, inner): item for inner, item in value.items()}
        else:
            flat[key,] = value
    return flat


def _told_apart(key: str, rows: Any) -> bool:
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        return False
    ids = [row.get(_ROWS[key]) for row in rows]
    return None not in ids and len({str(i) for i in ids}) == len(ids)


def _unflat(flat: Flat) -> dict[str, Any]:
    doc: dict[str, Any] = {}
    for path, value in flat.items():
        if len(path) == 1:
            doc[path[0]] = value
        elif path[0] in _ROWS:
            doc.setdefault(path[0], []).append(value)
        else:
            doc.setdefault(path[0], {})[path[1]] = value
    if isinstance(doc.get("growth"), list):
        doc["growth"].sort(key=lambda row: str(row.get("year", "")) if isinstance(row, Mapping) else "")
    return doc
