"""An answer as frames for notebooks and pages."""

from __future__ import annotations

import pandas as pd

from planner.study.result import TechnologyResult

_BOM_COLUMNS = (
    "year", "tier", "sku", "description", "quantity", "spares", "unit_price_usd", "extended_price_usd",
    "price_grade", "price_source", "price_date", "manufacturer", "section", "power_w",
)  # fmt: skip


def bom_frame(result: TechnologyResult, year: int | None) -> pd.DataFrame:
    """The bill of materials of one technology, of one year or of all."""
    rows = [
        [getattr(line, column) for column in _BOM_COLUMNS]
        for line in result.bom
        if year is None or line.year == year
    ]
    return pd.DataFrame(rows, columns=list(_BOM_COLUMNS))
