"""What is asked beyond the plan, each with plans of its own: changing technology midway, the value of looking
ahead, what would flip the result, and the slower technology with more GPUs.

A new question of this kind gets a word in ``FollowUp``, a field of ``FollowUps`` and its lines in
``planner.report.follow_ups``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeGuard, get_args

from planner.catalog.sources import Sources
from planner.decide.equal_output import EqualOutput, planned_equal_output
from planner.decide.sensitivity import Flips, planned_flips
from planner.decide.technology_change import PathResult, planned_paths
from planner.planning.foresight import Foresight, value_of_foresight
from planner.planning.planning_task import PlanOptions
from planner.study.fabric_answer import question
from planner.study.result import FabricResult, TechnologyResult
from planner.study.side_fabrics import known_side_fabrics
from planner.study.study import Study

FollowUp = Literal["paths", "foresight", "flips", "equal-output"]
FOLLOW_UPS: tuple[FollowUp, ...] = get_args(FollowUp)


def is_follow_up(word: object) -> TypeGuard[FollowUp]:
    """Whether a word from outside is one of these questions."""
    return word in FOLLOW_UPS


@dataclass(frozen=True, slots=True)
class FollowUps:
    """Answers beside a study. ``foresight`` by technology, where it was asked for and there is a plan;
    ``flips`` and ``equal_output``: None where it was not asked for."""

    paths: tuple[PathResult, ...] = ()
    foresight: Mapping[str, Foresight] = field(default_factory=dict)
    flips: Flips | None = None
    equal_output: EqualOutput | None = None


NOTHING_ASKED = FollowUps()


def followed_up(
    study: Study, sources: Sources, options: PlanOptions, asked: Collection[FollowUp]
) -> FollowUps:
    """The answers to what is asked; each takes up to some times as long as the study itself."""
    return FollowUps(
        paths=planned_paths(study, sources, options) if "paths" in asked else (),
        foresight=_foresight(study, sources, options) if "foresight" in asked else {},
        flips=planned_flips(study, sources, options) if "flips" in asked else None,
        equal_output=planned_equal_output(study, sources, options) if "equal-output" in asked else None,
    )


def _foresight(study: Study, sources: Sources, options: PlanOptions) -> dict[str, Foresight]:
    """What looking ahead is worth to each technology; it is not asked of a cluster of islands."""
    found = ((r.technology, foresight_of(r, study, sources, options)) for r in study.results)
    return {technology: foresight for technology, foresight in found if foresight is not None}


def foresight_of(
    result: TechnologyResult, study: Study, sources: Sources, options: PlanOptions
) -> Foresight | None:
    """The value of looking ahead with one technology; None without a total, or where there is nothing to
    ask."""
    if not isinstance(result, FabricResult) or result.tco_usd is None or result.rates is None:
        return None
    known = known_side_fabrics(r.sides for r in study.results)
    asked = question(result.rates.scenario, sources, result.plan.technology, options, known)
    return value_of_foresight(asked.task, result.plan, options)
