"""How far each measured constant moves the answer of a scenario, and the stack factor behind step times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import quantiles
from typing import Any

from planner.calibrate.constants import Constant
from planner.calibrate.document import constants_document
from planner.calibrate.readings import Reading
from planner.calibrate.training_log import steady_times
from planner.catalog.sources import Sources
from planner.fabric.design import Design
from planner.scenario.calibration_section import figures_for
from planner.scenario.scenario import Calibration, GrowthStep, Scenario
from planner.study.estimates import estimate_design
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.throughput.values import ThroughputError

ALL = "all"


@dataclass(frozen=True, slots=True)
class Move:
    """Effective TFLOP/s of one technology and year before and after one constant (or all) is put in."""

    constant: str
    technology: str
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


def calibrated(scenario: Scenario, constants: Sequence[Constant]) -> Scenario:
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


def moves(constants: Sequence[Constant], study: Study, sources: Sources) -> tuple[Move, ...]:
    """Of each technology with a design, in the years of the first and the last growth step."""
    scenario = uncalibrated(study.scenario)
    years = sorted({scenario.growth[0].year, scenario.growth[-1].year})
    names = list(dict.fromkeys(constant.name for constant in constants))
    found = []
    for result in study.results:
        for design in (design for design in result.plan.designs if design.year in years):
            fabrics = _fabrics(result, scenario, design)
            before = _output(fabrics, sources, result.technology)
            for name in [*names, ALL]:
                put_in = [one for one in constants if name in (one.name, ALL)]
                put = [(calibrated(asked, put_in), own) for asked, own in fabrics]
                after = _output(put, sources, result.technology)
                found.append(Move(name, result.technology, design.year, before, after))
    return tuple(found)


def _fabrics(result: TechnologyResult, scenario: Scenario, design: Design) -> list[tuple[Scenario, Design]]:
    """The fabrics of a year's design, each with the scenario that it was planned for."""
    if not design.islands:
        return [(scenario, design)]
    scenarios = [uncalibrated(island.scenario) for island in result.islands]
    return list(zip(scenarios, design.islands, strict=False))  # a later island may not be there yet


def _output(fabrics: Sequence[tuple[Scenario, Design]], sources: Sources, technology: str) -> float:
    """Effective TFLOP/s of the jobs on all fabrics."""
    return sum(estimate_design(own, asked, sources, technology).effective_tflops for asked, own in fabrics)


def stack_factors(
    readings: Sequence[Reading],
    constants: Sequence[Constant],
    study: Study,
    sources: Sources,
    technology: str | None = None,
) -> tuple[Constant, ...]:
    """The measured step time over the model's with the other constants put in; () without a training log.

    The job is the scenario's; GPUs and batch are the log's where it names them. The fabric is that of
    ``technology``, or of the first that has a design, in its first year. A log that names GPUs on
    which the scenario's job cannot run gives none.
    """
    designs = {r.technology: r.plan.designs[0] for r in study.results if r.plan.designs}
    runs = [(x.log, run) for x in readings if x.usable for run in x.runs if run["tool"] == "training-log"]
    over = technology if technology in designs else next(iter(designs), None)
    if over is None or not runs:
        return ()
    factors = []
    for _, run in runs:
        scenario, design = _as_logged(calibrated(study.scenario, constants), designs[over], run)
        try:
            step_s = estimate_design(design, scenario, sources, over).step_time_s
        except ThroughputError:
            continue
        times = steady_times([row["step_time_s"] for row in run["rows"]])
        low, middle, high = quantiles(times, n=4) if len(times) > 1 else [times[0]] * 3
        factors.append((middle / step_s, low / step_s, high / step_s, design.gpus))
    if not factors:
        return ()
    factor, low, high, gpus = sorted(factors)[len(factors) // 2]
    how = f"median step of the log over the model's on {gpus:,} GPUs of {over}; band: its quartiles"
    return (Constant("stack_factor", "", factor, low, high, "ratio", how, tuple(log for log, _ in runs)),)


def _as_logged(scenario: Scenario, design: Design, run: Any) -> tuple[Scenario, Design]:
    gpus = run["world_size"] or design.gpus
    job = replace(scenario.workload, stack_factor=1.0)
    if run["global_batch_sequences"]:
        job = replace(job, global_batch_sequences=run["global_batch_sequences"], fixed_batch=True)
    first = GrowthStep(scenario.base_year, gpus)
    return replace(scenario, workload=job, growth=(first,)), replace(design, gpus=gpus)
