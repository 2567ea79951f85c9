"""What a change of technology takes and costs, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Changeover:
    """What happens at the start of the year of the change. Money is nominal.

    ``given_up_usd``: paid, from the base year on, for pieces that serve before and not after; ``sold_usd``:
    what they bring.
    ``reused``: pieces (by SKU) in service before and after, labour and licences left out.
    """

    moved_links: int
    installed_links: int
    idled_gpus: float
    given_up_usd: float
    sold_usd: float
    reused: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PathAdvice:
    """A path against the later technology from the start and the first throughout (TCO, USD; positive: the
    path is dearer; None where a total is lacking). ``less_by_year``: by year of change, what changing then
    costs less than starting with the later technology (negative: more)."""

    over_later_usd: float | None
    over_first_usd: float | None
    change: Changeover | None
    less_by_year: Mapping[int, float | None]
    sentences: tuple[str, ...]
