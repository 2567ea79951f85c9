"""The bill of materials of every technology and year."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from planner.catalog.technologies import technology_name
from planner.report.bom_table import bom_files, bom_frame
from planner.study.study import Study
from planner.ui.content import column_configs, sentences
from planner.ui.views import current_answer, opening, tables_and_charts


def render() -> None:
    """What each technology comes to, then every line with filters, then the files for buyers."""
    opening.start()
    study = current_answer.page(
        "Bill of materials", "Every part that is bought, in which year, at which price, and who says so."
    )
    if study is None:
        return
    if not any(r.bom for r in study.results):
        st.info("No technology has a design. The Plan page says why.")
        return
    _sums(study)
    st.subheader("Every line", anchor=False)
    st.caption(
        sentences.escaped(
            f"Prices of the year bought; servers are not among them. Grades: {sentences.GRADES}"
        )
    )
    tables_and_charts.table(
        _lines(study), column_configs.bom(), "bill_of_materials",
        ["technology", "year", "section", "tier", "price_grade"], "Bill of materials",
    )  # fmt: skip
    st.subheader("Files for buyers", anchor=False)
    with st.container(horizontal=True):
        for name, text in bom_files(study).items():
            label = sentences.bom_button(name)
            st.download_button(
                label, text.encode("utf-8"), name, "text/csv", key=f"bom:{name}", on_click="ignore"
            )


def _lines(study: Study) -> pd.DataFrame:
    return sentences.named(bom_frame(line for result in study.results for line in result.bom))


def _sums(study: Study) -> None:
    """One line a technology: the total and the grades behind it."""
    found = [r for r in study.results if r.bom]
    rows = [(technology_name(r.technology), sentences.bill(r, None)) for r in found]
    st.markdown("\n".join(f"- **{name}**: {sentences.escaped(words)}" for name, words in rows))
