"""Rates that software reaches, NVLink domains, and accelerators that nobody measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.scenario.scenario import Operations, Workload
from planner.throughput.cluster import Cluster, machine_of
from planner.throughput.compute import elementwise_s, weights_s
from planner.throughput.estimate import estimate
from tests.throughput.cases import (
    CONSTANTS,
    DGX_H100,
    GB200,
    GPT3_JOB,
    H100,
    NVL72,
    ROUND,
    SMALL,
    changed,
    dgx,
    fabric,
    rates,
)


def test_fp8_speeds_up_the_matmuls_but_not_the_attention_core() -> None:
    fp8 = machine_of(dgx(8), Workload(SMALL, precision="fp8"), ROUND)
    assert fp8.core_flops == pytest.approx(989e12 * 0.803 * 0.8)
    assert fp8.matmul_flops == pytest.approx(1979e12 * 0.709 * 0.8)
    assert fp8.attention_flops == pytest.approx(989e12 * 0.5)
    job = changed(precision="fp8")
    assert elementwise_s(job, rates(), ROUND) == pytest.approx(8.91290e-5 * 198 / 170, rel=1e-5)
    assert weights_s(job, rates(), ROUND) == pytest.approx(6 * 1024**2 * 10 / 2e12)


@pytest.mark.parametrize(("domain", "inside"), [(4, False), (8, True), (72, True)])
def test_nvlink_domains(domain: int, inside: bool) -> None:
    """TP 8 leaves a domain of 4 in nodes of 4: it is answered over the fabric, and says so."""
    server = replace(NVL72, nvlink_domain_gpus=domain)
    view = fabric(endpoints_per_node=4)
    answer = estimate(GPT3_JOB, Cluster(server, GB200, 1024, view), 1024, Operations(), CONSTANTS)
    assert any("runs over the fabric" in warning for warning in answer.warnings) is not inside
    eight = estimate(
        GPT3_JOB,
        Cluster(replace(NVL72, nvlink_domain_gpus=8), GB200, 1024, view),
        1024,
        Operations(),
        CONSTANTS,
    )
    assert (answer.step_time_s > eight.step_time_s * 1.2) is not inside


def test_an_unknown_accelerator_borrows_and_says_so() -> None:
    strange = replace(H100, id="tpu-9")
    cluster = Cluster(DGX_H100, strange, 1024, fabric())
    answer = estimate(GPT3_JOB, cluster, 1024, Operations(), CONSTANTS)
    assert any("no software figures for tpu-9" in warning for warning in answer.warnings)
    assert machine_of(
        Cluster(DGX_H100, strange, 8, fabric()), GPT3_JOB, CONSTANTS
    ).nvlink_bytes_per_s == pytest.approx(0.8 * 450e9)
