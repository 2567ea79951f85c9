"""How much of each tier's bandwidth the training job takes, and what the headroom leaves of it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from planner.planning.headroom import TierHeadroom
from planner.text import format as form
from planner.ui.content import texts
from planner.ui.views import display

NOTE = (
    "Traffic: the bytes that cross a tier in a training step over the step's time on an ideal fabric. Left: "
    "what remains of the wired bandwidth beyond the traffic and the headroom asked for."
)
_STATES = {True: "crossed", False: "not crossed: the job stays below it"}


def render(tiers: Sequence[TierHeadroom], name: str) -> None:
    """The finding, then a row a tier, the upper tier first; nothing where it is not known."""
    if not tiers:
        return
    st.subheader("Headroom", anchor=False)
    st.markdown(f"**{texts.escaped(finding(tiers))}**")
    st.caption(texts.escaped(NOTE))
    display.table(frame(tiers), columns(), name)


def finding(tiers: Sequence[TierHeadroom]) -> str:
    """The tightest of the tiers that the job crosses."""
    asked = form.percent_whole(tiers[0].headroom_ratio)
    crossed = [tier for tier in tiers if tier.crossed]
    if not crossed:
        return f"The job stays inside its nodes: all bandwidth is free, {asked} is asked for"
    worst = max(crossed, key=lambda tier: tier.used_ratio)
    used, free = form.percent_whole(worst.used_ratio), form.percent_whole(worst.free_ratio)
    most = f"The job takes at most {used} of a tier's bandwidth ({worst.tier})"
    return f"{most}: {free} is free, {asked} is asked for"


def frame(tiers: Sequence[TierHeadroom]) -> pd.DataFrame:
    """Columns: tier, state, asked_gbps, wired_gbps, used, left; the upper tier first."""
    rows = [
        (t.tier, _STATES[t.crossed], t.asked_gbps, t.wired_gbps, t.used_ratio, t.left_ratio)
        for t in reversed(tiers)
    ]
    return pd.DataFrame(rows, columns=["tier", "state", "asked_gbps", "wired_gbps", "used", "left"])


def columns() -> dict[str, ColumnConfig]:
    """Headings and formats."""
    column = st.column_config
    return {
        "tier": column.TextColumn("Tier"),
        "state": column.TextColumn("By the job"),
        "asked_gbps": column.NumberColumn("Traffic an endpoint, Gb/s", format="%.1f"),
        "wired_gbps": column.NumberColumn("Wired an endpoint, Gb/s", format="%.1f"),
        "used": column.NumberColumn("Used", format="percent"),
        "left": column.NumberColumn("Left beyond the headroom", format="percent"),
    }
