"""One year's design -> the training job on it, as it is run and as it could be run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology
from planner.fabric.demand import YearDemand
from planner.fabric.design import Design, Wiring
from planner.scenario.generations import measured_on, pacing, peak_share, present
from planner.scenario.scenario import Operations, Scenario, WanAsk
from planner.throughput.between_sites import WideLink, wide_link
from planner.throughput.cluster import Cluster, FabricView
from planner.throughput.constants import load_constants, with_measured
from planner.throughput.estimate import estimate
from planner.throughput.operating_states import OperationsCost, state_costs
from planner.throughput.result import Estimate


def fabric_view(wiring: Wiring, technology: Technology) -> FabricView:
    """What the throughput model sees of a wiring.

    A collapsed pair is seen as two tiers: what leaves a half crosses the links between its leaves, at the
    latency of a spine, which is one switch more than there is.
    """
    return FabricView(
        technology=technology,
        endpoint_gbps=wiring.link_gbps,
        endpoints_per_node=wiring.nic_ports_per_node * wiring.nic_port_split,
        tiers=2 if wiring.pair_links else wiring.tiers,
        oversubscription=float(wiring.oversubscription),
        spine_oversubscription=float(wiring.spine_oversubscription),
        nodes_per_unit=wiring.nodes_per_unit,
    )


def estimate_design(design: Design, scenario: Scenario, sources: Sources, technology: Technology) -> Estimate:
    """The training job on one year's design. Raises ThroughputError where there is no estimate."""
    return estimate_wiring(design.wiring, design.gpus, scenario, sources, technology)


def estimate_wiring(
    wiring: Wiring, gpus: int, scenario: Scenario, sources: Sources, technology: Technology
) -> Estimate:
    """The training job on ``gpus`` GPUs over a wiring. Raises ThroughputError where there is no estimate."""
    server, accelerator = pacing(scenario, sources.catalog.accelerators, gpus)
    cluster = Cluster(server, accelerator, gpus, fabric_view(wiring, technology))
    constants = with_measured(load_constants(), measured_on(scenario, accelerator.id), accelerator.id)
    first_gpus, run = scenario.growth[0].gpus, scenario.operations
    found = estimate(scenario.workload, cluster, first_gpus, run, constants, scenario.wan)
    kinds = [kind.server.name for kind, _ in present(scenario, gpus)]
    if len(kinds) < 2:
        return found
    said = f"one job over {' and '.join(kinds)}, paced by the slowest GPU, that of {server.name}"
    mfu = found.mfu * peak_share(scenario, sources.catalog.accelerators, gpus)
    return replace(found, mfu=mfu, warnings=(said, *found.warnings))


def output_of(
    scenario: Scenario, sources: Sources, technology: Technology
) -> Callable[[Wiring, YearDemand], float]:
    """Effective TFLOP/s on a wiring in a year; wirings that the model sees alike are rated once."""
    known: dict[tuple[FabricView, int], float] = {}

    def output(wiring: Wiring, year: YearDemand) -> float:
        key = fabric_view(wiring, technology), year.gpus
        if key not in known:
            rated = estimate_wiring(wiring, year.gpus, scenario, sources, technology)
            known[key] = rated.effective_tflops
        return known[key]

    return output


def _as_laid_out(scenario: Scenario, job: Estimate) -> Scenario:
    """The scenario with the degrees of an estimate: states are compared on one layout of the job.

    The jobs of a mix have a layout each, so that of the largest is not put on the others.
    """
    if scenario.workload.job_mix:
        return scenario
    tensor, pipeline = job.tensor_parallel, job.pipeline_parallel
    laid_out = replace(scenario.workload, tensor_parallel=tensor, pipeline_parallel=pipeline)
    return replace(scenario, workload=laid_out)


def operations_cost(
    design: Design, job: Estimate, scenario: Scenario, sources: Sources, technology: Technology
) -> OperationsCost:
    """What each way of running ``technology`` costs in the year of a design."""
    laid_out = _as_laid_out(scenario, job)

    def rated(run_as: Technology, run: Operations) -> Estimate:
        return estimate_design(design, replace(laid_out, operations=run), sources, run_as)

    return state_costs(
        year=design.year,
        gpus=design.gpus,
        nodes=design.nodes,
        fabric=fabric_view(design.wiring, technology),
        operations=scenario.operations,
        rated=rated,
        constants=load_constants(),
    )


def wide_link_cost(
    design: Design, job: Estimate, scenario: Scenario, sources: Sources, technology: Technology
) -> WideLink | None:
    """What the link between sites costs in the year of a design; None for one site."""
    laid_out = _as_laid_out(scenario, job)

    def rated(wan: WanAsk) -> Estimate:
        return estimate_design(design, replace(laid_out, wan=wan), sources, technology)

    return wide_link(
        year=design.year,
        gpus=design.gpus,
        job=scenario.workload,
        wan=scenario.wan,
        operations=scenario.operations,
        rated=rated,
    )
