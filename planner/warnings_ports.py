"""Warnings on the ports of a plan: tiers without room before the next growth, stranded ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from planner.catalog import SwitchModel
from planner.design import Design
from planner.format import count, counted, percent_whole
from planner.port_room import PortRoom, port_room
from planner.scenario import Scenario

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
    tiers = list(port_room(design, switches, scenario.fabric.reserved_fabric_ports))
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


def _full(tiers: Sequence[PortRoom], later: Design) -> str:
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
