"""What each measured constant changes of the answer of a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.calibrate.calibration_file import constants_document
from planner.calibrate.measured_constants import MeasuredConstant
from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology
from planner.fabric.design import Design, YearDesign
from planner.scenario.calibration_section import figures_for
from planner.scenario.scenario import Calibration, Scenario
from planner.study.design_estimates import estimate_design
from planner.study.result import TechnologyResult, islands_in
from planner.study.study import Study

ALL = "all"


@dataclass(frozen=True, slots=True)
class Effect:
    """Effective TFLOP/s of one technology and year before and after one constant (or all) is put in."""

    constant: str
    technology: Technology
    year: int
    before_tflops: float
    after_tflops: float

    @property
    def change_ratio(self) -> float:
        """Change over what it was before; 0 where nothing gets done before."""
        return self.after_tflops / self.before_tflops - 1 if self.before_tflops else 0.0

    def document(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return {
            "constant": self.constant,
            "technology": self.technology,
            "year": self.year,
            "before_effective_tflops": self.before_tflops,
            "after_effective_tflops": self.after_tflops,
            "change_ratio": self.change_ratio,
        }


def calibrated(scenario: Scenario, constants: Sequence[MeasuredConstant]) -> Scenario:
    """The scenario with these constants and no others of a test bed."""
    figures, _ = figures_for(constants_document(constants), scenario.server)
    stack_factor = figures.pop("stack_factor", None)
    job = scenario.workload
    if stack_factor is not None:
        job = replace(job, stack_factor=stack_factor)
    return replace(scenario, workload=job, calibration=Calibration(**figures) if figures else None)


def uncalibrated(scenario: Scenario) -> Scenario:
    """The scenario as it stands without any test bed; a stack factor that nobody measured stays."""
    job = scenario.workload
    plain = replace(job, stack_factor=1.0, calibrated=False) if job.calibrated else job
    return replace(scenario, workload=plain, calibration=None)


def effects(constants: Sequence[MeasuredConstant], study: Study, sources: Sources) -> tuple[Effect, ...]:
    """Of each technology with a design, in the years of the first and the last growth step."""
    scenario = uncalibrated(study.scenario)
    years = sorted({scenario.growth[0].year, scenario.growth[-1].year})
    names = list(dict.fromkeys(constant.name for constant in constants))
    found = []
    for result in study.results:
        for design in (design for design in result.designs if design.year in years):
            fabrics = _fabrics(result, scenario, design)
            technology = result.plan.technology_in(design.year)
            before = _output(fabrics, sources, technology)
            for name in [*names, ALL]:
                put_in = [one for one in constants if name in (one.name, ALL)]
                put = [(calibrated(asked, put_in), own) for asked, own in fabrics]
                after = _output(put, sources, technology)
                found.append(Effect(name, technology, design.year, before, after))
    return tuple(found)


def _fabrics(
    result: TechnologyResult, scenario: Scenario, design: YearDesign
) -> list[tuple[Scenario, Design]]:
    """The fabrics of a year's design, each with the scenario that it was planned for."""
    islands = [(uncalibrated(island.scenario), own) for island, own in islands_in(result, design.year)]
    return islands or [(scenario, fabric) for fabric in design.fabrics]


def _output(fabrics: Sequence[tuple[Scenario, Design]], sources: Sources, technology: Technology) -> float:
    """Effective TFLOP/s of the jobs on all fabrics."""
    return sum(estimate_design(own, asked, sources, technology).effective_tflops for asked, own in fabrics)
