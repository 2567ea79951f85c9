"""Uploaded logs -> readings and constants of this session. The logs themselves are not kept."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from planner.calibrate.calibration_answer import CalibrationAnswer, calibration_answer
from planner.calibrate.calibration_file import NoCalibrationError, Saved, read_saved
from planner.calibrate.log_reader import read_log
from planner.calibrate.measured_constants import MeasuredConstant
from planner.calibrate.readings import Diagnostic, Reading
from planner.study.study import Study
from planner.ui.session import answers

_LOG = logging.getLogger(__name__)
_READ = "calibration_read"
_CODE = "unsupported_tool"


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What was uploaded: readings of logs, and what files of ``calibrate`` held; ``digest`` of the bytes."""

    digest: str = ""
    readings: tuple[Reading, ...] = ()
    saved: Saved = Saved()


def read_files(files: Sequence[tuple[str, bytes]]) -> Uploaded:
    """Reads every file; one that is of no use is a reading that says so."""
    digest = hashlib.sha256()
    readings, saved = list[Reading](), list[Saved]()
    for name, raw in files:
        digest.update(f"{name} {len(raw)} ".encode() + raw)
        if not name.lower().endswith(".json"):
            readings.append(read_log(name, raw))
            continue
        try:
            saved.append(read_saved(raw))
        except NoCalibrationError as error:
            _LOG.info("an uploaded file is no calibration", exc_info=True)
            readings.append(Reading(name, "error", (Diagnostic("error", 0, _CODE, str(error)),), ()))
    return Uploaded(digest.hexdigest(), tuple(readings), _together(saved))


def _together(several: Sequence[Saved]) -> Saved:
    readings, constants = list[Reading](), list[MeasuredConstant]()
    for one in several:
        readings += one.readings
        constants += one.constants
    return Saved(tuple(readings), tuple(constants))


def uploaded() -> Uploaded:
    """What this session has read so far."""
    found: Uploaded = st.session_state.get(_READ, Uploaded())
    return found


def take(key: str) -> None:
    """Reads the files of the uploader under ``key`` in place of what was read before."""
    files = [(file.name, file.getvalue()) for file in st.session_state[key] or ()]
    st.session_state[_READ] = read_files(files)


def answer(
    read: Uploaded, text: str, study: Study | None, link_gbps: float | None, technology: str | None
) -> CalibrationAnswer:
    """The constants and, where the scenario ``text`` has a design, how far they move its answer."""
    planned = study if study and any(r.designs for r in study.results) else None
    return _answer(read.digest, text if planned else "", link_gbps, technology, read, planned)


@st.cache_data(show_spinner="Putting the constants into the model", max_entries=32)
def _answer(
    digest: str,
    text: str,
    link_gbps: float | None,
    technology: str | None,
    _read: Uploaded,
    _study: Study | None,
) -> CalibrationAnswer:
    """Once for the same logs and scenario, which ``digest`` and ``text`` stand for."""
    return calibration_answer(_read.readings, answers.sources(), _study, link_gbps, technology, _read.saved)
