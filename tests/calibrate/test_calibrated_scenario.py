"""[calibration] of a scenario: a test bed's constants in place of the shipped ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.calibrate.calibration_answer import CalibrationAnswer, calibration_answer
from planner.calibrate.calibration_file import read_saved
from planner.calibrate.log_reader import read_log, read_log_file
from planner.calibrate.stack_factor import SEEN
from planner.catalog.sources import load_sources
from planner.cli.main import main
from planner.fabric.design import Design
from planner.planning.planning_task import PlanOptions
from planner.scenario.calibration_section import figures_for
from planner.scenario.faults import ScenarioError
from planner.scenario.load import load_scenario, scenario_from_text
from planner.scenario.scenario import Calibration, Operations, Scenario
from planner.study.design_estimates import estimate_design
from planner.study.notes import notes
from planner.study.study import plan_scenario
from planner.throughput.cluster import FabricView
from planner.throughput.constants import accelerator_figures, load_constants, with_measured
from planner.throughput.fabric_path import fabric_path, link_share
from planner.throughput.runs.accuracy import scores
from planner.throughput.runs.rows import more_training_runs, training_runs
from tests.calibrate.log_cases import CASES

CONSTANTS = load_constants()
LOGS = Path(__file__).parents[1] / "published" / "logs"
ROCE = FabricView("roce", 400, 8, 2, 1.0, 1.0, 32)
SMALL = """schema = 1
name = "test bed"
base_year = 2027
[cluster]
server = "dgx-h100"
[[growth]]
year = 2027
gpus = 128
[fabric]
technologies = ["roce"]
switches = ["sn5600"]
[workload]
model = "llama3-8b"
tensor_parallel = 2
pipeline_parallel = 1
global_batch_sequences = 512
"""


def checked(text: str) -> Scenario:
    return scenario_from_text(text, load_sources(), "case.toml")


def faults(text: str) -> str:
    with pytest.raises(ScenarioError) as found:
        checked(text)
    return str(found.value)


def training(step_s: float, steps: int = 30) -> bytes:
    lines = ["> using world size: 128, data-parallel size: 64 global batch size: 512"]
    for i in range(1, steps + 1):
        ms = (step_s * (3 if i == 1 else 1)) * 1e3
        lines.append(
            f" iteration {i:8d}/  500000 | consumed samples: {i * 512} | "
            f"elapsed time per iteration (ms): {ms:.1f}"
            " | learning rate: 1.0E-04 | global batch size:   512 | lm loss: 1.0E+01 |"
        )
    return "\n".join([*lines, ""]).encode()


def test_no_section_is_no_calibration() -> None:
    scenario = checked(SMALL)
    assert (scenario.calibration, scenario.workload.stack_factor) == (None, 1.0)


def test_figures_given_in_the_scenario() -> None:
    scenario = checked(
        SMALL + "[calibration]\ne0 = 0.95\nnvlink_busbw_gbytes_per_s = 350\nstack_factor = 1.1\n"
    )
    assert scenario.calibration == Calibration(
        e0={"infiniband": 0.95, "roce": 0.95, "spectrum-x": 0.95}, nvlink_busbw_gbytes_per_s=350.0
    )
    assert (scenario.workload.stack_factor, scenario.workload.calibrated) == (1.1, True)
    assert not any(text.startswith("workload.stack_factor") for text in scenario.defaults_used)
    named = checked(SMALL + '[calibration]\ntechnologies = ["ethernet"]\nalpha_us = 30\n')
    assert named.calibration == Calibration(alpha_us={"ethernet": 30.0})


def test_figures_by_technology_go_before_those_for_all() -> None:
    """Without the order the one figure for every fabric would overwrite what was measured on RoCE."""
    scenario = checked(
        SMALL + '[calibration]\nlogs = ["a.log"]\ne0 = 0.95\ne0_by_technology = { roce = 0.9 }\n'
        "alpha_us_by_technology = { ethernet = 30 }\n"
    )
    assert scenario.calibration == Calibration(
        e0={"infiniband": 0.95, "roce": 0.9, "spectrum-x": 0.95}, alpha_us={"ethernet": 30.0}
    )


def test_an_answer_says_what_was_measured_beside_what_is_shipped() -> None:
    """Without it a calibrated answer could not be told from one on the shipped constants."""
    text = SMALL + "[calibration]\ne0 = 0.95\nnvlink_busbw_gbytes_per_s = 350\nstack_factor = 1.1\n"
    assert [note for note in notes(checked(text), ()) if "test bed" in note] == [
        "Calibrated on a test bed: payload share of the link over roce 0.95 instead of 0.92; NVLink "
        "all-reduce 350 instead of 367 GB/s; software factor of the step time 1.1 instead of 1."
    ]
    latency = checked(SMALL + "[calibration]\nalpha_us = 4\nnvlink_alpha_us = 30\n")
    assert [note for note in notes(latency, ()) if "test bed" in note] == [
        "Calibrated on a test bed: latency of a message over roce 4 instead of 8 us; "
        "NVLink all-reduce latency 30 instead of 40 us."
    ]
    assert not any("test bed" in note for note in notes(checked(SMALL), ()))


def test_the_workload_s_own_stack_factor_stays() -> None:
    scenario = checked(SMALL + "stack_factor = 1.3\n[calibration]\nstack_factor = 1.1\n")
    assert scenario.workload.stack_factor == 1.3


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("e0 = 1.2", "case.toml:18: calibration.e0 = 1.2: is too large; write at most 1"),
        ("e_0 = 0.9", 'is not a known key; did you mean "e0"?'),
        ('file = "none.json"', "only a scenario file on the command line may name one"),
        ('technologies = ["roce"]', "has nothing to hold for; give e0 or alpha_us beside it"),
        ("stack_factor = 0", "is too small"),
        ("e0_by_technology = { rocee = 0.9 }", 'is not a known technology; did you mean "roce"?'),
        ("e0_by_technology = { roce = 1.5 }", "e0_by_technology.roce = 1.5: is too large; write at most 1"),
    ],
)
def test_faults_name_the_key(section: str, said: str) -> None:
    assert said in faults(f"{SMALL}[calibration]\n{section}\n")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "[" * 100_000, '{"constants": []}', '{"constants": {"e0": 1}}',
     '{"constants": {"e0": {"roce": {"value": 2}}}}', '{"constants": {"e0": {"roce": {"value": 0}}}}',
     '{"constants": {"alpha_us": {"roce": {"value": Infinity}}}}',
     '{"constants": {"e0": {"roce": {"value": null}}}}'],
)  # fmt: skip
def test_a_file_that_is_no_calibration_is_a_fault(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text, encoding="utf-8")
    scenario = tmp_path / "s.toml"
    scenario.write_text(SMALL + '[calibration]\nfile = "c.json"\n', encoding="utf-8")
    with pytest.raises(ScenarioError, match="is no calibration; name a file that calibrate has written"):
        load_scenario(scenario, load_sources())


def test_a_file_of_calibrate_beside_the_scenario(tmp_path: Path) -> None:
    """g5: e0 of InfiniBand; g6: of RoCE; g7: alpha; g3: NVLink of an A100, which this server has not."""
    logs = [str(next(LOGS.glob(f"g{i}_*.log"))) for i in (3, 5, 6, 7)]
    done = CliRunner().invoke(main, ["calibrate", *logs, "--out", str(tmp_path / "c.json")])
    assert (done.exit_code, "e0 (roce) = 0.9691" in done.output) == (0, True)
    written = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    wanted = [json.loads(Path(log).with_suffix(".json").read_text(encoding="utf-8")) for log in logs]
    assert written["readings"] == wanted
    assert set(written["constants"]["e0"]) == {"infiniband", "roce"}
    assert written["constants"]["e0"]["infiniband"]["fit"]["points"] == 8
    path = tmp_path / "s.toml"
    path.write_text(SMALL + '[calibration]\nfile = "c.json"\nalpha_us = 4.0\ntechnologies = ["roce"]\n')
    scenario = load_scenario(path, load_sources())
    assert scenario.calibration is not None
    assert scenario.calibration.e0["spectrum-x"] == scenario.calibration.e0["roce"] == pytest.approx(0.969075)
    assert scenario.calibration.alpha_us == pytest.approx({"infiniband": 1.1254, "roce": 4.0}, abs=1e-4)
    assert scenario.calibration.nvlink_busbw_gbytes_per_s is None
    left_out = "calibration: nvlink_busbw_gbytes_per_s was measured on a100, so it is not taken"
    assert left_out in scenario.defaults_used


def test_a_log_that_cannot_be_used_leaves_the_others(tmp_path: Path) -> None:
    good = next(LOGS.glob("g6_*.log"))
    bad = tmp_path / "cut.log"
    bad.write_bytes(next(LOGS.glob("g8_*.log")).read_bytes()[:1300])
    out = tmp_path / "new" / "c.json"
    done = CliRunner().invoke(
        main, ["calibrate", str(bad), str(good), str(tmp_path / "no.log"), "--out", str(out)]
    )
    assert done.exit_code == 1
    assert f"{bad}:28: error: truncated_row" in done.output
    assert f"{bad}:28: error: missing_footer" in done.output
    assert f"{tmp_path / 'no.log'}:0: error: unreadable_file" in done.output
    written = json.loads(out.read_text(encoding="utf-8"))
    assert [reading["status"] for reading in written["readings"]] == ["error", "ok", "error"]
    assert written["constants"]["e0"]["roce"]["value"] == pytest.approx(0.969075)


def test_an_answer_that_cannot_be_written_is_the_input_s_fault(tmp_path: Path) -> None:
    log = str(next(LOGS.glob("g6_*.log")))
    done = CliRunner().invoke(main, ["calibrate", log, "--out", str(tmp_path)])
    assert (done.exit_code, "cannot be written" in done.output) == (2, True)


def test_measured_constants_take_the_place_of_the_shipped_ones() -> None:
    measured = Calibration(e0={"roce": 0.97}, alpha_us={"roce": 3.0})
    put_in = with_measured(CONSTANTS, measured, "h100")
    assert (link_share(ROCE, CONSTANTS), link_share(ROCE, put_in)) == (0.92, 0.97)
    assert (CONSTANTS.alpha_s["roce"], put_in.alpha_s["roce"]) == pytest.approx((8e-6, 3e-6))
    before, path = (fabric_path(ROCE, 16, Operations(), which) for which in (CONSTANTS, put_in))
    assert path.bytes_per_s / before.bytes_per_s == pytest.approx(0.97 / 0.92)
    assert before.alpha_s - path.alpha_s == pytest.approx(5e-6)
    tcp = replace(ROCE, technology="ethernet")
    assert link_share(tcp, put_in) == link_share(tcp, CONSTANTS) == pytest.approx(32 / 400)
    measured_tcp = with_measured(CONSTANTS, Calibration(e0={"ethernet": 0.6}), "h100")
    assert link_share(tcp, measured_tcp) == 0.6


def test_nvlink_figures_take_the_place_of_those_of_the_measured_accelerator_alone() -> None:
    shipped = accelerator_figures(CONSTANTS, "h100")
    rate = with_measured(CONSTANTS, Calibration(nvlink_busbw_gbytes_per_s=300.0), "h100")
    assert accelerator_figures(rate, "h100") == replace(shipped, busbw_gbytes_per_s=300.0)
    both = with_measured(rate, Calibration(nvlink_alpha_us=55.0), "h100")
    assert accelerator_figures(both, "h100").busbw_gbytes_per_s == 300.0
    assert accelerator_figures(both, "h100").collective_s == pytest.approx(55e-6)
    assert accelerator_figures(both, "h200") == accelerator_figures(CONSTANTS, "h200")


def test_each_constant_s_move_of_the_answer() -> None:
    study = plan_scenario(checked(SMALL), load_sources(), PlanOptions())
    logs = [read_log_file(next(LOGS.glob(f"g{i}_*.log"))) for i in (3, 6)]
    found = calibration_answer(logs, load_sources(), study)
    moves = {move.constant: move for move in found.effects}
    assert set(moves) == {"e0", "nvlink_busbw_gbytes_per_s", "nvlink_alpha_us", "all"}
    design = study.results[0].plan.designs[0]
    assert isinstance(design, Design)
    with_e0 = replace(study.scenario, calibration=Calibration(e0={"roce": 387.63 / 400}))
    after = estimate_design(design, with_e0, load_sources(), "roce").effective_tflops
    assert moves["e0"].after_tflops == pytest.approx(after)
    assert moves["e0"].before_tflops == pytest.approx(study.results[0].estimates[0].effective_tflops)
    assert moves["e0"].change_ratio > 0
    assert moves["nvlink_alpha_us"].change_ratio == 0  # measured on an A100


def test_the_stack_factor_is_the_step_over_the_model_s() -> None:
    study = plan_scenario(checked(SMALL), load_sources(), PlanOptions())
    step_s = study.results[0].estimates[0].step_time_s
    log = read_log("train.log", training(1.25 * step_s))
    assert (log.status, log.runs[0]["world_size"], log.runs[0]["global_batch_sequences"]) == ("ok", 128, 512)
    found = calibration_answer([log], load_sources(), study)
    factor = next(one for one in found.constants if one.name == "stack_factor")
    assert factor.value == pytest.approx(1.25, rel=1e-3)  # the slow first step is left out
    after = next(move for move in found.effects if move.constant == "stack_factor")
    assert after.after_tflops / after.before_tflops == pytest.approx(1 / 1.25, rel=1e-3)
    constants = json.loads(found.text)["constants"]
    assert figures_for(constants, study.scenario.server)[0] == {"stack_factor": factor.value}


def run_on(log: bytes, text: str = SMALL) -> CalibrationAnswer:
    """What a training log gives for a scenario."""
    study = plan_scenario(checked(text), load_sources(), PlanOptions())
    return calibration_answer([read_log("train.log", log)], load_sources(), study)


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (training(0.05), "would put the GPU at"),  # 1 / 0.076 of the time: +1,212 % once
        (training(300.0), "times the model's, which is an MFU of 0."),
        (training(4).replace(b"> using", b"  seq_length ..... 4096\n> using"), "has sequence 4,096"),
        (training(4.0).replace(b"> using", b"  num_layers ..... 80\n> using"), "its model has layers 80"),
        (training(4).replace(b" | learning", b" | x (TFLOP/s/GPU): 30.0 | learning"), "the scenario's"),
        (training(4.0).replace(b"world size: 128", b"world size: 1"), "does not run on its 1 GPUs"),
    ],
    ids=["beyond the peak", "a hundredth", "sequence", "layers", "work of a token", "GPUs"],
)  # fmt: skip
def test_a_log_of_another_job_gives_no_factor(log: bytes, why: str) -> None:
    """Each was taken: a factor that says more of the wrong model, batch or GPUs than of the software."""
    answer = run_on(log)
    assert (answer.constants, answer.effects, answer.complete) == ((), (), False)
    (said,) = answer.refused
    assert said.startswith("train.log: no stack factor: ") and why in said
    assert said in answer.words()


def test_a_factor_within_what_was_published_is_taken() -> None:
    """The published runs lie between 0.71 and 2.38 times the model; the limits are a little outside."""
    every = scores([*training_runs(), *more_training_runs()], load_sources().catalog, CONSTANTS)
    factors = sorted(1 / (1 + run.error) for run in every)
    assert (round(factors[0], 1), round(factors[-1], 1)) == SEEN


def test_token_rates_give_the_factor_of_the_step_that_they_make() -> None:
    """128 GPUs, 512 sequences of 8,192 tokens: a step of 4 s is 8,192 tokens a second and GPU."""
    study = plan_scenario(checked(SMALL), load_sources(), PlanOptions())
    step_s = 1.25 * study.results[0].estimates[0].step_time_s
    rate = 512 * 8192 / 128 / step_s
    lines = [f"[titan] step: {i} loss: 8.9 tps: {rate:,.0f}  mfu: 40.1%" for i in range(1, 31)]
    answer = calibration_answer([read_log("t.log", "\n".join([*lines, ""]).encode())], load_sources(), study)
    (factor,) = answer.constants
    assert factor.value == pytest.approx(1.25, rel=1e-3)
    assert "(GPUs and batch are the scenario's: the log names none)" in factor.how


def test_a_saved_factor_of_another_job_is_not_taken_over() -> None:
    """Its step times are measured against the job at hand anew; the old factor is not the way around."""
    study = plan_scenario(checked(SMALL), load_sources(), PlanOptions())
    step_s = study.results[0].estimates[0].step_time_s
    saved = read_saved(
        calibration_answer([read_log("t.log", training(step_s))], load_sources(), study).text.encode()
    )
    assert [one.name for one in saved.constants] == ["stack_factor"]
    other = plan_scenario(checked(SMALL.replace("llama3-8b", "llama3-70b")), load_sources(), PlanOptions())
    answer = calibration_answer((), load_sources(), other, saved=saved)
    assert (answer.constants, len(answer.refused)) == ((), 1)


def test_the_command_refuses_a_log_of_another_job(tmp_path: Path) -> None:
    """4,096 sequences named, 128 consumed: neither is the scenario's step."""
    out, scenario = tmp_path / "c.json", str(CASES / "llama3_8b.toml")
    log = (CASES / "megatron_other_model.log").read_text(encoding="utf-8")
    path = tmp_path / "run.log"
    for text in (log, log.replace("consumed samples", "x"), log.replace("global batch size", "x")):
        path.write_text(text, encoding="utf-8")
        done = CliRunner().invoke(main, ["calibrate", str(path), "--scenario", scenario, "--out", str(out)])
        assert done.exit_code == 1
        assert "error: validation_failed" in done.output or "no stack factor" in done.output
        assert "stack_factor" not in json.loads(out.read_text(encoding="utf-8"))["constants"]
    for name in ("nemo", "torchtitan"):
        done = CliRunner().invoke(
            main, ["calibrate", str(CASES / f"{name}.log"), "--scenario", scenario, "--out", str(out)]
        )
        assert (done.exit_code, "stack_factor = 1." in done.output) == (0, True)
