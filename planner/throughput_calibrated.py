"""The constants of a test bed, where there are any, in place of the shipped ones."""

from __future__ import annotations

from dataclasses import replace

from planner.scenario import Calibration
from planner.throughput_constants import AcceleratorFigures, value
from planner.throughput_numbers import smaller
from planner.throughput_types import FabricView


def link_share(fabric: FabricView) -> float:
    """e0: share of the link rate that payload reaches within one leaf, measured or shipped.

    TCP over traditional Ethernet reaches a share of the link and never more than a cap.
    """
    measured = fabric.calibration.e0.get(fabric.technology) if fabric.calibration else None
    if measured is not None:
        return measured
    if fabric.technology != "ethernet":
        return value(f"{fabric.technology}.efficiency")
    return smaller(value("ethernet.rate_ratio"), value("ethernet.rate_cap_gbps") / fabric.endpoint_gbps)


def message_s(fabric: FabricView) -> float:
    """alpha0: seconds that a message costs beside its bytes and its hops, measured or shipped."""
    measured = fabric.calibration.alpha_us.get(fabric.technology) if fabric.calibration else None
    return value(f"{fabric.technology}.alpha_s") if measured is None else measured * 1e-6


def with_measured(figures: AcceleratorFigures, calibration: Calibration | None) -> AcceleratorFigures:
    """An accelerator's figures with the NVLink all-reduce as it was measured."""
    if calibration is None:
        return figures
    if calibration.nvlink_busbw_gbytes_per_s is not None:
        figures = replace(figures, busbw_bytes_per_s=calibration.nvlink_busbw_gbytes_per_s * 1e9)
    if calibration.nvlink_alpha_us is not None:
        figures = replace(figures, collective_s=calibration.nvlink_alpha_us * 1e-6)
    return figures
