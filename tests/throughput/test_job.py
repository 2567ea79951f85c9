"""The batch of a job: how it grows with the GPUs and is rounded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.throughput.job import default_batch_sequences
from tests.throughput.cases import (
    CONSTANTS,
    GPT3,
    GPT3_JOB,
    run,
)


def test_idle_gpus_do_not_work() -> None:
    answer = run(gpus=1023)
    assert (answer.job_gpus, answer.data_parallel) == (960, 15)
    assert "the job uses 960 of 1,023 GPUs, a multiple of TP x PP x CP" in answer.warnings


@pytest.mark.parametrize(
    ("gpus", "fixed", "sequences"),
    [(1024, False, 1536), (4096, False, 6144), (16384, False, 8192), (4096, True, 1536)],
)
def test_the_batch_grows_with_the_gpus_to_16_mi_tokens(gpus: int, fixed: bool, sequences: int) -> None:
    assert run(replace(GPT3_JOB, fixed_batch=fixed), gpus=gpus).global_batch_sequences == sequences


def test_a_first_batch_above_the_cap_stays() -> None:
    assert run(replace(GPT3_JOB, global_batch_sequences=16384), 2048).global_batch_sequences == 16384


def test_the_batch_is_rounded_to_whole_micro_batches() -> None:
    answer = run(replace(GPT3_JOB, global_batch_sequences=1000))
    assert answer.global_batch_sequences == 992  # 62 of DP 16
    assert any("992 sequences instead of 1000" in warning for warning in answer.warnings)
    assert run(replace(GPT3_JOB, global_batch_sequences=3)).global_batch_sequences == 16


def test_default_batch() -> None:
    # 4,096 tokens a GPU: 1,024 GPUs * 2 sequences of 2,048; at least 1 Mi, at most 16 Mi tokens
    assert default_batch_sequences(GPT3, 1024, CONSTANTS) == 2048
    assert default_batch_sequences(GPT3, 8, CONSTANTS) == 512
    assert default_batch_sequences(GPT3, 100_000, CONSTANTS) == 8192
