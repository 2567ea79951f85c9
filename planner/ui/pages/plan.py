"""The first page: a scenario, the four technologies side by side, the recommendation, the bill."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from planner.catalog.technologies import technology_name
from planner.charts import cost_charts
from planner.report import cost_frames
from planner.report.bom_table import bom_files, bom_frame
from planner.report.json_answer import answer_text
from planner.scenario.faults import Fault
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.ui.content import (
    chart_titles,
    column_configs,
    comparison_table,
    design_sentences,
    fields,
    sentences,
)
from planner.ui.session import answers, state
from planner.ui.views import current_answer, explanation, growth_table, inputs, opening, tables_and_charts

_ALL_YEARS = "All years"


def render() -> None:
    """Inputs at the side, the answer in the middle."""
    opening.start()
    with st.sidebar:
        steps = opening.show()
        groups = fields.groups(answers.sources())
        faults = _show_inputs(groups)
        with steps:
            opening.show_steps()
    messages = st.container()
    not_kept = state.keep()  # before the planning, which may fail
    study = current_answer.answer(faults, fields.labels(groups), messages)
    not_kept = state.keep() or not_kept
    if not_kept:
        messages.warning(sentences.escaped(sentences.not_kept(not_kept)))
    if study is not None:
        _show_answer(study)


def _show_inputs(groups: tuple[fields.Group, ...]) -> list[Fault]:
    """Every input. The growth table comes first: only its return value says what was typed."""
    growth = st.container()
    with growth:
        growth_table.show()
    faults = current_answer.faults(groups)
    with growth:
        inputs.show_faults([f for f in faults if f.key.startswith("growth") or f.key == "base_year"], {})
    defaults = answers.defaults_for(state.text()) or answers.defaults_for(state.planned_text())
    for group in groups:
        inputs.show_group(group, defaults, faults)
    return faults


def _show_answer(study: Study) -> None:
    """Recommendation, comparison, charts, designs, bill of materials, notes: in this order."""
    names = answers.names(study.scenario)
    st.header(sentences.escaped(study.scenario.name), anchor=False)
    st.markdown(sentences.escaped(sentences.headline(study.scenario)))
    for result in study.results:
        for fault in result.faults:
            st.error(sentences.escaped(sentences.unsound(result, fault)))
    _recommendation(study)
    _comparison(study, names)
    _charts(study)
    designed = [r for r in study.results if r.has_design]
    if designed:
        result = _chosen(study, designed)
        _designs(result, names)
        _bill(result)
    _downloads(study)
    _notes(study)


def _recommendation(study: Study) -> None:
    with st.container(border=True):
        st.subheader(sentences.recommendation(study), anchor=False)
        st.markdown(sentences.bullets(map(sentences.with_names, study.recommendation.reasons)))


def _comparison(study: Study, names: sentences.Names) -> None:
    st.subheader("Technologies side by side", anchor=False)
    st.html(comparison_table.technologies_html(study, names))
    st.caption(sentences.BASIS)
    explanation.show(study, "plan")


def _charts(study: Study) -> None:
    if study.best is None:
        return
    st.subheader("Where the money goes", anchor=False)
    scope = st.segmented_control(
        "Costs shown", ["Network", "Servers and network"], default="Network", required=True,
        label_visibility="collapsed", key="cost_scope",
    )  # fmt: skip
    network_only = scope != "Servers and network"
    costs = cost_frames.cost_by_kind(study, network_only)
    if not costs.empty:
        title = chart_titles.cost_title(costs, network_only)
        tables_and_charts.chart(title, cost_charts.cost_by_kind(sentences.named(costs)), "cost_by_kind")
    st.subheader("What the money buys", anchor=False)
    worth = cost_frames.value_for_money(study)
    title = chart_titles.value_title(worth)
    made, note = cost_charts.value_for_money(sentences.named(worth)), chart_titles.value_subtitle(worth)
    tables_and_charts.chart(title, made, "cost_against_throughput", note)


def _chosen(study: Study, designed: Sequence[TechnologyResult]) -> TechnologyResult:
    """The technology whose design and bill are shown: the best one until the user picks another."""
    st.subheader("Design and bill of materials", anchor=False)
    by_name = {technology_name(r.technology): r for r in designed}
    best = study.best or designed[0]
    picked = st.segmented_control(
        "Technology", list(by_name), default=technology_name(best.technology), required=True,
        key=f"technology_shown:{','.join(by_name)}:{best.technology}",
    )  # fmt: skip
    return by_name[picked or technology_name(best.technology)]


def _designs(result: TechnologyResult, names: sentences.Names) -> None:
    for first, last, design in design_sentences.unchanged_spans(result.designs):
        st.markdown(f"**{design_sentences.year_span(first, last)}**")
        words = design_sentences.of_year(result, design, names)
        lines = [*words, design_sentences.year_money(result, first)]
        st.markdown("  \n".join(sentences.escaped(line) for line in lines if line))


def _bill(result: TechnologyResult) -> None:
    st.markdown("**Bill of materials**")
    years = {str(line.year): line.year for line in sorted(result.bom, key=lambda line: line.year)}
    picked = st.selectbox("Year bought", [_ALL_YEARS, *years], key="bom_year", width=220)
    year = years.get(picked)
    st.markdown(sentences.escaped(sentences.bill(result, year)))
    frame, name = _lines(result, year), f"bill_{result.technology}_{year or 'all_years'}"
    tables_and_charts.table(frame, column_configs.bom(), name, ["tier", "price_grade"], "Bill of materials")


def _lines(result: TechnologyResult, year: int | None) -> pd.DataFrame:
    """The lines of one technology, whose name stands above the table, of a year or of all."""
    lines = (line for line in result.bom if year is None or line.year == year)
    return bom_frame(lines).drop(columns="technology")


def _downloads(study: Study) -> None:
    files = bom_files(study)
    with st.container(horizontal=True):
        for name, text in files.items():
            label = sentences.bom_button(name)
            st.download_button(label, text.encode("utf-8"), name, "text/csv", key=name, on_click="ignore")
        st.download_button(
            "Answer (JSON)", answer_text(study).encode("utf-8"), "answer.json", "application/json",
            key="answer.json", on_click="ignore",
        )  # fmt: skip
        st.download_button(
            "Scenario (TOML)", state.text().encode("utf-8"), "scenario.toml", "application/toml",
            key="scenario.toml", on_click="ignore",
        )  # fmt: skip


def _notes(study: Study) -> None:
    with st.expander("Assumptions, warnings and what was left out"):
        for title, lines in sentences.notes(study):
            st.markdown(f"**{title}**")
            st.markdown(sentences.bullets(lines))
