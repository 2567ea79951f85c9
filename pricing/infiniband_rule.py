"""InfiniBand by ratio: the rule, the counterparts that it goes by, and the observations that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from pricing.csv_rows import raise_faults, read_rows
from pricing.price_book import ItemClass, Price, PriceBook
from pricing.provenance import Grade, Source

RATIO_BOOK = "ratio"
RULED_CLASSES: tuple[ItemClass, ...] = (
    "switch",
    "nic",
)  # item classes that the rule prices; others are only compared
BASIS = "usd per port-Gb/s"
_COUNTERPART_COLUMNS = ("ib_sku", "counterpart_sku", "item_class", "basis", "note")


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The RoCE part whose price per port-Gb/s an InfiniBand part is priced from."""

    ib_sku: str
    counterpart_sku: str
    item_class: ItemClass
    note: str = ""


def ruled_usd(ratio: float, counterpart_usd_per_gbps: float, gbps: float) -> float:
    """The rule for one part: ratio x the counterpart's price per port-Gb/s x the part's own port-Gb/s.

    >>> ruled_usd(1.75, 33_600 / 25_600, 25_600.0)
    58800.0
    """
    return ratio * counterpart_usd_per_gbps * gbps


def infiniband_prices(
    book: PriceBook,
    counterparts: Mapping[str, Counterpart],
    capacity_gbps: Mapping[str, float],
    ratio: float,
) -> Mapping[str, Price]:
    """Prices (USD) of the InfiniBand parts that have a counterpart in ``book``, by SKU.

    price = ratio x counterpart's price / counterpart's capacity x own capacity, for low, mid and
    high, where the capacity of a part is ports x Gb/s a port x switches a box. QM9700 at 1.75 is
    33,600 / 25,600 x 25,600 x 1.75 = 58,800 USD. A part without a counterpart, or whose counterpart
    ``book`` does not price, is left out: the caller finds it in the book or nowhere. So is a part that a
    book stacked on ``book`` prices: the rule takes the place of reference prices only.

    Raises ValueError where the capacity of a part or of its counterpart is not given.
    """
    found = {}
    for sku, counterpart in counterparts.items():
        base = book.price(counterpart.counterpart_sku)
        own = book.price(sku)
        if base is not None and (own is None or own.book == book.name):
            own_gbps, base_gbps = _capacity(capacity_gbps, sku), _capacity(capacity_gbps, base.sku)
            factor = ratio * own_gbps / base_gbps
            found[sku] = _scaled(sku, base, own, factor, ratio)
    return found


def _capacity(capacity_gbps: Mapping[str, float], sku: str) -> float:
    capacity = capacity_gbps.get(sku, 0.0)
    if capacity <= 0:
        raise ValueError(f"{sku} has no capacity in Gb/s: the catalog does not know it")
    return capacity


def _scaled(sku: str, base: Price, own: Price | None, factor: float, ratio: float) -> Price:
    """The counterpart's price times ``factor``; words about the part from its own book row."""
    grade = Grade.GUESS if base.source.grade is Grade.GUESS else Grade.DERIVED
    rule = f"derived: {ratio:g} x {base.sku}'s price per port-Gb/s ({base.mid_usd:,.0f} USD)"
    return replace(
        own or base,
        sku=sku,
        low_usd=base.low_usd * factor,
        mid_usd=base.mid_usd * factor,
        high_usd=base.high_usd * factor,
        source=Source(rule, base.source.date, grade),
        book=RATIO_BOOK,
        description=own.description if own else f"{sku}, priced as {base.description}",
        manufacturer=own.manufacturer if own else "",
        order_as=own.order_as if own else "",
    )


def load_counterparts(
    path: Path, classes: tuple[ItemClass, ...] = RULED_CLASSES
) -> Mapping[str, Counterpart]:
    """The counterparts by InfiniBand SKU. Raises DataFileError with every fault of the file."""
    faults: list[str] = []
    found = {}
    for row in read_rows(path, _COUNTERPART_COLUMNS, "ib_sku", faults):
        row.one_of("basis", (BASIS,))
        found[row.text("ib_sku")] = Counterpart(
            ib_sku=row.text("ib_sku"),
            counterpart_sku=row.text("counterpart_sku"),
            item_class=row.one_of("item_class", classes),
            note=row.maybe("note"),
        )
    raise_faults(faults)
    return found


ObservedClass = Literal["switch", "nic", "transceiver", "cable", "network", "vendor-premium"]
OBSERVED_CLASSES: tuple[ObservedClass, ...] = get_args(ObservedClass)
_OBSERVATION_COLUMNS = ("item_class", "scope", "low", "value", "high", "date", "source", "grade", "note")


@dataclass(frozen=True, slots=True)
class Observation:
    """One published or computed price ratio, InfiniBand over Ethernet; None where there is no figure.

    ``item_class`` "network" is a whole switch bill; "vendor-premium" is not InfiniBand's but a brand's.
    """

    item_class: ObservedClass
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
    for row in read_rows(path, _OBSERVATION_COLUMNS, None, faults):
        low, value, high = (row.number_or_none(name) for name in ("low", "value", "high"))
        known = [x for x in (low, value, high) if x is not None]
        if not known or known != sorted(known):
            row.fault("value", "low <= value <= high does not hold, or no figure is given")
        item_class = row.one_of("item_class", OBSERVED_CLASSES)
        yield Observation(item_class, row.text("scope"), low, value, high, row.source(), row.maybe("note"))
