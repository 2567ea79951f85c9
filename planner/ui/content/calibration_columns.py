"""Headings and number formats of the calibration page's tables."""

from __future__ import annotations

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from planner.ui.content import calibration as words


def readings() -> dict[str, ColumnConfig]:
    """The runs that were read."""
    column = st.column_config
    return {
        "log": column.TextColumn("Log", width=240),
        "used": column.TextColumn("Constants", width=85, help="Refused: no constant is taken from it."),
        "run": column.TextColumn("Run", width=300),
        "rows": column.NumberColumn("Rows", format="localized", width=65),
        "fault": column.TextColumn("First fault", width=420),
    }


def constants() -> dict[str, ColumnConfig]:
    """What was measured, beside what is shipped."""
    column = st.column_config
    return {
        "constant": column.TextColumn("Constant", width=270),
        "holds_for": column.TextColumn("Holds for", width=95),
        "value": column.NumberColumn("Measured", format="%.4g", width=85),
        "low": column.NumberColumn("Low", format="%.4g", width=70, help=words.LOW_HELP),
        "high": column.NumberColumn("High", format="%.4g", width=70),
        "shipped": column.NumberColumn("Shipped", format="%.4g", width=80, help=words.SHIPPED_HELP),
        "unit": column.TextColumn("Unit", width=150),
        "how": column.TextColumn("How", width=420),
        "logs": column.TextColumn("Logs", width=300),
    }


def effects() -> dict[str, ColumnConfig]:
    """The answer before and after each constant."""
    column = st.column_config
    rate = {"before_tflops": "Before, TFLOP/s", "after_tflops": "After, TFLOP/s"}
    return {
        "constant": column.TextColumn("Constant", width=270),
        "technology": column.TextColumn("Technology", width=105),
        "year": column.NumberColumn("Year", format="%d", width=60),
        **{key: column.NumberColumn(title, format="%,.0f", width=130) for key, title in rate.items()},
        "change_ratio": column.NumberColumn("Change", format="percent", width=85),
    }
