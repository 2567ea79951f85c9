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
FIELDS = ("sku", "description", "price", "currency", "pack", "quantity", "total", "valid_until", "date")


class QuoteError(ValueError):
    """A price list cannot be read, or is not ready to be taken; the message says why."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as the file has it. A number or date of a workbook is exact; text is as written.

    ``formula``: the cell holds one, and ``text`` is the result that was stored with it, if any.
    ``currency`` is the sign in the number format of a workbook's cell, ``shown_as`` a format that shows
    the number as something else (a percentage, thousands). ``struck``: struck through.
    """

    text: str
    number: Decimal | None = None
    date: dt.date | None = None
    formula: bool = False
    currency: str = ""
    shown_as: str = ""
    struck: bool = False


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row with its line in the file or sheet, from 1. ``hidden``: the workbook does not show it."""

    line: int
    cells: tuple[Cell, ...]
    hidden: bool = False

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
    hidden_columns: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """Which column is what: field of ``FIELDS`` -> column from 0; prices come after ``last_heading_line``.

    ``confidence`` (0 to 1) says how well each heading is known; the user may change everything. Headings of
    two rows are joined: "Price" over "Net" is "Price Net".
    """

    header_line: int
    columns: Mapping[str, int]
    confidence: Mapping[str, float]
    headings: tuple[str, ...]
    last_heading_line: int
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for every amount of a list: amount x ``scale`` / (1 + ``tax_share``) is what is paid.

    ``per_line``: amounts are for the quantity of their row, not for a piece.
    """

    scale: Decimal = Decimal(1)
    tax_share: Decimal = Decimal(0)
    per_line: bool = False


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

    @property
    def limit_day(self) -> dt.date:
        """The day on which a quote must still hold."""
        return max(self.today, self.needed_on or self.today)


@dataclass(frozen=True, slots=True)
class Part:
    """A part that a price can be for; ``numbers`` are the order numbers that mean exactly it.

    ``usd`` is the price that is known of it, beside which a quote is looked at.
    """

    sku: str
    item_class: ItemClass
    description: str = ""
    manufacturer: str = ""
    numbers: tuple[str, ...] = ()
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class GoodRow:
    """A row that is understood: ``amount`` in ``currency`` for ``pack`` pieces is ``usd`` a piece.

    ``steps`` say how the amount came of what is written: a scale, a tax taken off, a quantity.
    """

    line: int
    sku: str
    vendor_sku: str
    amount: Decimal
    currency: str
    pack: int
    rate: Rate
    usd: float
    date: str
    steps: tuple[str, ...] = ()


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
