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
from planner.fabric.demand import Variant, YearDemand
from planner.fabric.part_counts import switch_end

Floats = npt.NDArray[np.float64]
Worth = Callable[[str, int], float]


@dataclass(frozen=True, slots=True)
class Budget:
    """``worth(sku, t)``: USD (present worth) of a piece over the span of the build year at t.

    ``limit[t]``: the most that the pieces of one wiring may be worth in that build year. Every link of
    the last build year (``last_t``) is installed at some time, for ``install_usd`` (present worth) or more.
    """

    worth: Worth
    limit: Mapping[int, float]
    last_t: int
    install_usd: float
    credit_usd: float = 0.0  # of one discounted effective TFLOP/s-year


@dataclass(frozen=True, slots=True)
class Floor:
    """USD of the nodes' share, and of each count of a Key (leaves, link ends, spines, link ends, cores)."""

    nodes_usd: float
    rates: Floats

    def usd(self, key: npt.ArrayLike) -> Floats:
        """The floor of one Key, or of rows of them."""
        return np.asarray(self.nodes_usd + np.asarray(key) @ self.rates)


def floor_of(
    budget: Budget,
    variant: Variant,
    year: YearDemand,
    models: tuple[SwitchModel, SwitchModel | None, SwitchModel | None],
    node_leaf: Medium,
    layers: tuple[list[Medium], list[Medium]],
    gbps: int,
    nodes_need: Mapping[str, int],
) -> Floor:
    """The floor's rates for one set of models; each layer at the cheapest of its media.

    ``nodes_need``: pieces by SKU that the nodes take under any fabric of the leaf, all copies.
    """
    base, t, worth = variant.base, year.t, budget.worth
    leaf, spine, core = models
    labour = budget.install_usd if t == budget.last_t else 0.0
    uplink_labour = labour * (gbps // base.link_gbps)
    copies = base.copies
    endpoint = _module(worth, node_leaf.module_a, leaf, base.link_gbps, t) + labour
    endpoints = year.site_nodes * base.endpoints_per_node
    nodes_usd = sum(n * worth(sku, t) for sku, n in nodes_need.items()) + endpoint * endpoints * copies
    mid = _link(worth, layers[0], leaf, spine, gbps, t) + uplink_labour if spine else 0.0
    top = _link(worth, layers[1], spine, core, gbps, t) + uplink_labour if spine and core else 0.0
    switches = [worth(m.id, t) / m.switches_per_box if m else 0.0 for m in models]
    rates = np.array([switches[0], mid / 2, switches[1], top / 2, switches[2]]) * copies
    return Floor(nodes_usd, rates)


def _module(worth: Worth, sku: str, switch: SwitchModel, gbps: int, t: int) -> float:
    """A link's share of the module at one of its ends; an assembly has none ("")."""
    return worth(sku, t) / switch_end(switch, gbps).links_per_cage if sku else 0.0


def _link(worth: Worth, media: list[Medium], near: SwitchModel, far: SwitchModel, gbps: int, t: int) -> float:
    """The cheapest medium's share of cable and both modules, for one link between switches."""
    best = inf
    for medium in media:
        usd = worth(medium.cable, t) / float(medium.links_per_cable)
        usd += _module(worth, medium.module_a, near, gbps, t) + _module(worth, medium.module_b, far, gbps, t)
        best = min(best, usd)
    return best
