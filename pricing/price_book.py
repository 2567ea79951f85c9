"""The price book: SKU -> price, each with its source, date and grade."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from pricing.provenance import Source

ITEM_CLASSES = (
    "switch",
    "nic",
    "transceiver",
    "cable",
    "fibre",
    "server",
    "service",
    "manager",
    "rack",
    "licence",
)


@dataclass(frozen=True, slots=True)
class Price:
    """One price of one SKU in USD of the book's base year, before erosion.

    ``mid_usd`` is what plans are priced with; ``low_usd`` and ``high_usd`` are the band. All three are net
    of ``discount_ratio``, which ``discount_key`` names ("": none). ``order_as`` is what a buyer orders by.
    """

    sku: str
    item_class: str
    low_usd: float
    mid_usd: float
    high_usd: float
    source: Source
    book: str
    description: str = ""
    manufacturer: str = ""
    unit: str = "each"
    order_as: str = ""
    discount_ratio: float = 0.0
    discount_key: str = ""


@dataclass(frozen=True, slots=True)
class PriceBook:
    """Prices by SKU. A SKU that is not in it has no price, which is never the same as 0."""

    name: str
    prices: Mapping[str, Price] = field(default_factory=dict)

    def price(self, sku: str) -> Price | None:
        """The price of ``sku``, or None where the book has none."""
        return self.prices.get(sku)

    def over(self, prices: Mapping[str, Price]) -> PriceBook:
        """This book with ``prices`` on top: the later one wins."""
        return PriceBook(self.name, {**self.prices, **prices})

    def under(self, books: Iterable[PriceBook]) -> PriceBook:
        """This book with ``books`` stacked on it, the lowest first: the highest that has a SKU prices it."""
        prices = dict(self.prices)
        for book in books:
            prices |= book.prices
        return PriceBook(self.name, prices)

    def ordered_as(self, numbers: Mapping[str, str]) -> PriceBook:
        """This book with the order numbers of its SKUs; numbers of other SKUs are left out."""
        known = {sku: price for sku, price in self.prices.items() if sku in numbers}
        return self.over({sku: replace(price, order_as=numbers[sku]) for sku, price in known.items()})

    def nearest(self, sku: str) -> str | None:
        """The known SKU whose spelling is nearest to ``sku``, None where none is near."""
        found = difflib.get_close_matches(sku, list(self.prices), n=1, cutoff=0.5)
        return found[0] if found else None
