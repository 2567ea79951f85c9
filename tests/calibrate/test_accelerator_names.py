"""A log's accelerator, and what was measured on another than the scenario's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.calibrate.accelerator_names import accelerator_of
from planner.calibrate.calibration_answer import CalibrationAnswer, calibration_answer
from planner.calibrate.calibration_file import constants_document, read_saved
from planner.calibrate.log_reader import read_log, read_log_file
from planner.catalog.sources import load_sources
from planner.cli.main import main
from planner.scenario.calibration_section import figures_for, is_of, section_of
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Calibration, Scenario
from planner.study.design_estimates import estimate_wiring
from planner.study.study import plan_scenario
from tests.calibrate.log_cases import CASES, RAW, read

SERVERS = load_sources().catalog.servers
ASK = (CASES / "llama3_8b.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("device", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA H100 SXM5 80GB", "h100"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA H100 NVL", "h100-nvl"),
        ("NVIDIA H100 80GB HBM3 MIG 3g.40gb", "h100-mig"),
        ("NVIDIA H200", "h200"),
        ("NVIDIA H20", "h20"),
        ("NVIDIA GH200 480GB", "gh200"),
        ("NVIDIA GB200", "gb200"),
        ("A100-SXM4-80GB", "a100"),
        ("NVIDIA A100-PCIE-40GB", "a100-pcie"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie"),
        ("NVIDIA A10G", "a10g"),
        ("NVIDIA A10", "a10"),
        ("NVIDIA L40S", "l40s"),
        ("Tesla V100-SXM2-32GB", "v100"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000"),
        ("AMD Instinct MI300X", "mi300x"),
        ("AMD Instinct MI325X", "mi325x"),
        ("AMD Radeon Graphics", "amd radeon graphics"),
        ("Device 74a1", "device-74a1"),
        (None, ""),
    ],
)
def test_the_accelerator_of_a_device(device: str | None, name: str) -> None:
    assert accelerator_of(device) == name


def test_a_server_has_the_accelerator_of_its_id_or_family_alone() -> None:
    """By its first letters an A10 was an A100, an H20 an H200, and what no log names every one of them."""
    h100, h200, a100 = (SERVERS[name] for name in ("hgx-h100", "hgx-h200", "hgx-a100"))
    assert is_of("h100", h100) and is_of("a100", a100) and is_of("a100-80gb", a100)
    others = ("h20", "h100-pcie", "h100-nvl", "a10", "l40s", "mi300x", "gh200", "a100-40gb", "h", "")
    assert not any(is_of(name, server) for name in others for server in (h100, h200, a100))
    assert not is_of("h100", None)


def measured(*logs: str, text: str = ASK, technology: str | None = None) -> CalibrationAnswer:
    """What logs of one accelerator give for a scenario of the H100."""
    study = plan_scenario(scenario_from_text(text, load_sources(), "ask.toml"), load_sources())
    readings = [read_log_file(CASES / log) for log in logs]
    return calibration_answer(readings, load_sources(), study, technology=technology)


@pytest.mark.parametrize(("log", "name"), [("l40s_one_node.log", "l40s"), ("rccl_one_node.log", "mi300x")])
def test_what_another_accelerator_measured_moves_nothing_and_is_refused_by_name(log: str, name: str) -> None:
    """20 GB/s of an L40S over PCIe took the place of the H100's 367."""
    answer = measured(log)
    assert {(one.name, one.of) for one in answer.constants} == {
        ("nvlink_busbw_gbytes_per_s", name),
        ("nvlink_alpha_us", name),
    }
    assert {effect.change_ratio for effect in answer.effects} == {0.0}
    said = f"nvlink_busbw_gbytes_per_s was measured on {name.upper()}, and the scenario's servers have H100"
    assert said in "\n".join(answer.words())
    assert not answer.complete
    server = SERVERS["hgx-h100"]
    assert section_of(constants_document(answer.constants), server) == {}
    assert section_of(constants_document(answer.constants), None) == {}


