"""The JSON file that ``calibrate`` writes, a scenario can name and the app reads again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from planner.calibrate.alpha_beta_fit import Fit, series_of
from planner.calibrate.measured_constants import ConstantName, MeasuredConstant
from planner.calibrate.readings import Diagnostic, Reading, Severity, Status
from planner.calibrate.training_log import steady_times
from planner.scenario.calibration_section import figures_for


def constants_document(constants: Sequence[MeasuredConstant]) -> dict[str, Any]:
    """Constants by name, then by what they hold for; one of the job itself stands by its name."""
    found: dict[str, Any] = {}
    for constant in constants:
        if constant.of:
            found.setdefault(constant.name, {})[constant.of] = constant.document()
        else:
            found[constant.name] = constant.document()
    return found


def calibration_text(
    readings: Sequence[Reading],
    constants: Sequence[MeasuredConstant],
    moved: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The file's text: readings, constants and, where a scenario was given, how far each moves its answer."""
    document: dict[str, Any] = {
        "readings": [reading.document() for reading in readings],
        "constants": constants_document(constants),
    }
    if moved:
        document["moves"] = list(moved)
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


@dataclass(frozen=True, slots=True)
class Saved:
    """What files of ``calibrate`` held: readings and the constants that were taken from them then."""

    readings: tuple[Reading, ...] = ()
    constants: tuple[MeasuredConstant, ...] = ()


class NoCalibrationError(ValueError):
    """The bytes are no calibration."""


def read_saved(raw: bytes) -> Saved:
    """The readings and constants of such a file. Raises NoCalibrationError, whatever else it holds."""
    try:
        document = json.loads(raw.decode("utf-8-sig"))
        readings = tuple(_reading(entry) for entry in document["readings"])
        figures_for(document["constants"], None)
        constants = tuple(_constants(document["constants"]))
        series_of(readings)  # what is taken from them must be there
        for run in (run for reading in readings for run in reading.runs_of("training-log")):
            steady_times(run)
    except (
        ValueError,
        IndexError,
        KeyError,
        TypeError,
        AttributeError,
        ZeroDivisionError,
        RecursionError,
    ) as error:
        raise NoCalibrationError("is no calibration: give a file that calibrate has written") from error
    return Saved(readings, constants)


def _reading(entry: Mapping[str, Any]) -> Reading:
    faults = tuple(
        Diagnostic(
            _known(d["severity"], get_args(Severity)), int(d["line"]), str(d["code"]), str(d["message"])
        )
        for d in entry["diagnostics"]
    )
    status: Status = _known(entry["status"], get_args(Status))
    return Reading(str(entry["log"]), status, faults, tuple(dict(run) for run in entry["runs"]))


_Word = TypeVar("_Word", bound=str)


def _known(word: object, words: tuple[_Word, ...]) -> _Word:
    """The word that stands in the file. Raises ValueError where it is none of those known."""
    for known in words:
        if known == word:
            return known
    raise ValueError(word)


def _constants(document: Mapping[str, Any]) -> list[MeasuredConstant]:
    found = []
    for name, entry in document.items():
        by_what = {"": entry} if "value" in entry else entry
        found += [_constant(_known(name, get_args(ConstantName)), of, each) for of, each in by_what.items()]
    return found


def _constant(name: ConstantName, of: str, entry: Mapping[str, Any]) -> MeasuredConstant:
    value, low, high = (float(entry[key]) for key in ("value", "low", "high"))
    if not low <= value <= high:
        raise ValueError(name)
    line = entry["fit"]
    fit = None
    if line is not None:
        fit = Fit(
            intercept_us=float(line["intercept_us"]),
            us_per_byte=float(line["us_per_byte"]),
            residual_ratio=float(line["residual_ratio"]),
            points=int(line["points"]),
            from_bytes=float(line["from_bytes"]),
            to_bytes=float(line["to_bytes"]),
            intercept_error_us=float(line.get("intercept_error_us", 0.0)),
        )
    logs = tuple(str(log) for log in entry["logs"])
    unit, how, accelerator = str(entry["unit"]), str(entry["how"]), str(entry.get("accelerator", ""))
    return MeasuredConstant(name, of, value, low, high, unit, how, logs, fit, accelerator)
