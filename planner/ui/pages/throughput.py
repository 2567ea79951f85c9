"""Where a training step's time goes, for every technology and year."""

from __future__ import annotations

import streamlit as st

from planner.catalog.technologies import technology_name
from planner.charts import throughput_charts
from planner.report import throughput_frames
from planner.study.study import Study
from planner.text import format as form
from planner.ui.content import chart_titles, column_configs, sentences
from planner.ui.views import current_answer, explanation, opening, pickers, tables_and_charts


def render() -> None:
    """One year across technologies, then the years, then every figure."""
    opening.start()
    study = current_answer.page(
        "Throughput", "How fast the training job runs on each fabric, and what it waits for."
    )
    if study is None:
        return
    years = [design.year for r in study.results for design in r.designs]
    if not years:
        st.info("No technology has a design. The Plan page says why.")
        return
    last_step = study.scenario.growth[-1].year
    year = pickers.year(sorted(set(years)), last_step, "throughput")
    shares = sentences.named(throughput_frames.step_shares(study, year))
    tables_and_charts.chart(
        chart_titles.step(study, year), throughput_charts.step_shares(shares), f"step_time_{year}"
    )
    waiting = throughput_frames.waiting(study)
    tables_and_charts.chart(
        chart_titles.waiting(study),
        throughput_charts.shares_over_years(sentences.named(waiting)),
        "fabric_wait",
    )
    _bands(study)
    st.subheader("Every figure", anchor=False)
    frame = throughput_frames.throughput(study)
    tables_and_charts.table(
        sentences.named(frame),
        column_configs.throughput(),
        "throughput",
        ["technology", "year"],
        "Throughput",
    )
    explanation.show(study, "throughput")
    _warnings(study)


def _bands(study: Study) -> None:
    """How far the figures can be trusted."""
    first = next(e for r in study.results for e in r.estimates)
    st.info(
        sentences.escaped(
            f"The level of each figure is known to {form.percent_whole(first.level_band_ratio)} either way: "
            "it depends on the training software. Differences between fabrics and sizes are known to "
            f"{form.percent_whole(first.scaling_band_ratio)}. The bands' sources stand among the "
            "constants on the page Method and sources. Logs of a test bed narrow the level: page Calibration."
        )
    )


def _warnings(study: Study) -> None:
    lines = [
        f"{technology_name(r.technology)}: {line}"
        for r in study.results
        for line in dict.fromkeys(w for e in r.estimates for w in e.warnings)
    ]
    if lines:
        st.subheader("Warnings of the model", anchor=False)
        st.markdown(sentences.bullets(lines))
