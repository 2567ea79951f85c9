"""Enumerates the three-tier fat-trees of one set of switch models: pods of spines under cores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from planner.candidates.dominance import CountedWiring, ParetoSet, TierCounts
from planner.candidates.leaf_layers import Ints
from planner.candidates.uplinks import UplinkChoice
from planner.catalog.parts import SwitchModel
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import breakout_for, core_layouts, radix
from planner.fabric.part_counts import switch_end

Bools = npt.NDArray[np.bool_]


class PodShape(NamedTuple):
    """Columns of the array of pod shapes; links are at the uplink rate."""

    spines: int  # of a pod
    pair: int  # links of a leaf to each spine
    leaves: int  # of a full pod
    pods: int
    least_spine_up: int  # uplinks of a spine that the spine ratio asks for


@lru_cache(maxsize=64)  # of megabytes each; the cores of a leaf and spine share them
def pod_shapes(
    leaves: int,
    least: int,
    most: int,
    spine_radix: int,
    pack: int,
    ratio: Fraction,
    min_spines: int,
    every_size: bool,
) -> Ints:
    """Every pod shape: rows of ``PodShape``.

    For each spine count up to the leaf's uplinks the least links a pair, for each number of pods the least
    leaves, or ``every_size``: a larger pod may fill cages of several ports better. Two pods or more: one pod
    would be a two-tier fabric. A spine's ports are taken ``pack`` at a time.
    """
    spines = np.arange(min_spines, most + 1, dtype=np.int64)
    pair = -(-least // np.maximum(spines, 1))
    striped = pair * spines <= most
    spines, pair = spines[striped], pair[striped]
    per_pod = np.arange(1, min(spine_radix, leaves) + 1, dtype=np.int64)
    pods = -(-leaves // per_pod)
    taken = (pods >= 2) & (every_size | (per_pod == -(-leaves // pods)))
    per_pod, pods = per_pod[taken], pods[taken]
    down = pair[:, None] * per_pod[None, :]
    up = np.maximum(1, -(-down * ratio.denominator // ratio.numerator))
    si, li = np.nonzero(-(-down // pack) * pack + -(-up // pack) * pack <= spine_radix)
    return np.stack([spines[si], pair[si], per_pod[li], pods[li], up[si, li]], axis=1)


def add_three_tier(found: ParetoSet, choice: UplinkChoice, spine: SwitchModel, core: SwitchModel) -> None:
    """Adds the three-tier wirings over a leaf layer: every pod shape, each with the fewest cores.

    A shape is left out where a wiring found already takes no more of anything than the shape would with the
    fewest cores that could ever do, or where the choice's cut does not leave it in.
    """
    if found.compares_all and found.dominates(choice.least, 1):
        return
    shapes, least = _open_shapes(found, choice, core)
    while len(shapes):
        shape = PodShape(*(int(n) for n in shapes[0]))
        shapes, least = shapes[1:], least[1:]
        for counted in _with_cores(choice, spine, core, shape):
            found.add(counted)
            if not found.keep_dominated:
                open_ = ~(_dominated(least, counted.most) & _comparable(shapes, shape, found))
                shapes, least = shapes[open_], least[open_]


def _open_shapes(found: ParetoSet, choice: UplinkChoice, core: SwitchModel) -> tuple[Ints, Ints]:
    """The pod shapes that are not left out yet, in the order in which they are looked at, and the least that
    each takes."""
    layer, up, rules = choice.layer, choice.uplinks, choice.rated.rules
    core_radix = radix(core, up.gbps)
    shapes = pod_shapes(
        leaves=layer.leaves,
        least=up.least,
        most=up.most,
        spine_radix=up.spine_radix,
        pack=up.spine_pack,
        ratio=rules.spine_oversubscription,
        min_spines=rules.min_spines,
        every_size=up.spine_cage > 1,
    )
    shapes = shapes[shapes[:, 3] <= core_radix]  # a core reaches every pod
    if found.by_ratio:  # other numbers of uplinks have a turn of their own
        shapes = shapes[shapes[:, 0] * shapes[:, 1] == up.least]
    least = _least_counts(shapes, layer.leaves, core_radix, rules.min_spines)
    open_ = choice.cut.leaves_in(least)
    shapes, least = shapes[open_], least[open_]
    for counted in found.members(1) if found.compares_all else ():
        if not len(least):
            break
        open_ = ~_dominated(least, counted.most)
        shapes, least = shapes[open_], least[open_]
    order = np.lexsort((least[:, 3], least[:, 1], least[:, 2] + least[:, 4]))
    return shapes[order], least[order]


def _comparable(shapes: Ints, shape: PodShape, found: ParetoSet) -> Bools:
    """Rows that a Pareto set compares with a shape: of its bundle kind, and of its spine ratio."""
    alike = np.ones(len(shapes), dtype=bool)
    if found.by_bundle:
        alike &= shapes[:, 1] % 4 == shape.pair % 4
    if found.by_ratio:
        facing_down = shape.leaves * shape.pair
        alike &= shapes[:, 2] * shapes[:, 1] * shape.least_spine_up == facing_down * shapes[:, 4]
    return alike


def _dominated(least: Ints, counts: TierCounts) -> Bools:
    """Rows that take no less of anything than ``counts`` and more of something."""
    return np.asarray(np.all(least >= counts, axis=1) & np.any(least > counts, axis=1))


def _least_counts(shapes: Ints, leaves: int, core_radix: int, min_spines: int) -> Ints:
    """The least ``TierCounts`` of each shape: at best a core serves as many links of a pod as its ports
    allow."""
    links_a_pod = core_radix // shapes[:, 3]
    spines = shapes[:, 3] * shapes[:, 0]
    links = spines * shapes[:, 4]
    cores = np.maximum(min_spines, -(-shapes[:, 0] * shapes[:, 4] // links_a_pod))
    leaf_spine_ends = 2 * leaves * shapes[:, 0] * shapes[:, 1]
    return np.stack([np.full(len(shapes), leaves), leaf_spine_ends, spines, 2 * links, cores], axis=1)


def _with_cores(
    choice: UplinkChoice, spine: SwitchModel, core: SwitchModel, shape: PodShape
) -> Iterator[CountedWiring]:
    """A pod shape's wirings: more uplinks a spine than the ratio asks, as long as they save cores."""
    up, min_spines = choice.uplinks, choice.rated.rules.min_spines
    core_radix, fewest = radix(core, up.gbps), None
    most_up = up.spine_radix - ceil(shape.leaves * shape.pair / up.spine_pack) * up.spine_pack
    for spine_up in range(shape.least_spine_up, most_up + 1):
        if fewest is not None and ceil(shape.spines * spine_up / (core_radix // shape.pods)) >= fewest:
            return
        layouts = core_layouts(shape.spines, spine_up, shape.pods, core_radix, min_spines)
        if not layouts or (fewest is not None and layouts[0][0] * layouts[0][1] >= fewest):
            continue
        fewest = layouts[0][0] * layouts[0][1]
        for groups, cores in layouts:
            wiring = replace(
                choice.layer.wiring,
                tiers=3,
                up=shape.pair * shape.spines,
                uplink_gbps=up.gbps,
                spine=spine.id,
                spine_breakout=up.spine_breakout,
                spines=shape.spines,
                leaves_per_pod=shape.leaves,
                core=core.id,
                core_breakout=breakout_for(core, up.gbps) or 1,
                spine_up=spine_up,
                core_groups=groups,
                cores_per_group=cores,
            )
            yield _counted(choice, wiring, shape.pods, switch_end(core, up.gbps).links_per_cage)


def _counted(choice: UplinkChoice, wiring: Wiring, pods: int, core_cage: int) -> CountedWiring:
    """What a three-tier wiring takes, and how many ports of modules may stay dark at most."""
    leaves, up = choice.layer.leaves, choice.uplinks
    pair, per_pod, spine_up = wiring.links_per_pair, wiring.leaves_per_pod, wiring.spine_up
    spines, cores = pods * wiring.spines, wiring.core_groups * wiring.cores_per_group
    mid, top = 2 * leaves * wiring.up, 2 * spines * spine_up
    last = (leaves - (pods - 1) * per_pod) * pair
    dark_mid = leaves * (-wiring.up % up.leaf_cage)
    dark_mid += wiring.spines * (-last % up.spine_cage)
    dark_mid += (spines - wiring.spines) * (-per_pod * pair % up.spine_cage)
    dark_top = spines * (-spine_up % up.spine_cage) + cores * (-(spines * spine_up // cores) % core_cage)
    least = TierCounts(leaves, mid, spines, top, cores)
    return CountedWiring(least, TierCounts(leaves, mid + dark_mid, spines, top + dark_top, cores), wiring)
