"""The fabrics of a year, in words for the printed answer and as plain values for the JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.cost.price_list import LICENCE, MANAGER, RACK
from planner.cost.spares import is_spare
from planner.fabric.design import Design, Size, Wiring, YearDesign, largest_fabric
from planner.fabric.patch_panels import panelled
from planner.planning.bandwidth_headroom import TierHeadroom
from planner.study.result import FabricResult, Island, PanelChoice, TechnologyResult, islands_in
from planner.text.format import count, counted, gbps, percent_whole, ratio, usd

UNBROKEN = "\N{NO-BREAK SPACE}"  # within a quantity, while lines are wrapped; printed as a plain space
_TIERS = {1: "one tier", 2: "two tiers", 3: "three tiers"}
_NOT_CROSSED = {"node-leaf": "not used, the job stays inside its nodes"}
_INSIDE = "not crossed, the job stays inside one scalable unit"


def island_head(island: Island) -> dict[str, Any]:
    """Which island a row of the JSON answer is of."""
    rates = island.scenario.fabric.link_gbps
    return {
        "name": island.name,
        "server": island.scenario.server.id,
        "link_gbps": rates[0] if len(rates) == 1 else list(rates),
        "first_year": island.scenario.growth[0].year,
    }


def year_words(result: TechnologyResult, position: int) -> list[str]:
    """The fabric of the year at ``position`` as sentences; of several islands the sum, then each of them,
    with all that is done where it is built or grows."""
    design = result.designs[position]
    if len(design.fabrics) == 1:
        return [*design_words(design.fabrics[0]), *headroom_words(result, position)]
    words = [f"{design.year}: {counted(design.gpus, 'GPU')} on {counted(len(design.fabrics), 'island')}"]
    for island, own in islands_in(result, design.year):
        first, *others = design_words(own)
        words.append(f"{island.name}: {first.removeprefix(f'{own.year}: ')}")
        if any(step.year == design.year for step in island.scenario.growth):
            words += [*others, *headroom_words(island.result, island.result.plan.designs.index(own))]
    return words


def design_words(design: Design) -> list[str]:
    """What stands in a year, and what is done at its start, as sentences.

    Switches and links are of the compute fabric, all planes together.
    """
    wiring = design.wiring
    shape = [
        "collapsed pair" if wiring.pair_links else _TIERS[wiring.tiers],
        gbps(wiring.link_gbps),
        f"oversubscription {ratio(wiring.oversubscription)}",
    ]
    if wiring.tiers == 3:
        shape.append(f"spine to core {ratio(wiring.spine_oversubscription)}")
    if wiring.rail_optimised:
        shape.append("rail-optimised")
    if wiring.planes > 1:
        shape.append(f"{wiring.planes} planes")
    asked = f"{counted(design.gpus, 'GPU')} in {counted(design.nodes, 'node')}"
    return [
        f"{design.year}: {asked}; {', '.join(shape)}",
        f"{_switches(design, wiring)}; {_links(design, wiring)}",
        f"bought: {_pieces(of_links(design.change.bought))}; "
        f"retired: {_pieces(of_links(design.change.retired))}; "
        f"{counted(design.change.recabled_links, 'recabled link')}",
    ]


def _switches(design: Design, wiring: Wiring) -> str:
    size, copies, factor = design.size, wiring.copies, wiring.uplink_factor
    leaf = f"{wiring.down} down, {wiring.up * factor} up" if wiring.up else f"{wiring.down} down"
    if wiring.pair_links:
        leaf += f", {wiring.pair_links * factor} to the other leaf"
    tiers = [f"{counted(size.leaves * copies, 'leaf', 'leaves')} {wiring.leaf} ({leaf})"]
    if wiring.tiers >= 2:
        striped = f"{counted(wiring.links_per_pair * factor, 'link')} to each of its leaves"
        tiers.append(f"{counted(size.spines * copies, 'spine')} {wiring.spine} ({striped})")
    if wiring.tiers >= 3:
        tiers.append(
            f"{counted(size.cores * copies, 'core')} {wiring.core} ({wiring.spine_up * factor} a spine)"
        )
    return ", ".join(tiers)


def _links(design: Design, wiring: Wiring) -> str:
    size, copies, factor = design.size, wiring.copies, wiring.uplink_factor
    links = [size.endpoints, size.leaf_spine_links * factor, size.spine_core_links * factor]
    names = ["endpoint-leaf", "leaf-spine", "spine-core"]
    if wiring.pair_links:
        across = size.leaf_leaf_links * factor * copies
        return f"links: {count(size.endpoints * copies)} endpoint-leaf, {count(across)} leaf-leaf"
    shown = [f"{count(n * copies)} {name}" for n, name in zip(links, names, strict=True)][: wiring.tiers]
    return "links: " + ", ".join(shown)


def _pieces(pieces: Mapping[str, int]) -> str:
    return (
        ", ".join(f"{count(number)}{UNBROKEN}{sku}" for sku, number in sorted(pieces.items()) if number)
        or "nothing"
    )


def of_links(pieces: Mapping[str, int]) -> dict[str, int]:
    """Pieces of the fabric and its management network: the BOM has spares, managers, licences, racks."""
    beside = (MANAGER, LICENCE, RACK)
    return {sku: n for sku, n in pieces.items() if not is_spare(sku) and sku not in beside}


def topology_summary(design: YearDesign) -> str:
    """Tiers, switches by tier and planes of a year's compute fabric, of several that with the most GPUs;
    counts are of all planes."""
    fabric = largest_fabric(design)
    wiring, size = fabric.wiring, fabric.size
    rows = [(size.leaves, "leaf", "leaves", wiring.leaf), (size.spines, "spine", "spines", wiring.spine),
            (size.cores, "core", "cores", wiring.core)][: wiring.tiers]  # fmt: skip
    switches = [f"{counted(n * wiring.copies, one, more)} {switch}" for n, one, more, switch in rows]
    planes = [f"{wiring.planes} planes"] if wiring.planes > 1 else []
    return ", ".join([_TIERS[wiring.tiers], *switches, *planes])


def topology_document(design: YearDesign) -> dict[str, Any]:
    """The wiring of a year's fabric, of several that with the most GPUs."""
    fabric = largest_fabric(design)
    wiring, size = fabric.wiring, fabric.size
    return {
        "tiers": wiring.tiers,
        "collapsed_pair": wiring.pair_links > 0,
        "planes": wiring.planes,
        "oversubscription": ratio(wiring.oversubscription),
        "spine_oversubscription": ratio(wiring.spine_oversubscription),
        "rail_optimised": wiring.rail_optimised,
        "nic": wiring.nic,
        "nic_port_split": wiring.nic_port_split,
        "link_gbps": wiring.link_gbps,
        "uplink_gbps": wiring.uplink_gbps or None,
        "nodes_per_unit": wiring.nodes_per_unit,
        "pods": size.pods * wiring.copies,
        "leaf": {
            "switch": wiring.leaf,
            "count": size.leaves * wiring.copies,
            "down_ports": wiring.down,
            "up_ports": wiring.leaf_up * wiring.uplink_factor,
        },
        "spine": _spine_document(size, wiring),
        "core": _core_document(size, wiring),
    }


