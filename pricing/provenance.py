"""Where a figure comes from, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Grade(StrEnum):
    """How a figure was come by, best first.

    quote: given by the user; list: a seller's list price or a vendor's document;
    street: a channel or reseller offer; analyst: an analyst's figure; derived: computed from
    figures of other parts by the rule that its source states; guess: nobody said it.
    """

    QUOTE = "quote"
    LIST = "list"
    STREET = "street"
    ANALYST = "analyst"
    DERIVED = "derived"
    GUESS = "guess"


@dataclass(frozen=True, slots=True)
class Source:
    """The provenance of one figure: who said it, when (ISO date or year), how it was come by."""

    text: str
    date: str
    grade: Grade
