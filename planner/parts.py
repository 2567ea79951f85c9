"""How many pieces of each part a fat-tree takes: switches, NICs, modules, cables, fibres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from planner.cabling import LinkEnd, Medium
from planner.catalog import SwitchModel
from planner.design import Size, Wiring
from planner.topology import breakout_for, unit_fill


@dataclass(frozen=True, slots=True)
class Kit:
    """The parts that a wiring is made of. Media are None in the layers that it lacks."""

    nic: str
    nics_per_node: int
    nic_cages_per_node: int
    leaf: SwitchModel
    spine: SwitchModel | None
    core: SwitchModel | None
    node_leaf: Medium
    leaf_spine: Medium | None
    spine_core: Medium | None
    populate_all_cages: bool = False


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces in use by (tier, SKU), all planes and sites, and the modules among them by side."""

    by_tier: dict[tuple[str, str], int]
    node_modules: int
    switch_modules: int

    def by_sku(self) -> dict[str, int]:
        """Pieces by SKU, over all tiers."""
        total = Counter[str]()
        for (_, sku), n in self.by_tier.items():
            total[sku] += n
        return dict(total)


def switch_end(switch: SwitchModel, gbps: int) -> LinkEnd:
    """The cage from which a switch's links at ``gbps`` leave, and how many a cage holds."""
    split = breakout_for(switch, gbps)
    if split is None and switch.uplink_ports and gbps == switch.uplink_gbps:
        return LinkEnd(switch.uplink_cage, 1)
    return LinkEnd(switch.cage, switch.ports_per_cage * (split or 1))


@dataclass(frozen=True, slots=True)
class _Fill:
    """``count`` switches that each have so many links down and up."""

    count: int
    down: int
    up: int


def pieces_of(wiring: Wiring, size: Size, kit: Kit) -> Pieces:
    """Counts every part of all copies of a fabric of this size."""
    use = Counter[tuple[str, str]]()
    for tier, model, count in (
        ("leaf", kit.leaf, size.leaves),
        ("spine", kit.spine, size.spines),
        ("core", kit.core, size.cores),
    ):
        if model and count:
            use[tier, model.id] += ceil(count * wiring.planes / model.switches_per_box) * wiring.sites
    nodes = size.nodes * wiring.sites
    use["node", kit.nic] += nodes * kit.nics_per_node
    node_modules = 0
    if kit.node_leaf.module_b:
        node_modules = nodes * kit.nic_cages_per_node
        use["node", kit.node_leaf.module_b] += node_modules
    switch_modules = 0
    for tier, sku, count in _modules(wiring, size, kit):
        use[tier, sku] += count * wiring.copies
        switch_modules += count * wiring.copies
    for tier, sku, count in _cables(wiring, size, kit):
        use[tier, sku] += count
    return Pieces({k: n for k, n in use.items() if n}, node_modules, switch_modules)


def _fills(wiring: Wiring, size: Size) -> dict[str, list[_Fill]]:
    """Links of the switches of each tier of one plane."""
    leaves = [_Fill(n, links, wiring.up) for n, links in unit_fill(wiring, size.nodes)]
    empty = size.leaves - sum(f.count for f in leaves)
    if empty > 0:
        leaves.append(_Fill(empty, 0, wiring.up))
    pair = wiring.links_per_pair
    if wiring.tiers < 3:
        return {"leaf": leaves, "spine": [_Fill(size.spines, size.leaves * pair, 0)], "core": []}
    last = size.leaves - (size.pods - 1) * wiring.leaves_per_pod
    spines = [
        _Fill((size.pods - 1) * wiring.spines, wiring.leaves_per_pod * pair, wiring.spine_up),
        _Fill(wiring.spines, last * pair, wiring.spine_up),
    ]
    return {
        "leaf": leaves,
        "spine": spines,
        "core": [_Fill(size.cores, size.spine_core_links // size.cores, 0)],
    }


def _modules(wiring: Wiring, size: Size, kit: Kit) -> Iterator[tuple[str, str, int]]:
    """(tier, SKU, modules) of the switches of one plane, rounded up switch by switch."""
    fills = _fills(wiring, size)
    link, uplink = wiring.link_gbps, wiring.uplink_gbps or wiring.link_gbps
    sides = (
        (
            "leaf",
            kit.leaf,
            (kit.node_leaf.module_a, kit.node_leaf.split, link),
            _near(kit.leaf_spine, uplink),
        ),
        ("spine", kit.spine, _far(kit.leaf_spine, uplink), _near(kit.spine_core, uplink)),
        ("core", kit.core, _far(kit.spine_core, uplink), ("", False, uplink)),
    )
    for tier, model, below, above in sides:
        if model is None:
            continue
        for fill in fills[tier]:
            for sku, count in _switch_modules(model, fill, below, above):
                yield tier, sku, _populated(model, count, kit, below, above) * fill.count


_Side = tuple[str, bool, int]  # module SKU ("" with an assembly), splitter fibre, rate


def _near(medium: Medium | None, gbps: int) -> _Side:
    return (medium.module_a, medium.split, gbps) if medium else ("", False, gbps)


def _far(medium: Medium | None, gbps: int) -> _Side:
    return (medium.module_b, medium.split, gbps) if medium else ("", False, gbps)


def _switch_modules(model: SwitchModel, fill: _Fill, below: _Side, above: _Side) -> Iterator[tuple[str, int]]:
    """Modules of one switch. Links of both sides share modules of one kind: the same module, rate
    and fibre (straight and splitter fibres never share one)."""
    if below[0] and below == above:
        yield below[0], ceil((fill.down + fill.up) / switch_end(model, below[2]).links_per_cage)
        return
    for side, links in ((below, fill.down), (above, fill.up)):
        if side[0] and links:
            yield side[0], ceil(links / switch_end(model, side[2]).links_per_cage)


def _populated(model: SwitchModel, count: int, kit: Kit, below: _Side, above: _Side) -> int:
    """All cages of the switch where that is the policy and all its modules are of one kind."""
    one_kind = below == above or not below[0] or not above[0]
    if kit.populate_all_cages and one_kind:
        return max(count, model.ports // model.ports_per_cage)
    return count


def _cables(wiring: Wiring, size: Size, kit: Kit) -> Iterator[tuple[str, str, int]]:
    """(tier, SKU, cables or fibres) of all planes and sites."""
    copies = wiring.copies
    down = kit.node_leaf
    if down.hub == "b":
        per_node = wiring.endpoints_per_node * wiring.planes
        yield "node-leaf", down.cable, size.nodes * wiring.sites * down.cables(per_node)
    else:
        fills = unit_fill(wiring, size.nodes)
        yield "node-leaf", down.cable, copies * sum(n * down.cables(links) for n, links in fills)
    if kit.leaf_spine:
        yield (
            "leaf-spine",
            kit.leaf_spine.cable,
            copies * _between(kit.leaf_spine, size.leaf_spine_links, size.leaves, size.spines),
        )
    if kit.spine_core:
        yield (
            "spine-core",
            kit.spine_core.cable,
            copies * _between(kit.spine_core, size.spine_core_links, size.spines, size.cores),
        )


def _between(medium: Medium, links: int, near: int, far: int) -> int:
    """Cables of a layer: a straight one by links, a splitter by the device at its hub."""
    if not medium.split:
        return medium.cables(links)
    devices = near if medium.hub == "a" else far
    return devices * medium.cables(ceil(links / devices))
