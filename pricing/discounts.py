"""Discounts by vendor and item class: list price -> net price."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pricing.price_book import ItemClass, Price, PriceBook, is_item_class
from pricing.provenance import Grade


def split_key(key: str) -> tuple[str | None, ItemClass | None]:
    """The vendor and the item class that a discount is for; None: any.

    >>> split_key("NVIDIA/switch"), split_key("switch"), split_key("NVIDIA/Mellanox")
    (('NVIDIA', 'switch'), (None, 'switch'), ('NVIDIA/Mellanox', None))
    """
    vendor, _, last = key.rpartition("/")
    if is_item_class(last):
        return vendor or None, last
    return key, None


def discount_key(price: Price, discounts: Mapping[str, float]) -> str | None:
    """The discount that holds for a price, by its key: vendor and class before vendor before class."""
    both = f"{price.manufacturer}/{price.item_class}"
    return next((k for k in (both, price.manufacturer, price.item_class) if k in discounts), None)


def net_prices(book: PriceBook, discounts: Mapping[str, float]) -> PriceBook:
    """The book with every discount taken off once: net = price x (1 - discount), low, mid and high.

    A price of grade quote is what its owner pays already, so nothing is taken off it.
    """
    return book.over({sku: _net(price, discounts) for sku, price in book.prices.items()})


def _net(price: Price, discounts: Mapping[str, float]) -> Price:
    key = discount_key(price, discounts)
    if key is None or price.source.grade is Grade.QUOTE or price.discount_key:
        return price
    keeps = 1.0 - discounts[key]
    return replace(
        price,
        low_usd=price.low_usd * keeps,
        mid_usd=price.mid_usd * keeps,
        high_usd=price.high_usd * keeps,
        discount_ratio=discounts[key],
        discount_key=key,
    )
