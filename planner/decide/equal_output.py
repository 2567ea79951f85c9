"""The slower technology planned anew with more GPUs, until it delivers what the faster one does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil

from planner.catalog.sources import Sources
from planner.catalog.technologies import TECHNOLOGIES
from planner.cost.break_even import BreakEven
from planner.planning.planning_task import PlanOptions
from planner.scenario.scenario import GrowthStep, Scenario
from planner.study.result import delivered_tflops_years
from planner.study.study import Study, plan_scenario

MOST_PLANS = 3
ENOUGH = 0.005  # short of the output by less than this share is equal
NOTHING = "a job that large delivers nothing: its nodes fail faster than it restarts"
SMALL = 0.001  # a difference in output below this share needs no GPUs


@dataclass(frozen=True, slots=True)
class EqualOutput:
    """The slower technology with GPUs added until it delivers as much, planned anew.

    ``gpus`` by growth year; ``tco_usd`` None, with the ``reason``, where it does not get there.
    """

    gpus: Mapping[int, int]
    tco_usd: float | None
    delivered_ratio: float  # of the faster one's TFLOP/s-years
    reason: str = ""


def planned_equal_output(study: Study, sources: Sources, options: PlanOptions) -> EqualOutput | None:
    """Of the study's first pair; None without one, or where the outputs hardly differ."""
    if not study.break_even or study.break_even[0].added_gpus_ratio < SMALL:
        return None
    return equal_output(study, study.break_even[0], sources, options)


def equal_output(study: Study, pair: BreakEven, sources: Sources, options: PlanOptions) -> EqualOutput:
    """Every growth step of the slower technology scaled up alike, by whole nodes, in up to three plans."""
    rate = study.scenario.finance.discount_rate
    delivered = {
        r.technology: delivered_tflops_years(r.estimates, rate) for r in study.results if r.estimates
    }
    names = {pair.dearer, pair.cheaper} - {pair.slower}
    wanted = delivered[names.pop()]
    # larger jobs run less well: a tenth more than in proportion is seldom too little
    factor, last = 1.0 + 1.1 * pair.added_gpus_ratio, EqualOutput({}, None, 0.0, "not planned")
    slower = tuple(name for name in TECHNOLOGIES if name == pair.slower)
    only = replace(options, technologies=slower, lp_dir=None)
    for left in range(MOST_PLANS, 0, -1):
        larger = scaled(study.scenario, factor)
        gpus = {step.year: step.gpus for step in larger.growth}
        budget = options.budget.part(1 / left).naming("equal output")
        (result,) = plan_scenario(larger, sources, replace(only, budget=budget)).results
        if result.tco_usd is None:
            return EqualOutput(gpus, None, 0.0, result.plan.reason or "; ".join(result.missing_prices))
        reached = delivered_tflops_years(result.estimates, rate) / wanted
        last = EqualOutput(gpus, result.tco_usd, reached)
        if reached >= 1.0 - ENOUGH:
            return last
        if reached <= 0.0:
            return replace(last, tco_usd=None, reason=NOTHING)
        factor *= 1.0 / reached
    return replace(last, tco_usd=None, reason=f"{last.delivered_ratio:.1%} of the output is all it reached")


def scaled(scenario: Scenario, factor: float) -> Scenario:
    """The scenario with so many times the GPUs, in whole nodes and equal sites."""
    whole = scenario.server.gpus_per_node * scenario.wan.sites
    steps = [GrowthStep(s.year, ceil(round(s.gpus * factor / whole, 9)) * whole) for s in scenario.growth]
    return replace(scenario, growth=tuple(steps))
