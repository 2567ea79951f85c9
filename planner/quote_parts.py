"""The parts of catalog and reference book that a vendor's price list may be about."""

from __future__ import annotations

from collections.abc import Mapping

from planner.sources import Sources
from pricing.quote_types import Part


def quote_parts(sources: Sources) -> Mapping[str, Part]:
    """Every SKU that the planner can price, with the order numbers that mean exactly it."""
    catalog, book = sources.catalog, sources.books["reference"]
    named = {s.id: ("switch", s.name, s.vendor) for s in catalog.switches.values()}
    named |= {n.id: ("nic", n.name, n.vendor) for n in catalog.nics.values()}
    named |= {s.sku or f"server-{s.id}": ("server", s.name, "") for s in catalog.servers.values()}
    parts = {sku: Part(sku, *words, numbers=(words[1],)) for sku, words in named.items()}
    classes = dict.fromkeys(catalog.transceivers, "transceiver") | dict.fromkeys(catalog.assemblies, "cable")
    parts |= {sku: Part(sku, of) for sku, of in (classes | dict.fromkeys(catalog.fibres, "fibre")).items()}
    for sku, price in book.prices.items():
        ordered = price.order_as.partition(", ")[0].split(" or ")
        exact = tuple(n for n in ordered if n and "xxx" not in n and not n.endswith(" equivalent"))
        known = parts[sku].numbers if sku in parts else ()
        parts[sku] = Part(sku, price.item_class, price.description, price.manufacturer, (*known, *exact))
    return parts
