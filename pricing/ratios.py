"""InfiniBand prices as a multiple of RoCE's: the ratio rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pricing.price_book import Price, PriceBook
from pricing.price_files import Counterpart
from pricing.provenance import Grade, Source

RATIO_BOOK = "ratio"


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
            factor = ratio * _capacity(capacity_gbps, sku) / _capacity(capacity_gbps, base.sku)
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
