"""Which time on a line is the step's, and in which unit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.calibrate.step_times import printed_times
from planner.calibrate.training_log import counts_on
from tests.calibrate.log_cases import codes, read


def steps(line: str, lines: int = 3) -> list[float]:
    """The step times of a log of such lines, "N" standing for the step."""
    raw = "".join(line.replace("N", str(i + 1)) + "\n" for i in range(lines)).encode()
    reading = read(raw)
    assert reading.status == "ok", reading.diagnostics
    return [row["step_time_s"] for row in reading.runs[0]["rows"]]


def refusal(line: str, lines: int = 3) -> str:
    """The first fault's code of a log of such lines."""
    raw = "".join(line.replace("N", str(i + 1)) + "\n" for i in range(lines)).encode()
    assert not read(raw).usable
    return codes(raw)[0][1]


@pytest.mark.parametrize(
    "line",
    [
        "step N: loss 2.1 data time 0.02s, step time 12.3s",
        "step N: step time 12.3s, data time 0.02s",
        "step N: forward time 3.1s backward time 6.2s step time 12.3s",
        "step N: forward_time=3.1s backward_time=6.2s optimizer_time=1s step_time=12.3s",
        "step N/1000 time 12.3 s remaining time 3600 s",
        "step N/1000 total time 3600 s, iter time: 12.3 s",
        "step N: time 9.0 s, time per step 12.3 s",
        "step N: elapsed time 12.3 s, eval time 40 s",
        "step N took 12.3 s loss 2.1",
        "Step [N/1000] elapsed time per iteration (s): 12.3 | loss 2.1",
        '{"step": N, "loss": 2.1, "step_time": 12.3, "data_time": 0.1, "unit": "s"}',
        "global_step: N | train_step_timing in s: 12.3 | data_timing in s: 0.1",
        "steps: N loss: 2.1 iter time (s): 12.3 samples/sec: 41.4",
        "step N forward 3.1s elapsed time 12.3 s",
    ],
)
def test_of_several_times_the_step_s_is_taken(line: str) -> None:
    """Each of these gave data, forward, remaining or cumulative time once, or nothing."""
    assert [t.figure for t in printed_times(line.replace("N", "3")) if t.kind in ("step", "time")][
        -1
    ] == "12.3"
    raw = "".join(line.replace("N", str(i)) + "\n" for i in (1, 2, 3)).encode()
    reading = read(raw)
    assert reading.status == "ok"
    assert [row["step_time_s"] for row in reading.runs[0]["rows"]] == [12.3] * 3


@pytest.mark.parametrize(
    "line",
    [
        "step N data time 0.02 s",
        "step N forward time 3.1 s backward time 6.2 s",
        "step N/1000 loss 2.1 remaining time 3600 s",
        "step N/1000 total time 12.3 s",
        "step N time_left: 3600 s",
        "step N data_step time 0.1 s",
        "step N eval step time 0.1 s",
        "step N validation_step_timing in s: 4.1",
        "step N max time 9 s",
        "step N wall time 9 s",
        "step N queue time 9 s",
        "step N data (time: 0.1 s) batch (time: 12.3 s)",
    ],
)
def test_a_time_of_something_else_is_refused_by_its_name(line: str) -> None:
    assert refusal(line) == "no_results"
    (fault,) = read((line.replace("N", "1") + "\n").encode() * 3).diagnostics
    assert "no time here is said to be the step's" in fault.message


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("step_time: 345670 us", 0.34567),
        ("step_time: 345670us", 0.34567),
        ("step_time: 345670 \u00b5s", 0.34567),
        ("step_time_us: 345670", 0.34567),
        ("step time 2500 ms", 2.5),
        ("step time (ms): 2500", 2.5),
        ("step time [msec] 2500", 2.5),
        ("step_time_ms=2500", 2.5),
        ("step time 2.5e3 milliseconds", 2.5),
        ("step time 0.5 min", 30.0),
        ("step time 2 minutes", 120.0),
        ("step time 0.01 hours", 36.0),
        ("step time 1:02.5", 62.5),
        ("step time 0:01:02.5", 62.5),
        ("step time (ms): 2500 ms", 2.5),
        ("step time (ms): 1,234.5", 1.2345),
        ("step time: 2.5 s/it", 2.5),
    ],
)
def test_units_of_time(said: str, seconds: float) -> None:
    """Microseconds were taken for seconds: a step of 345,670 s."""
    assert steps(f"step N {said}") == pytest.approx([seconds] * 3)


@pytest.mark.parametrize(
    "said",
    [
        "step time 2.5m",
        "step time (m) 2.5",
        "step time (ms) 2.5 s",
        "step_time_ticks: 2500",
    ],
)
def test_a_unit_that_is_not_known_is_refused(said: str) -> None:
    """ "m" may be minutes or milliseconds; two units that differ are no unit."""
    assert refusal(f"step N {said}") in ("unknown_unit", "unsupported_tool")


@pytest.mark.parametrize(
    ("times", "runs_on"),
    [
        ([12.3, 24.6, 36.9, 49.2], True),  # since the start
        ([3600.0, 3587.7, 3575.4, 3563.1], True),  # to the end
        ([1012.3, 1024.6, 1036.8, 1049.1], True),  # since the start of a resumed job
        ([20.0, 12.3, 12.2, 12.4], False),
        ([12.1, 12.2, 12.3], False),  # warms up by a little
        ([45.2, 7.4, 7.3], False),
    ],
)
def test_a_clock_that_runs_on_is_no_step_time(times: list[float], runs_on: bool) -> None:
    assert counts_on(times) == runs_on
    for label in ("elapsed time", "time", "step time"):
        raw = "".join(f"step {i} {label} {time} s\n" for i, time in enumerate(times, start=1)).encode()
        assert codes(raw) == ([(1, "cumulative_time")] if runs_on else [])


@given(
    st.integers(1, 10**6), st.floats(1e-3, 1e4), st.sampled_from(["step time", "iter_time", "time per step"])
)
def test_a_printed_time_is_read_again(step: int, seconds: float, label: str) -> None:
    (found,) = printed_times(f"[rank 0] step {step}: loss=2.1, {label}: {seconds:.6f} s, grad norm 1.0")
    assert (found.step, found.kind, found.unit) == (step, "step", "s")
    assert float(found.figure) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    "line",
    [
        "time per step: 2.5 s",  # no step
        "Training starts at step 1, with local batch size 2, total steps 1000 (warmup 200)",
        "step 3 loss 2.1",
        "validation at step 3: time 2.5 s",
        "saving checkpoint at iteration 3 took time 35 s",
        "# nThread 1 nGpus 1 minBytes 8 step: 2(factor) warmup iters: 1 iters: 20 time",
        "step 1.5 time 2 s",
        "step 3 time: 2026-03-02T09:10:03",
        "step 3 " + "a " * 900 + "time 2 s",
    ],
)
def test_lines_that_are_no_step_with_a_time(line: str) -> None:
    assert not [one for one in printed_times(line) if one.kind in ("step", "time", "rate")]
