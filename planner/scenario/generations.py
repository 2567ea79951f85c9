"""Server generations year by year: how many GPUs and nodes of which, and which one a joint job waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil

from planner.catalog.parts import Accelerator, ServerModel
from planner.scenario.scenario import Calibration, Generation, GrowthStep, Scenario


def steps_of(scenario: Scenario, index: int) -> tuple[GrowthStep, ...]:
    """The growth of one generation alone: what its rows have above the rows before it."""
    kinds = scenario.generations
    first = kinds[index].first_year
    end = kinds[index + 1].first_year if index + 1 < len(kinds) else scenario.growth[-1].year + 1
    before = max((s.gpus for s in scenario.growth if s.year < first), default=0)
    own = (s for s in scenario.growth if first <= s.year < end and s.gpus > before)
    return tuple(GrowthStep(s.year, s.gpus - before) for s in own)


def gpus_of(scenario: Scenario, year: int) -> tuple[int, ...]:
    """GPUs of each generation in service in a year; all of them where there is one."""
    if not scenario.generations:
        return (max((s.gpus for s in scenario.growth if s.year <= year), default=0),)
    return tuple(
        max((s.gpus for s in steps_of(scenario, i) if s.year <= year), default=0)
        for i in range(len(scenario.generations))
    )


def nodes_by_server(scenario: Scenario, years: range) -> list[tuple[ServerModel, list[int]]]:
    """The nodes in service of each generation's server, one number a year."""
    kinds = [g.server for g in scenario.generations] or [scenario.server]
    return [
        (kind, [ceil(gpus_of(scenario, year)[i] / kind.gpus_per_node) for year in years])
        for i, kind in enumerate(kinds)
    ]


def present(scenario: Scenario, gpus: int) -> list[tuple[Generation, int]]:
    """The generations that a cluster of so many GPUs is made of, with the GPUs of each."""
    found = []
    for i, kind in enumerate(scenario.generations):
        before = max((s.gpus for s in scenario.growth if s.year < kind.first_year), default=0)
        own = max((s.gpus for s in steps_of(scenario, i)), default=0)
        if gpus > before:
            found.append((kind, min(own, gpus - before)))
    return found


def peak_tflops(accelerator: Accelerator, precision: str) -> float:
    """Dense peak (TFLOP/s) of a GPU in a job's precision; 0 where it is not known."""
    return accelerator.peak_tflops.get("bf16" if precision == "fp16" else precision, 0.0)


def pacing(
    scenario: Scenario, accelerators: Mapping[str, Accelerator], gpus: int
) -> tuple[ServerModel, Accelerator]:
    """The server whose GPU a job over so many GPUs is paced by: the one of the lowest peak, of these the one
    of the slowest memory."""
    servers = [kind.server for kind, _ in present(scenario, gpus)] or [scenario.server]
    rated = [(s, accelerators[s.accelerator]) for s in servers]
    precision = scenario.workload.precision
    return min(rated, key=lambda row: (peak_tflops(row[1], precision), row[1].hbm_tbytes_per_s))


def peak_share(scenario: Scenario, accelerators: Mapping[str, Accelerator], gpus: int) -> float:
    """The pacing GPU's peak over the mean peak of all GPUs: what a joint job's MFU is multiplied with."""
    kinds, precision = present(scenario, gpus), scenario.workload.precision
    if len(kinds) < 2:
        return 1.0
    total = sum(n * peak_tflops(accelerators[k.server.accelerator], precision) for k, n in kinds)
    slowest = peak_tflops(pacing(scenario, accelerators, gpus)[1], precision)
    return slowest * sum(n for _, n in kinds) / total if total else 1.0


def measured_on(scenario: Scenario, accelerator_id: str) -> Calibration | None:
    """What the test bed measured that holds for a GPU: NVLink figures are of the first server's alone."""
    measured = scenario.calibration
    if measured is None or accelerator_id == scenario.server.accelerator:
        return measured
    return replace(measured, nvlink_busbw_gbytes_per_s=None, nvlink_alpha_us=None)
