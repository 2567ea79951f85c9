"""What a reviewer would raise about a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from planner.catalog.parts import SwitchModel
from planner.fabric.design import Design, Plan
from planner.fabric.fat_tree import most_uplinks
from planner.fabric.port_use import PortHeadroom, port_headroom
from planner.scenario.scenario import Scenario
from planner.text.format import count, counted, percent_whole
from planner.throughput.result import Estimate

_PLURALS = {"leaf": "leaves", "spine": "spines", "core": "cores"}


def port_warnings(
    position: int,
    designs: Sequence[Design],
    switches: Mapping[str, SwitchModel],
    scenario: Scenario,
    stranded_ratio: float,
) -> Iterator[str]:
    """Of the design at ``position``. ``stranded_ratio``: the least share of a tier's ports worth saying."""
    design = designs[position]
    later = next((d for d in designs[position + 1 :] if d.gpus > design.gpus), None)
    tiers = list(port_headroom(design, switches, scenario.fabric.reserved_fabric_ports))
    full = [tier for tier in tiers if tier.room == 0]
    if later is not None and full:
        yield _full(full, later)
    for tier in tiers:
        if tier.stranded and tier.stranded_ratio >= stranded_ratio:
            of = f"{count(tier.stranded)} of {count(tier.total)} {tier.tier} ports"
            yield (
                f"{of} ({percent_whole(tier.stranded_ratio)}, {tier.switch}) are stranded: not wired, and "
                "of no use as long as the wiring stays"
            )


def _full(tiers: Sequence[PortHeadroom], later: Design) -> str:
    """Tiers that take nothing more, the growth to come, and what the plan does then."""
    names = " and ".join(tier.tier for tier in tiers)
    takes = ", ".join(f"no {tier.what} fits the {_PLURALS[tier.tier]}" for tier in tiers)
    due = f"{counted(later.gpus, 'GPU')} are due in {later.year}"
    moved = counted(later.change.recabled_links, "link")
    return f"{names} ports are full, {takes} any more: {due}, when the plan moves {moved}"


def split_racks(design: Design, scenario: Scenario) -> Iterator[str]:
    """NVLink racks of several nodes that hang on leaves of two units: packed nodes, rack after rack."""
    w, nodes = design.wiring, design.size.nodes
    rack = scenario.server.nvlink_domain_gpus // scenario.server.gpus_per_node
    if rack < 2 or not w.leaf_up:
        return
    edges = range(w.nodes_per_unit, nodes, w.nodes_per_unit)
    split = len({edge // rack for edge in edges if edge % rack})
    if split:
        racks = counted(-(-nodes // rack) * w.sites, "NVLink rack")
        yield (
            f"{count(split * w.sites)} of {racks} of {rack} nodes straddle scalable units of "
            f"{w.nodes_per_unit} nodes: their nodes hang on different leaves; units of whole racks "
            f"(nodes_per_scalable_unit, a multiple of {rack}) keep them together"
        )


def split_ports(design: Design, scenario: Scenario) -> Iterator[str]:
    """Split NIC ports whose planes nobody chose."""
    w = design.wiring
    assumed = any(text.startswith("fabric.planes = ") for text in scenario.defaults_used)
    if w.nic_port_split > 1 and assumed:
        where = f"one part to each of {w.planes} planes" if w.planes > 1 else "all parts to one fabric"
        yield (
            f"planes is not given: with nic_port_split = {w.nic_port_split} every NIC port sends {where}; "
            "write planes to choose"
        )


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
