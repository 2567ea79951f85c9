"""The growth table: GPUs by build year and, where they are asked for, the servers that a row brings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import streamlit as st

from planner.catalog.parts import Catalog
from planner.charts import exports
from planner.scenario.sections import attribute
from planner.text import format as form
from planner.ui.content.typed_numbers import read_typed, typed_text
from planner.ui.session import answers, state

GROWTH_COLUMNS = ("year", "gpus")
SERVER_COLUMNS = ("server", "link_gbps")  # of a row that brings another server generation
SAME = "–"  # a row with the server of the rows before it
_HELP = (
    "A later row may bring other servers: its added GPUs then make an island with a fabric of its own, "
    "unless fabric.join_generations is set. Switching this off takes the servers out of the rows."
)
_JOIN_HELP = (
    "One fabric and one training job, paced by the slowest GPU; only where the ends of the links are alike."
)
_OR = " or "  # between rates that the planner may choose among


def show(place: str = "growth", width: int | Literal["stretch"] = "stretch") -> None:
    """The growth table. Its source frame stays as it was when the table appeared.

    ``place`` tells the table of one page from that of another: each has edits of its own.

    The editor lays the user's edits over its source; a source made from its own result would take
    every second edit back.
    """
    st.markdown("**Growth**")
    st.caption("One row a build year. GPUs may rise, never fall. Type into the empty row to add a year.")
    table, rows = st.container(), state.document().get("growth", [])
    with_servers = _servers_asked_for(rows, state.widget_key(f"{place}_with_servers"))
    key, source = state.widget_key(f"{place}_by_server" if with_servers else place), f"{place}_source"
    if key not in st.session_state:
        st.session_state[source] = source_frame(rows, with_servers)
    with table:
        edited = st.data_editor(
            st.session_state[source],
            key=key,
            width=width,
            num_rows="dynamic",
            hide_index=True,
            column_config=_columns(answers.sources().catalog, with_servers),
        )
    state.set_growth(rows_of(edited))


def _servers_asked_for(rows: Iterable[Any], key: str) -> bool:
    """Whether rows may name a server; on where one does already."""
    named = any(isinstance(row, Mapping) and (row.get("server") or row.get("link_gbps")) for row in rows)
    on = st.toggle("Other servers in later years", value=named, key=key, help=_HELP)
    if on:
        joined = bool(state.value("fabric", "join_generations"))
        wanted = st.toggle("One fabric over all servers", value=joined, key=f"{key}_joined", help=_JOIN_HELP)
        if wanted != joined:
            state.set_value("fabric", "join_generations", True if wanted else None)
    return on


def _columns(catalog: Catalog, with_servers: bool) -> dict[str, Any]:
    """The columns of the table; with ``with_servers`` a server and its link rate, both optional."""
    text = st.column_config.TextColumn
    wide = (60, 70) if with_servers else (None, None)  # all four have to go beside the page
    found: dict[str, Any] = {
        "year": text(
            "Year" if with_servers else "Build year",
            default="",
            help="A whole number, like 2027.",
            width=wide[0],
        ),
        "gpus": text("GPUs", default="", help=attribute("growth", "gpus").sentence, width=wide[1]),
    }
    if with_servers:
        found["server"] = st.column_config.SelectboxColumn(
            "Server",
            options=[SAME, *sorted(catalog.servers)],
            default=SAME,
            help=f"{attribute('growth', 'server').sentence} {SAME}: as before.",
            width=85,
        )
        rate = f"{attribute('growth', 'link_gbps').sentence} Empty: the server's NIC rate."
        found["link_gbps"] = text("Gb/s", default="", help=rate, width=50)
    return found


def source_frame(rows: Sequence[Mapping[str, object]], with_servers: bool = False) -> pd.DataFrame:
    """The growth rows as text, with the columns of a server or without; a year is not grouped, GPUs are."""
    cells = [[form.plain(row.get("year")), typed_text("whole", row.get("gpus"))] for row in rows]
    if with_servers:
        rates = [_rates(row.get("link_gbps")) for row in rows]
        named = [[form.plain(row.get("server") or SAME), r] for row, r in zip(rows, rates, strict=True)]
        cells = [one + other for one, other in zip(cells, named, strict=True)]
    columns = (*GROWTH_COLUMNS, *SERVER_COLUMNS) if with_servers else GROWTH_COLUMNS
    return exports.inert(pd.DataFrame(cells, columns=list(columns), dtype="str"))


def _rates(value: object) -> str:
    """One rate as text, or several that the planner may choose among."""
    return _OR.join(typed_text("whole", v) for v in (value if isinstance(value, list) else [value]))


def _row(cells: Mapping[str, str]) -> state.Document:
    row: state.Document = {k: read_typed("whole", cells[k]) for k in GROWTH_COLUMNS if cells.get(k)}
    if cells.get("server", SAME) not in ("", SAME):
        row["server"] = cells["server"]
    if rates := [read_typed("whole", part) for part in cells.get("link_gbps", "").split(_OR) if part]:
        row["link_gbps"] = rates[0] if len(rates) == 1 else rates
    return row


def rows_of(frame: pd.DataFrame) -> list[state.Document]:
    """The rows of the edited table in the order of their years; rows without any text are left out."""
    rows: list[state.Document] = []
    for record in frame.to_dict("records"):
        cells = {str(k): text.strip() for k, text in record.items() if isinstance(text, str)}
        if row := _row(cells):
            rows.append(row)
    if all(isinstance(row.get("year"), int) for row in rows):
        rows.sort(key=lambda row: row["year"])
    return rows
