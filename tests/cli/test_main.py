"""The command line: exit status, what goes where, and nothing written when the input is at fault.

The pipeline is replaced by hand-made answers here; its own tests are elsewhere.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planner.candidates.budget import UNLIMITED
from planner.cli import inputs
from planner.cli import plan as plan_command
from planner.cli.main import main
from planner.cli.plan import exit_status
from planner.fabric.design import SolverReport
from planner.planning.planning_task import PlanOptions
from planner.report.json_answer import answer_text
from planner.report.printed_answer import study_text
from planner.scenario import load
from planner.scenario.faults import Fault, ScenarioError
from planner.scenario.scenario import Scenario
from planner.study.result import FabricResult
from planner.study.study import Study

CHECKOUT = Path(__file__).parents[2]
Run = Callable[..., Result]


@pytest.fixture
def calls() -> list[PlanOptions]:
    """The options that the pipeline was called with."""
    return []


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    asked: Scenario,
    study: Study,
    calls: list[PlanOptions],
) -> Run:
    """Runs the command line in a folder that holds ask.toml; the pipeline answers ``study``."""

    def planned(_scenario: Scenario, _sources: object, options: PlanOptions) -> Study:
        calls.append(options)
        if options.lp_dir:
            (options.lp_dir / "infiniband.lp").write_text("\\* TCO *\\\n")
        return study

    monkeypatch.chdir(tmp_path)
    (tmp_path / "ask.toml").write_text("schema = 1\n")
    for module in (inputs, plan_command):
        monkeypatch.setattr(module, "load_sources", lambda: None)
    monkeypatch.setattr(load, "shipped_scenarios", lambda: {"growth-16k": Path("shipped/growth-16k.toml")})
    monkeypatch.setattr(inputs, "load_scenario", lambda _path, _sources, _readable: asked)
    monkeypatch.setattr(plan_command, "plan_scenario", planned)
    return lambda *arguments: CliRunner().invoke(main, arguments, catch_exceptions=False)


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_table_goes_to_standard_output_and_a_missing_design_exits_1(run: Run, study: Study) -> None:
    result = run("plan", "ask.toml")
    assert result.exit_code == 1
    assert result.stdout == study_text(study)
    assert "no design: max_tiers = 1 ends at 64 endpoints" in result.stdout


def test_json_to_standard_output_stands_there_alone(run: Run, study: Study) -> None:
    result = run("plan", "ask.toml", "--json", "-")
    assert result.exit_code == 1
    assert result.stdout == answer_text(study)
    assert json.loads(result.stdout)["technologies"][1]["reason"] == "max_tiers = 1 ends at 64 endpoints"


def test_every_report_is_written_where_asked(run: Run, tmp_path: Path, study: Study) -> None:
    result = run("plan", "ask.toml", "--json", "out/answer.json", "--bom", "boms", "--lp", "lps")
    assert result.stdout == study_text(study)
    assert files_in(tmp_path) == [
        "ask.toml", "boms/bom_all.csv", "boms/bom_infiniband.csv", "lps/infiniband.lp", "out/answer.json",
    ]  # fmt: skip
    assert (tmp_path / "out" / "answer.json").read_text(encoding="utf-8") == answer_text(study)
    assert (tmp_path / "boms" / "bom_all.csv").read_bytes().startswith(b"technology,year,section,")
    assert (tmp_path / "lps" / "infiniband.lp").read_text() == "\\* TCO *\\\n"


def test_options_reach_the_pipeline(run: Run, calls: list[PlanOptions]) -> None:
    run("plan", "ask.toml")
    run(
        "plan", "ask.toml", "--solver", "cbc", "--time-limit", "2.5", "--objective", "tco",
    )  # fmt: skip
    plain, limited = calls
    assert replace(plain, budget=UNLIMITED) == PlanOptions()
    assert replace(limited, budget=UNLIMITED) == PlanOptions(None, "tco", "cbc")
    assert plain.budget.left_s is None and plain.budget.memory_bytes > 1e9
    assert limited.budget.left_s is not None and limited.budget.left_s < 2.5


def test_technologies_asked_for_take_the_place_of_the_scenarios_own(tmp_path: Path) -> None:
    """A rate that none of them has is a fault of the input, although others have it."""
    text = (
        'schema = 1\nname = "25G"\nbase_year = 2027\n[cluster]\nserver = "hgx-a100"\nnic_port_gbps = 25\n'
        "[[growth]]\nyear = 2027\ngpus = 16\n"
    )
    (tmp_path / "ask.toml").write_text(text)
    ask = str(tmp_path / "ask.toml")
    roce = CliRunner().invoke(main, ["plan", ask, "--technology", "roce", "--json", "-"])
    assert roce.exit_code == 0
    assert [t["technology"] for t in json.loads(roce.stdout)["technologies"]] == ["roce"]
    infiniband = CliRunner().invoke(main, ["plan", ask, "--technology", "infiniband"])
    assert infiniband.exit_code == 2
    assert "25G is a rate of no switch of infiniband" in infiniband.stderr


def test_an_id_of_a_shipped_scenario_is_read_unless_a_file_has_that_name(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, asked: Scenario
) -> None:
    read: list[Path] = []

    def load(path: Path, _sources: object, _readable: object) -> Scenario:
        read.append(path)
        return asked

    monkeypatch.setattr(inputs, "load_scenario", load)
    run("plan", "growth-16k")
    (tmp_path / "growth-16k").write_text("schema = 1\n")
    run("plan", "growth-16k")
    assert read == [Path("shipped/growth-16k.toml"), Path("growth-16k")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--technology", "infinband"], '"infinband" is not known; did you mean "infiniband"?'),
        (["--objective", "capex"], '"capex" is not known'),
        (["--solver", "gurobi"], "gurobi"),
        (["--time-limit", "0"], "0"),
        (["--json", "ask.toml/answer.json"], "ask.toml: Not a directory"),
        (["--bom", "ask.toml"], "ask.toml: Not a directory"),
        (["--json", "."], "cannot be written: "),
    ],
)
def test_input_at_fault_exits_2_with_one_message_and_writes_nothing(
    run: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    result = run("plan", "ask.toml", "--bom", "boms", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert files_in(tmp_path) == ["ask.toml"]


@pytest.mark.parametrize("command", ["plan", "check"])
def test_a_scenario_s_faults_are_the_message(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    error = ScenarioError((Fault("ask.toml", 3, "gpu", "8", "unknown key", "did you mean gpus?"),))

    def fail(_path: Path, _sources: object, _readable: object) -> None:
        raise error

    monkeypatch.setattr(inputs, "load_scenario", fail)
    result = run(command, "ask.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {error}\n"


@pytest.mark.parametrize("command", ["plan", "check"])
def test_neither_a_file_nor_a_shipped_id_names_the_nearest(run: Run, command: str) -> None:
    result = run(command, "growth-16")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'there is no file "growth-16"' in result.stderr
    assert 'did you mean "growth-16k"?' in result.stderr


def test_check_names_the_scenario_and_what_was_assumed(run: Run) -> None:
    result = run("check", "ask.toml")
    assert result.exit_code == 0
    assert result.stdout == (
        "ask.toml: no faults. 1,024 GPUs growing to 2,048\n  assumed: discount_rate = 0.08\n"
    )


def test_an_earlier_run_s_bom_is_left_alone_but_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "boms").mkdir()
    (tmp_path / "boms" / "bom_roce.csv").write_text("old")
    result = run("plan", "ask.toml", "--bom", "boms")
    assert "bom_roce.csv is of an earlier run: roce has no design now" in result.stderr
    assert (tmp_path / "boms" / "bom_roce.csv").read_text() == "old"


def gave_up(result: FabricResult) -> FabricResult:
    solver = SolverReport("HiGHS", "none", None, None, None, 1.0)
    return replace(result, plan=replace(result.plan, status="none", solver=solver))


def test_exit_status_tells_answered_from_no_design_from_gave_up(
    study: Study, designed: FabricResult, undesigned: FabricResult
) -> None:
    ends: dict[int, tuple[FabricResult, ...]] = {
        0: (designed,),
        1: (designed, undesigned),
        3: (designed, gave_up(undesigned)),
    }
    assert {expected: exit_status(replace(study, results=ends[expected])) for expected in ends} == {
        0: 0,
        1: 1,
        3: 3,
    }


def test_a_taken_port_exits_2_and_names_it(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("app", "--port", str(port))
    assert result.exit_code == 2
    assert f"port {port} is in use; give another with --port" in result.stderr


class Server:
    """Stands for the started process."""

    started: list[list[str]]

    def __init__(self, arguments: list[str], cwd: Path) -> None:
        self.started.append(arguments)
        assert (cwd / "app.py").is_file()

    def wait(self) -> int:
        return 0

    def terminate(self) -> None:
        self.started.append(["ended"])


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the app's command starts, and that it ends it."""
    calls: list[list[str]] = []
    monkeypatch.setattr(Server, "started", calls, raising=False)
    monkeypatch.setattr(subprocess, "Popen", Server)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return calls


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return int(free.getsockname()[1])


