"""Step times of a training log -> the software factor between them and the model's step, or why none."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median, quantiles

from planner.calibrate.accelerator_names import accelerator_of
from planner.calibrate.effects_on_answer import calibrated
from planner.calibrate.measured_constants import MeasuredConstant
from planner.calibrate.readings import Reading, Run
from planner.calibrate.training_log import steady_times
from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology
from planner.fabric.design import Design, largest_fabric
from planner.scenario.calibration_section import is_of
from planner.scenario.scenario import GrowthStep, Scenario
from planner.study.design_estimates import estimate_design
from planner.study.study import Study
from planner.throughput.flops import model_flops_per_token
from planner.throughput.result import Estimate, ThroughputError

_LOG = logging.getLogger(__name__)
# measured over modelled steps of the published runs lie between 0.71 and 2.38 (data/training_runs*.csv)
SEEN = (0.7, 2.4)
_TRUSTED = (0.6, 3.0)
# a log's own FLOPs of a token over the model's: conventions (recompute, causal attention) make up to 1.5
_SAME_MODEL = (0.5, 2.0)
_SHAPE = ("layers", "hidden", "sequence")


class NoFactorError(ValueError):
    """A log gives no stack factor for this scenario; the message says why."""


@dataclass(frozen=True, slots=True)
class StackFactors:
    """The factor of all logs together, () where none gives one; ``refused``: a sentence for a log without."""

    constants: tuple[MeasuredConstant, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Factor:
    """Measured over modelled step time of one log: its median and quartiles; what was taken for granted."""

    value: float
    low: float
    high: float
    gpus: int
    assumed: str


def stack_factors(
    readings: Sequence[Reading],
    constants: Sequence[MeasuredConstant],
    study: Study,
    sources: Sources,
    technology: str | None = None,
) -> StackFactors:
    """The measured step time over the model's with the other constants put in.

    The job is the scenario's; GPUs and batch are the log's where it names them. The fabric is that of
    ``technology``, or of the first that has a design, in its first year. A log of another job is refused.
    """
    plans = [result.plan for result in study.results if result.plan.designs]
    designs = {plan.technology: largest_fabric(plan.designs[0]) for plan in plans}
    over = next((name for name in designs if technology in (name, None)), next(iter(designs), None))
    if over is None:
        return StackFactors()
    scenario = calibrated(study.scenario, constants)
    factors, logs, refused = list[_Factor](), list[str](), list[str]()
    for reading in (reading for reading in readings if reading.usable):
        for run in reading.runs_of("training-log"):
            try:
                factors.append(_factor(scenario, designs[over], run, sources, over))
                logs.append(reading.log)
            except NoFactorError as error:
                _LOG.info("no stack factor from %s: %s", reading.log, error)
                refused.append(f"{reading.log}: no stack factor: {error}")
    if not factors:
        return StackFactors((), tuple(refused))
    middle = sorted(factors, key=lambda one: one.value)[len(factors) // 2]
    how = (
        f"median step of the log over the model's on {middle.gpus:,} GPUs of {over}{middle.assumed}; "
        "band: its quartiles"
    )
    found = MeasuredConstant(
        "stack_factor", "", middle.value, middle.low, middle.high, "ratio", how, tuple(logs)
    )
    return StackFactors((found,), tuple(refused))


def _factor(scenario: Scenario, design: Design, run: Run, sources: Sources, over: Technology) -> _Factor:
    """The factor of one log. Raises NoFactorError where it is of another job than the scenario's."""
    _check_job(scenario, run)
    asked, own = _as_logged(scenario, design, run)
    try:
        modelled = estimate_design(own, asked, sources, over)
    except ThroughputError as error:
        raise NoFactorError(f"the scenario's job does not run on its {own.gpus:,} GPUs: {error}") from error
    times = _step_times(scenario, modelled, run)
    _check_flops(scenario, modelled, run, median(times))
    low, middle, high = quantiles(times, n=4) if len(times) > 1 else [times[0]] * 3
    step_s = modelled.step_time_s
    _check_factor(middle / step_s, modelled)
    silent = [
        words
        for name, words in (("world_size", "GPUs"), ("global_batch_sequences", "batch"))
        if not run[name]
    ]
    assumed = f" ({' and '.join(silent)} are the scenario's: the log names none)" if silent else ""
    return _Factor(middle / step_s, low / step_s, high / step_s, own.gpus, assumed)


def _as_logged(scenario: Scenario, design: Design, run: Run) -> tuple[Scenario, Design]:
    gpus = run["world_size"] or design.gpus
    job = replace(scenario.workload, stack_factor=1.0)
    if run["global_batch_sequences"]:
        job = replace(job, global_batch_sequences=run["global_batch_sequences"], fixed_batch=True)
    first = GrowthStep(scenario.base_year, gpus)
    return replace(scenario, workload=job, growth=(first,)), replace(design, gpus=gpus)


def _step_times(scenario: Scenario, modelled: Estimate, run: Run) -> list[float]:
    """Seconds of each step: as printed, or the modelled job's tokens over the printed rate of its GPUs."""
    if run["kind"] != "token-rates":
        return list(steady_times(run))
    tokens = modelled.global_batch_sequences * scenario.workload.model.sequence / modelled.job_gpus
    return [tokens * seconds for seconds in steady_times(run)]


def _check_job(scenario: Scenario, run: Run) -> None:
    """GPU and model, where the log names them, are the scenario's. Raises NoFactorError."""
    model, server = scenario.workload.model, scenario.server
    measured_on = accelerator_of(run.get("device"))
    if measured_on and not is_of(measured_on, server):
        raise NoFactorError(
            f"it ran on {measured_on.upper()}, and the scenario's servers have {server.accelerator.upper()}"
        )
    for name in _SHAPE:
        logged, asked = run.get(name), getattr(model, name)
        if logged and logged != asked:
            raise NoFactorError(f"its model has {name} {logged:,}, the scenario's {asked:,}")


def _check_flops(scenario: Scenario, modelled: Estimate, run: Run, step_s: float) -> None:
    """What the log's own TFLOP/s make of a token is the model's work for one. Raises NoFactorError."""
    model, tflops = scenario.workload.model, run.get("tflops_per_gpu")
    if not tflops:
        return
    tokens = modelled.global_batch_sequences * model.sequence / modelled.job_gpus
    logged, asked = tflops * 1e12 * step_s / tokens, model_flops_per_token(model)
    if not _SAME_MODEL[0] <= logged / asked <= _SAME_MODEL[1]:
        raise NoFactorError(
            f"at its {tflops:,.0f} TFLOP/s a GPU a token takes {logged / 1e9:,.3g} GFLOP, the scenario's "
            f"{asked / 1e9:,.3g}: another model, batch or number of GPUs"
        )


def _check_factor(factor: float, modelled: Estimate) -> None:
    """A factor that no published run comes near is of another job, not of a stack. Raises NoFactorError."""
    if _TRUSTED[0] <= factor <= _TRUSTED[1]:
        return
    mfu = modelled.mfu / factor
    said = f"would put the GPU at {mfu:.2g} times its peak" if mfu > 1 else f"is an MFU of {mfu:.1%}"
    raise NoFactorError(
        f"its step is {factor:.2g} times the model's, which {said}; published runs lie between {SEEN[0]} and "
        f"{SEEN[1]}: another model, batch or number of GPUs (else give workload.stack_factor by hand)"
    )
