"""Step times of training logs: the forms of the frameworks, and broken ones."""

from __future__ import annotations

from typing import Any

import pytest

from planner.calibrate.log_reader import read_log, read_log_file
from planner.calibrate.readings import Run
from planner.calibrate.training_log import steady_times
from tests.calibrate.log_cases import CASES, codes, read

MEGATRON = (
    " [2026-04-06 03:00:05] iteration {i:8d}/     100 | consumed samples: {samples:12d} | elapsed time per "
    "iteration (ms): {ms} | throughput per GPU (TFLOP/s/GPU): 401.5 | learning rate: 2.0E-07 | "
    "global batch size: {batch:5d} | lm loss: 2.19E+00 |\n"
)


def only_run(raw: bytes) -> Run:
    reading = read(raw)
    assert (reading.status, reading.diagnostics) == ("ok", ())
    return reading.runs[0]


def megatron(batch: int = 128, each: int = 128, ms: str = "2500.0", steps: int = 5) -> bytes:
    """Megatron's lines of some steps."""
    lines = [MEGATRON.format(i=i, samples=i * each, ms=ms, batch=batch) for i in range(1, steps + 1)]
    return "".join(lines).encode()


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("step 3 time 2.5 s", 2.5),
        ("step: 3, step_time: 2500 ms, loss 3.1", 2.5),
        ("[step=3] loss=2.1 time=2.5s", 2.5),
        ("iteration 3/100 | elapsed time per iteration (ms): 2500.0 | loss", 2.5),
        ("Step 3/100 | iter time (s): 2.5 | tokens/s 1000", 2.5),
        ("steps: 3 loss: 10.41 iter time (s): 2.5 samples/sec: 414.3", 2.5),
        ("epoch 0, iteration 3/99 | lr: 1.5e-06 | global_step: 3 | train_step_timing in s: 2.5 | x: 1", 2.5),
        ("Epoch 0: : 3%| | 3/99 [00:13<07:57, v_num=1, global_step=3.000, train_step_timing in s=2.50]", 2.5),
        ("INFO [rank0] step 3 loss 2.1 time per step 2.5 s", 2.5),
    ],
)
def test_forms_of_a_step_time(line: str, seconds: float) -> None:
    log = read_log("train.log", f"{line}\n{line}\n{line}\n".encode())
    assert (log.status, log.diagnostics) == ("ok", ())
    assert [row["step_time_s"] for row in log.runs[0]["rows"]] == [seconds] * 3
    assert {row["step"] for row in log.runs[0]["rows"]} == {3}


def test_a_log_of_nemo() -> None:
    """The first two steps of 45 s are the warm-up; the job's GPUs and batch stand in the log."""
    reading = read_log_file(CASES / "nemo.log")
    (run,) = reading.runs
    assert (reading.status, reading.diagnostics) == ("ok", ())
    assert (run["world_size"], run["global_batch_sequences"]) == (64, 512)
    assert len(run["rows"]) - run["steady_steps"] == 4
    assert run["steady_step_time_s"] == pytest.approx(7.35, abs=0.02)
    short = b"\n".join((CASES / "nemo.log").read_bytes().split(b"\n")[:12]) + b"\n"
    assert max(steady_times(read(short).runs[0])) < 8  # the second slow step goes, too


def test_a_log_of_torchtitan_holds_tokens_a_second_of_a_gpu() -> None:
    """It prints no step time: that follows from the tokens of a step, which the scenario knows."""
    reading = read_log_file(CASES / "torchtitan.log")
    (run,) = reading.runs
    assert (reading.status, reading.diagnostics) == ("ok", ())
    assert (run["kind"], run["rows"][1]["tokens_per_gpu_per_s"]) == ("token-rates", 8370)
    assert run["steady_tokens_per_gpu_per_s"] == pytest.approx(8360, abs=10)
    assert run["tflops_per_gpu"] == 410.2
    bare = b"step: 1 loss: 2.1 tps: 8,370\nstep: 2 loss: 2.1 tps: 8,370\n"
    assert codes(bare) == [(1, "unsupported_tool")]  # of a GPU or of the whole job: it does not say
    named = only_run(
        b"completed step: 1, Tokens/s/device: 8370.5\ncompleted step: 2, Tokens/s/device: 8370.5\n"
    )
    assert named["steady_tokens_per_gpu_per_s"] == 8370.5


