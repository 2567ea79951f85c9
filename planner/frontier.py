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
from math import ceil, gcd

import numpy as np

from planner.catalog import SwitchModel
from planner.design import Wiring
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


Key = tuple[int, int, int, int, int]  # leaves, leaf-spine links, spines, spine-core links, cores


class Frontier:
    """Wirings that no other of the same bundle kind beats: no more of anything, and less of something.

    Equals stay: they differ in how their links run, which decides what a later year must move.
    ``by_bundle`` is False where every bundle would be made of the same cables: then there is one kind.
    """

    def __init__(self, *, by_bundle: bool = False) -> None:
        self.by_bundle = by_bundle
        self._kept: dict[int, list[tuple[Key, Wiring]]] = {}

    def kept(self, pair: int) -> list[tuple[Key, Wiring]]:
        """What is kept of the kind of ``pair`` links a bundle."""
        return self._kept.setdefault(bundle_kind(pair) if self.by_bundle else 0, [])

    def beaten(self, key: Key, pair: int) -> bool:
        """Whether something kept takes no more of anything and less of something."""
        return any(k != key and _no_more(k, key) for k, _ in self.kept(pair))

    def add(self, key: Key, pair: int, wiring: Wiring) -> None:
        """Keeps a wiring unless beaten; drops those that it beats."""
        if not self.beaten(key, pair):
            kept = self.kept(pair)
            kept[:] = [(k, w) for k, w in kept if k == key or not _no_more(key, k)] + [(key, wiring)]

    def copy(self) -> Frontier:
        """Another frontier that starts with what is kept here."""
        twin = Frontier(by_bundle=self.by_bundle)
        twin._kept = {kind: list(kept) for kind, kept in self._kept.items()}
        return twin

    def wirings(self) -> Iterator[Wiring]:
        """What is kept."""
        for kept in self._kept.values():
            yield from (w for _, w in kept)


def _no_more(a: Key, b: Key) -> bool:
    return a[0] <= b[0] and a[1] <= b[1] and a[2] <= b[2] and a[3] <= b[3] and a[4] <= b[4]


def bundle_kind(links_per_pair: int) -> int:
    """What of a bundle's size decides which cables can carry it: by fours, by twos, singly.

    >>> [bundle_kind(m) for m in (1, 2, 3, 4, 6)]
    [1, 2, 1, 4, 2]
    """
    return gcd(links_per_pair, 4)


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
    stem: Stem, spine: SwitchModel, core: SwitchModel, up: Uplinks, rules: Rules, out: Frontier
) -> None:
    """Adds the three-tier wirings of a stem: every pod shape, each with the fewest cores.

    A shape is passed over where a wiring found already takes no more of anything than the shape
    would with the fewest cores that its spine uplinks could ever do with.
    """
    core_radix = radix(core, up.gbps)
    if not core_radix or (not out.by_bundle and out.beaten(_least_key(stem, up, rules, core_radix), 1)):
        return
    shapes = pod_shapes(
        stem.leaves, up.least, up.most, up.spine_radix, rules.spine_oversubscription, rules.min_spines
    )
    bounds = _bounds(shapes, stem.leaves, core_radix, rules.min_spines)
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


def _least_key(stem: Stem, up: Uplinks, rules: Rules, core_radix: int) -> Key:
    """What a three-tier wiring of the stem takes at the very least, were every port used."""
    links, ratio = stem.leaves * up.least, rules.spine_oversubscription
    above = ceil(links / ratio)
    return (stem.leaves, links, ceil((links + above) / up.spine_radix), above, ceil(above / core_radix))


def _worse(bounds: np.ndarray, key: Key) -> np.ndarray:
    """Rows that take no less of anything than ``key`` and more of something."""
    return np.asarray(np.all(bounds >= key, axis=1) & np.any(bounds > key, axis=1))


def _bounds(shapes: np.ndarray, leaves: int, core_radix: int, min_spines: int) -> np.ndarray:
    """The least Key of each shape."""
    spines = shapes[:, 3] * shapes[:, 0]
    links = spines * shapes[:, 4]
    return np.stack(
        [
            np.full(len(shapes), leaves),
            leaves * shapes[:, 0] * shapes[:, 1],
            spines,
            links,
            np.maximum(min_spines, -(-links // core_radix)),
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
        if fewest is not None and ceil(pods * count * w / core_radix) >= fewest:
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
