"""[workload] and [operations] keys of the throughput model: experts, job mix, calibration, placement."""

from __future__ import annotations

import pytest

from planner.catalog.sources import load_sources
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_text
from tests.scenario.scenario_small import MINIMAL, checked

EXPERTS = """
[workload]
model = "a-mixture"
params = 50e9
layers = 32
hidden = 4096
heads = 32
experts = 64
experts_per_token = 4
expert_ffn_hidden = 1536
shared_experts = 1
dense_layers = 2
expert_parallel = 8
attention = "fused-2023"
sharding = "fsdp"
"""


def test_a_mixture_of_experts_of_one_s_own() -> None:
    job = checked(MINIMAL + EXPERTS).workload
    model = job.model
    assert (model.experts, model.experts_per_token, model.expert_ffn_hidden) == (64, 4, 1536)
    assert (model.shared_experts, model.dense_layers) == (1, 2)
    assert (job.expert_parallel, job.attention, job.sharding) == (8, "fused-2023", "fsdp")


def test_a_mixture_of_the_catalog() -> None:
    text = MINIMAL + '\n[workload]\nmodel = "deepseek-v3"\nexpert_parallel = 64\n'
    model = scenario_from_text(text, load_sources(), "s.toml").workload.model
    assert (model.experts, model.experts_per_token, model.attention_width) == (256, 8, 20480)


def test_defaults_are_one_dense_packed_job() -> None:
    scenario = checked(MINIMAL)
    job, operations = scenario.workload, scenario.operations
    assert (job.expert_parallel, job.job_mix, job.calibrated, job.attention) == (1, (), False, "fused")
    assert (operations.placement, operations.in_network_reduction) == ("packed", False)


def test_a_mix_of_jobs_and_how_they_are_placed() -> None:
    text = MINIMAL + "\n[workload]\njob_mix = [[256, 0.25], [1024, 0.75]]\ncalibrated = true\n"
    scenario = checked(text + '[operations]\nplacement = "scattered"\nin_network_reduction = true\n')
    assert scenario.workload.job_mix == ((256, 0.25), (1024, 0.75))
    assert scenario.workload.calibrated
    assert (scenario.operations.placement, scenario.operations.in_network_reduction) == ("scattered", True)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("job_mix = [[256, 0.5]]", "shares that do not add up to 1"),
        ("job_mix = [256, 1.0]", "is no list of pairs"),
        ("job_mix = [[0, 1.0]]", "no whole number of GPUs"),
        ("job_mix = []", "is no list of pairs"),
        ('attention = "flash"', "write 'fused', 'fused-2023' or 'unfused'"),
        ("expert_parallel = 0", "expert_parallel"),
    ],
)
def test_faults_are_named(line: str, words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        checked(f"{MINIMAL}\n[workload]\n{line}\n")
