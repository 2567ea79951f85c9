"""Which fat-trees could serve the demand of each build year under one technology."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from planner.cabling import Ask, Choice, cheapest_medium
from planner.catalog import Catalog, SwitchModel, protocol_of
from planner.demand import Variant, YearDemand
from planner.design import Size, Wiring
from planner.frontier import (
    Frontier,
    Rules,
    Stem,
    bundle_kind,
    one_tier,
    stems,
    three_tier,
    two_tier,
    uplinks,
    with_spines,
)
from planner.parts import Kit, Pieces, pieces_of, switch_end
from planner.scenario import Layout
from planner.topology import fits, radix, size_of, uplink_rates


@dataclass(frozen=True, slots=True)
class Built:
    """A wiring at the size of one build year."""

    size: Size
    pieces: Pieces
    need: Mapping[str, int]  # SKU -> pieces


@dataclass(frozen=True, slots=True)
class Candidate:
    """A wiring with its parts, at the size of every build year (by t) in which it can serve."""

    wiring: Wiring
    kit: Kit
    built: Mapping[int, Built]


@dataclass(frozen=True, slots=True)
class RatioCaps:
    """Greatest oversubscription that the headroom leaves in one year, once the job leaves its unit.

    ``job_nodes``: a unit of that many nodes keeps the job's traffic off the spines.
    """

    job_nodes: int
    leaf: Fraction | None  # None: no cap
    core: Fraction | None  # of leaf ratio x spine ratio


@dataclass(frozen=True, slots=True)
class Search:
    """Everything that the enumeration needs to know. ``price`` is USD a piece, None where unknown."""

    catalog: Catalog
    technology: str
    switches: tuple[SwitchModel, ...]
    rules: Rules
    layout: Layout
    price: Callable[[str], float | None]
    caps: Callable[[Variant, YearDemand], RatioCaps | None]  # None: the endpoint's own link is too slow
    media: dict[Ask, Choice] = field(default_factory=dict)
    unpriced: set[str] = field(default_factory=set)

    def medium(self, ask: Ask) -> Choice:
        """The cheapest medium, looked up once for each kind of bundle."""
        if ask not in self.media:
            self.media[ask] = cheapest_medium(self.catalog, ask, self.price)
            self.unpriced.update(self.media[ask].unpriced)
        return self.media[ask]


def candidates(
    search: Search, variants: tuple[Variant, ...], years: tuple[YearDemand, ...]
) -> list[Candidate]:
    """Every wiring on some build year's frontier, at every build year that it can serve.

    A wiring of one year is a candidate in the others too: built early it saves recabling, kept it
    saves moving. Two-tier wirings are also offered with the spine counts of other years.
    """
    builds = tuple(y for y in years if y.decides)
    found: dict[Wiring, Variant] = {}
    for variant in variants:
        for wiring in _wirings(search, variant, builds):
            found.setdefault(wiring, variant)
    made = (_candidate(search, wiring, variant, builds) for wiring, variant in found.items())
    return [c for c in made if c is not None]


def _wirings(search: Search, variant: Variant, builds: tuple[YearDemand, ...]) -> Iterator[Wiring]:
    """The frontiers of all build years under every combination of switch models."""
    link = variant.base.link_gbps
    for leaf in search.switches:
        if not radix(leaf, link):
            continue
        stem_sets = [_capped_stems(search, variant, leaf, y) for y in builds]
        for year in builds:
            yield from one_tier(variant.base, leaf, year.site_nodes, search.rules)
        if search.rules.max_tiers >= 2:
            yield from _tall_wirings(search, variant, leaf, stem_sets)


@dataclass(frozen=True, slots=True)
class _CappedStem:
    stem: Stem
    ratio: Fraction
    core_ratio: Fraction | None  # cap of leaf ratio x spine ratio


def _capped_stems(search: Search, variant: Variant, leaf: SwitchModel, year: YearDemand) -> list[_CappedStem]:
    """A year's stems with the leaf ratio that the scenario and the headroom allow each."""
    caps, most = search.caps(variant, year), search.rules.max_oversubscription
    if caps is None:
        return []
    rows = []
    for stem in stems(variant.base, leaf, year.site_nodes, search.rules):
        inside = stem.wiring.nodes_per_unit >= caps.job_nodes
        ratio = most if inside or caps.leaf is None else min(most, caps.leaf)
        rows.append(_CappedStem(stem, ratio, None if inside else caps.core))
    return rows


