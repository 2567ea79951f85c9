"""What is tried to see whether a result flips, and what flipped, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from planner.fabric.design import Design
from planner.scenario.scenario import ResidualRule, Scenario

RESIDUALS: tuple[ResidualRule, ...] = get_args(ResidualRule)
HORIZON_STEPS = (-1, 2)  # years


@dataclass(frozen=True, slots=True)
class Variation:
    """One change of the scenario: ``key`` of its [finance] and the value that it gets."""

    key: str  # horizon_years | residual
    value: int | ResidualRule


@dataclass(frozen=True, slots=True)
class Flip:
    """A result that is another one under a variation.

    ``what``: "technology" (``before`` and ``after`` are ids; ``share``: by how much of the least levelised
    cost the former one is dearer now, None where it has none) or "design" (``before`` and ``after`` are the
    first build year's designs of ``technology``).
    """

    variation: Variation
    what: str
    technology: str
    before: str | Design
    after: str | Design | None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Flips:
    """What was tried and what flipped. ``failed``: variations under which nothing had a levelised cost."""

    tried: tuple[Variation, ...]
    found: tuple[Flip, ...]
    failed: tuple[Variation, ...] = ()


def variations(scenario: Scenario) -> tuple[Variation, ...]:
    """A year less (where that leaves a year after the last growth step's own start), two years more, and the
    other residual rules."""
    finance = scenario.finance
    grown = scenario.growth[-1].year - scenario.base_year + 1
    years = (finance.horizon_years + step for step in HORIZON_STEPS)
    rules = (rule for rule in RESIDUALS if rule != finance.residual)
    return (
        *(Variation("horizon_years", n) for n in years if n >= grown),
        *(Variation("residual", rule) for rule in rules),
    )
