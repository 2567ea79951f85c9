"""Patch panels as an open choice: each way is planned, and the better plan is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from planner.fabric.design import SolverReport
from planner.scenario.scenario import Objective, Scenario


@dataclass(frozen=True, slots=True)
class PanelChoice:
    """Whether the plan that was kept has panels, and how both ways compare.

    Values are what the objective asks for: USD of TCO, or USD per effective TFLOP/s-year; None: no design.
    """

    used: bool
    with_panels: float | None
    without_panels: float | None


def panel_ways(scenario: Scenario) -> Iterator[Scenario]:
    """The scenario with each way that is open, direct cables first."""
    for panels in sorted(scenario.layout.patch_panels):
        yield replace(scenario, layout=replace(scenario.layout, patch_panels=(panels,)))


def value_of(solver: SolverReport, objective: Objective) -> float | None:
    """What the plan was sought for: its least cost, or its least cost per output."""
    return solver.ratio if objective == "levelised-cost" else solver.objective_usd


def better(values: Sequence[float | None]) -> PanelChoice:
    """The choice between direct cables (first) and panels (second); equal values leave panels out.

    >>> better([10.0, 9.0]).used, better([10.0, 10.0]).used, better([None, 9.0]).used
    (True, False, True)
    """
    direct, panels = values
    return PanelChoice(_or(panels) < _or(direct), panels, direct)


def _or(value: float | None) -> float:
    return inf if value is None else value