def _tall_wirings(
    search: Search, variant: Variant, leaf: SwitchModel, stem_sets: list[list[_CappedStem]]
) -> Iterator[Wiring]:
    """Two- and three-tier wirings over one leaf model."""
    for gbps in uplink_rates(leaf, variant.base.link_gbps):
        for spine in search.switches:
            if not radix(spine, gbps):
                continue
            by_bundle = _bundle_matters(search, leaf, spine, gbps)
            short, tall = list[Wiring](), list[Wiring]()
            for rows in stem_sets:
                two = _two_tier_frontier(search, leaf, spine, gbps, rows, by_bundle)
                short += two.wirings()
                if search.rules.max_tiers >= 3:
                    tall += _three_tier_frontiers(search, leaf, spine, gbps, rows, two)
            counts = {w.spines for w in (*short, *tall)}
            yield from short
            yield from tall
            yield from _with_other_spines(search, leaf, spine, gbps, stem_sets, short, counts)


def _two_tier_frontier(
    search: Search, leaf: SwitchModel, spine: SwitchModel, gbps: int, rows: list[_CappedStem], by_bundle: bool
) -> Frontier:
    out = Frontier(by_bundle=by_bundle)
    for row in rows:
        up = uplinks(row.stem, leaf, spine, gbps, row.ratio)
        if up:
            two_tier(row.stem, spine, up, search.rules, out)
    return out


def _three_tier_frontiers(
    search: Search, leaf: SwitchModel, spine: SwitchModel, gbps: int, rows: list[_CappedStem], two: Frontier
) -> Iterator[Wiring]:
    """Three tiers, for each core model. A two-tier wiring of the same leaf and spine that takes no more
    of either beats them: it is on the frontier from the start."""
    for core in search.switches:
        if not radix(core, gbps):
            continue
        out = two.copy()
        for row in rows:
            for ratio, rules in _spine_rules(search.rules, row):
                up = uplinks(row.stem, leaf, spine, gbps, ratio)
                if up:
                    three_tier(row.stem, spine, core, up, rules, out)
        yield from (w for w in out.wirings() if w.tiers == 3)


def _spine_rules(rules: Rules, row: _CappedStem) -> Iterator[tuple[Fraction, Rules]]:
    """Leaf ratio and spine rules whose product keeps the headroom's cap at the core.

    Where the cap binds, it is spent at the leaf first, or at the spine only.
    """
    cap = row.core_ratio
    if cap is None or row.ratio * rules.spine_oversubscription <= cap:
        yield row.ratio, rules
        return
    for leaf_ratio in {min(row.ratio, cap), min(row.ratio, Fraction(1))}:
        spine_ratio = min(rules.spine_oversubscription, cap / leaf_ratio)
        yield leaf_ratio, replace(rules, spine_oversubscription=spine_ratio)


def _with_other_spines(
    search: Search,
    leaf: SwitchModel,
    spine: SwitchModel,
    gbps: int,
    stem_sets: list[list[_CappedStem]],
    short: list[Wiring],
    counts: set[int],
) -> Iterator[Wiring]:
    """Two-tier wirings with the spine counts of other years, on the stems that a frontier uses."""
    used = {(w.nodes_per_unit, w.leaves_per_unit, w.down) for w in short}
    for rows in stem_sets:
        for row in rows:
            base = row.stem.wiring
            if (base.nodes_per_unit, base.leaves_per_unit, base.down) not in used:
                continue
            up = uplinks(row.stem, leaf, spine, gbps, row.ratio)
            for count in counts if up else ():
                wiring = with_spines(row.stem, spine, up, count) if up else None
                if wiring and count >= search.rules.min_spines:
                    yield wiring


