"""What a reviewer would raise about a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from planner.catalog import SwitchModel
from planner.design import Design, Plan
from planner.scenario import Scenario
from planner.throughput import Estimate
from planner.topology import most_uplinks
from planner.warnings_ports import port_warnings, split_ports, split_racks

UNICAST_LIDS = 49_151  # InfiniBand LIDs 0x0001 to 0xBFFF of one subnet (InfiniBand specification)


def warnings_for(
    plan: Plan,
    switches: Mapping[str, SwitchModel],
    estimates: Sequence[Estimate],
    scenario: Scenario,
    stranded_ratio: float,
) -> tuple[str, ...]:
    """Warnings, each with the years in which a design was made that it holds for. ``switches`` by id.

    ``stranded_ratio``: the least share of a tier's ports that is worth saying.
    """
    said: dict[str, list[str]] = {}
    designs = plan.designs
    for i, (design, estimate) in enumerate(zip(designs, estimates, strict=True)):
        if i and design.gpus == designs[i - 1].gpus:
            continue
        ports = port_warnings(i, designs, switches, scenario, stranded_ratio)
        asked = (*split_racks(design, scenario), *split_ports(design, scenario))
        for text in (
            *_of_design(plan.technology_in(design.year), design, switches),
            *ports,
            *asked,
            *estimate.warnings,
        ):
            if str(design.year) not in said.setdefault(text, []):
                said[text].append(str(design.year))
    return tuple(f"{', '.join(years)}: {text}" for text, years in said.items() if years)


def _of_design(technology: str, design: Design, switches: Mapping[str, SwitchModel]) -> Iterable[str]:
    wiring, size = design.wiring, design.size
    if wiring.pair_links:
        what = (
            "every node loses half of its ports" if wiring.rail_optimised else "half of the nodes are cut off"
        )
        yield f"a pair of switches and no spine: where one fails, {what}"
    elif wiring.tiers == 1:
        yield "a single switch carries all traffic of a plane: its failure stops the job"
    elif wiring.tiers == 2 and wiring.spines == 1:
        yield "one spine: its failure cuts every leaf off from the others"
    elif wiring.tiers == 3 and wiring.spines == 1:
        yield "one spine a pod: its failure cuts every leaf of the pod off"
    if wiring.tiers == 3 and size.cores == 1:
        yield "one core: its failure cuts every pod off from the others"
    if technology == "infiniband" and not _manager_port(design, switches[wiring.leaf]):
        yield "every port of every leaf is taken: none is left for a fabric manager"
    addresses = size.endpoints + size.leaves + size.spines + size.cores
    if technology == "infiniband" and addresses > UNICAST_LIDS:
        yield (
            f"{addresses:,} endpoints and switches in a plane exceed the {UNICAST_LIDS:,} unicast LIDs of an "
            "InfiniBand subnet: routers or more planes are needed"
        )
    if wiring.planes > 1 and wiring.nic_port_split == 1:
        yield (
            f"{wiring.planes} planes of one fabric: GPUs of different planes reach each other through "
            "NVLink only"
        )


def _manager_port(design: Design, leaf: SwitchModel) -> bool:
    """Whether some leaf has a port without an endpoint or an uplink."""
    wiring, size = design.wiring, design.size
    beside = wiring.down + most_uplinks(leaf, wiring.down, wiring.link_gbps, wiring.link_gbps)
    taken = size.endpoints + (size.leaf_spine_links + 2 * size.leaf_leaf_links) * wiring.uplink_factor
    return taken < size.leaves * beside
