"""The stems of a leaf model in one build year with the ratios they may have, as arrays.

A stem is looked at under hundreds of sets of switch models; what its uplinks may be, and a floor under the
cost of everything above it, are computed for all stems of a year at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from planner.candidates.design_space import DesignSpace
from planner.candidates.two_tier import LeafLayer, WiringRules, leaf_layers
from planner.catalog.parts import SwitchModel
from planner.fabric.demand import YearDemand
from planner.fabric.fat_tree import most_uplinks
from planner.fabric.nic_attachment import NicAttachment

Ints = npt.NDArray[np.int64]
RATIOS = tuple(Fraction(n, 4) for n in (4, 5, 6, 8, 12, 16))  # tried where output earns a credit


@dataclass(frozen=True, slots=True)
class RatedLeafLayer:
    """A stem with the greatest leaf ratio that it may have, and rules with that of the spines."""

    layer: LeafLayer
    ratio: Fraction
    rules: WiringRules


@dataclass(frozen=True)
class LeafLayerTable:
    """Options of one leaf model in one build year, in the order in which they are looked at."""

    rated: tuple[RatedLeafLayer, ...]

    @cached_property
    def leaves(self) -> Ints:
        """Leaves of each option's stem."""
        return _ints(o.layer.leaves for o in self.rated)

    @cached_property
    def down(self) -> Ints:
        """Down ports of a leaf."""
        return _ints(o.layer.wiring.down for o in self.rated)

    @cached_property
    def ratio(self) -> tuple[Ints, Ints]:
        """Leaf ratio: numerators and denominators."""
        return _ints(o.ratio.numerator for o in self.rated), _ints(o.ratio.denominator for o in self.rated)

    @cached_property
    def spine_ratio(self) -> tuple[Ints, Ints]:
        """Spine ratio: numerators and denominators."""
        ratios = [o.rules.spine_oversubscription for o in self.rated]
        return _ints(r.numerator for r in ratios), _ints(r.denominator for r in ratios)

    def fewest_uplinks(self, factor: int) -> Ints:
        """Least uplinks, each worth ``factor`` links, that keep the leaf ratio (topology.fewest_uplinks)."""
        over, under = self.ratio
        return np.asarray(np.maximum(1, -(-self.down * under // (over * factor))))

    def most_uplinks(self, leaf: SwitchModel, link_gbps: int, gbps: int, apart: bool) -> Ints:
        """Uplinks that the leaf has room for (topology.most_uplinks)."""
        known = {d: most_uplinks(leaf, d, link_gbps, gbps, apart=apart) for d in {int(d) for d in self.down}}
        return _ints(known[int(d)] for d in self.down)


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def leaf_layer_tables(
    space: DesignSpace, attachment: NicAttachment, leaf: SwitchModel, year: YearDemand, growing: bool
) -> tuple[LeafLayerTable, LeafLayerTable]:
    """A year's options under two tiers and under three, with the ratios that scenario and headroom allow."""
    caps, most = space.caps(attachment, year), space.rules.max_oversubscription
    short, tall = list[RatedLeafLayer](), list[RatedLeafLayer]()
    for layer in (
        leaf_layers(attachment.base, leaf, year.site_nodes, space.rules, growing=growing) if caps else ()
    ):
        inside = caps is not None and layer.wiring.nodes_per_unit >= caps.job_nodes
        leaf_cap = None if inside or caps is None else caps.leaf
        ratio = most if leaf_cap is None else min(most, leaf_cap)
        short.append(RatedLeafLayer(layer, ratio, space.rules))
        core_cap = None if inside or caps is None else caps.core
        tall.extend(RatedLeafLayer(layer, *pair) for pair in _tall(space, ratio, core_cap))
    return LeafLayerTable(tuple(short)), LeafLayerTable(tuple(tall))


def _tall(
    space: DesignSpace, ratio: Fraction, cap: Fraction | None
) -> Iterator[tuple[Fraction, WiringRules]]:
    """Leaf ratio and spine rules; with a credit for output also the spine ratios below the one allowed."""
    for leaf_ratio, rules in _spine_rules(space.rules, ratio, cap):
        yield leaf_ratio, rules
        if space.credit is not None:
            lower = (r for r in RATIOS if r < rules.spine_oversubscription)
            yield from ((leaf_ratio, replace(rules, spine_oversubscription=r)) for r in lower)


def _spine_rules(
    rules: WiringRules, ratio: Fraction, cap: Fraction | None
) -> Sequence[tuple[Fraction, WiringRules]]:
    """Leaf ratio and spine rules whose product keeps the headroom's cap at the core.

    Where the cap binds, it is spent at the leaf first, or at the spine only.
    """
    if cap is None or ratio * rules.spine_oversubscription <= cap:
        return [(ratio, rules)]
    leaf_ratios = sorted({min(ratio, cap), min(ratio, Fraction(1))})
    return [
        (r, replace(rules, spine_oversubscription=min(rules.spine_oversubscription, cap / r)))
        for r in leaf_ratios
    ]
