"""Enumerates the fat-trees of one set of switch models that could be the cheapest for a demand.

The rule that drops a wiring: another of the same models takes no more leaves, spines, cores and
links in either layer, and its bundles are of the same kind (``bundle``). Prices are positive, so the
dropped one can't be cheaper. Nothing is dropped by a limit on how many are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf

import numpy as np

from planner.catalog import SwitchModel
from planner.cost_bound import Floor
from planner.design import Wiring
from planner.frontier_set import Frontier, Key
from planner.topology import (
    breakout_for,
    core_layouts,
    fewest_uplinks,
    most_uplinks,
    radix,
    size_of,
)


@dataclass(frozen=True, slots=True)
class Rules:
    """What every wiring must keep: ratios, tiers, spines, unit size, ports kept free."""

    max_oversubscription: Fraction
    spine_oversubscription: Fraction
    max_tiers: int
    min_spines: int
    nodes_per_scalable_unit: int | None
    reserved_fabric_ports: int


@dataclass(frozen=True, slots=True)
class Stem:
    """A leaf with its endpoints and nothing above: the part that all wirings of it share."""

    wiring: Wiring  # tiers = 1 fields filled, up = 0
    leaves: int


def stems(base: Wiring, leaf: SwitchModel, nodes: int, rules: Rules) -> Iterator[Stem]:
    """Every way to hang the nodes under leaves of this model, fewest leaves first.

    ``base`` has the planes, rails, rate and NIC. Of unit sizes that need the same number of units,
    the smallest: more wired ports would only ask for more uplinks.
    """
    ports = radix(leaf, base.link_gbps)
    per_node = base.endpoints_per_node
    for npu, lpu, down in _units(base, nodes, rules, ports):
        wiring = replace(
            base,
            leaf=leaf.id,
            leaf_breakout=breakout_for(leaf, base.link_gbps) or 1,
            nodes_per_unit=npu,
            leaves_per_unit=lpu,
            down=down,
        )
        size = size_of(wiring, nodes, rules.reserved_fabric_ports)
        yield Stem(wiring, size.leaves)
        units = ceil(nodes / npu)
        roomy = ceil((nodes * per_node + rules.reserved_fabric_ports) / (units * lpu))
        if down < roomy < ports:
            wider = replace(wiring, down=roomy)
            yield Stem(wider, size_of(wider, nodes, rules.reserved_fabric_ports).leaves)


def _units(base: Wiring, nodes: int, rules: Rules, ports: int) -> Iterator[tuple[int, int, int]]:
    """(nodes a unit, leaves a unit, down ports a leaf)."""
    per_node, given = base.endpoints_per_node, rules.nodes_per_scalable_unit
    if base.rail_optimised:
        sizes = [given] if given else _distinct_unit_sizes(nodes, ports)
        yield from ((s, per_node, s) for s in sizes if s <= ports)
    elif given:
        hosted = [h for h in range(given, 0, -1) if given % h == 0 and h * per_node <= ports]
        yield from ((given, given // h, h * per_node) for h in hosted)
    else:
        sizes = _distinct_unit_sizes(nodes, ports // per_node)
        yield from ((h, 1, h * per_node) for h in sizes)


def _distinct_unit_sizes(nodes: int, most: int) -> list[int]:
    """For every number of units that sizes up to ``most`` lead to, the least size, largest first."""
    counts = {ceil(nodes / s) for s in range(1, most + 1)}
    return sorted({ceil(nodes / g) for g in counts}, reverse=True)


def one_tier(base: Wiring, leaf: SwitchModel, nodes: int, rules: Rules) -> Iterator[Wiring]:
    """A single switch, where it holds every endpoint and the reserved ports."""
    ports = radix(leaf, base.link_gbps)
    if nodes * base.endpoints_per_node + rules.reserved_fabric_ports > ports:
        return
    yield replace(
        base,
        tiers=1,
        leaf=leaf.id,
        leaf_breakout=breakout_for(leaf, base.link_gbps) or 1,
        nodes_per_unit=(ports - rules.reserved_fabric_ports) // base.endpoints_per_node,
        leaves_per_unit=1,
        down=ports,
    )


@dataclass(frozen=True, slots=True)
class Uplinks:
    """Uplinks of a stem at one rate, and the spine's radix there."""

    gbps: int
    factor: int
    least: int
    most: int
    spine_radix: int
    spine_breakout: int


