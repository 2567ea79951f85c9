"""The ports of each tier: wired and dark ones, what a tier can still take, and what it can never use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from planner.catalog.parts import SwitchModel
from planner.fabric.design import Design
from planner.fabric.fat_tree import breakout_for


@dataclass(frozen=True, slots=True)
class TierPorts:
    """Physical ports of one tier, all copies of the fabric together. ``dark``: not wired."""

    tier: str
    switch: str
    total: int
    down: int
    up: int

    @property
    def dark(self) -> int:
        """Ports without a link; a split port counts as used where part of it is."""
        return self.total - self.down - self.up


def tier_ports(design: Design, switches: Mapping[str, SwitchModel]) -> Iterator[TierPorts]:
    """Ports of each tier from the leaves up: a port carries as many links as it is split into.

    Links of one switch share split ports as far as they go in, and the last port of a kind may be
    half used; the figures take the tier's links as evenly spread, which the striping rule makes them.
    """
    w, size = design.wiring, design.size
    across = size.leaf_spine_links + 2 * size.leaf_leaf_links
    tiers = (
        ("leaf", w.leaf, size.leaves, w.leaf_breakout, size.endpoints, across),
        ("spine", w.spine, size.spines, w.spine_breakout, size.leaf_spine_links, size.spine_core_links),
        ("core", w.core, size.cores, w.core_breakout, size.spine_core_links, 0),
    )
    for tier, name, count, breakout, below, above in tiers[: w.tiers]:
        model = switches[name]
        total = count * (model.ports + (model.uplink_ports if tier == "leaf" else 0))
        split = max(1, model.port_gbps // w.uplink_gbps) if w.uplink_gbps else 1
        down, up = ceil(below / breakout), 0
        if above and model.uplink_ports and w.uplink_gbps == model.uplink_gbps:
            up = above
        elif above:
            up = ceil(above / (split if tier == "leaf" else breakout))
        yield TierPorts(tier, name, *(n * w.copies for n in (total, down, min(up, total - down))))


@dataclass(frozen=True, slots=True)
class PortHeadroom:
    """One tier, all copies of the fabric together.

    ``total`` and ``stranded`` are physical ports; stranded ones are neither wired nor can they be while the
    wiring stays. ``room``: what the tier can still take, in ``what`` it takes: nodes on the leaves, scalable
    units on the spines of two tiers, pods on the cores. None where another tier decides (spines of pods).
    """

    tier: str
    switch: str
    total: int
    stranded: int
    what: str = ""
    room: int | None = None

    @property
    def stranded_ratio(self) -> float:
        """Stranded ports as a share of all."""
        return self.stranded / self.total


def port_headroom(
    design: Design, switches: Mapping[str, SwitchModel], reserved: int = 0
) -> Iterator[PortHeadroom]:
    """Each tier from the leaves up. ``reserved``: leaf ports that are kept free for a fabric manager."""
    yield _leaf(design, switches[design.wiring.leaf], reserved)
    if design.wiring.tiers > 1:
        yield _spine(design, switches[design.wiring.spine])
    if design.wiring.tiers > 2:
        yield _core(design, switches[design.wiring.core])


def _leaf(design: Design, model: SwitchModel, reserved: int) -> PortHeadroom:
    """A unit holds so many nodes; ports beyond theirs, the uplinks' and those reserved are stranded."""
    w, size = design.wiring, design.size
    units = size.leaves // w.leaves_per_unit
    hosted = ceil(w.nodes_per_unit * w.endpoints_per_node / w.leaves_per_unit)
    own_group = bool(model.uplink_ports) and w.uplink_gbps == model.uplink_gbps
    if own_group or not w.leaf_up:
        main, beside = ceil(hosted / w.leaf_breakout), w.leaf_up
    elif w.uplink_gbps == w.link_gbps:
        main, beside = ceil((hosted + w.leaf_up) / w.leaf_breakout), 0
    else:
        main = ceil(hosted / w.leaf_breakout) + ceil(w.leaf_up / (breakout_for(model, w.uplink_gbps) or 1))
        beside = 0
    each = model.ports + model.uplink_ports
    kept = ceil(reserved / w.leaf_breakout)
    stranded = max(0, (each - main - beside) * size.leaves - kept)
    room = units * w.nodes_per_unit - size.nodes
    return PortHeadroom("leaf", w.leaf, each * size.leaves * w.copies, stranded * w.copies, "node", room)


def _spine(design: Design, model: SwitchModel) -> PortHeadroom:
    """Two tiers: a spine takes bundles of m as long as its ports go. Pods: full at ``leaves_per_pod``."""
    w, size = design.wiring, design.size
    radix, pair = model.ports * w.spine_breakout, w.links_per_pair
    if w.tiers == 2:
        most = radix // pair
        used, room = most * pair, (most - size.leaves) // w.leaves_per_unit
    else:
        used, room = w.leaves_per_pod * pair + w.spine_up, None
    stranded = (radix - used) // w.spine_breakout * size.spines
    return PortHeadroom(
        "spine", w.spine, model.ports * size.spines * w.copies, stranded * w.copies, "scalable unit", room
    )


def _core(design: Design, model: SwitchModel) -> PortHeadroom:
    """A core takes a pod's share of links as often as its ports go."""
    w, size = design.wiring, design.size
    radix = model.ports * w.core_breakout
    share = w.spines // w.core_groups * (w.spine_up // w.cores_per_group)
    most = radix // share
    stranded = (radix - most * share) // w.core_breakout * size.cores
    total = model.ports * size.cores * w.copies
    return PortHeadroom("core", w.core, total, stranded * w.copies, "pod", most - size.pods)
