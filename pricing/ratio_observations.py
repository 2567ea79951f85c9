"""What list and street prices were found to say of InfiniBand against Ethernet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pricing.csv_rows import raise_faults, read_rows
from pricing.provenance import Source

NETWORK, VENDOR_PREMIUM = "network", "vendor-premium"
CLASSES = ("switch", "nic", "transceiver", "cable", NETWORK, VENDOR_PREMIUM)
_COLUMNS = ("item_class", "scope", "low", "value", "high", "date", "source", "grade", "note")


@dataclass(frozen=True, slots=True)
class Observation:
    """One published or computed price ratio, InfiniBand over Ethernet; None where there is no figure.

    ``item_class`` "network" is a whole switch bill; "vendor-premium" is not InfiniBand's but a brand's.
    """

    item_class: str
    scope: str
    low: float | None
    value: float | None
    high: float | None
    source: Source
    note: str = ""

    @property
    def span(self) -> tuple[float, float]:
        """Least and greatest of the figures given."""
        known = [x for x in (self.low, self.value, self.high) if x is not None]
        return min(known), max(known)


def load_ratio_observations(path: Path) -> tuple[Observation, ...]:
    """The observations of a file, in its order. Raises DataFileError with every fault of it."""
    faults: list[str] = []
    found = tuple(_observations(path, faults))
    raise_faults(faults)
    return found


def _observations(path: Path, faults: list[str]) -> Iterator[Observation]:
    for row in read_rows(path, _COLUMNS, None, faults):
        low, value, high = (row.number_or_none(name) for name in ("low", "value", "high"))
        known = [x for x in (low, value, high) if x is not None]
        if not known or known != sorted(known):
            row.fault("value", "low <= value <= high does not hold, or no figure is given")
        item_class = row.one_of("item_class", CLASSES)
        yield Observation(item_class, row.text("scope"), low, value, high, row.source(), row.maybe("note"))
