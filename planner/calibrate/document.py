"""Readings and constants -> the JSON file that ``calibrate`` writes and a scenario can name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from planner.calibrate.constants import Constant
from planner.calibrate.readings import Reading


def constants_document(constants: Sequence[Constant]) -> dict[str, Any]:
    """Constants by name, then by what they hold for; one of the job itself stands by its name."""
    found: dict[str, Any] = {}
    for constant in constants:
        if constant.of:
            found.setdefault(constant.name, {})[constant.of] = constant.document()
        else:
            found[constant.name] = constant.document()
    return found


def calibration_text(
    readings: Sequence[Reading], constants: Sequence[Constant], moved: Sequence[Mapping[str, Any]] = ()
) -> str:
    """The file's text: readings, constants and, where a scenario was given, how far each moves its answer."""
    document: dict[str, Any] = {
        "readings": [reading.document() for reading in readings],
        "constants": constants_document(constants),
    }
    if moved:
        document["moves"] = list(moved)
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
