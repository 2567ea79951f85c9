"""InfiniBand against Ethernet on the Prices page: by part, by bill, as the cluster grows, as observed."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from planner.charts import exports
from planner.cost.infiniband_ratio_examined import Ratios
from planner.report.infiniband_ratio_frames import ratio_frames

_COLUMN = st.column_config
Columns = dict[str, ColumnConfig]


def _ratio(title: str) -> ColumnConfig:
    return _COLUMN.NumberColumn(title, format="%.2f", width="small")


_ITEMS: Columns = {
    "ib_sku": _COLUMN.TextColumn("InfiniBand part"),
    "counterpart_sku": _COLUMN.TextColumn("Counterpart"),
    "in_plan": _COLUMN.CheckboxColumn("In the plan", width="small"),
    "rule_low": _ratio("Rule, low"),
    "rule_mid": _ratio("Rule"),
    "rule_high": _ratio("Rule, high"),
    "book_ratio_low": _ratio("Prices, low"),
    "book_ratio_mid": _ratio("Prices"),
    "book_ratio_high": _ratio("Prices, high"),
    "ib_price_grade": _COLUMN.TextColumn("InfiniBand price is"),
    "ib_price_date": _COLUMN.TextColumn("of"),
    "counterpart_price_grade": _COLUMN.TextColumn("Counterpart's is"),
    "counterpart_price_date": _COLUMN.TextColumn("of "),
}
_BILL: Columns = {
    "kind": _COLUMN.TextColumn("Kind"),
    "infiniband_usd": _COLUMN.NumberColumn("InfiniBand (USD)", format="localized"),
    "roce_usd": _COLUMN.NumberColumn("RoCE (USD)", format="localized"),
    "ratio": _ratio("Ratio"),
}
_RULES: Columns = {
    "rule": _COLUMN.TextColumn("InfiniBand priced by"),
    "ratio": _ratio("Ratio of the whole bill"),
}
_SCALE: Columns = {
    "endpoints": _COLUMN.NumberColumn("Endpoints", format="localized"),
    "ib_switch": _COLUMN.TextColumn("InfiniBand switch"),
    "ethernet_switch": _COLUMN.TextColumn("Ethernet switch"),
    "ib_radix": _COLUMN.NumberColumn("Radix", width="small"),
    "ethernet_radix": _COLUMN.NumberColumn("against", width="small"),
    "ib_tiers": _COLUMN.NumberColumn("Tiers", width="small"),
    "ethernet_tiers": _COLUMN.NumberColumn("against ", width="small"),
    "port_price_ratio": _ratio("Ratio of a port"),
    "bill_ratio": _ratio("Ratio of the switch bill"),
}
_OBSERVED: Columns = {
    "item_class": _COLUMN.TextColumn("Kind"),
    "scope": _COLUMN.TextColumn("What was compared", width="large"),
    "low": _ratio("Low"),
    "value": _ratio("Ratio"),
    "high": _ratio("High"),
    "date": _COLUMN.TextColumn("Date"),
    "grade": _COLUMN.TextColumn("Grade"),
    "note": _COLUMN.TextColumn("Note"),
    "source": _COLUMN.TextColumn("Source", width="large"),
}


def show(ratios: Ratios) -> None:
    """The tables, each under what it says."""
    st.subheader("InfiniBand against Ethernet")
    st.caption(
        "InfiniBand switches and NICs are priced by a ratio to their Ethernet counterparts, for the same "
        "bandwidth, unless the scenario asks for the book's own prices. This is what prices say beside it."
    )
    frames = ratio_frames(ratios)
    items = frames["items"].sort_values("in_plan", ascending=False, kind="stable")
    _table("By part, for the same bandwidth", items, _ITEMS)
    if len(frames["bill"]):
        _table("The network bills of these plans, over the horizon", frames["bill"], _BILL)
        _table("The same two plans, InfiniBand priced by other rules", frames["by_rule"], _RULES)
    _table("Switch bills without oversubscription, at the book's prices", frames["scale"], _SCALE)
    _table("What was found to be charged", frames["observations"], _OBSERVED)


def _table(title: str, frame: pd.DataFrame, columns: Columns) -> None:
    st.markdown(f"**{title}**")
    st.dataframe(exports.inert(frame[list(columns)]), column_config={**columns}, hide_index=True)
