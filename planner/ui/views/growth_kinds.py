"""The columns of the growth table that a later server generation needs; hidden until they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from planner.catalog.parts import Catalog
from planner.ui.session import state

SAME = "–"  # a row with the server of the rows before it
_HELP = (
    "A later row may bring other servers: its added GPUs then make an island with a fabric of its own, "
    "unless fabric.join_generations is set. Switching this off takes the servers out of the rows."
)

_JOIN_HELP = (
    "One fabric and one training job, paced by the slowest GPU; only where the ends of the links are alike."
)


def toggle(rows: Iterable[Any], key: str) -> bool:
    """Whether rows may name a server; on where one does already."""
    named = any(isinstance(row, Mapping) and (row.get("server") or row.get("link_gbps")) for row in rows)
    on = st.toggle("Other servers in later years", value=named, key=key, help=_HELP)
    if on:
        joined = bool(state.value("fabric", "join_generations"))
        wanted = st.toggle("One fabric over all servers", value=joined, key=f"{key}_joined", help=_JOIN_HELP)
        if wanted != joined:
            state.set_value("fabric", "join_generations", True if wanted else None)
    return on


def columns(catalog: Catalog, kinds: bool) -> dict[str, Any]:
    """The columns of the table; with ``kinds`` a server and its link rate, both optional."""
    text = st.column_config.TextColumn
    wide = (60, 70) if kinds else (None, None)  # all four have to go beside the page
    found: dict[str, Any] = {
        "year": text(
            "Year" if kinds else "Build year", default="", help="A whole number, like 2027.", width=wide[0]
        ),
        "gpus": text("GPUs", default="", help="In service from the year's start.", width=wide[1]),
    }
    if kinds:
        found["server"] = st.column_config.SelectboxColumn(
            "Server",
            options=[SAME, *sorted(catalog.servers)],
            default=SAME,
            help=f"Of the GPUs that the row adds; {SAME}: as before.",
            width=85,
        )
        rate = "Of an endpoint; empty: the server's NIC rate."
        found["link_gbps"] = text("Gb/s", default="", help=rate, width=50)
    return found
