"""The years: GPUs, switches and money, what is bought, moved and retired and why, and questions on demand."""

from __future__ import annotations

import streamlit as st

from planner.catalog.technologies import technology_name
from planner.charts import cost_charts, fabric_charts
from planner.decide.follow_ups import FollowUp
from planner.report import changes_by_year, cost_frames, fabric_frames
from planner.report.follow_ups import Section
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.ui.content import chart_titles, column_configs, sentences
from planner.ui.session import answers, state
from planner.ui.views import current_answer, growth_table, opening, pickers, tables_and_charts

_QUESTION_ASKED = "question_asked"
_QUESTIONS: dict[FollowUp, str] = {
    "paths": "Change technology midway?",
    "foresight": "What is looking ahead worth?",
    "flips": "What would flip the result?",
}
_MEANINGS: dict[FollowUp, str] = {
    "paths": "One technology first, another from a later year, beside starting with the later one.",
    "foresight": "The plan against the cheapest one that takes each year as if no growth came after it.",
    "flips": "Planned again with another horizon and with the other residual rules.",
}
_NOTHING = "There is nothing to compare: see `paths` in the scenario, and whether the cluster grows."


def render() -> None:
    """The growth grid first: only its return value says what was typed."""
    opening.start()
    meaning = "What is bought, moved and retired in which year, and why."
    study = current_answer.page("Growth", meaning, lambda: growth_table.show("growth_of_years", 460))
    if study is None:
        return
    result = pickers.technology(study, "growth")
    if result is None:
        return
    left, right = st.columns(2)
    frame = fabric_frames.switches_by_year(result)
    with left:
        tables_and_charts.chart(chart_titles.gpus(result), fabric_charts.gpus(frame), "gpus")
    with right:
        name = f"switches_{result.technology}"
        tables_and_charts.chart(chart_titles.growth(result), fabric_charts.switches(frame), name)
    _actions(study, result)
    _money(study, result)
    _show_questions()


def _actions(study: Study, result: TechnologyResult) -> None:
    st.subheader("Year by year", anchor=False)
    frame = changes_by_year.changes_frame(study, result)
    tables_and_charts.table(
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
        tables_and_charts.chart(title, cost_charts.cost_by_year(costs), f"cost_by_year_{result.technology}")
    paid = cost_frames.cash_flow(study, network_only)
    if not paid.empty:
        note = (
            "Capex is paid at the start of its year, running cost at its end; nothing is discounted or sold."
        )
        tables_and_charts.chart(
            chart_titles.cash_flow(paid), cost_charts.cash_flow(sentences.named(paid)), "cash_flow", note
        )


def _show_questions() -> None:
    """Three questions; the one asked last is answered below them."""
    st.subheader("Looking further", anchor=False)
    for column, (question, label) in zip(st.columns(3), _QUESTIONS.items(), strict=True):
        with column:
            st.button(label, key=f"ask_{question}", on_click=_ask, args=(question,), width="stretch")
            st.caption(_MEANINGS[question])
    text, chosen = state.planned_text(), st.session_state.get(_QUESTION_ASKED)
    if text is None or chosen not in _QUESTIONS:
        return
    said = answers.asked(chosen, text)
    if said is not None:
        _show_sections(said)


def _ask(question: str) -> None:
    st.session_state[_QUESTION_ASKED] = question


def _show_sections(said: tuple[Section, ...]) -> None:
    if not said:
        st.info(_NOTHING)
    for heading, lines in said:
        if heading:
            st.markdown(f"**{sentences.escaped(technology_name(heading))}**")
        st.markdown(sentences.bullets(lines))
