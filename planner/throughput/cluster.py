"""What a job runs on: the fabric as a design wires it, and the rates that software reaches on a GPU."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.catalog.parts import Accelerator, ServerModel
from planner.scenario.scenario import Calibration, Workload
from planner.throughput.constants import AcceleratorFigures, accelerator_figures, fp8_ceiling, value
from planner.throughput.numbers import pick
from planner.throughput.result import ThroughputError


@dataclass(frozen=True, slots=True)
class FabricView:
    """What the throughput model sees of a design.

    ``endpoint_gbps`` is the rate of one endpoint, ``endpoints_per_node`` counts all planes;
    ``nodes_per_unit`` is how many nodes share one set of leaves; oversubscription is down / up.
    ``calibration``: what a test bed measured.
    """

    technology: str
    endpoint_gbps: float
    endpoints_per_node: int
    tiers: int
    oversubscription: float
    spine_oversubscription: float
    planes: int
    nodes_per_unit: int
    calibration: Calibration | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """Rates of one GPU as software reaches them (FLOP/s, bytes/s), and how GPUs are grouped.

    ``core_flops`` is bf16 matmul, ``attention_flops`` what a fused attention kernel reaches. ``island`` is
    the larger of node and NVLink domain: traffic inside it never meets the fabric.
    """

    peak_tflops: float
    matmul_flops: float
    core_flops: float
    attention_flops: float
    hbm_bytes_per_s: float
    hbm_bytes: float
    nvlink_domain: int
    nvlink_bytes_per_s: float
    pcie_bytes_per_s: float
    collective_s: float
    gpus_per_node: int
    endpoints_per_gpu: float
    warnings: tuple[str, ...]

    @property
    def island(self) -> int:
        """GPUs that reach each other without the fabric."""
        return max(self.nvlink_domain, self.gpus_per_node)

    def scale_up_bytes_per_s(self, group: float) -> float:
        """All-reduce bus bandwidth of ``group`` GPUs in an island: NVLink, or PCIe past its domain."""
        return pick(group <= self.nvlink_domain, self.nvlink_bytes_per_s, self.pcie_bytes_per_s)


def with_measured(figures: AcceleratorFigures, calibration: Calibration | None) -> AcceleratorFigures:
    """An accelerator's figures with the NVLink all-reduce as it was measured."""
    if calibration is None:
        return figures
    if calibration.nvlink_busbw_gbytes_per_s is not None:
        figures = replace(figures, busbw_bytes_per_s=calibration.nvlink_busbw_gbytes_per_s * 1e9)
    if calibration.nvlink_alpha_us is not None:
        figures = replace(figures, collective_s=calibration.nvlink_alpha_us * 1e-6)
    return figures


def _peak(accelerator: Accelerator, precision: str) -> float:
    key = "bf16" if precision == "fp16" else precision
    if key not in accelerator.peak_tflops:
        known = ", ".join(sorted(accelerator.peak_tflops)) or "none"
        raise ThroughputError(f"{accelerator.id} has no dense {precision} peak (known: {known})")
    return accelerator.peak_tflops[key]


def _nvlink_rate(accelerator: Accelerator, measured: float | None) -> float | None:
    if accelerator.nvlink_gbytes_per_s is None:
        return None
    return measured or accelerator.nvlink_gbytes_per_s * 1e9 * value("busbw_ratio")


def _flops(accelerator: Accelerator, workload: Workload) -> tuple[float, float, float, float]:
    """(peak TFLOP/s; then FLOP/s of matmuls, of bf16 matmuls, of the fused attention core)."""
    figures = accelerator_figures(accelerator.id)
    peak, bf16_peak = _peak(accelerator, workload.precision), _peak(accelerator, "bf16")
    core = bf16_peak * 1e12 * figures.matmul_ceiling * value("kappa")
    matmul = core
    if workload.precision == "fp8":
        ceiling = fp8_ceiling(figures, accelerator.id) / value("fp8_derate")
        matmul = peak * 1e12 * ceiling * value("kappa")
    share = figures.attention_2023 if workload.attention == "fused-2023" else figures.attention
    return peak, matmul, core, bf16_peak * 1e12 * share


def machine(server: ServerModel, accelerator: Accelerator, fabric: FabricView, workload: Workload) -> Machine:
    """The rates of a GPU of ``server``; raises ThroughputError naming a figure that is missing."""
    if fabric.endpoints_per_node < 1:
        raise ThroughputError("the fabric gives a node no endpoint")
    figures = with_measured(accelerator_figures(accelerator.id), fabric.calibration)
    peak, matmul, core, attention = _flops(accelerator, workload)
    nvlink = _nvlink_rate(accelerator, figures.busbw_bytes_per_s)
    pcie = value("pcie4_busbw_gbytes_per_s") * 1e9 * 2.0 ** (server.pcie_generation - 4)
    return Machine(
        peak_tflops=peak,
        matmul_flops=matmul,
        core_flops=core,
        attention_flops=attention,
        hbm_bytes_per_s=accelerator.hbm_tbytes_per_s * 1e12,
        hbm_bytes=accelerator.hbm_gbytes * 1e9,
        nvlink_domain=max(1, server.nvlink_domain_gpus) if nvlink else 1,
        nvlink_bytes_per_s=nvlink or pcie,
        pcie_bytes_per_s=pcie,
        collective_s=figures.collective_s,
        gpus_per_node=server.gpus_per_node,
        endpoints_per_gpu=fabric.endpoints_per_node / server.gpus_per_node,
        warnings=figures.warnings,
    )
