"""What a job runs on: GPUs, the fabric as a design wires it, and the rates that software reaches on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import assert_never

from planner.catalog.parts import Accelerator, ServerModel
from planner.catalog.technologies import Technology
from planner.scenario.scenario import Precision, Workload
from planner.throughput.constants import Constants, accelerator_figures
from planner.throughput.result import ThroughputError


@dataclass(frozen=True, slots=True)
class FabricView:
    """What the throughput model sees of a design.

    ``endpoint_gbps`` is the rate of one endpoint, ``endpoints_per_node`` counts all planes;
    ``nodes_per_unit`` is how many nodes share one set of leaves; oversubscription is down / up.
    """

    technology: Technology
    endpoint_gbps: float
    endpoints_per_node: int
    tiers: int
    oversubscription: float
    spine_oversubscription: float
    nodes_per_unit: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """GPUs of one kind of server and the fabric that joins them."""

    server: ServerModel
    accelerator: Accelerator
    gpus: int
    fabric: FabricView

    @property
    def nodes(self) -> int:
        """Servers that hold the GPUs."""
        return math.ceil(self.gpus / self.server.gpus_per_node)


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
        return self.nvlink_bytes_per_s if group <= self.nvlink_domain else self.pcie_bytes_per_s

    def nodes_of(self, gpus: int) -> int:
        """Nodes that so many GPUs fill."""
        return math.ceil(gpus / self.gpus_per_node)


def machine_of(cluster: Cluster, workload: Workload, constants: Constants) -> Machine:
    """The rates of a GPU of the cluster; raises ThroughputError naming a figure that is missing."""
    server, accelerator, fabric = cluster.server, cluster.accelerator, cluster.fabric
    if fabric.endpoints_per_node < 1 or fabric.endpoint_gbps <= 0:
        raise ThroughputError("the fabric gives a node no endpoint")
    figures = accelerator_figures(constants, accelerator.id)
    nvlink = _nvlink_bytes_per_s(accelerator, figures.busbw_gbytes_per_s, constants)
    pcie = constants.pcie4_busbw_gbytes_per_s * 1e9 * 2.0 ** (server.pcie_generation - 4)
    attention = figures.attention_2023 if workload.attention == "fused-2023" else figures.attention
    return Machine(
        peak_tflops=_peak_tflops(accelerator, workload.precision),
        matmul_flops=_matmul_flops(accelerator, workload.precision, constants),
        core_flops=_matmul_flops(accelerator, "bf16", constants),
        attention_flops=_peak_tflops(accelerator, "bf16") * 1e12 * attention,
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


def _peak_tflops(accelerator: Accelerator, precision: Precision) -> float:
    key = "bf16" if precision == "fp16" else precision
    if key not in accelerator.peak_tflops:
        known = ", ".join(sorted(accelerator.peak_tflops)) or "none"
        raise ThroughputError(f"{accelerator.id} has no dense {precision} peak (known: {known})")
    return accelerator.peak_tflops[key]


def _matmul_flops(accelerator: Accelerator, precision: Precision, constants: Constants) -> float:
    """FLOP/s of a layer's matmuls: kappa of the share of dense peak that large matmuls reach."""
    figures, peak = accelerator_figures(constants, accelerator.id), _peak_tflops(accelerator, precision)
    match precision:
        case "bf16" | "fp16":
            ceiling = figures.matmul_ceiling
        case "fp8":
            if figures.matmul_ceiling_fp8 is None:
                raise ThroughputError(f"{accelerator.id} has no FP8 figures: choose precision bf16")
            ceiling = figures.matmul_ceiling_fp8 / constants.fp8_derate
        case _:
            assert_never(precision)
    return peak * 1e12 * ceiling * constants.kappa


def _nvlink_bytes_per_s(
    accelerator: Accelerator, measured_gbytes_per_s: float | None, constants: Constants
) -> float | None:
    """All-reduce bus bandwidth over NVLink: measured, or a share of the one-way rate; None without NVLink."""
    if accelerator.nvlink_gbytes_per_s is None:
        return None
    if measured_gbytes_per_s is not None:
        return measured_gbytes_per_s * 1e9
    return accelerator.nvlink_gbytes_per_s * 1e9 * constants.busbw_ratio
