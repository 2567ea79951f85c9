"""The values that hold where a scenario says nothing, each with its band, source and grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pricing.csv_rows import Row, raise_faults, read_rows
from pricing.provenance import Source

_COLUMNS = ("key", "value", "low", "high", "unit", "source", "date", "grade", "note")


@dataclass(frozen=True, slots=True)
class Default:
    """A value that holds where the scenario says nothing, with its band (None: no band known)."""

    key: str
    value: float
    low: float | None
    high: float | None
    unit: str
    source: Source
    note: str = ""


def load_defaults(path: Path) -> Mapping[str, Default]:
    """The defaults by key. Raises DataFileError with every fault of the file."""
    faults: list[str] = []
    found = {row.maybe("key"): _default(row) for row in read_rows(path, _COLUMNS, "key", faults)}
    raise_faults(faults)
    return found


def _default(row: Row) -> Default:
    value = row.signed("value")
    low, high = (row.signed(c) if row.maybe(c) else None for c in ("low", "high"))
    if (low is not None and low > value) or (high is not None and high < value):
        row.fault("value", f"{value:g} is outside its band")
    return Default(
        key=row.text("key"),
        value=value,
        low=low,
        high=high,
        unit=row.text("unit"),
        source=row.source(),
        note=row.maybe("note"),
    )