def _spine_document(size: Size, wiring: Wiring) -> dict[str, Any] | None:
    if wiring.tiers < 2:
        return None
    return {
        "switch": wiring.spine,
        "count": size.spines * wiring.copies,
        "links_per_leaf": wiring.links_per_pair * wiring.uplink_factor,
    }


def _core_document(size: Size, wiring: Wiring) -> dict[str, Any] | None:
    if wiring.tiers < 3:
        return None
    return {
        "switch": wiring.core,
        "count": size.cores * wiring.copies,
        "links_per_spine": wiring.spine_up // max(1, wiring.cores_per_group) * wiring.uplink_factor,
    }


def headroom_words(result: TechnologyResult, position: int) -> list[str]:
    """One line for the year at ``position``; none where it is not known."""
    tiers = result.headroom_at(position)
    if not tiers:
        return []
    asked = percent_whole(tiers[0].headroom_ratio)
    return [f"traffic an endpoint, with {asked} to stay free: {'; '.join(map(_tier, tiers))}"]


def _tier(tier: TierHeadroom) -> str:
    if not tier.crossed:
        return f"{tier.tier} {_NOT_CROSSED.get(tier.tier, _INSIDE)}"
    used, left = percent_whole(tier.used_ratio), percent_whole(tier.left_ratio)
    return f"{tier.tier} {rate(tier.asked_gbps)} of {gbps(tier.wired_gbps)} ({used}), {left} left"


def rate(asked_gbps: float) -> str:
    """A rate to a tenth of a Gb/s.

    >>> rate(12.3456), rate(0.04)
    ('12.3 Gb/s', 'below 0.1 Gb/s')
    """
    return gbps(round(asked_gbps, 1)) if asked_gbps >= 0.05 else "below 0.1 Gb/s"


def headroom_document(result: TechnologyResult, position: int) -> list[dict[str, Any]]:
    """The tiers of the year at ``position`` as plain values, bandwidths for each endpoint; none where they
    are not known, and of several islands, which have it themselves."""
    return [
        {
            "tier": tier.tier,
            "crossed": tier.crossed,
            "asked_gbps_per_endpoint": tier.asked_gbps,
            "wired_gbps_per_endpoint": tier.wired_gbps,
            "used_ratio": tier.used_ratio,
            "headroom_ratio": tier.headroom_ratio,
            "left_ratio": tier.left_ratio,
        }
        for tier in result.headroom_at(position)
    ]


def _choice(result: TechnologyResult) -> PanelChoice | None:
    """How panels were chosen; None where that was not open, and of several islands, which choose by
    themselves."""
    return result.panels if isinstance(result, FabricResult) else None


def _used(result: TechnologyResult) -> bool:
    return any(any(panelled(design.need_by_tier)) for design in result.designs)


def panels_words(result: TechnologyResult) -> list[str]:
    """Which way was kept where the choice is open, and what is moved at panels; none without panels."""
    rows, choice = [], _choice(result)
    if choice is not None:
        ways = (("with", choice.with_panels), ("without", choice.without_panels))
        said = ", ".join(f"{usd(value)} {way}" for way, value in ways)
        rows.append(f"patch panels: {'taken' if choice.used else 'left out'}; the objective is {said}")
    if _used(result):
        moved = [(d.year, d.change.panel_links) for d in result.designs if d.change.panel_links]
        told = ", ".join(f"{count(links)} links in {year}" for year, links in moved) or "none"
        rows.append(f"fibres between switches run over patch panels; moved there: {told}")
    return rows


def panels_document(result: TechnologyResult) -> dict[str, Any]:
    """Whether there are panels, and both values of the objective where the choice is open."""
    choice = _choice(result)
    return {
        "used": _used(result),
        "open": choice is not None,
        "objective_with": choice.with_panels if choice else None,
        "objective_without": choice.without_panels if choice else None,
    }
