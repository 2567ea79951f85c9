"""What the programme is about, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.cost.finance import UnitCost
from planner.cost.holdings import Lot

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LATER = "@later"  # after a SKU: a column of pieces that are needed from a change of technology on only

ArcCost = Callable[[int, Ints, Ints], Floats]


@dataclass(frozen=True, slots=True)
class Stock:
    """Pieces of a SKU (a column) that are there before year 0."""

    column: int
    lot: Lot


@dataclass(frozen=True, slots=True)
class CapexCap:
    """The most (nominal USD) that may be bought and paid for services at the start of year ``t``."""

    t: int
    usd: float


@dataclass(frozen=True, slots=True)
class Problem:
    """Choose one candidate in every build year, and hold the pieces that it needs.

    ``decides``: build years (t), rising. ``need[j]``: pieces in step j, candidates x SKUs, with
    a row of -1 where the candidate can't serve. ``units``: by SKU, in column order. ``first_usd``:
    services of the first step, by candidate. ``arc_usd(j, old, new)``: present worth of moving from
    candidates ``old`` in step j - 1 to ``new`` in step j. ``constant_usd``: what no choice changes.

    ``output[j]``: effective TFLOP/s-years that a candidate delivers in step j, discounted like money.
    ``credit_usd`` is what one of them is worth: 0 for the least cost, the ratio's value for the least
    cost per output. ``caps`` limit the money of a year; ``services_usd`` are the nominal services of
    first builds and moves, which count in it.
    """

    name: str
    horizon: int
    decides: tuple[int, ...]
    labels: tuple[str, ...]
    need: tuple[Ints, ...]
    units: tuple[UnitCost, ...]
    first_usd: Floats
    arc_usd: ArcCost
    constant_usd: float
    base_year: int
    output: tuple[Floats, ...] = ()
    credit_usd: float = 0.0
    stock: tuple[Stock, ...] = ()
    caps: tuple[CapexCap, ...] = ()
    first_services_usd: Floats | None = None
    arc_services_usd: ArcCost | None = None

    def years(self, step: int) -> range:
        """Years (t) in which the choice of a step is in service."""
        ends = (*self.decides[1:], self.horizon)
        return range(self.decides[step], ends[step])

    def usable(self, step: int) -> Ints:
        """Candidates that can serve in a step."""
        return np.flatnonzero(self.need[step][:, 0] >= 0).astype(np.int64)

    def opex_usd(self, step: int) -> Floats:
        """Present worth (USD) of the running cost of each candidate in a step, less its credit."""
        rates = np.array([sum(u.opex_npv_usd(t) for t in self.years(step)) for u in self.units])
        return np.asarray(np.maximum(self.need[step], 0) @ rates) - self.earned_usd(step)

    def lots(self, column: int) -> tuple[Lot, ...]:
        """The pieces of a column that are there before year 0."""
        return tuple(stock.lot for stock in self.stock if stock.column == column)

    def earned_usd(self, step: int) -> Floats:
        """Credit (USD) for what each candidate delivers in a step; 0 for the objective of least cost."""
        if not self.credit_usd:
            return np.zeros(len(self.labels))
        return np.asarray(self.output[step] * self.credit_usd)

    def delivered(self, path: tuple[int, ...]) -> float:
        """Discounted effective TFLOP/s-years of a path."""
        return float(sum(self.output[j][c] for j, c in enumerate(path)))


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is left to the solver: candidates of each step, and the arcs between successive steps.

    ``arcs[j]`` are (old, new) candidate pairs from step j to step j + 1. ``upper_usd`` is the cost of
    ``path``, a plan already known; nothing that was dropped can be part of a cheaper one.
    """

    nodes: tuple[Ints, ...]
    arcs: tuple[Mapping[tuple[int, int], float], ...]
    upper_usd: float
    path: tuple[int, ...]
    lower_usd: float
    stock_usd: float = 0.0  # at most 0: what pieces that are there, and trade alone, can save at most
    cushion_usd: float = 0.0  # plans this far above the known one are kept
