"""The fabrics of an answer as frames: switches by year, use of their ports, headroom by tier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from planner.catalog.parts import SwitchModel
from planner.fabric.design import Design
from planner.fabric.port_use import tier_ports
from planner.planning.bandwidth_headroom import TierHeadroom
from planner.study.result import TechnologyResult

_CROSSED = {True: "crossed", False: "not crossed: the job stays below it"}


def switches_by_year(result: TechnologyResult) -> pd.DataFrame:
    """Switches in service by tier and year. Columns: year, gpus, tier, switches, rank."""
    rows = [
        (design.year, design.gpus, tier, switches, rank)
        for design in result.designs
        for rank, (tier, _, switches) in enumerate(design.tiers)
    ]
    return pd.DataFrame(rows, columns=["year", "gpus", "tier", "switches", "rank"])


def port_shares(design: Design, switches: Mapping[str, SwitchModel]) -> pd.DataFrame:
    """A row a tier and use of its ports, the upper tier first.

    Columns: tier, switch, use, ports, share, rank.
    """
    rows = []
    for found in reversed(list(tier_ports(design, switches))):
        for rank, (use, ports) in enumerate((("down", found.down), ("up", found.up), ("dark", found.dark))):
            if ports:
                rows.append((found.tier, found.switch, use, ports, ports / found.total, rank))
    return pd.DataFrame(rows, columns=["tier", "switch", "use", "ports", "share", "rank"])


def headroom(tiers: Sequence[TierHeadroom]) -> pd.DataFrame:
    """What the job takes of each tier, the upper one first.

    Columns: tier, state, asked_gbps, wired_gbps, used, left.
    """
    rows = [
        (t.tier, _CROSSED[t.crossed], t.asked_gbps, t.wired_gbps, t.used_ratio, t.left_ratio)
        for t in reversed(tiers)
    ]
    return pd.DataFrame(rows, columns=["tier", "state", "asked_gbps", "wired_gbps", "used", "left"])
