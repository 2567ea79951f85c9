"""The examined InfiniBand ratio as frames for a page and as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import pandas as pd

from planner.cost.infiniband_ratio_examined import BillRatio, Ratios, RuleRatio
from planner.cost.switch_bill_ratio import ScaleRow, TierLimit

_ITEMS = (
    "ib_sku", "counterpart_sku", "item_class", "in_plan", "rule_low", "rule_mid", "rule_high", "rule_usd_low",
    "rule_usd_mid", "rule_usd_high", "book_ratio_low", "book_ratio_mid", "book_ratio_high", "ib_price_date",
    "ib_price_grade", "ib_price_source", "counterpart_price_date", "counterpart_price_grade",
    "counterpart_price_source", "note",
)  # fmt: skip
_OBSERVED = ("item_class", "scope", "low", "value", "high", "date", "grade", "source", "note")


def ratio_frames(ratios: Ratios) -> dict[str, pd.DataFrame]:
    """Frames by name: items, observations, bill, by_rule, scale, limits; one row a record."""
    kinds = {"bill": BillRatio, "by_rule": RuleRatio, "scale": ScaleRow, "limits": TierLimit}
    document = ratios_document(ratios)
    columns = {name: [f.name for f in fields(kind)] for name, kind in kinds.items()}
    columns |= {"items": list(_ITEMS), "observations": list(_OBSERVED)}
    return {name: pd.DataFrame(document[name], columns=columns[name]) for name in columns}


def ratios_document(ratios: Ratios) -> dict[str, Any]:
    """The ratio as plain values: the rule's band, then a list of flat records for each table."""
    return {
        "rule": asdict(ratios.rule),
        "items": [_item(item) for item in map(asdict, ratios.items)],
        "observations": [_observed(row) for row in map(asdict, ratios.observations)],
        "bill": [asdict(row) for row in ratios.bill],
        "by_rule": [asdict(row) for row in ratios.by_rule],
        "scale": [asdict(row) for row in ratios.scale],
        "limits": [asdict(row) for row in ratios.limits],
    }


def _item(item: dict[str, Any]) -> dict[str, Any]:
    flat = {key: item[key] for key in ("ib_sku", "counterpart_sku", "item_class", "in_plan", "note")}
    for name in ("rule", "rule_usd", "book_ratio"):
        flat |= {f"{name}_{end}": (item[name] or {}).get(end) for end in ("low", "mid", "high")}
    for name in ("ib", "counterpart"):
        source = item[f"{name}_source"] or {}
        flat |= {
            f"{name}_price_date": source.get("date"),
            f"{name}_price_grade": source.get("grade"),
            f"{name}_price_source": source.get("text"),
        }
    return {key: flat[key] for key in _ITEMS}


def _observed(row: dict[str, Any]) -> dict[str, Any]:
    source = row.pop("source")
    return {**row, "date": source["date"], "grade": source["grade"], "source": source["text"]}
