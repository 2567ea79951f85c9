"""What a price says about itself on a bill: book, source, age, discount, order number."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeGuard, get_args

from pricing.provenance import Source

ItemClass = Literal[
    "switch", "nic", "transceiver", "cable", "fibre", "server", "service", "manager", "rack", "licence"
]
ITEM_CLASSES: tuple[ItemClass, ...] = get_args(ItemClass)


def is_item_class(word: object) -> TypeGuard[ItemClass]:
    """Whether a word from outside is an item class."""
    return word in ITEM_CLASSES


@dataclass(frozen=True, slots=True)
class Price:
    """One price of one SKU in USD of the book's base year, before erosion.

    ``mid_usd`` is what plans are priced with; ``low_usd`` and ``high_usd`` are the band. All three are net
    of ``discount_ratio``, which ``discount_key`` names ("": none). ``order_as`` is what a buyer orders by.
    """

    sku: str
    item_class: ItemClass
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


_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_DAYS_PER_MONTH = 30.44


def age_years(price_date: str, base_year: int) -> float | None:
    """Years from a price's date to the start of ``base_year``, the money that a plan counts in.

    A date without a day stands for the middle of its month, one without a month for the middle of its
    year, or for its start where that is the base year. None where the text does not begin with a date: an
    unknown age is not 0.

    >>> age_years("2026-07-01", 2027), age_years("2024", 2027), age_years("undated", 2027)
    (0.5, 2.5, None)
    """
    found = _DATE.match(price_date)
    if found is None:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    if month is None:
        passed = 0.0 if int(found[1]) == base_year else 0.5
    else:
        passed = (month - 1 + (0.5 if day is None else (day - 1) / _DAYS_PER_MONTH)) / 12
    return round(base_year - (year or 0) - passed, 2)


def price_source(price: Price, base_year: int) -> str:
    """The words of a BOM line about its price: the book, who said it, how old it is, what was taken off."""
    age = age_years(price.source.date, base_year)
    if age is None:
        old = "price without a date"
    elif age < 0:
        old = f"price dated {-age:.1f} years after the start of {base_year}"
    else:
        old = f"price {age:.1f} years old at the start of {base_year}"
    words = f"{price.book}: {price.source.text} [{old}"
    if price.discount_ratio:
        words += f"; net of {100 * price.discount_ratio:g} % discount ({price.discount_key})"
    return f"{words}]"


def described(price: Price) -> str:
    """The part in words, with what to order it by where that is known."""
    words = price.description or price.sku
    return f"{words}; order as {price.order_as}" if price.order_as else words
