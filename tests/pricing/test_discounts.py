"""Discounts: the most specific one holds, once, and never on a quote or a price that is net already."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing.discounts import discount_key, net_prices, split_key
from pricing.price_book import ITEM_CLASSES, ItemClass, Price, PriceBook
from pricing.provenance import Grade, Source

VENDORS = ("NVIDIA", "Arista", "A/B", "")


def price(vendor: str, item_class: str, grade: Grade = Grade.LIST) -> Price:
    (of_class,) = (known for known in ITEM_CLASSES if known == item_class)
    return Price(
        "x", of_class, 90.0, 100.0, 120.0, Source("made up", "2026", grade), "b", manufacturer=vendor
    )


KEYS = [*(v for v in VENDORS if v), *ITEM_CLASSES, *(f"{v}/{c}" for v in VENDORS if v for c in ITEM_CLASSES)]


@settings(max_examples=200)
@given(
    st.sampled_from(VENDORS),
    st.sampled_from(ITEM_CLASSES),
    st.dictionaries(st.sampled_from(KEYS), st.floats(0.01, 0.9), max_size=20),
)
def test_the_most_specific_discount_holds(
    vendor: str, item_class: ItemClass, given: dict[str, float]
) -> None:
    """Every key is tried: it must match all that it names; of those that do the one that names most wins,
    a vendor before a class."""
    matching = []
    for key in given:
        of_vendor, of_class = split_key(key)
        if of_vendor in (None, vendor) and of_class in (None, item_class):
            matching.append(((of_vendor is not None) * 2 + (of_class is not None), key))
    right = max(matching)[1] if matching else None
    assert discount_key(price(vendor, item_class), given) == right
    net = net_prices(PriceBook("b", {"x": price(vendor, item_class)}), given).prices["x"]
    keeps = 1.0 - given[right] if right else 1.0
    assert (net.low_usd, net.mid_usd, net.high_usd) == pytest.approx((90 * keeps, 100 * keeps, 120 * keeps))
    assert net.discount_key == (right or "")


def test_nothing_is_taken_off_twice_or_off_a_quote() -> None:
    """100 less 30 % is 70; 30 % more would be 49. A quote is what its owner pays."""
    book = PriceBook("b", {"x": price("NVIDIA", "switch")})
    once = net_prices(book, {"switch": 0.3})
    assert net_prices(once, {"switch": 0.3}) == once and once.prices["x"].mid_usd == pytest.approx(70.0)
    quoted = PriceBook("b", {"x": price("NVIDIA", "switch", Grade.QUOTE)})
    assert net_prices(quoted, {"switch": 0.3}) == quoted
