"""What a reviewer would raise about a plan: a list of rules, each looking at one year's design.

A new warning is a function from a ``Case`` to sentences, and its place in ``RULES``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planner.catalog.parts import SwitchModel
from planner.catalog.technologies import Technology
from planner.fabric.design import Design, Plan
from planner.fabric.fat_tree import most_uplinks
from planner.fabric.port_use import PortHeadroom, port_headroom
from planner.scenario.scenario import Scenario
from planner.text.format import count, counted, percent_whole
from planner.throughput.result import Estimate

UNICAST_LIDS = 49_151  # InfiniBand LIDs 0x0001 to 0xBFFF of one subnet (InfiniBand specification)
_PLURALS = {"leaf": "leaves", "spine": "spines", "core": "cores"}


@dataclass(frozen=True, slots=True)
class Case:
    """A design as it is made in a year: ``later`` is the first of the plan with more GPUs, ``switches`` are
    by id, ``stranded_ratio`` is the least share of a tier's ports that is worth saying."""

    design: Design
    technology: Technology
    estimate: Estimate
    later: Design | None
    scenario: Scenario
    switches: Mapping[str, SwitchModel]
    stranded_ratio: float

    def tiers(self) -> list[PortHeadroom]:
        """The ports of each tier."""
        return list(port_headroom(self.design, self.switches, self.scenario.fabric.reserved_fabric_ports))


Rule = Callable[[Case], Iterator[str]]


def warnings_for(
    plan: Plan,
    switches: Mapping[str, SwitchModel],
    estimates: Sequence[Estimate],
    scenario: Scenario,
    stranded_ratio: float,
) -> tuple[str, ...]:
    """What the rules say, each sentence with the years in which a design is made that it holds for."""
    said: dict[str, list[str]] = {}
    for position, design in enumerate(plan.designs):
        if position and design.gpus == plan.designs[position - 1].gpus:
            continue
        case = Case(
            design=design,
            technology=plan.technology_in(design.year),
            estimate=estimates[position],
            later=next((d for d in plan.designs[position + 1 :] if d.gpus > design.gpus), None),
            scenario=scenario,
            switches=switches,
            stranded_ratio=stranded_ratio,
        )
        for text in dict.fromkeys(text for rule in RULES for text in rule(case)):
            said.setdefault(text, []).append(str(design.year))
    return tuple(f"{', '.join(years)}: {text}" for text, years in said.items())


def nics_replaced(case: Case) -> Iterator[str]:
    """NICs of another rate than those that the server comes with."""
    wiring, server = case.design.wiring, case.scenario.server
    port_gbps = wiring.link_gbps * wiring.nic_port_split
    if server.nic_id and port_gbps != server.nic_port_gbps:
        yield (
            f"link_gbps = {wiring.link_gbps}: the {server.nic_port_gbps}G NICs of {server.name} are replaced "
            f"by {wiring.nic} with ports of {port_gbps}G"
        )


def infiniband_below_roce(case: Case) -> Iterator[str]:
    """A price ratio that makes InfiniBand cheaper than the RoCE part of the same specification."""
    prices = case.scenario.prices
    if (
        case.technology == "infiniband"
        and prices.infiniband_pricing == "ratio"
        and prices.infiniband_price_ratio < 1
    ):
        yield (
            f"infiniband_price_ratio = {prices.infiniband_price_ratio:g} makes InfiniBand parts cheaper than "
            "the RoCE parts of the same specification"
        )


def installed_without_use(case: Case) -> Iterator[str]:
    """Pieces that are there, and that the first year's design has no use for."""
    if case.design.year != case.scenario.base_year:
        return
    there = Counter[str]()
    for row in case.scenario.installed:
        there[row.sku] += row.quantity
    for sku, quantity in there.items():
        sold = case.design.change.retired.get(sku, 0)
        if sold:
            yield (
                f"{count(sold)} of {count(quantity)} installed {sku} are of no use here and are taken as "
                "sold at once: what they bring lowers the network's cost"
            )


def single_point_of_failure(case: Case) -> Iterator[str]:
    """One switch whose failure stops the job, or cuts it in pieces."""
    wiring = case.design.wiring
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
    if wiring.tiers == 3 and case.design.size.cores == 1:
        yield "one core: its failure cuts every pod off from the others"