def uplinks(stem: Stem, leaf: SwitchModel, spine: SwitchModel, gbps: int, ratio: Fraction) -> Uplinks | None:
    """The range of uplinks that keep the ratio and the leaf's ports, None where there is none."""
    link = stem.wiring.link_gbps
    spine_radix = radix(spine, gbps)
    least = fewest_uplinks(stem.wiring.down, gbps // link, ratio)
    most = most_uplinks(leaf, stem.wiring.down, link, gbps)
    if least > most or not spine_radix:
        return None
    return Uplinks(gbps, gbps // link, least, most, spine_radix, breakout_for(spine, gbps) or 1)


def two_tier(stem: Stem, spine: SwitchModel, up: Uplinks, rules: Rules, out: Frontier) -> None:
    """Adds the two-tier wirings of a stem: every spine count, each with its least uplinks.

    The number of spines divides the uplinks and each pair has m links: u = m x S, so for each S the
    least m suffices.
    """
    floor = max(rules.min_spines, ceil(stem.leaves * up.least / up.spine_radix))
    if not out.by_bundle and out.beaten((stem.leaves, stem.leaves * up.least, floor, 0, 0), 1):
        return
    for count in range(floor, up.most + 1):
        wiring = with_spines(stem, spine, up, count)
        if wiring:
            out.add((stem.leaves, stem.leaves * wiring.up, count, 0, 0), wiring.links_per_pair, wiring)


def with_spines(stem: Stem, spine: SwitchModel, up: Uplinks, count: int) -> Wiring | None:
    """The two-tier wiring of a stem with ``count`` spines, None where ports or ratio forbid it."""
    pair = ceil(up.least / count)
    if pair * count > up.most or stem.leaves * pair > up.spine_radix:
        return None
    return replace(
        stem.wiring,
        tiers=2,
        up=pair * count,
        uplink_gbps=up.gbps,
        spine=spine.id,
        spine_breakout=up.spine_breakout,
        spines=count,
    )


@lru_cache(maxsize=1024)
def pod_shapes(
    leaves: int, least: int, most: int, spine_radix: int, ratio: Fraction, min_spines: int
) -> np.ndarray:
    """Every pod shape: rows of (S spines, m links a pair, L leaves, P pods, w least spine uplinks).

    For each spine count up to the leaf's uplinks the least m, and for each number of pods the least L.
    Two pods or more: one pod would be a two-tier fabric.
    """
    spines = np.arange(min_spines, most + 1, dtype=np.int64)
    pair = -(-least // np.maximum(spines, 1))
    keep = pair * spines <= most
    spines, pair = spines[keep], pair[keep]
    per_pod = np.arange(1, min(spine_radix, leaves) + 1, dtype=np.int64)
    count = -(-leaves // per_pod)
    least_size = (per_pod == -(-leaves // count)) & (count >= 2)
    per_pod, count = per_pod[least_size], count[least_size]
    down = pair[:, None] * per_pod[None, :]
    up = np.maximum(1, -(-down * ratio.denominator // ratio.numerator))
    si, li = np.nonzero(down + up <= spine_radix)
    return np.stack([spines[si], pair[si], per_pod[li], count[li], up[si, li]], axis=1)


def three_tier(
    stem: Stem,
    spine: SwitchModel,
    core: SwitchModel,
    up: Uplinks,
    rules: Rules,
    out: Frontier,
    floor: Floor | None = None,
    limit_usd: float = inf,
) -> None:
    """Adds the three-tier wirings of a stem: every pod shape, each with the fewest cores.

    A shape is passed over where a wiring found already takes no more of anything than the shape would
    with the fewest cores that could ever do, or where its ``floor`` exceeds ``limit_usd``.
    """
    core_radix = radix(core, up.gbps)
    least = least_three_tier(stem, up, rules, core_radix) if core_radix else None
    if least is None or (not out.by_bundle and out.beaten(least, 1)):
        return
    shapes = pod_shapes(
        stem.leaves, up.least, up.most, up.spine_radix, rules.spine_oversubscription, rules.min_spines
    )
    shapes = shapes[shapes[:, 3] <= core_radix]  # a core reaches every pod
    bounds = _bounds(shapes, stem.leaves, core_radix, rules.min_spines)
    if floor is not None and limit_usd < inf:
        open_ = floor.usd(bounds) <= limit_usd
        shapes, bounds = shapes[open_], bounds[open_]
    order = np.lexsort((bounds[:, 3], bounds[:, 1], bounds[:, 2] + bounds[:, 4]))
    shapes, bounds = shapes[order], bounds[order]
    if not out.by_bundle:
        for key, _ in out.kept(1):
            open_ = ~_worse(bounds, key)
            shapes, bounds = shapes[open_], bounds[open_]
    while len(shapes):
        shape = tuple(int(x) for x in shapes[0])
        shapes, bounds = shapes[1:], bounds[1:]
        for key, wiring in _cored(stem, spine, core, up, rules, shape):
            out.add(key, wiring.links_per_pair, wiring)
            same = shapes[:, 1] % 4 == shape[1] % 4 if out.by_bundle else np.ones(len(shapes), dtype=bool)
            open_ = ~(_worse(bounds, key) & same)
            shapes, bounds = shapes[open_], bounds[open_]


def least_three_tier(stem: Stem, up: Uplinks, rules: Rules, core_radix: int) -> Key | None:
    """What a three-tier wiring of the stem takes at the very least, were every port used.

    None where even pods of the largest size, one on each core port, don't hold the leaves.
    """
    ratio = rules.spine_oversubscription
    largest = int(up.spine_radix * ratio / (1 + ratio))
    if stem.leaves > largest * core_radix:
        return None
    links = stem.leaves * up.least
    above = ceil(links / ratio)
    spines = ceil((links + above) / up.spine_radix)
    return (stem.leaves, links, spines, above, max(rules.min_spines, ceil(above / core_radix)))


def _worse(bounds: np.ndarray, key: Key) -> np.ndarray:
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
            leaves * shapes[:, 0] * shapes[:, 1],
            spines,
            links,
            np.maximum(min_spines, -(-shapes[:, 0] * shapes[:, 4] // room)),
        ],
        axis=1,
    )


def _cored(
    stem: Stem, spine: SwitchModel, core: SwitchModel, up: Uplinks, rules: Rules, shape: tuple[int, ...]
) -> Iterator[tuple[Key, Wiring]]:
    """A pod shape's wirings: more uplinks a spine than the ratio asks, as long as they save cores."""
    count, pair, per_pod, pods, least_up = shape
    core_radix, fewest = radix(core, up.gbps), None
    for w in range(least_up, up.spine_radix - per_pod * pair + 1):
        if fewest is not None and ceil(count * w / (core_radix // pods)) >= fewest:
            return
        layouts = [x for x in core_layouts(count, w, pods, core_radix) if x[0] * x[1] >= rules.min_spines]
        if not layouts or (fewest is not None and layouts[0][0] * layouts[0][1] >= fewest):
            continue
        fewest = layouts[0][0] * layouts[0][1]
        for groups, cores in layouts:
            wiring = replace(
                stem.wiring,
                tiers=3,
                up=pair * count,
                uplink_gbps=up.gbps,
                spine=spine.id,
                spine_breakout=up.spine_breakout,
                spines=count,
                leaves_per_pod=per_pod,
                core=core.id,
                core_breakout=breakout_for(core, up.gbps) or 1,
                spine_up=w,
                core_groups=groups,
                cores_per_group=cores,
            )
            yield (stem.leaves, stem.leaves * pair * count, pods * count, pods * count * w, fewest), wiring
