"""Headings and number formats of the pages' tables."""

from __future__ import annotations

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from planner.report import throughput_frames
from planner.ui.content import sentences

_PERCENT = "percent"


def bom() -> dict[str, ColumnConfig]:
    """The bill of materials."""
    column = st.column_config
    return {
        "technology": column.TextColumn("Technology", width=105),
        "year": column.NumberColumn("Year", format="%d", width=60),
        "section": column.TextColumn("Section", width=90),
        "tier": column.TextColumn("Tier", width=85),
        "sku": column.TextColumn("SKU", width=215),
        "description": column.TextColumn("Description", width=200),
        "manufacturer": column.TextColumn("Manufacturer", width=110),
        "quantity": column.NumberColumn("Quantity", format="localized", width=75),
        "spares": column.NumberColumn("Spares", format="localized", width=60),
        "unit_price_usd": column.NumberColumn("Unit price, USD", format="localized", width=105),
        "extended_price_usd": column.NumberColumn("Price, USD", format="localized", width=105),
        "price_grade": column.TextColumn("Price grade", width=90, help=sentences.GRADES),
        "price_source": column.TextColumn("Price source", width=260),
        "price_date": column.TextColumn("Price date", width=90),
        "power_w": column.NumberColumn("Power of one, W", format="localized", width=120),
    }


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