def no_port_for_a_manager(case: Case) -> Iterator[str]:
    """An InfiniBand fabric without a leaf port for its manager."""
    wiring, size = case.design.wiring, case.design.size
    if case.technology != "infiniband":
        return
    leaf = case.switches[wiring.leaf]
    ports = wiring.down + most_uplinks(leaf, wiring.down, wiring.link_gbps, wiring.link_gbps)
    taken = size.endpoints + (size.leaf_spine_links + 2 * size.leaf_leaf_links) * wiring.uplink_factor
    if taken >= size.leaves * ports:
        yield "every port of every leaf is taken: none is left for a fabric manager"


def more_addresses_than_a_subnet_has(case: Case) -> Iterator[str]:
    """An InfiniBand plane with more endpoints and switches than unicast LIDs."""
    size = case.design.size
    addresses = size.endpoints + size.leaves + size.spines + size.cores
    if case.technology == "infiniband" and addresses > UNICAST_LIDS:
        yield (
            f"{addresses:,} endpoints and switches in a plane exceed the {UNICAST_LIDS:,} unicast LIDs of an "
            "InfiniBand subnet: routers or more planes are needed"
        )


def planes_joined_by_nvlink_only(case: Case) -> Iterator[str]:
    """Planes of which a GPU is on one."""
    wiring = case.design.wiring
    if wiring.planes > 1 and wiring.nic_port_split == 1:
        yield (
            f"{wiring.planes} planes of one fabric: GPUs of different planes reach each other through "
            "NVLink only"
        )


def full_before_growth(case: Case) -> Iterator[str]:
    """Tiers that take nothing more, the growth to come, and what the plan does then."""
    full, later = [tier for tier in case.tiers() if tier.room == 0], case.later
    if later is None or not full:
        return
    names = " and ".join(tier.tier for tier in full)
    takes = ", ".join(f"no {tier.what} fits the {_PLURALS[tier.tier]}" for tier in full)
    due = f"{counted(later.gpus, 'GPU')} are due in {later.year}"
    moved = counted(later.change.recabled_links, "link")
    yield f"{names} ports are full, {takes} any more: {due}, when the plan moves {moved}"


def stranded_ports(case: Case) -> Iterator[str]:
    """Ports of a tier that no growth can use."""
    for tier in case.tiers():
        if tier.stranded and tier.stranded_ratio >= case.stranded_ratio:
            of = f"{count(tier.stranded)} of {count(tier.total)} {tier.tier} ports"
            yield (
                f"{of} ({percent_whole(tier.stranded_ratio)}, {tier.switch}) are stranded: not wired, and "
                "of no use as long as the wiring stays"
            )


def split_racks(case: Case) -> Iterator[str]:
    """NVLink racks of several nodes that hang on leaves of two units: packed nodes, rack after rack."""
    w, nodes, server = case.design.wiring, case.design.size.nodes, case.scenario.server
    rack = server.nvlink_domain_gpus // server.gpus_per_node
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


def planes_nobody_chose(case: Case) -> Iterator[str]:
    """Split NIC ports whose planes are a default."""
    w = case.design.wiring
    assumed = any(text.startswith("fabric.planes = ") for text in case.scenario.defaults_used)
    if w.nic_port_split > 1 and assumed:
        where = f"one part to each of {w.planes} planes" if w.planes > 1 else "all parts to one fabric"
        yield (
            f"planes is not given: with nic_port_split = {w.nic_port_split} every NIC port sends {where}; "
            "write planes to choose"
        )


def of_the_estimate(case: Case) -> Iterator[str]:
    """What the throughput model says of the job."""
    yield from case.estimate.warnings


RULES: tuple[Rule, ...] = (
    nics_replaced,
    infiniband_below_roce,
    installed_without_use,
    single_point_of_failure,
    no_port_for_a_manager,
    more_addresses_than_a_subnet_has,
    planes_joined_by_nvlink_only,
    full_before_growth,
    stranded_ports,
    split_racks,
    planes_nobody_chose,
    of_the_estimate,
)