def test_the_app_is_streamlit_on_this_machine_only(run: Run, started: list[list[str]]) -> None:
    port = free_port()
    result = run("app", "--port", str(port))
    assert result.stdout == f"The planner is at http://localhost:{port} (Ctrl-C ends it)\n"
    assert result.stderr == ""
    arguments, end = started
    assert arguments[:4] == [sys.executable, "-m", "streamlit", "run"]
    assert Path(arguments[4]).name == "app.py"
    flags = dict(zip(arguments[5::2], arguments[6::2], strict=True))
    assert flags["--server.address"] == "localhost"
    assert flags["--server.port"] == str(port)
    assert flags["--server.headless"] == "true"
    assert end == ["ended"]


def test_another_address_is_served_with_a_warning(run: Run, started: list[list[str]]) -> None:
    result = run("app", "--port", str(free_port()), "--address", "0.0.0.0")
    assert "Warning: whoever reaches this address can read and change every scenario" in result.stderr
    assert started[0][started[0].index("--server.address") + 1] == "0.0.0.0"
    refused = run("app", "--port", str(free_port()), "--address", "no such address")
    assert refused.exit_code == 2
    assert '--address "no such address" is no address of this machine' in refused.stderr


def test_the_module_runs_as_a_program() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "planner", "--help"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    commands = shown.stdout.split("Commands:")[1].split()
    assert {"app", "calibrate", "check", "plan"} <= set(commands)
    assert not {"report", "sweep"} & set(commands)
