"""Step times of a training log -> the software factor between them and the model's step."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from statistics import quantiles
from typing import Any

from planner.calibrate.effects import calibrated
from planner.calibrate.measured_constants import MeasuredConstant
from planner.calibrate.readings import Reading
from planner.calibrate.training_log import steady_times
from planner.catalog.sources import Sources
from planner.fabric.design import Design, largest_fabric
from planner.scenario.scenario import GrowthStep, Scenario
from planner.study.estimates import estimate_design
from planner.study.study import Study
from planner.throughput.result import ThroughputError

_LOG = logging.getLogger(__name__)


def stack_factors(
    readings: Sequence[Reading],
    constants: Sequence[MeasuredConstant],
    study: Study,
    sources: Sources,
    technology: str | None = None,
) -> tuple[MeasuredConstant, ...]:
    """The measured step time over the model's with the other constants put in; () without a training log.

    The job is the scenario's; GPUs and batch are the log's where it names them. The fabric is that of
    ``technology``, or of the first that has a design, in its first year. A log that names GPUs on
    which the scenario's job cannot run gives none.
    """
    plans = [result.plan for result in study.results if result.plan.designs]
    designs = {plan.technology: largest_fabric(plan.designs[0]) for plan in plans}
    usable = [reading for reading in readings if reading.usable]
    runs = [(reading.log, run) for reading in usable for run in reading.runs_of("training-log")]
    over = next((name for name in designs if technology in (name, None)), next(iter(designs), None))
    if over is None or not runs:
        return ()
    factors = []
    for _, run in runs:
        scenario, design = _as_logged(calibrated(study.scenario, constants), designs[over], run)
        try:
            step_s = estimate_design(design, scenario, sources, over).step_time_s
        except ThroughputError as error:
            _LOG.info("no stack factor from a log of %s GPUs: %s", run["world_size"], error)
            continue
        times = steady_times([row["step_time_s"] for row in run["rows"]])
        low, middle, high = quantiles(times, n=4) if len(times) > 1 else [times[0]] * 3
        factors.append((middle / step_s, low / step_s, high / step_s, design.gpus))
    if not factors:
        return ()
    factor, low, high, gpus = sorted(factors)[len(factors) // 2]
    how = f"median step of the log over the model's on {gpus:,} GPUs of {over}; band: its quartiles"
    return (
        MeasuredConstant("stack_factor", "", factor, low, high, "ratio", how, tuple(log for log, _ in runs)),
    )


def _as_logged(scenario: Scenario, design: Design, run: Any) -> tuple[Scenario, Design]:
    gpus = run["world_size"] or design.gpus
    job = replace(scenario.workload, stack_factor=1.0)
    if run["global_batch_sequences"]:
        job = replace(job, global_batch_sequences=run["global_batch_sequences"], fixed_batch=True)
    first = GrowthStep(scenario.base_year, gpus)
    return replace(scenario, workload=job, growth=(first,)), replace(design, gpus=gpus)
