"""Loader of ``data/training_run_words.csv``: what the words of a table of training runs mean."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from planner.resources import data_dir

Words = Mapping[str, tuple[tuple[re.Pattern[str], str], ...]]


def read_words(path: Path) -> Words:
    """Patterns and what they mean by column, in the order of the file; "" means: not modelled."""
    found: dict[str, list[tuple[re.Pattern[str], str]]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[row["column"]].append((re.compile(row["pattern"], re.IGNORECASE), row["means"]))
    return MappingProxyType({column: tuple(pairs) for column, pairs in found.items()})


@cache
def words() -> Words:
    """The shipped words, read once."""
    return read_words(data_dir() / "training_run_words.csv")


def meaning(column: str, text: str) -> str | None:
    """What ``text`` means in ``column``; "" where it is known but not modelled, None where not known.

    >>> meaning("gpu", "NVIDIA H100 SXM5"), meaning("fabric", "NDR InfiniBand"), meaning("fabric", "")
    ('h100', 'infiniband', 'roce')
    """
    matches = (means for pattern, means in words()[column] if pattern.search(text.strip()))
    return next(matches, None)
