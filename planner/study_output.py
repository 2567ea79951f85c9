"""What a plan delivers over the horizon."""

from __future__ import annotations

from collections.abc import Sequence

from planner.finance import discount_factor
from planner.throughput import Estimate


def delivered_tflops_years(estimates: Sequence[Estimate], discount_rate: float, first_t: int = 0) -> float:
    """Effective TFLOP/s-years over the horizon, each year's discounted from its end."""
    ends = enumerate(estimates, first_t + 1)
    return sum(e.effective_tflops * discount_factor(discount_rate, t) for t, e in ends)