def test_rings_of_another_accelerator_give_no_latency_to_this_one() -> None:
    answer = measured("rccl_two_nodes.log", "rccl_one_node.log", technology="roce")
    assert {effect.change_ratio for effect in answer.effects} == {0.0}
    assert "alpha_us was measured on MI300X" in "\n".join(answer.refused)
    own = measured(
        "rccl_two_nodes.log", "rccl_one_node.log", text=ASK.replace("hgx-h100", "mi300x"), technology="roce"
    )
    assert (own.refused, own.complete) == ((), True)
    assert any(effect.change_ratio for effect in own.effects)


def test_the_accelerator_of_a_latency_is_kept_in_the_file() -> None:
    answer = measured("rccl_two_nodes.log", technology="roce")
    saved = read_saved(answer.text.encode())
    assert saved.constants == answer.constants
    constants = json.loads(answer.text)["constants"]
    assert figures_for(constants, SERVERS["hgx-h100"]) == (
        {},
        ("calibration: alpha_us of roce was measured on mi300x, so it is not taken",),
    )
    assert set(figures_for(constants, SERVERS["mi300x"])[0]) == {"alpha_us"}


def test_a_constant_of_no_named_accelerator_holds_for_none() -> None:
    """Two kinds of GPU in one run, or a file of earlier days."""
    mixed = RAW["g3"].replace(b"A100-SXM4-80GB", b"A100-PCIE-40GB", 1)
    study = plan_scenario(scenario_from_text(ASK, load_sources(), "ask.toml"), load_sources())
    answer = calibration_answer([read(mixed)], load_sources(), study)
    assert [one.of for one in answer.constants] == ["", ""]
    assert {effect.change_ratio for effect in answer.effects} == {0.0}
    assert "was measured on an unnamed device" in answer.refused[0]


def test_a_training_log_of_another_accelerator_gives_no_factor() -> None:
    study = plan_scenario(scenario_from_text(ASK, load_sources(), "ask.toml"), load_sources())
    titan = (CASES / "torchtitan.log").read_bytes()
    named = b"[titan] GPU capacity: NVIDIA H100 PCIe (0) with 79.11GiB memory\n" + titan
    answer = calibration_answer([read_log("t.log", named)], load_sources(), study)
    assert answer.constants == ()
    assert answer.refused == (
        "t.log: no stack factor: it ran on H100-PCIE, and the scenario's servers have H100",
    )


def test_the_nvlink_of_the_scenario_s_server_is_not_put_on_another_generation() -> None:
    """Figures of the H200 were put on whichever GPU paces a joint job, the H100 beside it too."""
    text = ASK.replace("hgx-h100", "hgx-h200").replace("[fabric]", "[fabric]\njoin_generations = true")
    text = text.replace("tensor_parallel = 1", "tensor_parallel = 8")
    row = '[[growth]]\nyear = 2028\ngpus = 256\nserver = "hgx-h100"\n'
    sources = load_sources()
    scenario = scenario_from_text(text.replace("[fabric]", f"{row}[fabric]"), sources, "ask.toml")
    calibrated = replace(scenario, calibration=Calibration(nvlink_busbw_gbytes_per_s=30.0))
    wiring = plan_scenario(scenario, sources).results[0].plan.designs[-1].fabrics[0].wiring

    def step_s(gpus: int, which: Scenario) -> float:
        return estimate_wiring(wiring, gpus, which, sources, "roce").step_time_s

    assert step_s(128, calibrated) > 1.1 * step_s(128, scenario)  # the H200 alone
    assert step_s(256, calibrated) == step_s(256, scenario)  # the H100 paces them


def test_the_command_says_by_name_what_it_does_not_take(tmp_path: Path) -> None:
    scenario, out = str(CASES / "llama3_8b.toml"), str(tmp_path / "c.json")
    log = str(CASES / "l40s_one_node.log")
    done = CliRunner().invoke(main, ["calibrate", log, "--scenario", scenario, "--out", out])
    assert (done.exit_code, "measured on L40S" in done.output) == (1, True)
    alone = CliRunner().invoke(main, ["calibrate", log, "--out", out])
    assert (alone.exit_code, "nvlink_busbw_gbytes_per_s (l40s) = 20" in alone.output) == (0, True)
