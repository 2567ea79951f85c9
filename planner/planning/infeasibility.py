"""Why a technology has no design, in one sentence with the limit and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from planner.candidates.budget import BudgetSpentError
from planner.candidates.design_space import DesignSpace
from planner.candidates.enumeration import Candidate
from planner.candidates.layer_media import media_of_bundles, node_medium
from planner.catalog.parts import SwitchModel
from planner.fabric.demand import YearDemand
from planner.fabric.design import Status
from planner.fabric.fat_tree import radix, uplink_rates
from planner.fabric.nic_attachment import NicAttachment
from planner.planning.limits import LimitCheck, why_refused
from planner.planning.relaxations import headroom_remedy, reaches_m, remedies
from planner.scenario.scenario import Scenario
from planner.text import format as form


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a technology has no design. Status: infeasible, unpriced, or none (the solver gave up)."""

    status: Status
    reason: str


def why_spent(
    spent: BudgetSpentError,
    space: DesignSpace,
    attachments: tuple[NicAttachment, ...],
    builds: tuple[YearDemand, ...],
) -> Refusal:
    """The budget ended before there was any plan: what was being done, and what makes it so much."""
    nodes = max(y.site_nodes for y in builds)
    return Refusal(
        "none",
        f"the plan's {spent.resource} ended while {spent.doing}, before there was any plan. What makes it "
        f"large: {len(builds)} growth steps up to {nodes:,} nodes a site, {len(attachments)} ways to use the "
        f"NIC ports (planes, nic_port_split, link_gbps), {len(space.switches)} switch models: have fewer "
        f"of them (fewer growth steps, one value, fabric.switches), or give more {spent.resource}",
    )


def why_none(
    scenario: Scenario,
    space: DesignSpace,
    attachments: tuple[NicAttachment, ...],
    builds: tuple[YearDemand, ...],
    found: list[Candidate],
) -> Refusal:
    """The first limit that leaves some build year without a candidate, and what leads on from it."""
    year = next(y for y in builds if all(y.t not in c.built for c in found))
    limited = why_refused(space.within_limits, year) if isinstance(space.within_limits, LimitCheck) else None
    if limited:
        return Refusal("infeasible", limited)
    rates = sorted({v.base.link_gbps for v in attachments})
    if not any(radix(s, g) for s in space.switches for g in rates):
        return Refusal("infeasible", _no_ports(space, attachments, rates))
    if space.unpriced and not found:
        missing = ", ".join(sorted(space.unpriced))
        return Refusal("unpriced", f"no price for {missing}; give one in [prices.overrides]")
    unwired = _unwired(space, attachments)
    if unwired:
        return Refusal("infeasible", unwired)
    slow = [v for v in attachments if space.caps(v, year) is None]
    if len(slow) == len(attachments):
        return Refusal("infeasible", _slow(scenario, space, attachments, year, rates))
    most = max((_capacity(space, v.base.link_gbps) for v in attachments), default=0)
    least = min(v.base.endpoints_per_node for v in attachments) * year.site_nodes
    unlinked = _unlinked(space, attachments, year, least)
    what = _too_big(space, year, least, most) if least > most else unlinked or _unstriped(space, year)
    return Refusal("infeasible", f"{what}; {remedies(scenario, space, attachments, year)}")


