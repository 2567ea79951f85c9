"""Counts the parts of a design again, from its links and the facts of the parts in its BOM.

Which cable and which modules each layer is made of is read from the design's own SKUs; every way in
which they fit together is tried, and one must give exactly the counts of the design.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeVar

import numpy as np

from planner.catalog.parts import NicModel, SwitchModel
from planner.catalog.technologies import protocol_of
from planner.check.cable_joins import Bundle, End, Join, joins, switch_end
from planner.check.check_case import DesignCase
from planner.check.links import Degrees, degrees
from planner.fabric.design import Design, Wiring
from planner.fabric.links import CableList, Ints, Layer
from planner.fabric.nic_attachment import SLOT_GBPS
from planner.scenario.scenario import Scenario

LINK_TIERS = ("node", "node-leaf", "leaf", "leaf-leaf", "leaf-spine", "spine", "spine-core", "core")
_PAIR = ("leaf-leaf", "leaf", "leaf")
_LAYERS = (("node-leaf", "node", "leaf"), ("leaf-spine", "leaf", "spine"), ("spine-core", "spine", "core"))


def part_faults(case: DesignCase, cables: CableList) -> Iterator[str]:
    """Every way in which the parts of a design differ from those that its links take."""
    design, catalog, technology = case.design, case.catalog, case.technology
    total = Counter[str]()
    for (_, sku), pieces in design.need_by_tier.items():
        total[sku] += pieces
    if dict(total) != dict(design.need):
        yield f"need by tier and need differ: {_differences(total, design.need)}"
        return
    nic = catalog.nics.get(design.wiring.nic)
    if nic is None or technology not in nic.technologies:
        yield f"node: {design.wiring.nic} is not a {technology} NIC"
        return
    if nic.port_gbps != design.wiring.link_gbps * design.wiring.nic_port_split:
        yield f"node: {nic.id} has ports of {nic.port_gbps}G"
        return
    counter = _Counter(case, degrees(design, cables), nic)
    layers = []
    listed = [(*names, layer) for names, (_, layer) in zip(_LAYERS, cables.layers(), strict=True)]
    listed.insert(1, (*_PAIR, cables.leaf_leaf))
    for name, below, above, layer in listed:
        if not len(layer):
            continue
        ways = list(_ways(counter, name, below, above, layer))
        if not ways:
            yield f"{name}: no cable and modules of the design make its links"
            return
        layers.append(ways)
    yield from _compared(design, [counter.pieces(choice) for choice in product(*layers)])


@dataclass
class Recount:
    """Pieces by (tier, SKU) of one way to make all layers; ``crowded``: a switch without the cages."""

    need: Counter[tuple[str, str]] = field(default_factory=Counter)
    node_modules: int = 0
    switch_modules: int = 0
    crowded: str = ""


def _compared(design: Design, found: list[Recount]) -> Iterator[str]:
    """The differences to the recount that is nearest to the design."""
    right = min(found, key=lambda f: (len(_differences(f.need, _of_links(design))), bool(f.crowded)))
    if right.crowded:
        yield right.crowded
    wrong = _differences(right.need, _of_links(design))
    if wrong:
        yield f"pieces that the links take, and pieces of the design: {wrong}"
        return
    for side, modules, counted in (
        ("node", design.node_modules, right.node_modules),
        ("switch", design.switch_modules, right.switch_modules),
    ):
        if modules != counted:
            yield f"{modules} {side} modules, the links take {counted}"


def _of_links(design: Design) -> dict[tuple[str, str], int]:
    """The pieces that the links take: spares, racks and the like are checked elsewhere."""
    return {key: n for key, n in design.need_by_tier.items() if key[0] in LINK_TIERS}


_Key = TypeVar("_Key", str, tuple[str, str])


def _differences(right: Mapping[_Key, int], found: Mapping[_Key, int]) -> str:
    """The keys whose counts differ, as text: key, right count, count found."""
    keys = [k for k in {**right, **found} if right.get(k, 0) != found.get(k, 0)]
    return "; ".join(
        f"{' '.join(k) if isinstance(k, tuple) else k} {right.get(k, 0)}, {found.get(k, 0)}" for k in keys
    )


def _ways(counter: _Counter, name: str, below: str, above: str, layer: Layer) -> Iterator[Join]:
    """The ways in which the design's own cables and modules of a layer make its links."""
    tiers: dict[str, set[str]] = {}
    for tier, sku in counter.design.need_by_tier:
        tiers.setdefault(tier, set()).add(sku)
    near, far = counter.ends(below)[1], counter.ends(above)[1 if name == "leaf-leaf" else 0]
    if near is None or far is None:
        return
    if name == "node-leaf":
        gbps, metres = counter.design.wiring.link_gbps, counter.scenario.layout.node_leaf_m
    else:
        layout = counter.scenario.layout
        gbps = counter.design.wiring.uplink_gbps
        metres = layout.spine_core_m if name == "spine-core" else layout.leaf_spine_m
    bundle = Bundle(near, far, gbps, metres, protocol_of(counter.case.technology), _parallel(layer))
    modules = frozenset(counter.case.catalog.transceivers)
    cables = tiers.get(name, set())
    if len(cables) == 1:
        near_modules, far_modules = (modules.intersection(tiers.get(t, ())) for t in (below, above))
        for join in joins(counter.case.catalog, bundle, cables.pop(), near_modules, far_modules):
            if name != "leaf-leaf" or (join.near_module == join.far_module and not join.hub):
                yield join


