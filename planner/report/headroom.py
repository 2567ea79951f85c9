"""The headroom of each tier, for the printed answer and for the JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.format import gbps, percent_whole
from planner.study import TechnologyResult
from planner.tier_headroom import TierHeadroom

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
