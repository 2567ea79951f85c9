"""The values that reading a price list goes through: raw table, mapping, settings, preview."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, get_args

from pricing.price_book import ItemClass

SKIP = "skip"
TAKE = "take"
PackRule = Literal["per-pack", "per-piece"]
PACK_RULES: tuple[PackRule, ...] = get_args(PackRule)
FIELDS = ("sku", "description", "price", "currency", "pack", "valid_until", "date")


class QuoteError(ValueError):
    """A price list cannot be read, or is not ready to be taken; the message says why."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as the file has it. A number or date of a workbook is exact; text is as written.

    ``formula``: the cell holds one, and ``text`` is the result that was stored with it, if any.
    ``currency`` is the sign in the number format of a workbook's cell.
    """

    text: str
    number: Decimal | None = None
    date: dt.date | None = None
    formula: bool = False
    currency: str = ""


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row with its line in the file or sheet, from 1."""

    line: int
    cells: tuple[Cell, ...]

    def cell(self, column: int | None) -> Cell:
        """The cell of a column, an empty one where the row is shorter or the column is not mapped."""
        return self.cells[column] if column is not None and column < len(self.cells) else Cell("")


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that the file does not say for sure. ``key`` names it in answers.

    ``choices`` are the answers that can be given; where there are none the message says what is asked.
    """

    key: str
    line: int | None
    given: str
    message: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawTable:
    """A price list before anything is understood, with the bytes that it came from."""

    name: str
    original: bytes
    sha256: str
    rows: tuple[RawRow, ...]
    sheet: str = ""
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """Which column is what: field of ``FIELDS`` -> column from 0; rows after ``header_line`` are prices.

    ``confidence`` (0 to 1) says how well each heading is known; the user may change everything.
    """

    header_line: int
    columns: Mapping[str, int]
    confidence: Mapping[str, float]
    headings: tuple[str, ...]
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Rate:
    """USD for one unit of a currency, and the day on which it was that."""

    usd: float
    date: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user states about a price list; what is not stated stays a doubt.

    ``decimal`` is the mark before decimals; ``currency`` that of amounts without one (and of a bare
    "$"); ``pack_rule`` "per-pack" or "per-piece"; ``aliases`` vendor's SKU -> the planner's;
    ``needed_on`` the day on which the prices must still hold, if later than ``today``.
    """

    today: dt.date
    rates: Mapping[str, Rate] = field(default_factory=dict)
    decimal: str | None = None
    currency: str | None = None
    pack_rule: PackRule | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    needed_on: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part that a price can be for; ``numbers`` are the order numbers that mean exactly it."""

    sku: str
    item_class: ItemClass
    description: str = ""
    manufacturer: str = ""
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoodRow:
    """A row that is understood: ``amount`` in ``currency`` for ``pack`` pieces is ``usd`` a piece."""

    line: int
    sku: str
    vendor_sku: str
    amount: Decimal
    currency: str
    pack: int
    rate: Rate
    usd: float
    date: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that is not taken, and why."""

    line: int
    given: str
    reason: str


@dataclass(frozen=True, slots=True)
class QuotePreview:
    """What would be taken, what is asked, what is left out. ``accept`` wants no open ``doubts``."""

    table: RawTable
    mapping: ColumnMap
    settings: Settings
    parts: Mapping[str, Part]
    good: tuple[GoodRow, ...]
    doubts: tuple[Doubt, ...]
    rejected: tuple[Rejected, ...]
