"""A test bed's logs -> constants, the fit behind them, how far they move the answer, into the scenario."""

from __future__ import annotations

import streamlit as st

from planner.calibrate.alpha_beta_fit import LINK_RATES_GBPS, series_of
from planner.calibrate.calibration_answer import CalibrationAnswer
from planner.calibrate.calibration_file import constants_document
from planner.calibrate.readings import Reading
from planner.catalog.parts import ServerModel
from planner.catalog.technologies import TECHNOLOGIES, technology_name
from planner.charts import calibration_charts
from planner.scenario.calibration_section import section_of
from planner.study.study import Study
from planner.text import format as form
from planner.ui.content import calibration as words
from planner.ui.content import sentences
from planner.ui.session import calibration_logs, state
from planner.ui.views import current_answer, opening, saving, tables_and_charts

_SECTION = "calibration"
_MOST_MEGABYTES = 50


def render() -> None:
    """What the scenario holds; the upload; readings, constants, fit and moves; what to do with them."""
    opening.start()
    study = current_answer.page("Calibration", words.MEANING)
    saving.say()
    _held()
    link_gbps, technology = _asked()
    read = calibration_logs.uploaded()
    answer = calibration_logs.answer(read, state.planned_text() or "", study, link_gbps, technology)
    saving.forget()
    if not answer.readings and not answer.constants:
        st.info(words.NOTHING_READ)
        return
    _readings(answer.readings)
    _constants(answer, study)
    _fit(answer.readings)
    _effects(answer)


def _held() -> None:
    """What the scenario is calibrated with so far, and the way back."""
    section = state.document().get(_SECTION)
    if not isinstance(section, dict) or not section:
        return
    st.info(sentences.escaped(words.in_scenario(section)))
    st.button("Take the calibration out", on_click=_take_out, help=words.OUT_HELP)


def _asked() -> tuple[float | None, str | None]:
    """The upload, the rate of the link under test and what the collectives ran over (None: as found)."""
    key = state.widget_key("calibration_logs")
    st.file_uploader(
        words.UPLOAD, accept_multiple_files=True, key=key, on_change=calibration_logs.take, args=(key,),
        max_upload_size=_MOST_MEGABYTES, help=words.UPLOAD_HELP,
    )  # fmt: skip
    with st.container(horizontal=True):
        rate = st.selectbox(
            "Link under test", LINK_RATES_GBPS, index=None, placeholder="The standard rate next above",
            format_func=form.gbps, key="calibration_link", width=300,
        )  # fmt: skip
        technology = st.selectbox(
            "Fabric of the collectives", TECHNOLOGIES, index=None, placeholder="What perftest found",
            format_func=technology_name, key="calibration_fabric", width=300,
        )  # fmt: skip
    return rate, technology


def _readings(readings: tuple[Reading, ...]) -> None:
    st.subheader("What was read", anchor=False)
    faults = [line for reading in readings for line in words.faults(reading)]
    if faults:
        st.error(sentences.bullets(faults))
    frame = words.readings_frame(readings)
    tables_and_charts.table(frame, words.reading_columns(), "readings", [], "Readings of the logs")


def _constants(answer: CalibrationAnswer, study: Study | None) -> None:
    st.subheader("Constants", anchor=False)
    for line in (*answer.doubts, *answer.refused):
        st.warning(sentences.escaped(line))
    if not answer.constants:
        st.warning(words.NO_CONSTANT)
        return
    frame = words.constants_frame(answer.constants)
    tables_and_charts.table(frame, words.constant_columns(), "constants", [], "Measured constants")
    server = study.scenario.server if study else None
    with st.container(horizontal=True):
        st.button(
            "Use in this scenario", type="primary", on_click=_use, args=(answer, server),
            help=words.USE_HELP, key="calibration_use",
        )  # fmt: skip
        st.download_button(
            "Calibration (JSON)", answer.text.encode("utf-8"), "calibration.json", "application/json",
            on_click="ignore", icon=":material/download:", key="calibration_json",
        )  # fmt: skip


def _fit(readings: tuple[Reading, ...]) -> None:
    series = series_of(readings)
    if not series:
        return
    st.subheader("Fit", anchor=False)
    chart = calibration_charts.fit_chart(calibration_charts.fit_frame(series))
    tables_and_charts.chart(calibration_charts.fit_title(series), chart, "calibration_fit", words.FIT_NOTE)


def _effects(answer: CalibrationAnswer) -> None:
    if not answer.effects:
        return
    st.subheader("How far they move the answer", anchor=False)
    frame = words.effects_frame(answer.effects)
    last = frame[frame["year"] == frame["year"].max()]
    chart = calibration_charts.effects_chart(last)
    tables_and_charts.chart(words.moved(answer.effects), chart, "calibration_moves", words.EFFECT_NOTE)
    tables_and_charts.table(
        frame, words.effect_columns(), "moves", ["technology", "year"], "Moves of the answer"
    )


def _use(answer: CalibrationAnswer, server: ServerModel | None) -> None:
    """The constants into the scenario; a measured stack factor takes the place of the workload's own."""
    section = section_of(constants_document(answer.constants), server)
    if not section:
        saving.told("error", words.NOTHING_HOLDS)
        return
    state.set_section(_SECTION, section)
    if "stack_factor" in section:
        state.set_value("workload", "stack_factor", None)
    saving.told("done", words.USED)


def _take_out() -> None:
    state.set_section(_SECTION, None)
    saving.told("done", words.TAKEN_OUT)
