"""Straight lines through measured times, by least squares of the relative error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Fit:
    """time = intercept_us + us_per_byte * bytes. ``residual_ratio`` is the rms error over the time."""

    intercept_us: float
    us_per_byte: float
    residual_ratio: float
    points: int
    from_bytes: float
    to_bytes: float

    def time_us(self, size_bytes: float) -> float:
        """The fitted time of a message."""
        return self.intercept_us + self.us_per_byte * size_bytes


def fit_line(points: Sequence[tuple[float, float]]) -> Fit | None:
    """The line through (bytes, us), each point weighted by 1/time^2; None where there is no line.

    A small message counts as much as a large one, since its relative error does. There is no line through
    fewer than three points or through points of one size.

    >>> line = fit_line([(0.0, 5.0), (100.0, 15.0), (200.0, 25.0)])
    >>> round(line.intercept_us, 9), round(line.us_per_byte, 9)
    (5.0, 0.1)
    """
    if len(points) < _FEWEST or len({x for x, _ in points}) < 2:
        return None
    weights = [1 / y**2 for _, y in points]
    total = math.fsum(weights)
    mean_x = math.fsum(w * x for w, (x, _) in zip(weights, points, strict=True)) / total
    mean_y = math.fsum(w * y for w, (_, y) in zip(weights, points, strict=True)) / total
    both = math.fsum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points, strict=True))
    spread = math.fsum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points, strict=True))
    slope = both / spread
    intercept = mean_y - slope * mean_x
    errors = [((intercept + slope * x) / y - 1) ** 2 for x, y in points]
    residual = math.sqrt(math.fsum(errors) / len(points))
    sizes = [x for x, _ in points]
    return Fit(intercept, slope, residual, len(points), min(sizes), max(sizes))
