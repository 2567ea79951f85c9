"""Study -> BOM CSV files (RFC 4180, UTF-8), as buyers load them into a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from planner.cost.bom import BomLine
from planner.decide.technology_change import PathResult
from planner.study.study import Study

COLUMNS = (
    "technology", "year", "section", "tier", "sku", "description", "manufacturer", "quantity", "spares",
    "unit_price_usd", "extended_price_usd", "price_source", "price_date", "price_grade", "power_w",
)  # fmt: skip
_RUN_AS_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def bom_files(study: Study, paths: Sequence[PathResult] = ()) -> dict[str, str]:
    """File name -> text: ``bom_<technology>.csv`` of each technology and path with a design, ``bom_all.csv``
    of the technologies."""
    designed = [result for result in study.results if result.designs]
    files = {f"bom_{result.technology}.csv": bom_text(result.bom) for result in designed}
    everything = [line for result in designed for line in result.bom]
    changed = [row.result for row in paths if row.result.plan.designs]
    files |= {f"bom_{result.technology}.csv": bom_text(result.bom) for result in changed}
    return {**files, "bom_all.csv": bom_text(everything)}


def bom_text(lines: Iterable[BomLine]) -> str:
    """The lines as CSV text with a header, sorted by technology, year, section, tier, sku."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)  # its default dialect is RFC 4180: CRLF, quotes only where needed
    writer.writerow(COLUMNS)
    writer.writerows([defused(getattr(line, name)) for name in COLUMNS] for line in sorted(lines, key=_order))
    return stream.getvalue()


def _order(line: BomLine) -> tuple[str, int, str, str, str]:
    return (line.technology, line.year, line.section, line.tier, line.sku)


def defused(value: str | int | float) -> str | int | float:
    """Text that a spreadsheet would run as a formula gets an apostrophe in front."""
    if isinstance(value, str) and value.startswith(_RUN_AS_FORMULA):
        return "'" + value
    return value
