"""What a GPU, a node, an endpoint, an hour and a TFLOP/s cost: first capex, and levelised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planner.cost.finance import opex_factor
from planner.cost.tariff import HOURS_PER_YEAR
from planner.fabric.design import YearDesign
from planner.throughput.result import Estimate


@dataclass(frozen=True, slots=True)
class CostPerUnit:
    """USD a unit. ``capex_*``: the first year's capex over its units. ``levelised_*``: present value of all
    cost over present value of the units in service, a year's at its end; network: of the network's cost."""

    capex_usd_per_gpu: float
    capex_usd_per_node: float
    capex_usd_per_endpoint: float
    network_capex_usd_per_gpu: float
    network_capex_usd_per_endpoint: float
    levelised_usd_per_gpu_hour: float
    levelised_usd_per_node_year: float
    levelised_usd_per_endpoint_year: float
    levelised_usd_per_effective_tflops_year: float
    network_usd_per_gpu_hour: float
    network_usd_per_endpoint_year: float
    network_usd_per_effective_tflops_year: float


def levelised_usd(npv_usd: float, units: Sequence[float], rate: float) -> float:
    """Present value of cost over that of the units of each year, at its end.

    >>> levelised_usd(144.0, [1.0, 1.0], 0.25)
    100.0
    """
    return npv_usd / sum(n * opex_factor(rate, t) for t, n in enumerate(units))


def cost_per_unit(
    designs: Sequence[YearDesign],
    estimates: Sequence[Estimate],
    capex_usd: tuple[float, float],
    npv_usd: tuple[float, float],
    rate: float,
) -> CostPerUnit:
    """``capex_usd`` of the first year and ``npv_usd`` of all years: (cluster, network)."""
    first = designs[0]

    def over(amount: int, units: Callable[[YearDesign], float]) -> float:
        return levelised_usd(npv_usd[amount], [units(d) for d in designs], rate)

    def endpoints(design: YearDesign) -> int:
        return design.links[0]

    def gpu_hours(design: YearDesign) -> float:
        return design.gpus * HOURS_PER_YEAR

    tflops = [e.effective_tflops for e in estimates]
    return CostPerUnit(
        capex_usd_per_gpu=capex_usd[0] / first.gpus,
        capex_usd_per_node=capex_usd[0] / first.nodes,
        capex_usd_per_endpoint=capex_usd[0] / endpoints(first),
        network_capex_usd_per_gpu=capex_usd[1] / first.gpus,
        network_capex_usd_per_endpoint=capex_usd[1] / endpoints(first),
        levelised_usd_per_gpu_hour=over(0, gpu_hours),
        levelised_usd_per_node_year=over(0, lambda d: d.nodes),
        levelised_usd_per_endpoint_year=over(0, endpoints),
        levelised_usd_per_effective_tflops_year=levelised_usd(npv_usd[0], tflops, rate),
        network_usd_per_gpu_hour=over(1, gpu_hours),
        network_usd_per_endpoint_year=over(1, endpoints),
        network_usd_per_effective_tflops_year=levelised_usd(npv_usd[1], tflops, rate),
    )
