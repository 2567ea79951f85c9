"""What the programme is about, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.finance import UnitCost

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ArcCost = Callable[[int, Ints, Ints], Floats]


@dataclass(frozen=True, slots=True)
class Problem:
    """Choose one candidate in every build year, and hold the pieces that it needs.

    ``decides``: build years (t), rising from 0. ``need[j]``: pieces in step j, candidates x SKUs, with
    a row of -1 where the candidate can't serve. ``units``: by SKU, in column order. ``first_usd``:
    services of the first step, by candidate. ``arc_usd(j, old, new)``: present worth of moving from
    candidates ``old`` in step j - 1 to ``new`` in step j. ``constant_usd``: what no choice changes.
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

    def years(self, step: int) -> range:
        """Years (t) in which the choice of a step is in service."""
        ends = (*self.decides[1:], self.horizon)
        return range(self.decides[step], ends[step])

    def usable(self, step: int) -> Ints:
        """Candidates that can serve in a step."""
        return np.flatnonzero(self.need[step][:, 0] >= 0).astype(np.int64)

    def opex_usd(self, step: int) -> Floats:
        """Present worth (USD) of the running cost of each candidate in a step."""
        rates = np.array([sum(u.opex_npv_usd(t) for t in self.years(step)) for u in self.units])
        return np.asarray(np.maximum(self.need[step], 0) @ rates)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left to the solver: candidates of each step, and the arcs between successive steps.

    ``arcs[j]`` are (old, new) candidate pairs from step j to step j + 1. ``upper_usd`` is the cost of
    ``path``, a plan already known; nothing that was dropped can be part of a cheaper one.
    """

    nodes: tuple[Ints, ...]
    arcs: tuple[Mapping[tuple[int, int], float], ...]
    upper_usd: float
    path: tuple[int, ...]
    lower_usd: float
