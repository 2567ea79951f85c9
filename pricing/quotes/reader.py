"""What every row of a price list is read with: columns, terms, parts by name, and the user's answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pricing.quotes.doubt_answers import Answers, wanted
from pricing.quotes.quote_values import SKIP, TAKE, Cell, ColumnMap, Doubt, Part, RawRow, Settings, Terms


@dataclass(frozen=True, slots=True)
class Reader:
    """What every row is read with."""

    mapping: ColumnMap
    terms: Terms
    settings: Settings
    parts: Mapping[str, Part]
    answers: Answers
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # folded SKU or number -> SKUs

    def cell(self, row: RawRow, name: str) -> Cell:
        """The cell of a field."""
        return row.cell(self.mapping.columns.get(name))

    def heading(self, name: str) -> str:
        """The heading of a field's column; "" where it has none."""
        column, headings = self.mapping.columns.get(name), self.mapping.headings
        return headings[column] if column is not None and column < len(headings) else ""

    def under(self, row: RawRow, is_heading: Callable[[str], bool]) -> list[str]:
        """What the row says in columns with such a heading."""
        columns = (i for i, heading in enumerate(self.mapping.headings) if is_heading(heading))
        return [text for column in columns if (text := row.cell(column).text)]

    def part_of(self, row: RawRow) -> Part | None:
        """The part that the row's SKU means, where it means one."""
        known_as = self.names.get(self.cell(row, "sku").text.casefold(), ())
        return self.parts.get(known_as[0]) if len(known_as) == 1 else None

    def ask(
        self,
        row: RawRow,
        about: str,
        given: str,
        message: str,
        choices: tuple[str, ...] = (TAKE, SKIP),
        general: str | None = None,
    ) -> str:
        """The user's answer to a doubt about a row, or to the ``general`` one for the whole file.

        Raises Open where there is none yet, Left where the row is left out.
        """
        doubt = Doubt(f"{row.line}.{about}", row.line, given, message, choices)
        return wanted(self.answers.ask(doubt, general))


def names_of(parts: Mapping[str, Part]) -> dict[str, tuple[str, ...]]:
    """What may stand in a price list for exactly one SKU: its id and its order numbers, folded."""
    found: dict[str, tuple[str, ...]] = {}
    for part in parts.values():
        for name in {n.casefold() for n in (part.sku, *part.numbers)}:
            found[name] = (*found.get(name, ()), part.sku)
    return found
