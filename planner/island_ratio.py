"""The least USD per effective TFLOP/s-year of several islands together (Dinkelbach's method)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner.optimize.solve import RELATIVE_GAP

MOST_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Outcome:
    """A plan of all islands in figures: present worth (USD), effective TFLOP/s-years, and how far below the
    cost the solver's bound lies (USD)."""

    cost_usd: float
    delivered: float
    open_usd: float

    @property
    def ratio(self) -> float:
        """USD per effective TFLOP/s-year."""
        return self.cost_usd / self.delivered


@dataclass(frozen=True, slots=True)
class LeastRatio:
    """Which round's plan has the least ratio, its ratio, what no plan goes below, and how many rounds."""

    best: int
    ratio: float
    bound: float
    proven: bool
    rounds: int


def least_ratio_of_all(start: Outcome, at_ratio: Callable[[float], Outcome]) -> LeastRatio:
    """Of cost - ratio x delivered the least is a sum over islands, each planned by itself at one ratio.

    While the least is below 0 its plan has a lower ratio; when its bound is not, no plan of any island could
    lower the ratio of all. Round 0 is ``start``; ``at_ratio`` plans every island with the ratio as credit.
    """
    best, ratio, rounds = 0, start.ratio, 0
    while True:
        rounds += 1
        found = at_ratio(ratio)
        least = found.cost_usd - ratio * found.delivered
        tolerance = RELATIVE_GAP * abs(found.cost_usd)
        below = min(0.0, least - found.open_usd)
        bound = ratio + below / found.delivered
        if found.ratio < ratio * (1 - 1e-12):
            best, ratio = rounds, found.ratio
        if least >= -tolerance or rounds == MOST_ROUNDS:
            return LeastRatio(best, ratio, min(bound, ratio), below >= -tolerance, rounds)
