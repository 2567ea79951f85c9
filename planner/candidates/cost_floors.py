"""A floor under what a fat-tree costs in one build year, from its counts alone.

Every piece is charged its dual price over the years that the design serves; rounding up of cages and cables
is left out. A wiring of which the floor, with the least floors of all other build years, exceeds the cost of
a plan already known cannot be part of a cheaper plan: it is left out before anything more is computed. The
rule is exact; without a known plan nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt

from planner.candidates.design_space import DesignSpace, DualPrices, PiecePrice
from planner.candidates.dominance import TierCounts
from planner.candidates.layer_media import TierMedia
from planner.catalog.parts import SwitchModel
from planner.fabric.cabling import Medium
from planner.fabric.demand import YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.nic_attachment import NicAttachment
from planner.fabric.part_counts import Pieces, switch_end

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CostFloor:
    """USD of the nodes' share, and of each of the ``TierCounts``."""

    nodes_usd: float
    rates_usd: Floats

    def usd(self, counts: npt.ArrayLike) -> Floats:
        """The floor of one ``TierCounts``, or of rows of them."""
        return np.asarray(self.nodes_usd + np.asarray(counts) @ self.rates_usd)


@dataclass(frozen=True, slots=True)
class Cut:
    """Leaves out counts of which the floor exceeds ``most_usd``; nothing without a floor."""

    floor: CostFloor | None = None
    most_usd: float = inf

    def leaves_in(self, counts: npt.ArrayLike) -> Bools:
        """Whether one ``TierCounts``, or each row of them, may be part of a cheaper plan."""
        if self.floor is None:
            return np.ones(np.shape(counts)[:-1], dtype=bool)
        return np.asarray(self.floor.usd(counts) <= self.most_usd)


def cost_floor(
    duals: DualPrices,
    attachment: NicAttachment,
    year: YearDemand,
    media: TierMedia,
    nodes: Mapping[str, int],
) -> CostFloor:
    """The floor's rates for one set of switch models; each layer at the cheapest of its media.

    ``nodes``: pieces by SKU that the nodes take under any fabric of the leaf, all copies.
    """
    base, t, price = attachment.base, year.t, duals.piece_usd
    leaf, spine, core, gbps = media.leaf, media.spine, media.core, media.uplink_gbps
    labour = duals.install_usd if t == duals.last_t else 0.0
    uplink_labour = labour * (gbps // base.link_gbps)
    copies = base.copies
    endpoint = _module_usd(price, media.node_leaf.module_a, leaf, base.link_gbps, t) + labour
    endpoints = year.site_nodes * base.endpoints_per_node
    nodes_usd = sum(n * price(sku, t) for sku, n in nodes.items()) + endpoint * endpoints * copies
    mid = _link_usd(price, media.leaf_spine, leaf, spine, gbps, t) + uplink_labour if spine else 0.0
    top = _link_usd(price, media.spine_core, spine, core, gbps, t) + uplink_labour if spine and core else 0.0
    switches = [price(m.id, t) / m.switches_per_box if m else 0.0 for m in (leaf, spine, core)]
    rates = np.array([switches[0], mid / 2, switches[1], top / 2, switches[2]]) * copies
    return CostFloor(nodes_usd, rates)


def _module_usd(price: PiecePrice, sku: str, switch: SwitchModel, gbps: int, t: int) -> float:
    """A link's share of the module at one of its ends; an assembly has none ("")."""
    return price(sku, t) / switch_end(switch, gbps).links_per_cage if sku else 0.0


def _link_usd(
    price: PiecePrice, media: Iterable[Medium], near: SwitchModel, far: SwitchModel, gbps: int, t: int
) -> float:
    """The cheapest medium's share of cable and both modules, for one link between switches."""
    best = inf
    for medium in media:
        usd = price(medium.cable, t) / float(medium.links_per_cable)
        usd += _module_usd(price, medium.module_a, near, gbps, t)
        usd += _module_usd(price, medium.module_b, far, gbps, t)
        best = min(best, usd)
    return best


def pieces_of_nodes(
    space: DesignSpace, attachment: NicAttachment, year: YearDemand, medium: Medium
) -> Mapping[str, int]:
    """Pieces by SKU that every fabric takes for the nodes alone: NICs, their modules and cables, and what
    those need beside them. More switches never take fewer of any."""
    base, nodes = attachment.base, year.site_nodes
    use = {("node", attachment.nic.id): nodes * base.sites * attachment.nics_per_node}
    modules = nodes * base.sites * attachment.nic_cages_per_node if medium.module_b else 0
    if modules:
        use["node", medium.module_b] = modules
    endpoints = nodes * base.endpoints_per_node
    use["node-leaf", medium.cable] = medium.cables(endpoints * base.copies)
    pieces = Pieces(use, modules, 0)
    if space.ancillaries:
        size = Size(nodes, endpoints, 0, 0, 0, 0, 0, 0)
        pieces = space.ancillaries(pieces, base, size, year)
    return pieces.by_sku()


def tier_counts(size: Size) -> TierCounts:
    """What the floor's rates are multiplied with, of a size."""
    return TierCounts(
        size.leaves, 2 * size.leaf_spine_links, size.spines, 2 * size.spine_core_links, size.cores
    )


def output_credit_usd(space: DesignSpace, wiring: Wiring, year: YearDemand) -> float:
    """Credit (USD) for what a wiring delivers in a build year; 0 where only cost counts."""
    if space.discounted_output is None or space.duals is None:
        return 0.0
    return space.duals.credit_usd * space.discounted_output(wiring, year)
