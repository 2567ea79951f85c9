"""The columns of the growth table that a later server generation needs; hidden until they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from planner.catalog import Catalog
from planner.ui import state

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
    found: dict[str, Any] = {
        "year": text("Build year", default="", help="A whole number, like 2027."),
        "gpus": text("GPUs", default="", help="In service from the year's start."),
    }
    if kinds:
        found["server"] = st.column_config.SelectboxColumn(
            "Server", options=sorted(catalog.servers), help="Of the GPUs that the row adds; empty: as before."
        )
        found["link_gbps"] = text("Gb/s", default="", help="Of an endpoint; empty: the server's NIC rate.")
    return found
