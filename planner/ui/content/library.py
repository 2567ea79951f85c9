"""The sentences of the Library and Compare pages."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

import pandas as pd

from planner.library.differences import Clash, differences, in_words, shown
from planner.library.scenarios import Entry, Origin, Version
from planner.scenario.faults import ScenarioError
from planner.ui.content import sentences

_MOST_FAULTS = 5  # in one message
NO_DIFFERENCE = "Nothing differs."
_WAYS = {True: "Mine", False: "Theirs"}


def moment(saved_at: str) -> str:
    """A time of the store, in UTC."""
    return f"{dt.datetime.fromisoformat(saved_at):%Y-%m-%d %H:%M} UTC"


def entries(found: Sequence[Entry]) -> pd.DataFrame:
    """The scenarios of the library as a table."""
    rows = [(e.name, e.head, e.author, moment(e.saved_at), e.note) for e in found]
    return pd.DataFrame(rows, columns=["Name", "Version", "Author", "Saved", "Note"])


def version(found: Version) -> str:
    """A version in one line, as lists of choices show it."""
    note = f" — {found.note}" if found.note else ""
    return f"Version {found.number}, {found.author}, {moment(found.saved_at)}{note}"


def standing(origin: Origin | None, name: str, edited: bool) -> str:
    """Where the scenario on the page stands against the library."""
    if origin is None:
        return f"{name} is not in the library yet."
    where = f"version {origin.version} in the library"
    return f"{name}: edited since {where}." if edited else f"{name} is {where}, unchanged."


def changes(before: Mapping[str, object], after: Mapping[str, object], labels: sentences.Names) -> list[str]:
    """Every difference as a sentence, one that says so where there is none."""
    return [in_words(one, labels) for one in differences(before, after)] or [NO_DIFFERENCE]


def faults(refused: ScenarioError) -> str:
    """Why a text is no scenario, in one line: its first faults."""
    more = len(refused.faults) - _MOST_FAULTS
    said = [str(fault) for fault in refused.faults[:_MOST_FAULTS]]
    return " — ".join([*said, *([f"and {more} faults more"] if more > 0 else [])])


def clash(found: Clash, labels: sentences.Names) -> str:
    """What both changed, and to what."""
    place = labels.get(found.key, found.key)
    return f"{place}: yours {shown(found.mine)}, theirs {shown(found.theirs)} (before: {shown(found.base)})"


def way(mine: bool) -> str:
    """Whose value is taken."""
    return _WAYS[mine]


def bullets(lines: Sequence[str]) -> str:
    """Lines as a Markdown list, technologies by their names."""
    return sentences.bullets(map(sentences.with_names, lines))
