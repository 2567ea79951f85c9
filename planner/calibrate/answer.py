"""A JSON file of the command ``calibrate`` -> its readings and constants again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.calibrate.constants import Constant, constants_of
from planner.calibrate.document import calibration_text
from planner.calibrate.line_fit import Fit, series_of
from planner.calibrate.moves import ALL, Move, moves, stack_factors
from planner.calibrate.readings import Diagnostic, Reading
from planner.catalog.sources import Sources
from planner.scenario.calibration_section import figures_for
from planner.study.study import Study


@dataclass(frozen=True, slots=True)
class CalibrationAnswer:
    """What a set of logs gives."""

    readings: tuple[Reading, ...]
    constants: tuple[Constant, ...]
    moves: tuple[Move, ...]

    @property
    def text(self) -> str:
        """The JSON file."""
        return calibration_text(self.readings, self.constants, [move.document() for move in self.moves])

    @property
    def complete(self) -> bool:
        """Whether every log could be used."""
        return all(reading.usable for reading in self.readings)

    def words(self) -> list[str]:
        """The constants, and what all of them together change, a line each."""
        rows = [
            f"{one.name}{f' ({one.of})' if one.of else ''} = {one.value:.4g} {one.unit}: {one.how}"
            for one in self.constants
        ]
        rows += [
            f"{move.technology} {move.year}: {move.before_tflops:,.0f} -> {move.after_tflops:,.0f} effective "
            f"TFLOP/s ({move.change_ratio:+.1%}) with all of them"
            for move in self.moves
            if move.constant == ALL
        ]
        return (rows or ["no constant: no log could be used, or none measures one"]) + self.notes()

    def notes(self) -> list[str]:
        """What was read and gives nothing, and why."""
        steps = [r.log for r in self.readings if any(run["tool"] == "training-log" for run in r.runs)]
        if not steps or not self.moves or any(one.name == "stack_factor" for one in self.constants):
            return []
        why = "no stack factor: the scenario's job does not run on the GPUs that the log names"
        return [f"{', '.join(steps)}: {why}"]


@dataclass(frozen=True, slots=True)
class Saved:
    """What files of ``calibrate`` held: readings and the constants that were taken from them then."""

    readings: tuple[Reading, ...] = ()
    constants: tuple[Constant, ...] = ()


_NOTHING_SAVED = Saved()


def calibration_answer(
    readings: Sequence[Reading],
    sources: Sources,
    study: Study | None = None,
    link_gbps: float | None = None,
    technology: str | None = None,
    saved: Saved = _NOTHING_SAVED,
) -> CalibrationAnswer:
    """Constants of the usable readings; with a study, also the stack factor and the moves of its answer.

    Saved constants hold where no reading measures the same; a stack factor is worked out anew from saved
    step times, since it is of the job at hand.
    """
    every = (*readings, *saved.readings)
    found = first_of_each((*constants_of(readings, link_gbps, technology), *saved.constants))
    if study is None:
        return CalibrationAnswer(every, found, ())
    others = [one for one in found if one.name != "stack_factor"]
    found = first_of_each((*stack_factors(every, others, study, sources, technology), *found))
    found = tuple(sorted(found, key=lambda one: one.name == "stack_factor"))
    return CalibrationAnswer(every, found, moves(found, study, sources))


def first_of_each(constants: Sequence[Constant]) -> tuple[Constant, ...]:
    """The first constant of each name and of what it holds for."""
    found: dict[tuple[str, str], Constant] = {}
    for one in constants:
        found.setdefault((one.name, one.of), one)
    return tuple(found.values())


class NoCalibrationError(ValueError):
    """The bytes are no calibration."""


def read_saved(raw: bytes) -> Saved:
    """The readings and constants of such a file. Raises NoCalibrationError, whatever else it holds."""
    try:
        document = json.loads(raw.decode("utf-8-sig"))
        readings = tuple(_reading(entry) for entry in document["readings"])
        figures_for(document["constants"], None)
        constants = tuple(_constants(document["constants"]))
        series_of(readings)  # what is drawn from them must be there
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, RecursionError) as error:
        raise NoCalibrationError("is no calibration: give a file that calibrate has written") from error
    return Saved(readings, constants)


def _reading(entry: Mapping[str, Any]) -> Reading:
    faults = tuple(
        Diagnostic(str(d["severity"]), int(d["line"]), str(d["code"]), str(d["message"]))
        for d in entry["diagnostics"]
    )
    return Reading(str(entry["log"]), str(entry["status"]), faults, tuple(dict(run) for run in entry["runs"]))


def _constants(document: Mapping[str, Any]) -> list[Constant]:
    found = []
    for name, entry in document.items():
        by_what = {"": entry} if "value" in entry else entry
        found += [_constant(name, of, each) for of, each in by_what.items()]
    return found


def _constant(name: str, of: str, entry: Mapping[str, Any]) -> Constant:
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
        )
    logs = tuple(str(log) for log in entry["logs"])
    return Constant(name, of, value, low, high, str(entry["unit"]), str(entry["how"]), logs, fit)
