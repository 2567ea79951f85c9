"""The bandwidth headroom as caps on oversubscription (contract: Headroom)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from planner.catalog import Accelerator
from planner.demand import Variant, YearDemand
from planner.design import Wiring
from planner.generations import pacing
from planner.scenario import Scenario
from planner.search import RatioCaps
from planner.throughput import FabricView, TierLoad, tier_load


def load_of(
    scenario: Scenario,
    accelerators: Mapping[str, Accelerator],
    base: Wiring,
    gpus: int,
    technology: str,
) -> TierLoad:
    """Gb/s an endpoint that the job on ``gpus`` GPUs asks of each tier when it spans all of them.

    Of ``base`` only how the nodes' ports are used matters. Raises ThroughputError where the workload can't
    run on the cluster.
    """
    view = FabricView(
        technology=technology,
        endpoint_gbps=base.link_gbps,
        endpoints_per_node=base.nic_ports_per_node * base.nic_port_split,
        tiers=3,
        oversubscription=1.0,
        spine_oversubscription=1.0,
        planes=base.planes,
        nodes_per_unit=1,
    )
    first = scenario.growth[0].gpus
    server, accelerator = pacing(scenario, accelerators, gpus)
    return tier_load(scenario.workload, server, accelerator, gpus, first, view)


def ratio_caps(
    scenario: Scenario, accelerators: Mapping[str, Accelerator], technology: str
) -> Callable[[Variant, YearDemand], RatioCaps | None]:
    """A cached function from (variant, year) to the caps; None where a node's own links are too slow.

    A tier's traffic <= (1 - headroom) x its wired bandwidth, so down : up <= that bandwidth over the
    traffic that goes through.
    """
    known: dict[tuple[Variant, int], RatioCaps | None] = {}

    def caps(variant: Variant, year: YearDemand) -> RatioCaps | None:
        key = (variant, year.t)
        if key not in known:
            load = load_of(scenario, accelerators, variant.base, year.gpus, technology)
            known[key] = _caps(scenario, variant, year, load)
        return known[key]

    return caps


def _caps(scenario: Scenario, variant: Variant, year: YearDemand, load: TierLoad) -> RatioCaps | None:
    usable = (1.0 - scenario.fabric.bandwidth_headroom) * variant.base.link_gbps
    if load.node_leaf_gbps > usable:
        return None
    return RatioCaps(year.site_nodes, _cap(usable, load.leaf_spine_gbps), _cap(usable, load.spine_core_gbps))


def _cap(usable_gbps: float, asked_gbps: float) -> Fraction | None:
    return Fraction(usable_gbps / asked_gbps) if asked_gbps > 0 else None
