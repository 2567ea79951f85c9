"""What the programme is about, as plain values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.cost.cheapest_holdings import Lot
from planner.cost.finance import UnitCost

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

ArcCost = Callable[[int, Ints, Ints], Floats]
DesignPath = tuple[int, ...]  # the candidate of each step


@dataclass(frozen=True, slots=True)
class Column:
    """Pieces that are held alike: a column of the need.

    ``lots``: those that are there before year 0. ``beyond_change``: of a SKU that a later technology prices
    higher, what is needed from the change on beyond what can have been bought before it; the unit cost says
    from which year on they can be had.
    """

    unit: UnitCost
    lots: tuple[Lot, ...] = ()
    beyond_change: bool = False

    @property
    def name(self) -> str:
        """A name that LP files accept, unique among the columns."""
        return safe_name(f"{self.unit.sku}_later" if self.beyond_change else self.unit.sku)


@dataclass(frozen=True, slots=True)
class CapexCap:
    """The most (nominal USD) that may be bought and paid for services at the start of year ``t``."""

    t: int
    usd: float


@dataclass(frozen=True, slots=True)
class Problem:
    """Choose one candidate in every build year, and hold the pieces that it needs.

    ``decides``: build years (t), rising. ``serves[j]``: which candidates can serve in step j. ``need[j]``:
    pieces in step j, candidates x columns (0 where a candidate can't serve). ``first_usd``: services of the
    first step, by candidate. ``arc_usd(j, old, new)``: present worth of moving from candidates ``old`` in
    step j - 1 to ``new`` in step j. ``constant_usd``: what no choice changes.

    ``output[j]``: effective TFLOP/s-years that a candidate delivers in step j, discounted like money.
    ``credit_usd`` is what one of them is worth: 0 for the least cost, the ratio's value for the least
    cost per output. ``caps`` limit the money of a year; ``services_usd`` are the nominal services of
    first builds and moves, which count in it.
    """

    name: str
    horizon: int
    decides: tuple[int, ...]
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    serves: tuple[Flags, ...]
    need: tuple[Ints, ...]
    first_usd: Floats
    arc_usd: ArcCost
    constant_usd: float
    base_year: int
    output: tuple[Floats, ...] = ()
    credit_usd: float = 0.0
    caps: tuple[CapexCap, ...] = ()
    first_services_usd: Floats | None = None
    arc_services_usd: ArcCost | None = None

    def years(self, step: int) -> range:
        """Years (t) in which the choice of a step is in service."""
        ends = (*self.decides[1:], self.horizon)
        return range(self.decides[step], ends[step])

    def build_year(self, step: int) -> int:
        """The calendar year in which a step is decided."""
        return self.base_year + self.decides[step]

    def usable(self, step: int) -> Ints:
        """Candidates that can serve in a step."""
        return np.flatnonzero(self.serves[step]).astype(np.int64)

    def need_by_year(self, path: DesignPath, column: int) -> tuple[int, ...]:
        """Pieces of one column that a path needs in each year of the horizon; none before the first build."""
        before = (0,) * self.decides[0]
        steps = ((int(self.need[j][c, column]),) * len(self.years(j)) for j, c in enumerate(path))
        return sum(steps, before)

    def opex_usd(self, step: int) -> Floats:
        """Present worth (USD) of the running cost of each candidate in a step, less its credit."""
        rates = [sum(c.unit.opex_npv_usd(t) for t in self.years(step)) for c in self.columns]
        return np.asarray(self.need[step] @ np.array(rates)) - self.earned_usd(step)

    def earned_usd(self, step: int) -> Floats:
        """Credit (USD) for what each candidate delivers in a step; 0 for the objective of least cost."""
        if not self.credit_usd:
            return np.zeros(len(self.labels))
        return np.asarray(self.output[step] * self.credit_usd)

    def delivered(self, path: DesignPath) -> float:
        """Discounted effective TFLOP/s-years of a path."""
        return float(sum(self.output[j][c] for j, c in enumerate(path)))


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is left to the solver: candidates of each step, and the arcs between successive steps.

    ``arcs[j]`` are (old, new) candidate pairs from step j to step j + 1. ``upper_usd`` is the cost of
    ``path``, a plan already known, ``lower_usd`` what no plan costs less than; nothing that was dropped can
    be part of a plan cheaper than ``upper_usd`` + ``cushion_usd``. ``stock_usd`` (at most 0): what pieces
    that are there, and trade alone, can save at most. Not ``complete``: only the known plan is left, for want
    of time or room, and others may be cheaper; ``lower_usd`` holds all the same.
    """

    nodes: tuple[Ints, ...]
    arcs: tuple[Mapping[tuple[int, int], float], ...]
    upper_usd: float
    path: DesignPath
    lower_usd: float
    stock_usd: float = 0.0
    cushion_usd: float = 0.0
    complete: bool = True


def safe_name(text: str) -> str:
    """A name that LP files accept.

    >>> safe_name("qm9700-x 1:2")
    'qm9700_x_1_2'
    """
    return re.sub(r"[^A-Za-z0-9_.]+", "_", text)