def test_what_a_log_says_of_its_job() -> None:
    head = (
        b"  num_layers ...................................... 32\n"
        b"  hidden_size ..................................... 4096\n"
        b"  ffn_hidden_size ................................. 14336\n"
        b"  seq_length ...................................... 8192\n"
        b"  world_size ...................................... 64\n"
    )
    run = only_run(head + megatron())
    assert (run["layers"], run["hidden"], run["sequence"], run["world_size"]) == (32, 4096, 8192, 64)
    assert (run["global_batch_sequences"], run["tflops_per_gpu"]) == (128, 401.5)
    titan = b"[titan] GPU capacity: NVIDIA H100 80GB HBM3 (0) with 95.00GiB memory\n" + megatron()
    assert only_run(titan)["device"] == "NVIDIA H100 80GB HBM3"


def test_a_batch_that_the_samples_contradict_is_refused() -> None:
    """128 samples a step and "global batch size: 4096" cannot both be: the factor would be off by 32."""
    assert codes(megatron(batch=4096)) == [(2, "validation_failed")]
    assert codes((CASES / "megatron_other_model.log").read_bytes()) == [(2, "validation_failed")]
    unnamed = megatron().replace(b"global batch size", b"x")
    assert only_run(unnamed)["global_batch_sequences"] == 128
    grown = megatron() + megatron(batch=256, each=256)  # a batch that is ramped up is not one
    assert read(grown).runs[0]["global_batch_sequences"] is None


def test_steps_that_every_rank_prints_are_counted_once() -> None:
    lines = [
        f"[rank{rank}]:step {step} step time {2 + rank / 10} s" for step in (1, 2, 3) for rank in range(8)
    ]
    rows = only_run("\n".join([*lines, ""]).encode())["rows"]
    assert [(row["step"], row["step_time_s"]) for row in rows] == [(1, 2.0), (2, 2.0), (3, 2.0)]


def test_lines_of_several_steps_with_a_plain_time_are_doubted() -> None:
    """ "time 25 s" every ten steps may be that of ten."""
    raw = b"step 10 time 25 s\nstep 20 time 25.1 s\nstep 30 time 25 s\n"
    assert (codes(raw), read(raw).status) == ([(1, "steps_between")], "ok")
    assert codes(raw.replace(b"time", b"step time")) == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("step 4 time 2,5 s", "decimal_comma"),
        ("step 4 time nan s", "validation_failed"),
        ("step 4 time -2.5 s", "validation_failed"),
        ("step 4 time 2.5.1 s", "truncated_row"),
        ("step 4 time 2.5 parsecs\nstep 5 time 2.5parsecs", "unknown_unit"),
        (" iteration 4/ 100 | consumed samples: 2048 |", "truncated_row"),
    ],
)
def test_a_broken_step_refuses_the_log(line: str, code: str) -> None:
    log = read_log("train.log", f"step 2 time 2.5 s\nstep 3 time 2.5 s\n{line}\n".encode())
    assert (3, code) in [(fault.line, fault.code) for fault in log.diagnostics] or code == "unknown_unit"
    assert code in [fault.code for fault in log.diagnostics]
    assert (log.status, log.usable) == ("partial", False)


def test_decimal_commas_are_read_where_every_fraction_has_one() -> None:
    """One warning. Where a point stands too, or the figure may be a thousand, the log is refused by line."""
    raw = b"step 1 time 2,5 s loss 3,1\nstep 2 time 2,61 s loss 3,1\nstep 3 time 2,55 s loss 3,1\n"
    reading = read(raw)
    assert ([row["step_time_s"] for row in reading.runs[0]["rows"]], codes(raw)) == (
        [2.5, 2.61, 2.55],
        [(1, "decimal_comma")],
    )
    assert reading.status == "ok"
    mixed = raw.replace(b"loss 3,1", b"loss 3.1")
    assert codes(mixed) == [(1, "decimal_comma"), (2, "decimal_comma"), (3, "decimal_comma")]
    thousands = b"step 1 time 2,500 ms\nstep 2 time 2,610 ms\n"
    assert codes(thousands) == [(1, "decimal_comma"), (2, "decimal_comma")]
    nemo = (CASES / "nemo.log").read_bytes().replace(b".", b",")
    assert read(nemo).runs[0]["steady_step_time_s"] == pytest.approx(7.35, abs=0.02)


def test_a_step_time_without_unit_is_seconds_and_said_so() -> None:
    log = read_log("train.log", b"step 1 time 2.5\nstep 2 time 2.5\nstep 3 time 2.6")
    assert [fault.code for fault in log.diagnostics] == ["unit_assumed", "unit_assumed", "truncated_row"]
    whole: Any = read_log("train.log", b"step 1 time 2.5\nstep 2 time 2.5\n").document()
    assert (whole["status"], whole["runs"][0]["steady_step_time_s"]) == ("ok", 2.5)
