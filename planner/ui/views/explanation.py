"""The fold in which a figure shows its formula, its values and their sources."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from planner.catalog.technologies import technology_name
from planner.report import explanations
from planner.study.study import Study
from planner.ui.content import sentences
from planner.ui.session import answers


def show(study: Study, place: str) -> None:
    """A fold with a figure and a technology to choose; nothing where no technology has a total."""
    complete = {technology_name(r.technology): r for r in study.results if r.is_complete}
    best = study.best
    if best is None:
        return
    with st.expander("Why this number? Formulas with their values and sources"):
        with st.container(horizontal=True):
            figure = st.selectbox("Figure", explanations.FIGURES, key=f"{place}:why_figure", width=260)
            names = list(complete)
            name = st.selectbox(
                "Of technology", names, index=names.index(technology_name(best.technology)),
                key=f"{place}:why_technology:{','.join(names)}", width=220,
            )  # fmt: skip
        found = explanations.explain(figure, study, complete[name], answers.sources())
        heading = sentences.escaped(f"{found.figure}, {name}: {found.amount}")
        st.markdown(f"**{heading}**")
        st.markdown(sentences.escaped(found.formula))
        st.markdown(sentences.escaped(found.worked))
        rows = [(v.name, v.amount, v.source) for v in found.values]
        st.table(
            pd.DataFrame(rows, columns=["Value", "Amount", "Source"])
            .set_index("Value")
            .map(sentences.escaped)
        )
