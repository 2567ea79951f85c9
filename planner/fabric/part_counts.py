"""How many pieces of each part a fat-tree takes: switches, NICs, modules, cables, fibres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from planner.catalog.parts import SwitchModel
from planner.fabric.cabling import LinkEnd, Medium
from planner.fabric.design import Size, Wiring
from planner.fabric.fat_tree import breakout_for, unit_fill


@dataclass(frozen=True, slots=True)
class Kit:
    """The parts that a wiring is made of. Media are None in the layers that it lacks.

    ``leaf_spine`` of a collapsed pair is the medium between its leaves, the same module at both.
    """

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
    if in_uplink_ports(switch, gbps):
        return LinkEnd(switch.uplink_cage, 1)
    return LinkEnd(switch.cage, switch.ports_per_cage * (breakout_for(switch, gbps) or 1))


def in_uplink_ports(switch: SwitchModel, gbps: int) -> bool:
    """Whether a switch's links at ``gbps`` leave its second group of ports."""
    return bool(switch.uplink_ports) and gbps == switch.uplink_gbps and breakout_for(switch, gbps) is None


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
    leaves = [_Fill(n, links, wiring.leaf_up) for n, links in unit_fill(wiring, size.nodes)]
    empty = size.leaves - sum(f.count for f in leaves)
    if empty > 0:
        leaves.append(_Fill(empty, 0, wiring.leaf_up))
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


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a switch: its module ("" with an assembly), splitter fibre or not, rate, or nothing."""

    module: str
    split: bool
    gbps: int
    assembly: bool


def _side(medium: Medium | None, gbps: int, *, far: bool = False) -> _Side | None:
    if medium is None:
        return None
    return _Side(medium.module_b if far else medium.module_a, medium.split, gbps, medium.assembly)


def _modules(wiring: Wiring, size: Size, kit: Kit) -> Iterator[tuple[str, str, int]]:
    """(tier, SKU, modules) of the switches of one plane, rounded up switch by switch."""
    fills = _fills(wiring, size)
    link, uplink = wiring.link_gbps, wiring.uplink_gbps or wiring.link_gbps
    tiers = (
        ("leaf", kit.leaf, _side(kit.node_leaf, link), _side(kit.leaf_spine, uplink)),
        ("spine", kit.spine, _side(kit.leaf_spine, uplink, far=True), _side(kit.spine_core, uplink)),
        ("core", kit.core, _side(kit.spine_core, uplink, far=True), None),
    )
    for tier, model, below, above in tiers:
        if model is None or below is None:
            continue
        for fill in fills[tier]:
            counts = dict(_switch_modules(model, fill, below, above))
            if kit.populate_all_cages and len(counts) == 1:
                counts = {sku: max(n, _open_cages(model, fill, below, above)) for sku, n in counts.items()}
            for sku, count in counts.items():
                yield tier, sku, count * fill.count


def _switch_modules(
    model: SwitchModel, fill: _Fill, below: _Side, above: _Side | None
) -> Iterator[tuple[str, int]]:
    """Modules of one switch. Links of both sides share modules of one kind: the same module, rate
    and fibre (straight and splitter fibres never share one)."""
    if below == above and not below.assembly:
        yield below.module, _cages(model, below, fill.down + fill.up)
        return
    sides = [(side, links) for side, links in ((below, fill.down), (above, fill.up)) if side and links]
    counts = Counter[str]()
    for side, links in sides:
        if not side.assembly:
            counts[side.module] += _cages(model, side, links)
    yield from counts.items()


def _cages(model: SwitchModel, side: _Side, links: int) -> int:
    """Cages that some links of a side take."""
    return ceil(links / switch_end(model, side.gbps).links_per_cage)


def _open_cages(model: SwitchModel, fill: _Fill, below: _Side, above: _Side | None) -> int:
    """Cages of a switch that no assembly takes, in the groups (ports, uplink ports) in which modules sit."""
    sides = [(side, links) for side, links in ((below, fill.down), (above, fill.up)) if side and links]
    total = 0
    for uplinks, cages in ((False, model.ports // model.ports_per_cage), (True, model.uplink_ports)):
        here = [(side, n) for side, n in sides if in_uplink_ports(model, side.gbps) == uplinks]
        if any(not side.assembly for side, _ in here):
            total += cages - sum(_cages(model, side, n) for side, n in here if side.assembly)
    return total


def _cables(wiring: Wiring, size: Size, kit: Kit) -> Iterator[tuple[str, str, int]]:
    """(tier, SKU, cables or fibres) of all planes and sites."""
    copies = wiring.copies
    down = kit.node_leaf
    if down.hub == "b":
        per_node = wiring.endpoints_per_node * wiring.planes
        yield "node-leaf", down.cable, size.nodes * wiring.sites * down.cables(per_node)
    else:
        filled = unit_fill(wiring, size.nodes)
        yield "node-leaf", down.cable, copies * sum(n * down.cables(links) for n, links in filled)
    fills = _fills(wiring, size)
    if kit.leaf_spine and wiring.pair_links:
        yield "leaf-leaf", kit.leaf_spine.cable, copies * kit.leaf_spine.cables(wiring.pair_links)
    elif kit.leaf_spine:
        near, far = [(f.count, f.up) for f in fills["leaf"]], [(f.count, f.down) for f in fills["spine"]]
        yield "leaf-spine", kit.leaf_spine.cable, copies * _between(kit.leaf_spine, near, far)
    if kit.spine_core:
        near, far = [(f.count, f.up) for f in fills["spine"]], [(f.count, f.down) for f in fills["core"]]
        yield "spine-core", kit.spine_core.cable, copies * _between(kit.spine_core, near, far)


def _between(medium: Medium, near: list[tuple[int, int]], far: list[tuple[int, int]]) -> int:
    """Cables of a layer from (devices, links of each) at either end: a splitter's are rounded up device
    by device at its hub."""
    if not medium.split:
        return medium.cables(sum(n * links for n, links in near))
    return sum(n * medium.cables(links) for n, links in (near if medium.hub == "a" else far))
