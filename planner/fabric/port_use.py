"""How the physical ports of each tier are used: down, up, dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from planner.catalog.parts import SwitchModel
from planner.fabric.design import Design


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
