"""Plans the network of a growing AI cluster: design, cost and training throughput.

From a notebook or a program::

    import planner

    answer = planner.plan(planner.load("growth-16k"))
    answer.to_frame()

Everything else is imported when it is first needed: rooms import each other by their full names, and a door
that pulled all of them in would make each of them slow.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planner.catalog.technologies import Technology
    from planner.report.answer_frames import Answer
    from planner.scenario.scenario import Scenario

__all__ = ["load", "plan", "shipped"]

logging.getLogger(__name__).addHandler(logging.NullHandler())  # a library is quiet until its user asks


def shipped() -> tuple[str, ...]:
    """The ids of the scenarios that come with the planner."""
    from planner.scenario.load import shipped_scenarios

    return tuple(shipped_scenarios())


def load(path_or_id: str | Path) -> Scenario:
    """A checked scenario from a TOML file, or the shipped one of this id where there is no such file.

    Raises FileNotFoundError where there is neither, ScenarioError with every fault of the scenario at once.
    """
    from planner.catalog.sources import load_sources
    from planner.scenario.load import load_scenario, scenario_path

    return load_scenario(scenario_path(path_or_id), load_sources())


def plan(
    scenario: Scenario,
    technologies: Iterable[Technology] | None = None,
    objective: str = "tco",
    time_limit_s: float | None = None,
) -> Answer:
    """The least-cost plan of every technology, their comparison and the recommendation.

    ``technologies``: those of the scenario where None. ``objective``: "tco", or "levelised-cost" (USD per
    effective TFLOP/s-year). ``time_limit_s``: of all plans together; the best so far are then the answer,
    each with its gap. Raises ValueError for an unknown word, ScenarioError where the catalog cannot serve the
    scenario.
    """
    from planner.candidates.budget import budget_of
    from planner.catalog.sources import load_sources
    from planner.catalog.technologies import TECHNOLOGIES
    from planner.planning.planning_task import PlanOptions
    from planner.report.answer_frames import Answer
    from planner.scenario.scenario import OBJECTIVES, is_objective
    from planner.study.study import plan_scenario

    asked = None if technologies is None else tuple(technologies)
    unknown = sorted({*(asked or ())} - {*TECHNOLOGIES})
    if unknown:
        raise ValueError(f"unknown technology {unknown[0]!r}; known: {', '.join(TECHNOLOGIES)}")
    if not is_objective(objective):
        raise ValueError(f"unknown objective {objective!r}; known: {', '.join(OBJECTIVES)}")
    options = PlanOptions(asked, objective, budget=budget_of(time_limit_s))
    return Answer(plan_scenario(scenario, load_sources(), options))
