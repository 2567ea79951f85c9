"""How the figures are come by, and where they come from."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from planner.catalog.data_files import mathematics
from planner.study.study import Study
from planner.text import format as form
from planner.ui.content import column_configs, method, sentences
from planner.ui.session import answers
from planner.ui.views import current_answer, explanation, opening, tables_and_charts


def render() -> None:
    """Formulas, this answer's assumptions, the data with its grades, what was not found, the words."""
    opening.start()
    study = current_answer.page("Method and sources", "How each figure is come by, and who says so.")
    if study is not None:
        explanation.show(study, "method")
    st.subheader("Formulas", anchor=False)
    rows = [(name, formula, source) for name, (formula, source) in method.FORMULAS]
    st.table(
        pd.DataFrame(rows, columns=["Figure", "Formula", "Basis"]).set_index("Figure").map(sentences.escaped)
    )
    st.subheader("The mathematics of the plan", anchor=False)
    with st.expander("Sets, variables, objective, constraints, and why each cut is exact"):
        st.markdown(mathematics())
    if study is not None:
        _assumptions(study)
    _data()
    st.subheader("Words", anchor=False)
    words = "\n".join(f"- **{word}**: {sentences.escaped(meaning)}" for word, meaning in method.GLOSSARY)
    st.markdown(words)


def _assumptions(study: Study) -> None:
    st.subheader("What this answer assumes", anchor=False)
    for title, lines in sentences.notes(study):
        with st.expander(f"{title} ({form.count(len(lines))})", expanded=title == "Notes"):
            st.markdown(sentences.bullets(lines))


def _data() -> None:
    sources = answers.sources()
    st.subheader("Data and its grades", anchor=False)
    st.caption(sentences.escaped(f"{sentences.GRADES} A missing figure is never taken as 0."))
    tables_and_charts.table(
        method.data_files(sources), column_configs.grades(), "data_files", [], "Data files and their grades"
    )
    st.markdown("**Defaults: what holds where a scenario says nothing**")
    tables_and_charts.table(
        method.defaults_frame(sources), column_configs.figures(), "defaults", ["grade"], "Defaults"
    )
    st.markdown("**Constants of the throughput model**")
    tables_and_charts.table(
        method.constants_frame(),
        column_configs.figures(),
        "constants",
        ["grade"],
        "Constants of the throughput model",
    )
    missing = sources.catalog.not_found
    with st.expander(f"Looked for and not found ({form.count(len(missing))})"):
        st.markdown(sentences.bullets(missing))