def _parallel(layer: Layer) -> int:
    """The greatest number that divides the links between every two devices of a layer."""
    _, pairs = np.unique(layer.near * (int(layer.far.max()) + 1) + layer.far, return_counts=True)
    return int(np.gcd.reduce(pairs))


def usable_ports(nic: NicModel, scenario: Scenario) -> int:
    """Ports of a NIC that run at full rate together: all of the server's own, else as PCIe allows."""
    if nic.id == scenario.server.nic_id:
        return nic.ports
    slot = SLOT_GBPS[min(nic.pcie_generation, scenario.server.pcie_generation)]
    return max(1, min(nic.ports, min(slot, nic.max_total_gbps or slot) // nic.port_gbps))


@dataclass(frozen=True, slots=True)
class _Counter:
    """A design with what counting its parts takes."""

    case: DesignCase
    links: Degrees
    nic: NicModel

    @property
    def design(self) -> Design:
        """The design that is counted."""
        return self.case.design

    @property
    def scenario(self) -> Scenario:
        """What was asked for."""
        return self.case.scenario

    def ends(self, tier: str) -> tuple[End | None, End | None]:
        """The cages of a tier's links down and up."""
        w, m = self.design.wiring, self.case.models
        if tier == "node":
            own = self.nic.id == self.scenario.server.nic_id
            cage = self.scenario.server.nic_cage if own else ""
            return None, End(cage or self.nic.cage, self.node_ports_per_cage * w.nic_port_split)
        model = m.of(tier)
        if model is None:
            return None, None
        up = switch_end(model, w.uplink_gbps) if w.tiers > 1 or w.pair_links else None
        return switch_end(model, w.link_gbps) if tier == "leaf" else up, up

    @property
    def node_ports_per_cage(self) -> int:
        """NIC ports of a cage of the node: the server's own NICs may sit in twin-port cages."""
        server = self.scenario.server
        return server.nic_ports_per_cage if self.nic.id == server.nic_id else 1

    def pieces(self, ways: tuple[Join, ...]) -> Recount:
        """All parts of all planes and sites, the layers being made in these ways."""
        w, size, out = self.design.wiring, self.design.size, Recount()
        nodes = size.nodes * w.sites
        if not self.scenario.server.nics_in_server:
            out.need["node", w.nic] += nodes * -(
                -w.nic_ports_per_node // usable_ports(self.nic, self.scenario)
            )
        if ways[0].near_module:
            out.node_modules = nodes * -(-w.nic_ports_per_node // self.node_ports_per_cage)
            out.need["node", ways[0].near_module] += out.node_modules
        x = self.links
        sides = (("leaf", x.leaf_down, x.leaf_up), ("spine", x.spine_down, x.spine_up))
        for i, (tier, down, up) in enumerate((*sides, ("core", x.core_down, np.zeros_like(x.core_down)))):
            if len(down):
                self._switches(out, tier, down, up, ways[i], ways[i + 1] if len(ways) > i + 1 else None)
        layers: tuple[tuple[Ints | None, Ints], ...] = (
            (None, x.leaf_down),
            (x.leaf_up, x.spine_down),
            (x.spine_up, x.core_down),
        )
        names: tuple[tuple[str, str, str], ...] = _LAYERS
        if w.pair_links:
            layers, names = (
                ((None, x.leaf_down), (x.leaf_up[:1], x.leaf_up[1:]), layers[2]),
                (_LAYERS[0], _PAIR),
            )
        for (name, _, _), way, (near, far) in zip(names, ways, layers, strict=False):
            out.need[name, way.cable] += self._cables(way, near, far, w)
        return out

    def _cables(self, way: Join, near: Ints | None, far: Ints, w: Wiring) -> int:
        """Cables of a layer. A splitter serves the links of one device at its hub; a node has its
        ports of all planes side by side."""
        if way.hub == "near" and near is None:
            ports = w.nic_ports_per_node * w.nic_port_split
            return self.design.nodes * -(-ports // int(way.per_cable))
        if way.hub:
            at_hub = near if way.hub == "near" and near is not None else far
            return int((-(-at_hub // int(way.per_cable))).sum()) * w.planes * w.sites
        return int(far.sum() * w.planes * w.sites / way.per_cable)

    def _switches(
        self, out: Recount, tier: str, down: Ints, up: Ints, below: Join, above: Join | None
    ) -> None:
        """Adds a tier's boxes and modules, switch by switch; notes where the cages do not suffice."""
        w, model, ends = self.design.wiring, self.case.models.of(tier), self.ends(tier)
        if model is None or ends[0] is None:
            return
        out.need[tier, model.id] += -(-len(down) * w.planes // model.switches_per_box) * w.sites
        gbps = w.link_gbps if tier == "leaf" else w.uplink_gbps
        sides = [_Side(below.far_module, bool(below.hub), gbps, ends[0], down)]
        if above and ends[1]:
            sides.append(_Side(above.near_module, bool(above.hub), w.uplink_gbps, ends[1], up))
        if len(sides) > 1 and sides[0].module and sides[0].kind == sides[1].kind:
            sides = [replace(sides[0], links=down + up)]
        main = sum((s.cages for s in sides if not s.end.uplinks), start=np.zeros_like(down))
        there = model.ports // model.ports_per_cage
        if (main > there).any():
            out.crowded = f"{tier}: links take {int(main.max())} cages, {model.id} has {there}"
        filled = _open_cages(model, sides) if self.scenario.layout.populate_all_cages else 0
        for module in dict.fromkeys(s.module for s in sides if s.module):
            used = _cages_of(s for s in sides if s.module == module)
            modules = int((used + np.where(used > 0, filled, 0)).sum()) * w.planes * w.sites
            out.need[tier, module] += modules
            out.switch_modules += modules


@dataclass(frozen=True, slots=True)
class _Side:
    """The links of one side of a tier's switches, and the module that they end in ("": an assembly)."""

    module: str
    splitter: bool
    gbps: int
    end: End
    links: Ints

    @property
    def kind(self) -> tuple[str, bool, int]:
        """Links may share a module only where these are the same."""
        return self.module, self.splitter, self.gbps

    @property
    def cages(self) -> Ints:
        """Cages that the links take on each switch."""
        return np.asarray(-(-self.links // self.end.links))


def _cages_of(sides: Iterable[_Side]) -> Ints:
    """Cages that some sides take on each switch."""
    return np.asarray(np.sum([side.cages for side in sides], axis=0), dtype=np.int64)


def _open_cages(model: SwitchModel, sides: Sequence[_Side]) -> Ints:
    """Cages of each switch that stay empty beside modules of one SKU: 0 where it holds several SKUs.

    Its uplink ports are apart: they are filled where a module sits in one of them, and so are the others.
    """
    skus = dict.fromkeys(side.module for side in sides if side.module)
    kinds = sum(_cages_of(s for s in sides if s.module == sku) > 0 for sku in skus)
    empty = np.zeros_like(sides[0].links)
    for uplinks, there in ((False, model.ports // model.ports_per_cage), (True, model.uplink_ports)):
        here = [side for side in sides if side.end.uplinks == uplinks]
        modules = [side for side in here if side.module]
        if modules:
            empty += np.where(_cages_of(modules) > 0, np.maximum(0, there - _cages_of(here)), 0)
    return np.asarray(np.where(kinds == 1, empty, 0), dtype=np.int64)
