"""The price of every part: what the book says, who says so, and what the user says instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from planner.catalog.sources import Sources
from planner.catalog.technologies import technology_name
from planner.cost.price_list import net_price_list
from planner.report.money import whole_server_assets
from planner.study.study import Study
from planner.text import format as form
from pricing.price_book import Price
from pricing.provenance import Grade

OWN = "own_price_usd"
COLUMNS = (
    "sku", "description", "item_class", "used_by", OWN, "low_usd", "mid_usd", "high_usd", "grade", "guess",
    "date", "book", "source", "spent_usd",
)  # fmt: skip


Spent = Mapping[str, float]  # technology -> USD spent on a part over the horizon, nominal


def price_frame(study: Study, sources: Sources, own: Mapping[str, object], whole_book: bool) -> pd.DataFrame:
    """One row a part: those of the answer and those with a price of the user's, or all of the book.

    ``own``: the user's prices by SKU, as typed. Where InfiniBand's price differs from the book's, the part
    has one row for each. Prices are of the base year, for one piece; a part that nothing prices has empty
    cells.
    """
    spent = spent_by_part(study)
    book = net_price_list(study.scenario, "roce", sources, own).prices
    ruled = book  # as the InfiniBand rule prices it
    if any(result.technology == "infiniband" for result in study.results):
        ruled = net_price_list(study.scenario, "infiniband", sources, own).prices
    place = {sku: i for i, sku in enumerate(book)}
    listed = {*book, *ruled} if whole_book else {*spent}
    rows = []
    for sku in sorted(listed | {*own}, key=lambda sku: (place.get(sku, len(place)), sku)):
        for price, technologies in _prices(book.get(sku), ruled.get(sku), spent.get(sku, {}), whole_book):
            used = {name: usd for name, usd in spent.get(sku, {}).items() if name in technologies}
            rows.append(_row(sku, price, used, form.plain(own.get(sku))))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def spent_by_part(study: Study) -> dict[str, dict[str, float]]:
    """SKU -> technology -> USD spent on it over the horizon, nominal; servers are among the parts."""
    found: dict[str, dict[str, float]] = {}
    for result in study.results:
        for line in result.bom:
            sums = found.setdefault(line.sku, {})
            sums[result.technology] = sums.get(result.technology, 0.0) + line.extended_price_usd
    for result in study.results:
        for server in [kind.server for kind in study.scenario.generations] or [study.scenario.server]:
            if result.has_design:
                found.setdefault(server.sku, {})
        for asset in whole_server_assets(result):
            sums = found.setdefault(asset.unit.sku, {})
            paid_usd = asset.quantity * asset.unit.price_usd[asset.bought]
            sums[result.technology] = sums.get(result.technology, 0.0) + paid_usd
    return found


def _prices(
    book: Price | None, ruled: Price | None, spent: Spent, whole_book: bool
) -> Iterator[tuple[Price | None, set[str]]]:
    """A part's price, or the book's and the InfiniBand rule's, each with the technologies that pay it."""
    if ruled == book:
        yield book, {*spent}
        return
    others = {*spent} - {"infiniband"}
    if whole_book or others or "infiniband" not in spent:
        yield book, others
    if whole_book or "infiniband" in spent:
        yield ruled, {"infiniband"}


def _row(sku: str, price: Price | None, used: Spent, typed: str) -> dict[str, object]:
    row: dict[str, object] = {
        "sku": sku,
        "used_by": ", ".join(map(technology_name, used)),
        OWN: typed,
        "spent_usd": max(used.values(), default=None),
    }
    if price is None:
        empty = dict.fromkeys(("item_class", "guess", "date", "book", "source"), "")
        return row | empty | {"description": sku, "grade": "no price"}
    return row | {
        "description": price.description or sku,
        "item_class": price.item_class,
        "low_usd": price.low_usd,
        "mid_usd": price.mid_usd,
        "high_usd": price.high_usd,
        "grade": price.source.grade.value,
        "guess": "guess" if price.source.grade is Grade.GUESS else "",
        "date": price.source.date,
        "book": price.book,
        "source": price.source.text,
    }
