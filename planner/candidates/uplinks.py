"""The uplinks that a leaf layer may have under a set of switch models, and a floor under all of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from planner.candidates.cost_floors import Cut, Floats, output_credit_usd
from planner.candidates.design_space import DesignSpace
from planner.candidates.dominance import TierCounts
from planner.candidates.leaf_layers import RATIOS, Ints, LeafLayer, RatedLeafLayer
from planner.candidates.switch_sets import SwitchSet
from planner.fabric.demand import YearDemand
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import breakout_for, fewest_uplinks, radix
from planner.fabric.part_counts import switch_end

_WEIGHING = "weighing what leaf layers would deliver"


@dataclass(frozen=True, slots=True)
class Uplinks:
    """Uplinks of a leaf at one rate, the spine's radix there, and the links that a cage holds.

    ``spine_apart``: a spine's links up and down never share a cage.
    """

    gbps: int
    least: int
    most: int
    spine_radix: int
    spine_breakout: int
    leaf_cage: int = 1
    spine_cage: int = 1
    spine_apart: bool = False

    @property
    def spine_pack(self) -> int:
        """Ports of a spine that are taken together: a cage's, where its two sides are kept apart."""
        return self.spine_cage if self.spine_apart else 1


@dataclass(frozen=True, slots=True)
class UplinkChoice:
    """A leaf layer under a switch set with the uplinks that it may have.

    ``least``: what every wiring of it takes, at the very least; ``cut``: what leaves its wirings out.
    """

    rated: RatedLeafLayer
    uplinks: Uplinks
    least: TierCounts
    cut: Cut

    @property
    def layer(self) -> LeafLayer:
        """The leaves with their endpoints."""
        return self.rated.layer


@dataclass(frozen=True, slots=True)
class _Rows:
    """Leaf layers (rows of a table) with the range of uplinks of each, what they take at the very least, and
    the floor (USD) under that; infinite where no wiring has so many leaves."""

    row: Ints
    least: Ints
    most: Ints
    counts: Ints
    floor_usd: Floats


def uplink_choices(space: DesignSpace, switch_set: SwitchSet, year: YearDemand) -> Iterator[UplinkChoice]:
    """The leaf layers of a build year, each with its uplinks, of which the floor is within the cutoff."""
    rows, cutoff = _rows(space, switch_set, year), space.cutoff(year)
    for i in np.flatnonzero(rows.floor_usd <= cutoff):
        rated = switch_set.tables[year.t].rated[rows.row[i]]
        uplinks = _uplinks(switch_set, int(rows.least[i]), int(rows.most[i]))
        credit = 0.0
        if space.discounted_output is not None:
            best = highest_output_wiring(switch_set, rated.layer, uplinks.most)
            credit = output_credit_usd(space, best, year)
        cut = Cut(switch_set.floors.get(year.t), cutoff + credit)
        yield UplinkChoice(rated, uplinks, TierCounts(*(int(n) for n in rows.counts[i])), cut)


def least_floor_usd(space: DesignSpace, switch_set: SwitchSet, year: YearDemand) -> float:
    """The least floor (USD) of any leaf layer in a build year; infinite where there is none."""
    return float(_rows(space, switch_set, year).floor_usd.min(initial=inf))


def _rows(space: DesignSpace, switch_set: SwitchSet, year: YearDemand) -> _Rows:
    row, least, most = _uplink_numbers(space, switch_set, year)
    counts, fit = _least_counts(space, switch_set, year, row, least)
    usd = np.zeros(len(row))
    if year.t in switch_set.floors:
        usd = switch_set.floors[year.t].usd(counts)
        if space.discounted_output is not None:
            table = switch_set.tables[year.t]
            pairs = zip(row, most, strict=True)
            best = (highest_output_wiring(switch_set, table.rated[i].layer, int(up)) for i, up in pairs)
            usd = usd - np.array([_credit_usd(space, wiring, year) for wiring in best])
    return _Rows(row, least, most, counts, np.where(fit, usd, inf))


def _credit_usd(space: DesignSpace, wiring: Wiring, year: YearDemand) -> float:
    """The credit (USD) for a wiring's output, which takes a run of the training model."""
    space.budget.check_time(_WEIGHING)
    return output_credit_usd(space, wiring, year)


def _uplink_numbers(space: DesignSpace, switch_set: SwitchSet, year: YearDemand) -> tuple[Ints, Ints, Ints]:
    """(row of the table, least, most uplinks). With a credit for output other numbers than the least have a
    turn of their own: every one, or those of the listed ratios."""
    table, most = switch_set.tables[year.t], switch_set.most_uplinks[year.t]
    least = table.fewest_uplinks(switch_set.gbps)
    rows = np.flatnonzero(least <= most)
    if space.discounted_output is None:
        return rows, least[rows], most[rows]
    factor = switch_set.gbps // table.rated[0].layer.wiring.link_gbps if table.rated else 1
    found = []
    for row in rows:
        space.budget.check_time(_WEIGHING)
        low, high, down = int(least[row]), int(most[row]), int(table.down[row])
        listed = {low, *(fewest_uplinks(down, factor, r) for r in RATIOS)}
        numbers = range(low, high + 1) if space.every_ratio else sorted(n for n in listed if low <= n <= high)
        found += [(int(row), number) for number in numbers]
    pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1], pairs[:, 1]


def _least_counts(
    space: DesignSpace, switch_set: SwitchSet, year: YearDemand, rows: Ints, least: Ints
) -> tuple[Ints, np.ndarray]:
    """What each row takes at the very least (``TierCounts``), were every port of spines and cores used and
    pods came out even; and whether spines or pods can hold so many leaves at all."""
    table, spine_radix = switch_set.tables[year.t], radix(switch_set.spine, switch_set.gbps)
    leaves, fewest = table.leaves[rows], space.rules.min_spines
    links = leaves * least
    if switch_set.core is None:
        fit = leaves <= spine_radix
        spines = np.maximum(fewest, -(-links // spine_radix))
        above = cores = np.zeros(len(rows), dtype=np.int64)
    else:
        over, under = (part[rows] for part in table.spine_ratio)
        core_radix = radix(switch_set.core, switch_set.gbps)
        fit = leaves <= spine_radix * over // (over + under) * core_radix
        above = -(-links * under // over)
        spines = -(-(links + above) // spine_radix)
        cores = np.maximum(fewest, -(-above // core_radix))
    return np.stack([leaves, 2 * links, spines, 2 * above, cores], axis=1), fit


def _uplinks(switch_set: SwitchSet, least: int, most: int) -> Uplinks:
    gbps = switch_set.gbps
    return Uplinks(
        gbps=gbps,
        least=least,
        most=most,
        spine_radix=radix(switch_set.spine, gbps),
        spine_breakout=breakout_for(switch_set.spine, gbps) or 1,
        leaf_cage=switch_end(switch_set.leaf, gbps).links_per_cage,
        spine_cage=switch_end(switch_set.spine, gbps).links_per_cage,
        spine_apart=switch_set.spine_apart,
    )


def highest_output_wiring(switch_set: SwitchSet, layer: LeafLayer, most_uplinks: int) -> Wiring:
    """A wiring that delivers no less than any other over a leaf layer: every uplink that a leaf has room
    for, and spines that are not oversubscribed."""
    three = switch_set.core is not None
    return replace(
        layer.wiring,
        tiers=3 if three else 2,
        up=most_uplinks,
        uplink_gbps=switch_set.gbps,
        spines=1,
        leaves_per_pod=1 if three else 0,
        spine_up=most_uplinks if three else 0,
    )
