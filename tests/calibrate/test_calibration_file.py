"""The JSON file of ``calibrate``: written and read again, and what is no such file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planner.calibrate.calibration_answer import calibration_answer
from planner.calibrate.calibration_file import NoCalibrationError, read_saved
from planner.calibrate.measured_constants import MeasuredConstant, shipped_value
from planner.catalog.sources import load_sources
from tests.calibrate.log_cases import RAW, read


def written() -> dict[str, Any]:
    readings = [read(RAW[name]) for name in ("g1", "g3", "g5", "g6", "g7")]
    document: dict[str, Any] = json.loads(calibration_answer(readings, load_sources()).text)
    return document


def test_a_file_read_again_gives_the_same_file() -> None:
    document = written()
    saved = read_saved(json.dumps(document).encode())
    again = calibration_answer((), load_sources(), saved=saved)
    assert json.loads(again.text) == document
    assert {one.name for one in saved.constants} >= {"e0", "alpha_us", "nvlink_busbw_gbytes_per_s"}


@pytest.mark.parametrize(
    "place",
    [
        lambda document: document["readings"][0].update(status="fine"),
        lambda document: document["readings"][0].update(
            diagnostics=[{"severity": "grave", "line": 1, "code": "x", "message": "y"}]
        ),
        lambda document: document["constants"].update(e1=document["constants"]["e0"]),
        lambda document: document["constants"]["e0"]["roce"].update(low=0.99),
        lambda document: document["readings"][0]["runs"][0].pop("tool"),
    ],
    ids=["status", "severity", "constant", "band", "tool"],
)
def test_a_file_with_a_word_that_calibrate_does_not_write_is_refused(place: Any) -> None:
    document = written()
    place(document)
    with pytest.raises(NoCalibrationError):
        read_saved(json.dumps(document).encode())


def test_the_shipped_value_beside_a_measured_one_is_in_its_unit() -> None:
    def shipped(name: Any, of: str) -> float | None:
        return shipped_value(MeasuredConstant(name, of, 1.0, 1.0, 1.0, "", "", ()))

    assert shipped("e0", "roce") == 0.92
    assert shipped("alpha_us", "roce") == pytest.approx(8.0)
    assert shipped("nvlink_busbw_gbytes_per_s", "a100") == 229.0
    assert shipped("nvlink_alpha_us", "a100") == pytest.approx(80.0)
    assert shipped("stack_factor", "") == 1.0
    assert (shipped("fabric_busbw_gbytes_per_s", "roce"), shipped("e0", "ethernet")) == (None, None)
