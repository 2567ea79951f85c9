"""The bill of materials as a table: its columns, CSV files (RFC 4180, UTF-8) and a frame.

A new column is one entry of ``BOM_COLUMNS``: files, notebooks and the app's tables all have it then.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from planner.cost.bom_lines import BomLine
from planner.decide.technology_change import PathResult
from planner.study.study import Study
from pricing.spreadsheet_text import defused

Cell = str | int | float


@dataclass(frozen=True, slots=True)
class BomColumn:
    """A column: its name in files and frames, its heading on a page, what it says, how it is read from a
    line."""

    name: str
    heading: str
    sentence: str
    cell: Callable[[BomLine], Cell]


BOM_COLUMNS = (
    BomColumn(
        "technology", "Technology", "The technology, or the path of technologies, that it is bought for.",
        lambda line: line.technology,
    ),
    BomColumn("year", "Year", "Bought at the start of this year.", lambda line: line.year),
    BomColumn(
        "section", "Section", "compute, storage or frontend fabric, management, or services.",
        lambda line: line.section,
    ),
    BomColumn("tier", "Tier", "Where in its section the part is used.", lambda line: line.tier),
    BomColumn("sku", "SKU", "The part's id in catalogue and price books.", lambda line: line.sku),
    BomColumn("description", "Description", "What the part is.", lambda line: line.description),
    BomColumn("manufacturer", "Manufacturer", "Who makes it.", lambda line: line.manufacturer),
    BomColumn("quantity", "Quantity", "Pieces that are put to use.", lambda line: line.quantity),
    BomColumn("spares", "Spares", "Further pieces, for the shelf.", lambda line: line.spares),
    BomColumn(
        "unit_price_usd", "Unit price, USD", "Of one piece in this year, after discounts and price erosion.",
        lambda line: line.unit_price_usd,
    ),
    BomColumn(
        "extended_price_usd", "Price, USD", "Unit price x (quantity + spares).",
        lambda line: line.extended_price_usd,
    ),
    BomColumn("price_source", "Price source", "Who said the price.", lambda line: line.price_source),
    BomColumn("price_date", "Price date", "When it was said.", lambda line: line.price_date),
    BomColumn(
        "price_grade", "Price grade", "How sure the price is: from a quote of yours to a guess.",
        lambda line: line.price_grade,
    ),
    BomColumn("power_w", "Power of one, W", "Typical power of one piece.", lambda line: line.power_w),
)  # fmt: skip


def bom_files(study: Study, paths: Sequence[PathResult] = ()) -> dict[str, str]:
    """File name -> text: ``bom_<technology>.csv`` of each technology and path with a design, ``bom_all.csv``
    of the technologies."""
    designed = [result for result in study.results if result.has_design]
    changed = [row.result for row in paths if row.result.has_design]
    files = {f"bom_{result.technology}.csv": bom_text(result.bom) for result in (*designed, *changed)}
    return {**files, "bom_all.csv": bom_text(line for result in designed for line in result.bom)}


def bom_text(lines: Iterable[BomLine]) -> str:
    """The lines as CSV text with a header, sorted by technology, year, section, tier, sku."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)  # its default dialect is RFC 4180: CRLF, quotes only where needed
    writer.writerow(column.name for column in BOM_COLUMNS)
    writer.writerows([defused(cell) for cell in _cells(line)] for line in sorted(lines, key=_order))
    return stream.getvalue()


def bom_frame(lines: Iterable[BomLine]) -> pd.DataFrame:
    """The lines as a frame with the same columns, in their own order."""
    return pd.DataFrame(map(_cells, lines), columns=[column.name for column in BOM_COLUMNS])


def _cells(line: BomLine) -> list[Cell]:
    return [column.cell(line) for column in BOM_COLUMNS]


def _order(line: BomLine) -> tuple[str, int, str, str, str]:
    return (line.technology, line.year, line.section, line.tier, line.sku)
