"""The values that hold where a scenario says nothing, each with its band, source and grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import model_validator

from planner.catalog.column_types import Signed, SignedOrNone, SourcedRow, Text, checked, fault_of
from pricing.csv_rows import raise_faults, read_rows
from pricing.provenance import Source


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


class DefaultRow(SourcedRow):
    """A row of ``defaults.csv``; the value lies within its band."""

    key: Text
    value: Signed
    low: SignedOrNone
    high: SignedOrNone
    unit: Text

    @model_validator(mode="after")
    def _within_its_band(self) -> DefaultRow:
        low, high = self.low, self.high
        if (low is not None and low > self.value) or (high is not None and high < self.value):
            raise fault_of("value", f"{self.value:g} is outside its band")
        return self

    def default(self) -> Default:
        """The default."""
        return Default(
            key=self.key,
            value=self.value,
            low=self.low,
            high=self.high,
            unit=self.unit,
            source=self.provenance(),
            note=self.note,
        )


def load_defaults(path: Path) -> Mapping[str, Default]:
    """The defaults by key. Raises DataFileError with every fault of the file."""
    faults: list[str] = []
    rows = [checked(DefaultRow, row) for row in read_rows(path, DefaultRow.model_fields, "key", faults)]
    raise_faults(faults)
    return {row.key: row.default() for row in rows if row is not None}
