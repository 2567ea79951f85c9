"""Step times of training logs: their forms, and broken ones."""

from __future__ import annotations

from typing import Any

import pytest

from planner.calibrate.log_reader import read_log


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("step 3 time 2.5 s", 2.5),
        ("step: 3, step_time: 2500 ms, loss 3.1", 2.5),
        ("[step=3] loss=2.1 time=2.5s", 2.5),
        ("iteration 3/100 | elapsed time per iteration (ms): 2500.0 | loss", 2.5),
        ("Step 3/100 | iter time (s): 2.5 | tokens/s 1000", 2.5),
    ],
)
def test_forms_of_a_step_time(line: str, seconds: float) -> None:
    log = read_log("train.log", f"{line}\n{line}\n{line}\n".encode())
    assert (log.status, log.diagnostics) == ("ok", ())
    assert [row["step_time_s"] for row in log.runs[0]["rows"]] == [seconds] * 3


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("step 4 time 2,5 s", "decimal_comma"),
        ("step 4 time nan s", "validation_failed"),
        ("step 4 time -2.5 s", "validation_failed"),
        (" iteration 4/ 100 | consumed samples: 2048 |", "truncated_row"),
    ],
)
def test_a_broken_step_refuses_the_log(line: str, code: str) -> None:
    log = read_log("train.log", f"step 2 time 2.5 s\nstep 3 time 2.5 s\n{line}\n".encode())
    assert [(fault.line, fault.code) for fault in log.diagnostics] == [(3, code)]
    assert (log.status, log.usable) == ("partial", False)


def test_a_step_time_without_unit_is_seconds_and_said_so() -> None:
    log = read_log("train.log", b"step 1 time 2.5\nstep 2 time 2.5\nstep 3 time 2.6")
    assert [fault.code for fault in log.diagnostics] == ["unit_assumed", "unit_assumed", "truncated_row"]
    whole: Any = read_log("train.log", b"step 1 time 2.5\nstep 2 time 2.5\n").document()
    assert (whole["status"], whole["runs"][0]["steady_step_time_s"]) == ("ok", 2.5)
