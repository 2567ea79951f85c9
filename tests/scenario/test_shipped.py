"""The shipped scenarios load with the shipped data and ask what their comments say."""

from __future__ import annotations

import pytest

from planner.catalog.sources import load_sources
from planner.scenario.faults import ScenarioError
from planner.scenario.load import load_scenario, scenario_from_text, shipped_scenarios

ASKED = {
    # stem: (server, GPUs of each step, technologies, link rate, TP, PP)
    "growth-16k": ("hgx-h100", (1024, 4096, 16384), 4, 400, 8, 8),
    "seed-cloud-1024": ("hgx-h800", (1024,), 4, 400, 8, 32),
    "seed-hybrid-two-sites": ("hgx-h100", (256,), 2, 400, 2, 1),
    "seed-university-lab-128": ("hgx-a100", (128,), 2, 25, 1, 1),
    "seed-university-lab-64": ("hgx-a100", (64,), 2, 25, 1, 1),
    "two-generations": ("dgx-h100", (1024, 2048, 3072), 3, 400, 8, 8),
}


def test_the_shipped_scenarios_are_these() -> None:
    assert sorted(shipped_scenarios()) == sorted(ASKED)


@pytest.mark.parametrize("stem", ASKED)
def test_a_shipped_scenario_asks_what_it_says(stem: str) -> None:
    scenario = load_scenario(shipped_scenarios()[stem], load_sources())
    job = scenario.workload
    assert ASKED[stem] == (
        scenario.server.id,
        tuple(step.gpus for step in scenario.growth),
        len(scenario.fabric.technologies),
        scenario.fabric.link_gbps[0],
        job.tensor_parallel,
        job.pipeline_parallel,
    )
    assert job.model.layers % (job.pipeline_parallel or 1) == 0
    assert scenario.finance.horizon_years == 5


@pytest.mark.parametrize("stem", ASKED)
def test_a_shipped_scenario_opens_with_what_it_is(stem: str) -> None:
    assert shipped_scenarios()[stem].read_text(encoding="utf-8").startswith(("# A ", "# An "))


def test_the_two_sites_send_a_quarter_of_the_bytes_between_them() -> None:
    scenario = load_scenario(shipped_scenarios()["seed-hybrid-two-sites"], load_sources())
    assert (scenario.workload.gradient_bytes, scenario.wan.gradient_bytes) == (4.0, 1.0)
    assert (scenario.wan.sites, scenario.wan.link_gbps, scenario.wan.usd_per_year) == (2, 100.0, 240_000.0)


def test_the_laboratory_has_two_25g_ports_a_server() -> None:
    scenario = load_scenario(shipped_scenarios()["seed-university-lab-64"], load_sources())
    assert (scenario.server.nic_port_gbps, scenario.fabric.nic_ports_per_node) == (25, (2,))


def test_sites_are_filled_equally() -> None:
    """264 GPUs are 33 nodes: not the same number at each of two sites."""
    text = shipped_scenarios()["seed-hybrid-two-sites"].read_text().replace("gpus = 256", "gpus = 264")
    with pytest.raises(ScenarioError) as caught:
        scenario_from_text(text, load_sources(), "two-sites.toml")
    assert [f.key for f in caught.value.faults] == ["growth[1].gpus"]
    assert "multiple of 16" in caught.value.faults[0].remedy