def _ask(search: Search, near: SwitchModel, far: SwitchModel, gbps: int, length_m: float, pair: int) -> Ask:
    return Ask(
        switch_end(near, gbps),
        switch_end(far, gbps),
        gbps,
        length_m,
        protocol_of(search.technology),
        bundle_kind(pair),  # no cable carries more than four parallel links
    )


def _bundle_matters(search: Search, leaf: SwitchModel, spine: SwitchModel, gbps: int) -> bool:
    """Whether bundles of 1, 2 and 4 links would be made of different parts."""
    length = search.layout.leaf_spine_m
    found = {search.medium(_ask(search, leaf, spine, gbps, length, m)).medium for m in (1, 2, 4)}
    return len(found) > 1


def _candidate(
    search: Search, wiring: Wiring, variant: Variant, builds: tuple[YearDemand, ...]
) -> Candidate | None:
    """The wiring with its parts and sizes; None where a medium is lacking or no year can use it."""
    models = {s.id: s for s in search.switches}
    kit = _kit(search, wiring, variant, models)
    if kit is None:
        return None
    built = {}
    for year in builds:
        size = size_of(wiring, year.site_nodes, search.rules.reserved_fabric_ports)
        spine_radix = radix(kit.spine, wiring.uplink_gbps) if kit.spine else 0
        core_radix = radix(kit.core, wiring.uplink_gbps) if kit.core else 0
        if fits(wiring, size, spine_radix, core_radix) and _admitted(search, wiring, variant, year):
            pieces = pieces_of(wiring, size, kit)
            built[year.t] = Built(size, pieces, pieces.by_sku())
    return Candidate(wiring, kit, built) if built else None


def _admitted(search: Search, wiring: Wiring, variant: Variant, year: YearDemand) -> bool:
    """Whether the headroom holds at every tier in this year."""
    caps = search.caps(variant, year)
    if caps is None:
        return False
    if wiring.tiers == 1 or wiring.nodes_per_unit >= caps.job_nodes:
        return True
    if caps.leaf is not None and wiring.oversubscription > caps.leaf:
        return False
    through = wiring.oversubscription * wiring.spine_oversubscription
    return wiring.tiers < 3 or caps.core is None or through <= caps.core


def _kit(search: Search, wiring: Wiring, variant: Variant, models: Mapping[str, SwitchModel]) -> Kit | None:
    leaf, spine, core = models[wiring.leaf], models.get(wiring.spine), models.get(wiring.core)
    layout, gbps = search.layout, wiring.uplink_gbps
    protocol = protocol_of(search.technology)
    down = Ask(
        switch_end(leaf, wiring.link_gbps),
        variant.node_end,
        wiring.link_gbps,
        layout.node_leaf_m,
        protocol,
        1,
    )
    node_leaf, leaf_spine, spine_core = search.medium(down).medium, None, None
    if spine:
        ask = _ask(search, leaf, spine, gbps, layout.leaf_spine_m, wiring.links_per_pair)
        leaf_spine = search.medium(ask).medium
    if spine and core:
        pair = wiring.spine_up // wiring.cores_per_group
        spine_core = search.medium(_ask(search, spine, core, gbps, layout.spine_core_m, pair)).medium
    if node_leaf is None or (spine and leaf_spine is None) or (core and spine_core is None):
        return None
    return Kit(
        nic=variant.nic.id,
        nics_per_node=variant.nics_per_node,
        nic_cages_per_node=variant.nic_cages_per_node,
        leaf=leaf,
        spine=spine,
        core=core,
        node_leaf=node_leaf,
        leaf_spine=leaf_spine,
        spine_core=spine_core,
        populate_all_cages=layout.populate_all_cages,
    )
