"""The calibration page without a browser: logs, constants, fit, moves, into the scenario and out of it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from planner.calibrate.alpha_beta_fit import series_of
from planner.calibrate.calibration_answer import calibration_answer
from planner.calibrate.log_reader import read_log
from planner.catalog.sources import load_sources
from planner.charts.calibration_charts import effects_chart, fit_chart, fit_frame
from planner.scenario.load import scenario_from_text
from planner.ui.content import calibration as words
from planner.ui.session import calibration_logs
from planner.ui.session.calibration_logs import Uploaded, read_files
from tests.ui.kept import got, put
from tests.ui.test_page import ID, SMALL

LOGS = Path(__file__).parents[1] / "published" / "logs"
STEPS = b"".join(b"step %d time 25.0 s\n" % i for i in range(1, 31))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABRIC_PLANNER_HOME", str(tmp_path))


def logs(*numbers: int) -> list[tuple[str, bytes]]:
    paths = [next(LOGS.glob(f"g{number}_*.log")) for number in numbers]
    return [(path.name, path.read_bytes()) for path in paths]


def opened(read: Uploaded, text: str = SMALL) -> AppTest:
    """The page with logs that were uploaded before."""

    def run() -> None:
        from planner.ui.pages import calibration

        calibration.render()

    put(ID, "edited", text)
    put(ID, "opened", text)
    app = AppTest.from_function(run, default_timeout=120)
    app.query_params["s"] = ID
    app.session_state[calibration_logs._READ] = read
    return app.run()


def said(app: AppTest) -> str:
    found = [*app.markdown, *app.caption, *app.info, *app.error, *app.warning, *app.success]
    return "\n".join(str(element.value) for element in found).replace("\\", "")


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    return app.run()


def kept() -> dict[str, object]:
    return tomllib.loads(got(ID, "edited") or "")


def test_without_logs_the_page_says_what_it_takes() -> None:
    app = opened(Uploaded())
    assert not app.exception
    assert words.NOTHING_READ in said(app)
    assert [b.label for b in app.button if b.label.startswith("Use")] == []


def test_a_broken_log_is_refused_with_its_line_and_the_others_are_read() -> None:
    """Cut within its table: without the refusal its last row's shortened figure would become a constant."""
    (name, raw), whole = logs(5)[0], logs(6)
    cut = raw[: raw.rindex(b"\n", 0, len(raw) * 3 // 4) + 20]
    app = opened(read_files([(name, cut), *whole]))
    assert not app.exception
    line = cut.count(b"\n") + 1
    assert f"- {name}, line {line}: " in app.error[0].value.replace("\\", "")
    frame = app.dataframe[0].value
    assert list(frame["used"]) == ["refused", "used"]
    found = app.dataframe[1].value
    assert list(zip(found["constant"], found["holds_for"], strict=True)) == [
        ("Payload share of the link rate (e0)", "RoCE")
    ]


def test_constants_stand_beside_the_shipped_ones() -> None:
    """g6 measures 387.63 of 400 Gb/s: 0.969 beside the shipped 0.92; a stack factor stands beside 1."""
    read = read_files([*logs(6), ("train.log", STEPS)])
    app = opened(read)
    frame = app.dataframe[1].value.set_index("constant")
    e0 = frame.loc["Payload share of the link rate (e0)"]
    assert (round(e0["value"], 4), e0["shipped"]) == (0.9691, 0.92)
    stack = frame.loc["Software factor of the step time"]
    assert (stack["holds_for"], stack["shipped"]) == ("the job", 1.0)
    assert stack["low"] <= stack["value"] <= stack["high"]


def test_used_in_the_scenario_taken_out_and_undone() -> None:
    app = press(opened(read_files(logs(6, 7))), "Use in this scenario")
    assert not app.exception
    assert words.USED in said(app)
    section = kept()["calibration"]
    assert section == {
        "logs": [name for name, _ in logs(6, 7)],
        "e0_by_technology": {"roce": pytest.approx(0.969075), "spectrum-x": pytest.approx(0.969075)},
        "alpha_us_by_technology": {"infiniband": pytest.approx(1.125, abs=0.01)},
    }
    checked = scenario_from_text(got(ID, "edited") or "", load_sources(), "case.toml")
    assert checked.calibration is not None
    assert checked.calibration.e0["roce"] == pytest.approx(0.969075)
    assert "This scenario is calibrated: Payload share of the link rate (e0), Latency" in said(app)
    app = press(app, "Take the calibration out")
    assert "calibration" not in kept()
    app = press(app, "Undo")
    assert kept()["calibration"] == section
    app = press(press(app, "Undo"), "Redo")
    assert kept()["calibration"] == section


def test_a_measured_stack_factor_takes_the_place_of_the_job_s_own() -> None:
    """Left beside it, the job's own would hold and the measured one would do nothing."""
    text = SMALL + "\n[workload]\nstack_factor = 1.4\n"
    app = press(opened(read_files([("train.log", STEPS)]), text), "Use in this scenario")
    assert not app.exception
    assert kept()["workload"] == {}
    checked = scenario_from_text(got(ID, "edited") or "", load_sources(), "case.toml")
    assert checked.workload.calibrated
    assert checked.workload.stack_factor == pytest.approx(kept()["calibration"]["stack_factor"])  # type: ignore[index]


def test_constants_of_another_accelerator_change_nothing() -> None:
    """g3 ran on A100; the scenario has H100."""
    app = press(opened(read_files(logs(3))), "Use in this scenario")
    assert words.NOTHING_HOLDS in said(app)
    assert "calibration" not in tomllib.loads(got(ID, "edited") or SMALL)


def test_moves_are_measured_from_the_uncalibrated_answer() -> None:
    """Otherwise a scenario that uses the constants already would show that they move nothing."""
    read = read_files([*logs(6), ("train.log", STEPS)])
    first = opened(read)
    before = first.dataframe[2].value
    after = press(first, "Use in this scenario").dataframe[2].value
    every = ["constant", "technology", "year", "before_tflops", "after_tflops"]
    assert before[every].to_dict("list") == after[every].to_dict("list")
    stack = before[before["constant"] == "Software factor of the step time"]
    assert (stack["change_ratio"].abs() > 0.01).all()


def test_a_calibration_that_was_downloaded_is_read_again() -> None:
    read = read_files([*logs(1, 3, 5, 7), ("train.log", STEPS)])
    answer = calibration_answer(read.readings, load_sources(), None, 200.0, "infiniband")
    again = read_files([("calibration.json", answer.text.encode())])
    assert again.readings == ()
    assert again.saved.constants == answer.constants
    assert [len(s.points) for s in series_of(again.saved.readings)] == [
        len(s.points) for s in series_of(read.readings)
    ]
    written = calibration_answer((), load_sources(), saved=again.saved).text
    assert json.loads(written) == json.loads(answer.text)


@pytest.mark.parametrize(
    "raw",
    [b"", b"[]", b"\xff", b"{}", b'{"readings": [], "constants": {"e0": {"roce": {"value": 0}}}}',
     b'{"readings": [{"log": "a", "status": "ok", "diagnostics": [], "runs": [{"tool": "perftest"}]}], '
     b'"constants": {}}', b'{"readings": [1], "constants": {}}', b"[" * 100_000],
)  # fmt: skip
def test_a_file_that_is_no_calibration_is_refused(raw: bytes) -> None:
    read = read_files([("c.json", raw)])
    assert [(r.log, r.status) for r in read.readings] == [("c.json", "error")]
    assert "is no calibration" in words.faults(read.readings[0])[0]


def test_logs_before_saved_constants() -> None:
    """e0 of RoCE is in both; the saved one was taken with another link rate."""
    saved = calibration_answer([read_log(*logs(6)[0])], load_sources(), None, 800.0)
    read = read_files([*logs(6), ("c.json", saved.text.encode())])
    found = calibration_answer(read.readings, load_sources(), saved=read.saved).constants
    assert [(c.name, round(c.value, 3)) for c in found] == [("e0", 0.969)]
    assert [round(c.value, 3) for c in read.saved.constants] == [0.485]


def test_step_times_of_a_cluster_that_the_job_does_not_fit_are_said() -> None:
    log = b"world size: 3\n" + STEPS
    app = opened(read_files([("train.log", log)]), SMALL + "\n[workload]\ntensor_parallel = 8\n")
    assert not app.exception
    assert words.NO_CONSTANT in said(app)


def test_two_runs_of_one_log_are_told_apart_in_the_plot() -> None:
    (name, raw) = logs(5)[0]
    frame = fit_frame(series_of([read_log(name, raw + raw)]))
    assert list(frame["log"].unique()) == [name, f"{name} (2)"]
    layers = fit_chart(frame).to_dict()["layer"]
    assert {layer["encoding"]["x"]["scale"]["type"] for layer in layers} == {"log"}


def test_the_chart_of_moves_leaves_out_what_the_model_does_not_take() -> None:
    read = read_files(logs(1))
    assert [c.name for c in calibration_answer(read.readings, load_sources()).constants] == [words.A_CHECK]
    frame = words.effects_frame(())
    assert effects_chart(frame).to_dict()["encoding"]["x"]["field"] == "change_ratio"
    assert json.loads(fit_chart(fit_frame(series_of(read.readings))).to_json())["layer"]
