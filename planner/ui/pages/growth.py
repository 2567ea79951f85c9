"""The years: GPUs, switches and money, and what is bought, moved and retired in which year and why."""

from __future__ import annotations

import streamlit as st

from planner.charts import years as year_charts
from planner.report import changes_by_year, cost_frames, fabric_frames
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.ui.content import chart_titles, column_configs, texts
from planner.ui.views import current_answer, display, growth_table, pickers
from planner.ui.views import further as further_view


def render() -> None:
    """The growth grid first: only its return value says what was typed."""
    current_answer.start()
    meaning = "What is bought, moved and retired in which year, and why."
    study = current_answer.page("Growth", meaning, lambda: growth_table.show("growth_of_years", 460))
    if study is None:
        return
    result = pickers.technology(study, "growth")
    if result is None:
        return
    left, right = st.columns(2)
    with left:
        display.chart(
            chart_titles.gpus(result), year_charts.gpus(fabric_frames.switches_by_year(result)), "gpus"
        )
    with right:
        name = f"switches_{result.technology}"
        display.chart(
            chart_titles.growth(result), year_charts.switches(fabric_frames.switches_by_year(result)), name
        )
    _actions(study, result)
    _money(study, result)
    further_view.show()


def _actions(study: Study, result: TechnologyResult) -> None:
    st.subheader("Year by year", anchor=False)
    frame = changes_by_year.frame(study, result)
    display.table(
        frame,
        column_configs.growth(bool(result.islands)),
        f"growth_{result.technology}",
        ["year", "fabric", "action"],
        "Growth, year by year",
    )


def _money(study: Study, result: TechnologyResult) -> None:
    st.subheader("Money over the years", anchor=False)
    scope = st.segmented_control(
        "Costs shown", ["Network", "Servers and network"], default="Network", required=True,
        label_visibility="collapsed", key="growth_cost_scope",
    )  # fmt: skip
    network_only = scope != "Servers and network"
    costs = cost_frames.cost_by_year(result, network_only)
    if not costs.empty:
        title = chart_titles.cost_by_year(costs, result.technology, network_only)
        display.chart(title, year_charts.cost_by_year(costs), f"cost_by_year_{result.technology}")
    paid = cost_frames.cash_flow(study, network_only)
    if not paid.empty:
        note = (
            "Capex is paid at the start of its year, running cost at its end; nothing is discounted or sold."
        )
        display.chart(
            chart_titles.cash_flow(paid), year_charts.cash_flow(texts.named(paid)), "cash_flow", note
        )
