"""Headings and number formats of the pages' tables."""

from __future__ import annotations

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from planner.report import throughput_frames
from planner.report.bom_table import BOM_COLUMNS
from planner.ui.content import sentences

_PERCENT = "percent"


_BOM_WIDTHS = {
    "technology": 105, "year": 60, "section": 90, "tier": 85, "sku": 215, "description": 200,
    "manufacturer": 110, "quantity": 75, "spares": 60, "unit_price_usd": 105, "extended_price_usd": 105,
    "price_grade": 90, "price_source": 260, "price_date": 90, "power_w": 120,
}  # fmt: skip
_BOM_HELP = {"price_grade": sentences.GRADES}  # in place of the column's own sentence


def bom() -> dict[str, ColumnConfig]:
    """The bill of materials: the columns of its files, numbers as numbers."""
    column, found = st.column_config, dict[str, ColumnConfig]()
    numbers = {"year": "%d", "quantity": "localized", "spares": "localized", "power_w": "localized"}
    for one in BOM_COLUMNS:
        width, said = _BOM_WIDTHS.get(one.name), _BOM_HELP.get(one.name, one.sentence)
        form = "localized" if one.name.endswith("_usd") else numbers.get(one.name)
        if form is None:
            found[one.name] = column.TextColumn(one.heading, width=width, help=said)
        else:
            found[one.name] = column.NumberColumn(one.heading, width=width, help=said, format=form)
    return found


def prices() -> dict[str, ColumnConfig]:
    """The price grid."""
    column = st.column_config
    return {
        "sku": column.TextColumn("SKU", width=195, pinned=True),
        "own_price_usd": column.TextColumn(
            "Your price, USD", width=125, help="Of one piece in the base year. Empty: the price of the book."
        ),
        "mid_usd": column.NumberColumn("Price, USD", format="localized", width=95),
        "grade": column.TextColumn("Grade", width=75, help=sentences.GRADES),
        "low_usd": column.NumberColumn("Low, USD", format="localized", width=90),
        "high_usd": column.NumberColumn("High, USD", format="localized", width=90),
        "description": column.TextColumn("Description", width=230),
        "item_class": column.TextColumn("Kind", width=90),
        "used_by": column.TextColumn("Used by", width=190),
        "spent_usd": column.NumberColumn(
            "Spent, USD",
            format="localized",
            width=110,
            help="Over the horizon, with the technology that spends most on it.",
        ),
        "date": column.TextColumn("Date", width=90),
        "book": column.TextColumn("Book", width=85),
        "source": column.TextColumn("Source", width=420),
    }


def ports() -> dict[str, ColumnConfig]:
    """How ports are used."""
    column = st.column_config
    return {
        "tier": column.TextColumn("Tier"),
        "switch": column.TextColumn("Switch"),
        "use": column.TextColumn(
            "Use", help="down: to the tier below or a node; up: to the tier above; dark: no link"
        ),
        "ports": column.NumberColumn("Ports", format="localized"),
        "share": column.NumberColumn("Share", format=_PERCENT),
    }


def headroom() -> dict[str, ColumnConfig]:
    """What the training job takes of each tier's bandwidth."""
    column = st.column_config
    return {
        "tier": column.TextColumn("Tier"),
        "state": column.TextColumn("By the job"),
        "asked_gbps": column.NumberColumn("Traffic an endpoint, Gb/s", format="%.1f"),
        "wired_gbps": column.NumberColumn("Wired an endpoint, Gb/s", format="%.1f"),
        "used": column.NumberColumn("Used", format="percent"),
        "left": column.NumberColumn("Left beyond the headroom", format="percent"),
    }


def growth(islands: bool = False) -> dict[str, ColumnConfig]:
    """What is bought, moved and retired; a fabric of ``islands`` is named with its servers."""
    column = st.column_config
    return {
        "year": column.NumberColumn("Year", format="%d", width=60),
        "gpus": column.NumberColumn("GPUs", format="localized", width=75),
        "fabric": column.TextColumn("Fabric", width=160 if islands else 85),
        "action": column.TextColumn("What", width=80),
        "quantity": column.NumberColumn("Quantity", format="localized", width=85),
        "sku": column.TextColumn("SKU", width=215),
        "description": column.TextColumn("Description", width=240),
        "why": column.TextColumn("Why", width=330),
        "capex_usd": column.NumberColumn("Price, USD", format="localized", width=110),
    }


def throughput() -> dict[str, ColumnConfig]:
    """The training job of every technology and year."""
    column = st.column_config
    whole = {
        "gpus": "GPUs", "job_gpus": "GPUs of the job", "tensor_parallel": "Tensor parallel",
        "pipeline_parallel": "Pipeline parallel", "data_parallel": "Data parallel",
        "global_batch_sequences": "Global batch, sequences",
    }  # fmt: skip
    rates = {
        "effective_tflops": "Effective TFLOP/s", "effective_low_tflops": "Low, TFLOP/s",
        "effective_high_tflops": "High, TFLOP/s",
    }  # fmt: skip
    return {
        "technology": column.TextColumn("Technology", pinned=True),
        "year": column.NumberColumn("Year", format="%d", width=60),
        "step_time_s": column.NumberColumn("Step time, s", format="%.3f"),
        "mfu": column.NumberColumn("MFU", format=_PERCENT),
        "goodput": column.NumberColumn("Goodput", format=_PERCENT),
        **{key: column.NumberColumn(words, format="localized") for key, words in {**rates, **whole}.items()},
        **{
            f"share_{key}": column.NumberColumn(f"Step: {words}", format=_PERCENT)
            for key, words in throughput_frames.SHARES
        },
    }


def grades() -> dict[str, ColumnConfig]:
    """How many figures of each data file have which grade."""
    column = st.column_config
    names = ("quote", "list", "street", "analyst", "derived", "guess")
    return {
        "file": column.TextColumn("File", width=250),
        "holds": column.TextColumn("Holds", width=270),
        "figures": column.NumberColumn("Figures", width=70),
        **{name: column.NumberColumn(name, width=70) for name in names},
    }


def figures() -> dict[str, ColumnConfig]:
    """Constants and defaults with their sources."""
    column = st.column_config
    return {
        "key": column.TextColumn("Key", width=250),
        "value": column.NumberColumn("Value", format="%.6g", width=80),
        "low": column.NumberColumn("Low", format="%.6g", width=70),
        "high": column.NumberColumn("High", format="%.6g", width=70),
        "unit": column.TextColumn("Unit", width=150),
        "grade": column.TextColumn("Grade", width=75, help=sentences.GRADES),
        "date": column.TextColumn("Date", width=90),
        "source": column.TextColumn("Source", width=360),
        "note": column.TextColumn("Note", width=260),
    }
