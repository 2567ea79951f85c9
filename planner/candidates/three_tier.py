"""Enumerates the three-tier fat-trees of one set of switch models: pods of spines under cores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf

import numpy as np

from planner.candidates.cost_floors import CostFloor
from planner.candidates.dominance import CountedWiring, ParetoSet, TierCounts
from planner.candidates.two_tier import LeafLayer, Uplinks, WiringRules
from planner.catalog.parts import SwitchModel
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import breakout_for, core_layouts, radix
from planner.fabric.part_counts import switch_end


@lru_cache(maxsize=64)  # of megabytes each; the cores of a leaf and spine share them
def pod_shapes(
    leaves: int, least: int, most: int, spine_radix: int, pack: int, ratio: Fraction, min_spines: int
) -> np.ndarray:
    """Every pod shape: rows of (S spines, m links a pair, L leaves, P pods, w least spine uplinks).

    For each spine count up to the leaf's uplinks the least m, and for each number of pods the least L.
    Two pods or more: one pod would be a two-tier fabric. A spine's ports are taken ``pack`` at a time.
    """
    spines = np.arange(min_spines, most + 1, dtype=np.int64)
    pair = -(-least // np.maximum(spines, 1))
    keep = pair * spines <= most
    spines, pair = spines[keep], pair[keep]
    per_pod = np.arange(1, min(spine_radix, leaves) + 1, dtype=np.int64)
    pods = -(-leaves // per_pod)
    least_size = (per_pod == -(-leaves // pods)) & (pods >= 2)
    per_pod, pods = per_pod[least_size], pods[least_size]
    down = pair[:, None] * per_pod[None, :]
    up = np.maximum(1, -(-down * ratio.denominator // ratio.numerator))
    si, li = np.nonzero(-(-down // pack) * pack + -(-up // pack) * pack <= spine_radix)
    return np.stack([spines[si], pair[si], per_pod[li], pods[li], up[si, li]], axis=1)


def three_tier(
    layer: LeafLayer,
    spine: SwitchModel,
    core: SwitchModel,
    up: Uplinks,
    rules: WiringRules,
    out: ParetoSet,
    floor: CostFloor | None = None,
    limit_usd: float = inf,
) -> None:
    """Adds the three-tier wirings of a stem: every pod shape, each with the fewest cores.

    A shape is passed over where a wiring found already takes no more of anything than the shape would
    with the fewest cores that could ever do, or where its ``floor`` exceeds ``limit_usd``.
    """
    core_radix = radix(core, up.gbps)
    least = least_three_tier(layer, up, rules, core_radix) if core_radix else None
    if least is None or (out.compares_all and out.dominated(least, 1)):
        return
    shapes = pod_shapes(
        layer.leaves,
        up.least,
        up.most,
        up.spine_radix,
        up.spine_pack,
        rules.spine_oversubscription,
        rules.min_spines,
    )
    shapes = shapes[shapes[:, 3] <= core_radix]  # a core reaches every pod
    if out.by_ratio:  # other numbers of uplinks have a turn of their own
        shapes = shapes[shapes[:, 0] * shapes[:, 1] == up.least]
    bounds = _bounds(shapes, layer.leaves, core_radix, rules.min_spines)
    if floor is not None and limit_usd < inf:
        open_ = floor.usd(bounds) <= limit_usd
        shapes, bounds = shapes[open_], bounds[open_]
    order = np.lexsort((bounds[:, 3], bounds[:, 1], bounds[:, 2] + bounds[:, 4]))
    shapes, bounds = shapes[order], bounds[order]
    if out.compares_all:
        for entry in out.members(1):
            open_ = ~_worse(bounds, entry.most)
            shapes, bounds = shapes[open_], bounds[open_]
    while len(shapes):
        shape = tuple(int(x) for x in shapes[0])
        shapes, bounds = shapes[1:], bounds[1:]
        for entry in _cored(layer, spine, core, up, rules, shape):
            out.add(entry)
            if not out.keep_dominated:
                open_ = ~(_worse(bounds, entry.most) & _alike(shapes, shape, out))
                shapes, bounds = shapes[open_], bounds[open_]


def _alike(shapes: np.ndarray, shape: tuple[int, ...], out: ParetoSet) -> np.ndarray:
    """Rows that a frontier compares with a shape: of its bundle kind, and of its spine ratio."""
    alike = np.ones(len(shapes), dtype=bool)
    if out.by_bundle:
        alike &= shapes[:, 1] % 4 == shape[1] % 4
    if out.by_ratio:
        alike &= shapes[:, 2] * shapes[:, 1] * shape[4] == shape[2] * shape[1] * shapes[:, 4]
    return alike


def least_three_tier(layer: LeafLayer, up: Uplinks, rules: WiringRules, core_radix: int) -> TierCounts | None:
    """What a three-tier wiring of the stem takes at the very least, were every port used.

    None where even pods of the largest size, one on each core port, don't hold the leaves.
    """
    ratio = rules.spine_oversubscription
    largest = up.spine_radix * ratio.numerator // (ratio.numerator + ratio.denominator)
    if layer.leaves > largest * core_radix:
        return None
    links = layer.leaves * up.least
    above = -(-links * ratio.denominator // ratio.numerator)
    spines = ceil((links + above) / up.spine_radix)
    cores = max(rules.min_spines, ceil(above / core_radix))
    return (layer.leaves, 2 * links, spines, 2 * above, cores)


def _worse(bounds: np.ndarray, key: TierCounts) -> np.ndarray:
    """Rows that take no less of anything than ``key`` and more of something."""
    return np.asarray(np.all(bounds >= key, axis=1) & np.any(bounds > key, axis=1))


def _bounds(shapes: np.ndarray, leaves: int, core_radix: int, min_spines: int) -> np.ndarray:
    """The least Key of each shape: at best a core serves as many links of a pod as its ports allow."""
    room = core_radix // shapes[:, 3]
    spines = shapes[:, 3] * shapes[:, 0]
    links = spines * shapes[:, 4]
    return np.stack(
        [
            np.full(len(shapes), leaves),
            2 * leaves * shapes[:, 0] * shapes[:, 1],
            spines,
            2 * links,
            np.maximum(min_spines, -(-shapes[:, 0] * shapes[:, 4] // room)),
        ],
        axis=1,
    )


def _cored(
    layer: LeafLayer,
    spine: SwitchModel,
    core: SwitchModel,
    up: Uplinks,
    rules: WiringRules,
    shape: tuple[int, ...],
) -> Iterator[CountedWiring]:
    """A pod shape's wirings: more uplinks a spine than the ratio asks, as long as they save cores."""
    number, pair, per_pod, pods, least_up = shape
    core_radix, fewest = radix(core, up.gbps), None
    most_up = up.spine_radix - ceil(per_pod * pair / up.spine_pack) * up.spine_pack
    for w in range(least_up, most_up + 1):
        if fewest is not None and ceil(number * w / (core_radix // pods)) >= fewest:
            return
        layouts = core_layouts(number, w, pods, core_radix, rules.min_spines)
        if not layouts or (fewest is not None and layouts[0][0] * layouts[0][1] >= fewest):
            continue
        fewest = layouts[0][0] * layouts[0][1]
        for groups, cores in layouts:
            wiring = replace(
                layer.wiring,
                tiers=3,
                up=pair * number,
                uplink_gbps=up.gbps,
                spine=spine.id,
                spine_breakout=up.spine_breakout,
                spines=number,
                leaves_per_pod=per_pod,
                core=core.id,
                core_breakout=breakout_for(core, up.gbps) or 1,
                spine_up=w,
                core_groups=groups,
                cores_per_group=cores,
            )
            yield _entry(layer, wiring, pods, up, switch_end(core, up.gbps).links_per_cage)


def _entry(layer: LeafLayer, wiring: Wiring, pods: int, up: Uplinks, core_cage: int) -> CountedWiring:
    """What a three-tier wiring takes, and how many ports of modules may stay dark at most."""
    pair, per_pod, w = wiring.links_per_pair, wiring.leaves_per_pod, wiring.spine_up
    spines, cores = pods * wiring.spines, wiring.core_groups * wiring.cores_per_group
    mid, top = 2 * layer.leaves * wiring.up, 2 * spines * w
    last = (layer.leaves - (pods - 1) * per_pod) * pair
    dark_mid = layer.leaves * (-wiring.up % up.leaf_cage)
    dark_mid += wiring.spines * (-last % up.spine_cage)
    dark_mid += (spines - wiring.spines) * (-per_pod * pair % up.spine_cage)
    dark_top = spines * (-w % up.spine_cage) + cores * (-(spines * w // cores) % core_cage)
    least = (layer.leaves, mid, spines, top, cores)
    return CountedWiring(least, (layer.leaves, mid + dark_mid, spines, top + dark_top, cores), wiring)
