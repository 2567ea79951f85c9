"""Patch panels, for the printed answer and for the JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.fabric.patch_panels import panelled
from planner.planning.headroom import TierHeadroom
from planner.study.result import TechnologyResult
from planner.text.format import count, gbps, percent_whole, usd

_NOT_CROSSED = {"node-leaf": "not used, the job stays inside its nodes"}
_INSIDE = "not crossed, the job stays inside one scalable unit"


def headroom_words(result: TechnologyResult, position: int) -> list[str]:
    """One line for the year at ``position``; none where it is not known."""
    tiers = result.headroom[position] if result.headroom else ()
    if not tiers:
        return []
    asked = percent_whole(tiers[0].headroom_ratio)
    return [f"traffic an endpoint, with {asked} to stay free: {'; '.join(map(_tier, tiers))}"]


def _tier(tier: TierHeadroom) -> str:
    if not tier.crossed:
        return f"{tier.tier} {_NOT_CROSSED.get(tier.tier, _INSIDE)}"
    used, left = percent_whole(tier.used_ratio), percent_whole(tier.left_ratio)
    return f"{tier.tier} {rate(tier.asked_gbps)} of {gbps(tier.wired_gbps)} ({used}), {left} left"


def rate(asked_gbps: float) -> str:
    """A rate to a tenth of a Gb/s.

    >>> rate(12.3456), rate(0.04)
    ('12.3 Gb/s', 'below 0.1 Gb/s')
    """
    return gbps(round(asked_gbps, 1)) if asked_gbps >= 0.05 else "below 0.1 Gb/s"


def headroom_document(tiers: Sequence[TierHeadroom]) -> list[dict[str, Any]]:
    """The tiers of a year as plain values, bandwidths for each endpoint."""
    return [
        {
            "tier": tier.tier,
            "crossed": tier.crossed,
            "asked_gbps_per_endpoint": tier.asked_gbps,
            "wired_gbps_per_endpoint": tier.wired_gbps,
            "used_ratio": tier.used_ratio,
            "headroom_ratio": tier.headroom_ratio,
            "left_ratio": tier.left_ratio,
        }
        for tier in tiers
    ]


def _used(result: TechnologyResult) -> bool:
    return any(any(panelled(design.need_by_tier)) for design in result.plan.designs)


def panels_words(result: TechnologyResult) -> list[str]:
    """Which way was kept where the choice is open, and what is moved at panels; none without panels."""
    rows, choice = [], result.panels
    if choice is not None:
        ways = (("with", choice.with_panels), ("without", choice.without_panels))
        said = ", ".join(f"{usd(value)} {way}" for way, value in ways)
        rows.append(f"patch panels: {'taken' if choice.used else 'left out'}; the objective is {said}")
    if _used(result):
        moved = [(d.year, d.change.panel_links) for d in result.plan.designs if d.change.panel_links]
        told = ", ".join(f"{count(links)} links in {year}" for year, links in moved) or "none"
        rows.append(f"fibres between switches run over patch panels; moved there: {told}")
    return rows


def panels_document(result: TechnologyResult) -> dict[str, Any]:
    """Whether there are panels, and both values of the objective where the choice is open."""
    choice = result.panels
    return {
        "used": _used(result),
        "open": choice is not None,
        "objective_with": choice.with_panels if choice else None,
        "objective_without": choice.without_panels if choice else None,
    }
