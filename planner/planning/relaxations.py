"""What leads on from a build year without any fat-tree: each rule relaxed by itself, and tried.

A remedy is named only where the fat-trees that it allows were enumerated and there is one, so that following
it gives a design, or another reason.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from planner.candidates.design_space import DesignSpace, RatioCaps
from planner.candidates.enumeration import Candidate, candidates
from planner.candidates.switch_sets import all_switch_sets
from planner.catalog.technologies import is_technology
from planner.fabric.demand import YearDemand
from planner.fabric.nic_attachment import NicAttachment, nic_attachments
from planner.planning.bandwidth_headroom import load_of
from planner.scenario.scenario import Scenario
from planner.text import format as form

MOST_NAMED = 3  # remedies of one reason
RATIOS = (Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4), Fraction(8))  # tried in this order
_MORE_JOB = "raise link_gbps, or workload.global_batch_sequences"
Attachments = tuple[NicAttachment, ...]


def remedies(scenario: Scenario, space: DesignSpace, attachments: Attachments, year: YearDemand) -> str:
    """What to write, each of it enough by itself; what else is left where nothing is."""
    found: list[str] = []
    for remedy in _tried(scenario, space, attachments, year):
        found.append(remedy)
        if len(found) == MOST_NAMED:
            break
    return f"write {', or '.join(found)}" if found else "allow larger switches, or plan fewer GPUs"


def _tried(
    scenario: Scenario, space: DesignSpace, attachments: Attachments, year: YearDemand
) -> Iterator[str]:
    """The remedies that lead on, one after another."""
    for words, relaxed in _relaxed_rules(space):
        if _designs(relaxed, attachments, year):
            yield words
    yield from _ratios(space, attachments, year)
    yield from _headroom(scenario, space, attachments, year)
    yield from _planes(scenario, space, year)
    yield from _shorter(space, attachments, year)


def _designs(space: DesignSpace, attachments: Attachments, year: YearDemand) -> list[Candidate]:
    """The fat-trees of a build year, whatever they cost."""
    free = replace(space, duals=None, cutoff_usd={}, keep_dominated=False, within_limits=None)
    return candidates(free, all_switch_sets(free, attachments, (year,), growing=False), (year,))


def _relaxed_rules(space: DesignSpace) -> Iterator[tuple[str, DesignSpace]]:
    """Each rule of number or size, without it."""
    rules = space.rules
    if rules.max_tiers < 3:
        yield "max_tiers = 3", replace(space, rules=replace(rules, max_tiers=3))
    if rules.nodes_per_scalable_unit is not None:
        relaxed = replace(rules, nodes_per_scalable_unit=None)
        yield "no nodes_per_scalable_unit", replace(space, rules=relaxed)
    if rules.reserved_fabric_ports:
        yield "reserved_fabric_ports = 0", replace(space, rules=replace(rules, reserved_fabric_ports=0))
    if rules.min_spines > 1:
        yield "min_spines = 1", replace(space, rules=replace(rules, min_spines=1))


def _ratios(space: DesignSpace, attachments: Attachments, year: YearDemand) -> Iterator[str]:
    """Of leaves, then of spines the first greater ratio that leads on."""
    rules = space.rules
    leaf = (replace(rules, max_oversubscription=r) for r in RATIOS if r > rules.max_oversubscription)
    spine = (replace(rules, spine_oversubscription=r) for r in RATIOS if r > rules.spine_oversubscription)
    for relaxed in leaf if rules.max_tiers > 1 else ():
        if _designs(replace(space, rules=relaxed), attachments, year):
            yield f'max_oversubscription = "{form.ratio(relaxed.max_oversubscription)}"'
            break
    for relaxed in spine if rules.max_tiers > 2 else ():
        if _designs(replace(space, rules=relaxed), attachments, year):
            yield f'spine_oversubscription = "{form.ratio(relaxed.spine_oversubscription)}"'
            break


def _headroom(
    scenario: Scenario, space: DesignSpace, attachments: Attachments, year: YearDemand
) -> Iterator[str]:
    """The greatest headroom that leads on, where it is what the tiers above the leaves do not keep."""
    if scenario.fabric.bandwidth_headroom <= 0:
        return
    found = _designs(replace(space, caps=_uncapped), attachments, year)
    if not found:
        return
    rooms = [_room(scenario, space, c, year) for c in found]
    if (most := _floored(max(rooms))) >= 0:
        yield f"bandwidth_headroom = {most:g}"


def _uncapped(attachment: NicAttachment, year: YearDemand) -> RatioCaps:
    return RatioCaps(year.site_nodes, None, None)


def _room(scenario: Scenario, space: DesignSpace, candidate: Candidate, year: YearDemand) -> float:
    """Share of bandwidth that the job leaves free in the tier of a fat-tree that it fills most."""
    w = candidate.wiring
    load = load_of(scenario, space.catalog.accelerators, w, year.gpus)
    used = [load.node_leaf_gbps]
    if w.leaf_up and w.nodes_per_unit < year.site_nodes:
        used.append(load.leaf_spine_gbps * float(w.oversubscription))
        if w.tiers == 3:
            used.append(load.spine_core_gbps * float(w.oversubscription * w.spine_oversubscription))
    return 1.0 - max(used) / w.link_gbps


def _floored(share: float) -> float:
    return math.floor(share * 1000) / 1000


def headroom_remedy(
    scenario: Scenario, space: DesignSpace, attachments: Iterable[NicAttachment], year: YearDemand
) -> str:
    """What helps where the endpoints themselves are too slow for the job."""
    free = []
    for attachment in attachments:
        load = load_of(scenario, space.catalog.accelerators, attachment.base, year.gpus)
        free.append(1.0 - load.node_leaf_gbps / attachment.base.link_gbps)
    most = _floored(max(free, default=-1.0))
    return f"write bandwidth_headroom = {most:g}, or {_MORE_JOB}" if most >= 0 else _MORE_JOB


def _planes(scenario: Scenario, space: DesignSpace, year: YearDemand) -> Iterator[str]:
    """The fewest planes beyond those asked for that lead on."""
    ask = scenario.fabric
    counts = {p * s for p in ask.nic_ports_per_node for s in ask.nic_port_split}
    more = sorted({n for count in counts for n in range(max(ask.planes) + 1, count + 1) if count % n == 0})
    technology = space.technology
    for planes in more:
        if not is_technology(technology):
            return
        wider = replace(scenario, fabric=replace(ask, planes=(planes,)))
        ways = nic_attachments(wider, technology, space.catalog, space.price).found
        if ways and _designs(space, ways, year):
            yield f"planes = {planes}"
            return


def _shorter(space: DesignSpace, attachments: Attachments, year: YearDemand) -> Iterator[str]:
    """The greatest length of links between switches that leads on, of each layer by itself."""
    layout, reaches = space.layout, reaches_m(space)
    above_leaf = (replace(layout, leaf_spine_m=m) for m in reaches if m < layout.leaf_spine_m)
    above_spine = (replace(layout, spine_core_m=m) for m in reaches if m < layout.spine_core_m)
    for shorter in above_leaf:
        if _designs(replace(space, layout=shorter), attachments, year):
            yield f"layout.leaf_spine_m = {shorter.leaf_spine_m:g}"
            break
    for shorter in above_spine:
        if _designs(replace(space, layout=shorter), attachments, year):
            yield f"layout.spine_core_m = {shorter.spine_core_m:g}"
            break


def reaches_m(space: DesignSpace) -> list[float]:
    """The reaches of the catalog's cables and modules, the longest first."""
    catalog = space.catalog
    reaches = {a.reach_m for a in catalog.assemblies.values()}
    reaches |= {t.reach_m for t in catalog.transceivers.values()}
    return sorted(reaches, reverse=True)