def _no_ports(space: DesignSpace, attachments: Iterable[NicAttachment], rates: list[int]) -> str:
    """No switch of the rate: the rates that switches and NICs of the technology both have."""
    if not space.switches:
        return (
            f"no {space.technology} switch is allowed here; name one in fabric.switches, or a vendor of one "
            "in constraints.switch_vendors, or leave them out"
        )
    splits = {v.base.nic_port_split for v in attachments}
    ports = {n.port_gbps for n in space.catalog.nics.values() if space.technology in n.technologies}
    known = {s.port_gbps // b for s in space.switches for b in s.breakouts if s.port_gbps % b == 0}
    both = sorted(rate for rate in known if any(rate * split in ports for split in splits))
    text = " or ".join(f"{g} Gb/s" for g in rates)
    instead = f"write link_gbps = {' or '.join(map(str, both))}, or " if both else ""
    return f"no {space.technology} switch allowed here has ports of {text}; {instead}allow other switches"


def _unwired(space: DesignSpace, attachments: Iterable[NicAttachment]) -> str | None:
    """The NIC that no cable or module joins to any of the switches, and the length at which one does."""
    pairs = [(v, s) for v in attachments for s in space.switches if radix(s, v.base.link_gbps)]
    if any(node_medium(space, v, s) for v, s in pairs):
        return None
    names = ", ".join(sorted({v.nic.id for v, _ in pairs}))
    longest = _longest_m(space, pairs)
    remedy = f"write layout.node_leaf_m = {longest:g} or less" if longest else "allow other switches or NICs"
    return (
        f"no cable or pair of modules in the catalog joins {names} to any allowed switch "
        f"over {space.layout.node_leaf_m:g} m; {remedy}"
    )


def _longest_m(space: DesignSpace, pairs: Iterable[tuple[NicAttachment, SwitchModel]]) -> float | None:
    """The greatest reach of a part at which some pair can be joined; None of none."""
    for reach_m in reaches_m(space):
        shorter = replace(space, layout=replace(space.layout, node_leaf_m=reach_m))
        if reach_m < space.layout.node_leaf_m and any(node_medium(shorter, v, s) for v, s in pairs):
            return reach_m
    return None


def _slow(
    scenario: Scenario,
    space: DesignSpace,
    attachments: Iterable[NicAttachment],
    year: YearDemand,
    rates: list[int],
) -> str:
    text = " or ".join(f"{g} Gb/s" for g in rates)
    remedy = headroom_remedy(scenario, space, attachments, year)
    return (
        f"{year.year}: the workload asks more of a {text} endpoint than bandwidth_headroom leaves; {remedy}"
    )


def _capacity(space: DesignSpace, gbps: int) -> int:
    """Most endpoints of a plane that the allowed tiers can join, were every port used."""
    ports = max((radix(s, gbps) for s in space.switches), default=0)
    if space.rules.max_tiers == 1:
        return ports
    ratio = space.rules.max_oversubscription
    down = min(ports - 1, int(ports * ratio / (1 + ratio)))
    if space.rules.max_tiers == 2:
        return down * ports
    spine_ratio = space.rules.spine_oversubscription
    per_pod = min(ports - 1, int(ports * spine_ratio / (1 + spine_ratio)))
    return down * per_pod * ports


def _too_big(space: DesignSpace, year: YearDemand, asked: int, most: int) -> str:
    names = ("one tier", "two tiers", "three tiers")
    return (
        f"{year.year}: {asked:,} endpoints in a plane are more than the {most:,} that "
        f"{names[space.rules.max_tiers - 1]} of the largest allowed switch join at "
        f"{form.ratio(space.rules.max_oversubscription)}"
    )


def _unlinked(
    space: DesignSpace, attachments: Iterable[NicAttachment], year: YearDemand, least: int
) -> str | None:
    """The layer of switches that so many endpoints need and that no part makes over its length."""
    ways = list(attachments)
    leaves = [(v, s) for v in ways for s in space.switches if node_medium(space, v, s)]
    others = [(v, s) for v in ways for s in space.switches if radix(s, v.base.link_gbps)]
    for tiers, ends, below, length_m in (
        (1, "leaf to spine", leaves, space.layout.leaf_spine_m),
        (2, "spine to core", others, space.layout.spine_core_m),
    ):
        fewer = replace(space, rules=replace(space.rules, max_tiers=tiers))
        needed = least > max(_capacity(fewer, v.base.link_gbps) for v in ways)
        if needed and not _joined(space, below, length_m):
            return (
                f"{year.year}: no cable or pair of modules in the catalog joins two of the allowed switches, "
                f"{ends}, over {length_m:g} m"
            )
    return None


def _joined(space: DesignSpace, below: Iterable[tuple[NicAttachment, SwitchModel]], length_m: float) -> bool:
    """Whether a part joins one of the lower switches to any other, at a rate that its uplinks may run at."""
    return any(
        media_of_bundles(space, near, far, gbps, length_m)
        for attachment, near in below
        for gbps in uplink_rates(near, attachment.base.link_gbps)
        for far in space.switches
        if radix(far, gbps)
    )


def _unstriped(space: DesignSpace, year: YearDemand) -> str:
    rules = space.rules
    limits = [
        f"at most {rules.max_tiers} tiers",
        f"leaves at {form.ratio(rules.max_oversubscription)} or better",
        f"at least {rules.min_spines} spines",
        "the same number of links from every leaf to every spine of its pod",
    ]
    if rules.nodes_per_scalable_unit:
        limits.append(f"scalable units of {rules.nodes_per_scalable_unit} nodes")
    if rules.reserved_fabric_ports:
        limits.append(f"{rules.reserved_fabric_ports} reserved leaf ports")
    return f"{year.year}: no fat-tree for {year.site_nodes:,} nodes keeps all of: {', '.join(limits)}"
