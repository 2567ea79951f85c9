"""Changes of technology midway, planned beside the technologies of a study."""

from __future__ import annotations

from dataclasses import replace

from planner.design import TechnologyPath
from planner.islands import islands
from planner.path_advice import path_advice
from planner.path_result import path_result
from planner.side import SideMemory
from planner.sources import Sources
from planner.study import PathResult, Study, TechnologyResult
from planner.task import PlanOptions


def with_paths(study: Study, sources: Sources, options: PlanOptions) -> Study:
    """The study with its paths planned. Paths of a technology that the study has not planned are left out;
    each pair is planned for every build year after the first, to say when a change pays."""
    scenario = study.scenario
    alone = {r.technology: r for r in study.results}
    asked = [p for p in scenario.fabric.paths if p.first in alone and p.later in alone]
    if len(islands(scenario)) > 1:
        asked = []
    memory = SideMemory()
    planned: dict[TechnologyPath, TechnologyResult] = {}
    rows = []
    for path in asked:
        years = [step.year for step in scenario.growth[1:]]
        for other in (replace(path, from_year=year) for year in years):
            if other not in planned:
                quiet = options if other in asked else replace(options, lp_dir=None)
                planned[other] = path_result(scenario, sources, other, quiet, memory)
        by_year = {year: planned[replace(path, from_year=year)] for year in years}
        advice = path_advice(path, planned[path], alone, by_year)
        rows.append(PathResult(path, planned[path], advice))
    return replace(study, paths=tuple(rows))
