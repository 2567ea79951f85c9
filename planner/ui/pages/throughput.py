"""Where a training step's time goes, for every technology and year."""

from __future__ import annotations

import streamlit as st

from planner import format as form
from planner.study import Study
from planner.ui import (
    answers,
    columns,
    current,
    findings,
    grid,
    picks,
    plan_frames,
    texts,
    why_view,
    year_charts,
)


def render() -> None:
    """One year across technologies, then the years, then every figure."""
    current.start()
    study = current.page(
        "Throughput", "How fast the training job runs on each fabric, and what it waits for."
    )
    if study is None:
        return
    years = [design.year for r in study.results for design in r.plan.designs]
    if not years:
        st.info("No technology has a design. The Plan page says why.")
        return
    year = picks.year(sorted(set(years)), "throughput")
    shares = texts.named(plan_frames.step_shares(study, year))
    grid.chart(findings.step(study, year), year_charts.step_shares(shares), f"step_time_{year}")
    waiting = plan_frames.waiting(study)
    grid.chart(findings.waiting(study), year_charts.shares_over_years(texts.named(waiting)), "fabric_wait")
    _bands()
    st.subheader("Every figure", anchor=False)
    sources = answers.sources()
    frame = plan_frames.throughput(study, sources.defaults["band.level"].value)
    grid.table(texts.named(frame), columns.throughput(), "throughput", ["technology", "year"], "Throughput")
    why_view.show(study, "throughput")
    _warnings(study)


def _bands() -> None:
    """How far the figures can be trusted."""
    defaults = answers.sources().defaults
    level, scaling = defaults["band.level"], defaults["band.scaling"]
    st.info(
        texts.escaped(
            f"The level of each figure is known to {form.percent_whole(level.value)} either way: it depends "
            f"on the training software. Differences between fabrics and sizes are known to "
            f"{form.percent_whole(scaling.value)}. Sources: {level.source.text}; {scaling.source.text}."
        )
    )


def _warnings(study: Study) -> None:
    lines = [
        f"{texts.technology(r.technology)}: {line}"
        for r in study.results
        for line in dict.fromkeys(w for e in r.estimates for w in e.warnings)
    ]
    if lines:
        st.subheader("Warnings of the model", anchor=False)
        st.markdown("\n".join(f"- {texts.escaped(line)}" for line in lines))
