"""Why a technology has no design, in one sentence with the limit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from planner.candidates.design_space import DesignSpace
from planner.candidates.enumeration import Candidate
from planner.catalog.technologies import protocol_of
from planner.fabric.cabling import LinkBundle
from planner.fabric.demand import YearDemand
from planner.fabric.design import Status
from planner.fabric.fat_tree import radix
from planner.fabric.nic_attachment import NicAttachment
from planner.fabric.part_counts import switch_end
from planner.planning.limits import LimitCheck, why_refused


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a technology has no design. Status: infeasible, unpriced, or none (the solver gave up)."""

    status: Status
    reason: str


def why_none(
    space: DesignSpace,
    attachments: tuple[NicAttachment, ...],
    builds: tuple[YearDemand, ...],
    found: list[Candidate],
) -> Refusal:
    """The first limit that leaves some build year without a candidate."""
    year = next(y for y in builds if all(y.t not in c.built for c in found))
    limited = why_refused(space.within_limits, year) if isinstance(space.within_limits, LimitCheck) else None
    if limited:
        return Refusal("infeasible", limited)
    rates = sorted({v.base.link_gbps for v in attachments})
    if not any(radix(s, g) for s in space.switches for g in rates):
        text = " or ".join(f"{g} Gb/s" for g in rates)
        return Refusal("infeasible", f"no {space.technology} switch allowed here has ports of {text}")
    if space.unpriced and not found:
        return Refusal("unpriced", f"no price for {', '.join(sorted(space.unpriced))}")
    unwired = _unwired(space, attachments)
    if unwired:
        return Refusal("infeasible", unwired)
    slow = [v for v in attachments if space.caps(v, year) is None]
    if len(slow) == len(attachments):
        return Refusal("infeasible", _slow(year, rates))
    most = max((_capacity(space, v.base.link_gbps) for v in attachments), default=0)
    least = min(v.base.endpoints_per_node for v in attachments) * year.site_nodes
    if least > most:
        return Refusal("infeasible", _too_big(space, year, least, most))
    return Refusal("infeasible", _unstriped(space, year))


def _unwired(space: DesignSpace, attachments: Iterable[NicAttachment]) -> str | None:
    """The NIC that no cable or module joins to any of the switches."""
    for attachment in attachments:
        gbps = attachment.base.link_gbps
        for switch in (s for s in space.switches if radix(s, gbps)):
            ask = LinkBundle(
                switch_end(switch, gbps),
                attachment.node_end,
                gbps,
                space.layout.node_leaf_m,
                protocol_of(space.technology),
                1,
            )
            if space.medium(ask).medium:
                return None
    names = ", ".join(sorted({v.nic.id for v in attachments}))
    return (
        f"no cable or pair of modules in the catalog joins {names} to any allowed switch "
        f"over {space.layout.node_leaf_m:g} m"
    )


def _slow(year: YearDemand, rates: list[int]) -> str:
    text = " or ".join(f"{g} Gb/s" for g in rates)
    return (
        f"{year.year}: the workload asks more of a {text} endpoint than bandwidth_headroom leaves; "
        "raise link_gbps or the batch, or lower bandwidth_headroom"
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
    tiers = space.rules.max_tiers
    ratio = _text(space.rules.max_oversubscription)
    names = ("one tier", "two tiers", "three tiers")
    remedy = "allow more planes, oversubscription or " + ("max_tiers" if tiers < 3 else "larger switches")
    return (
        f"{year.year}: {asked:,} endpoints in a plane are more than the {most:,} that {names[tiers - 1]} "
        f"of the largest allowed switch join at {ratio}; {remedy}"
    )


def _unstriped(space: DesignSpace, year: YearDemand) -> str:
    rules = space.rules
    unit = rules.nodes_per_scalable_unit
    limits = [
        f"at most {rules.max_tiers} tiers",
        f"leaves at {_text(rules.max_oversubscription)} or better",
        f"at least {rules.min_spines} spines",
        "the same number of links from every leaf to every spine of its pod",
    ]
    if unit:
        limits.append(f"scalable units of {unit} nodes")
    if rules.reserved_fabric_ports:
        limits.append(f"{rules.reserved_fabric_ports} reserved leaf ports")
    return f"{year.year}: no fat-tree for {year.site_nodes:,} nodes keeps all of: {', '.join(limits)}"


def _text(ratio: Fraction) -> str:
    return f"{ratio.numerator}:{ratio.denominator}"
