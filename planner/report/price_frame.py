"""The price of every part: what the book says, who says so, and what the user says instead."""

from __future__ import annotations

from collections.abc import Mapping

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


def used(study: Study) -> dict[str, dict[str, float]]:
    """SKU -> technology (as shown) -> USD spent on it over the horizon, nominal."""
    found: dict[str, dict[str, float]] = {}
    for result in study.results:
        name = technology_name(result.technology)
        for line in result.bom:
            sums = found.setdefault(line.sku, {})
            sums[name] = sums.get(name, 0.0) + line.extended_price_usd
    for result in study.results:
        for server in [kind.server for kind in study.scenario.generations] or [study.scenario.server]:
            if result.has_design:
                found.setdefault(server.sku or f"server-{server.id}", {})
        for asset in whole_server_assets(result):
            sums, name = found.setdefault(asset.unit.sku, {}), technology_name(result.technology)
            sums[name] = sums.get(name, 0.0) + asset.quantity * asset.unit.price_usd[asset.bought]
    return found


def frame(study: Study, sources: Sources, own: Mapping[str, object], whole_book: bool) -> pd.DataFrame:
    """One row a part: those of the answer and those with a price of the user's, or all of the book.

    Where InfiniBand's price differs from the book's, the part has one row for each. Prices are of the
    base year, for one piece. A part that nothing prices has empty cells.
    """
    scenario, spent = study.scenario, used(study)
    book = net_price_list(scenario, "roce", sources, own).prices
    ratio = net_price_list(scenario, "infiniband", sources, own).prices if _has_infiniband(study) else book
    skus = [*book, *ratio] if whole_book else [*spent]
    known = dict.fromkeys([*skus, *(sku for sku in own)])
    order = {sku: i for i, sku in enumerate(book)}
    rows = []
    for sku in sorted(known, key=lambda s: (order.get(s, len(order)), s)):
        by = spent.get(sku, {})
        infiniband, others = "InfiniBand" in by, [t for t in by if t != "InfiniBand"]
        differs = ratio.get(sku) != book.get(sku)
        if others or not (infiniband and differs) or whole_book:
            names = others if differs else list(by)
            rows.append(_row(sku, book.get(sku), names, by, own))
        if differs and (infiniband or whole_book):
            rows.append(_row(sku, ratio.get(sku), ["InfiniBand"] if infiniband else [], by, own))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _has_infiniband(study: Study) -> bool:
    return any(r.technology == "infiniband" for r in study.results)


def _row(
    sku: str, price: Price | None, names: list[str], spent: Mapping[str, float], own: Mapping[str, object]
) -> list[object]:
    most = max((spent[name] for name in names), default=None)
    typed = form.plain(own.get(sku))
    if price is None:
        words: list[object] = [
            sku,
            sku,
            "",
            ", ".join(names),
            typed,
            None,
            None,
            None,
            "no price",
            "",
            "",
            "",
            "",
        ]
        return [*words, most]
    source = price.source
    return [
        sku, price.description or sku, price.item_class, ", ".join(names), typed,
        price.low_usd, price.mid_usd, price.high_usd, source.grade.value,
        "guess" if source.grade is Grade.GUESS else "", source.date, price.book, source.text, most,
    ]  # fmt: skip
