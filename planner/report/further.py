"""Questions beyond the plan that take plans of their own: asked for one by one, answered in sentences."""

from __future__ import annotations

from planner.catalog.sources import Sources
from planner.decide.flips import with_flips
from planner.decide.technology_change import with_paths
from planner.planning.task import PlanOptions
from planner.report.look_ahead import flips_words, foresight_words
from planner.report.technology_change import path_lines, path_title
from planner.scenario.scenario import Scenario
from planner.study.study import plan_scenario

PATHS, FORESIGHT, FLIPS = "paths", "foresight", "flips"
QUESTIONS = (PATHS, FORESIGHT, FLIPS)

Section = tuple[str, tuple[str, ...]]  # heading ("" or a technology's id), sentences


def looked_further(scenario: Scenario, sources: Sources, question: str) -> tuple[Section, ...]:
    """The answer to one of QUESTIONS: changing technology midway, the value of foresight, results that flip.

    It takes up to some times as long as the plan itself. Empty where there is nothing to ask.
    """
    options = PlanOptions(foresight=question == FORESIGHT)
    study = plan_scenario(scenario, sources, options)
    if question == PATHS:
        rows = with_paths(study, sources, options).paths
        return tuple((path_title(row), tuple(path_lines(row))) for row in rows)
    if question == FORESIGHT:
        found = ((r.technology, foresight_words(r.foresight, r.plan, scenario)) for r in study.results)
        return tuple((name, tuple(words)) for name, words in found if words)
    words = flips_words(with_flips(study, sources, options).flips)
    return (("", words),) if words else ()
