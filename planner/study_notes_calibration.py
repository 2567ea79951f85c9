"""Which constants of the throughput model a test bed has replaced, in a sentence of the answer."""

from __future__ import annotations

from planner.scenario import Scenario
from planner.throughput_constants import accelerator_figures, constants

_US = 1e6


def calibration_notes(scenario: Scenario) -> list[str]:
    """One sentence with the measured constants beside the shipped ones; none where nothing was measured."""
    parts = [*_of_the_fabric(scenario), *_of_the_node(scenario)]
    if scenario.workload.calibrated:
        parts.append(f"software factor of the step time {scenario.workload.stack_factor:.4g} instead of 1")
    return [f"Calibrated on a test bed: {'; '.join(parts)}."] if parts else []


def _of_the_fabric(scenario: Scenario) -> list[str]:
    measured, table = scenario.calibration, constants()
    if measured is None:
        return []
    found = []
    for words, values, key, factor, unit in (
        ("payload share of the link", measured.e0, "efficiency", 1.0, ""),
        ("latency of a message", measured.alpha_us, "alpha_s", _US, " us"),
    ):
        for technology in (t for t in scenario.fabric.technologies if t in values):
            shipped = table.get(f"{technology}.{key}")
            instead = f" instead of {shipped.value * factor:.4g}" if shipped else ""
            found.append(f"{words} over {technology} {values[technology]:.4g}{instead}{unit}")
    return found


def _of_the_node(scenario: Scenario) -> list[str]:
    measured, shipped = scenario.calibration, accelerator_figures(scenario.server.accelerator)
    if measured is None:
        return []
    found = []
    if measured.nvlink_busbw_gbytes_per_s is not None:
        rate = shipped.busbw_bytes_per_s
        instead = f" instead of {rate / 1e9:.4g}" if rate else ""
        found.append(f"NVLink all-reduce {measured.nvlink_busbw_gbytes_per_s:.4g}{instead} GB/s")
    if measured.nvlink_alpha_us is not None:
        usual = shipped.collective_s * _US
        found.append(f"NVLink all-reduce latency {measured.nvlink_alpha_us:.4g} instead of {usual:.4g} us")
    return found
