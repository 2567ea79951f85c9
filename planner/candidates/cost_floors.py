"""A floor under what a fat-tree costs in one build year, from its counts alone.

Every piece is charged what it is worth over the year's span (rent and running cost); rounding up of
cages and cables is left out. A wiring of which the floor, with the least floors of all other build
years, exceeds the cost of a plan already known cannot be part of a cheaper plan: it is passed over
before anything more is computed. The rule is exact; without a known plan nothing is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt

from planner.catalog.parts import SwitchModel
from planner.fabric.cabling import Medium
from planner.fabric.demand import YearDemand
from planner.fabric.nic_attachment import NicAttachment
from planner.fabric.part_counts import switch_end

Floats = npt.NDArray[np.float64]
PiecePrice = Callable[[str, int], float]


@dataclass(frozen=True, slots=True)
class DualPrices:
    """``piece_usd(sku, t)``: USD (present worth) of a piece over the span of the build year at t.

    ``limit[t]``: the most that the pieces of one wiring may be worth in that build year. Every link of
    the last build year (``last_t``) is installed at some time, for ``install_usd`` (present worth) or more.
    """

    piece_usd: PiecePrice
    limit: Mapping[int, float]
    last_t: int
    install_usd: float
    credit_usd: float = 0.0  # of one discounted effective TFLOP/s-year


@dataclass(frozen=True, slots=True)
class CostFloor:
    """USD of the nodes' share, and of each count of a Key (leaves, link ends, spines, link ends, cores)."""

    nodes_usd: float
    rates: Floats

    def usd(self, key: npt.ArrayLike) -> Floats:
        """The floor of one Key, or of rows of them."""
        return np.asarray(self.nodes_usd + np.asarray(key) @ self.rates)


def cost_floor(
    duals: DualPrices,
    attachment: NicAttachment,
    year: YearDemand,
    models: tuple[SwitchModel, SwitchModel | None, SwitchModel | None],
    node_leaf: Medium,
    layers: tuple[list[Medium], list[Medium]],
    gbps: int,
    pieces_of_nodes: Mapping[str, int],
) -> CostFloor:
    """The floor's rates for one set of models; each layer at the cheapest of its media.

    ``nodes_need``: pieces by SKU that the nodes take under any fabric of the leaf, all copies.
    """
    base, t, piece_usd = attachment.base, year.t, duals.piece_usd
    leaf, spine, core = models
    labour = duals.install_usd if t == duals.last_t else 0.0
    uplink_labour = labour * (gbps // base.link_gbps)
    copies = base.copies
    endpoint = _module(piece_usd, node_leaf.module_a, leaf, base.link_gbps, t) + labour
    endpoints = year.site_nodes * base.endpoints_per_node
    nodes_usd = (
        sum(n * piece_usd(sku, t) for sku, n in pieces_of_nodes.items()) + endpoint * endpoints * copies
    )
    mid = _link(piece_usd, layers[0], leaf, spine, gbps, t) + uplink_labour if spine else 0.0
    top = _link(piece_usd, layers[1], spine, core, gbps, t) + uplink_labour if spine and core else 0.0
    switches = [piece_usd(m.id, t) / m.switches_per_box if m else 0.0 for m in models]
    rates = np.array([switches[0], mid / 2, switches[1], top / 2, switches[2]]) * copies
    return CostFloor(nodes_usd, rates)


def _module(piece_usd: PiecePrice, sku: str, switch: SwitchModel, gbps: int, t: int) -> float:
    """A link's share of the module at one of its ends; an assembly has none ("")."""
    return piece_usd(sku, t) / switch_end(switch, gbps).links_per_cage if sku else 0.0


def _link(
    piece_usd: PiecePrice, media: list[Medium], near: SwitchModel, far: SwitchModel, gbps: int, t: int
) -> float:
    """The cheapest medium's share of cable and both modules, for one link between switches."""
    best = inf
    for medium in media:
        usd = piece_usd(medium.cable, t) / float(medium.links_per_cable)
        usd += _module(piece_usd, medium.module_a, near, gbps, t) + _module(
            piece_usd, medium.module_b, far, gbps, t
        )
        best = min(best, usd)
    return best
