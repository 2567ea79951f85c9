"""States of operation: what each leaves of the rate, and what it costs a year."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from planner.report.running_words import operations_document, operations_words
from planner.scenario.scenario import Operations, RoceTuning
from planner.study.notes import notes
from planner.throughput.cluster import FabricView
from planner.throughput.fabric_path import fabric_path, roce_flows, roce_rate_ratio
from planner.throughput.operating_states import OperationsCost, Rated, state_costs
from planner.throughput.result import Estimate
from pricing.provenance import Grade
from tests.support.making import Box, scenario_of, shipped_plan
from tests.throughput.cases import (
    CONSTANTS,
)

ROCE = FabricView("roce", 400, 8, 2, 1.0, 1.0, 32)
INFINIBAND = replace(ROCE, technology="infiniband")
GROWN = {
    "schema": 1, "name": "by hand", "base_year": 2027, "cluster": {"server": "dgx-h100"},
    "growth": [{"year": 2027, "gpus": 512}], "fabric": {"technologies": ["roce"], "switches": ["sn5600"]},
    "workload": {"model": "gpt3-175b", "tensor_parallel": 8, "pipeline_parallel": 8},
}  # fmt: skip


def costs(year: int, gpus: int, operations: Operations, fabric: FabricView, rated: Rated) -> OperationsCost:
    nodes = gpus // 8
    return state_costs(
        year=year,
        gpus=gpus,
        nodes=nodes,
        fabric=fabric,
        operations=operations,
        rated=rated,
        constants=CONSTANTS,
    )


def job(effective_tflops: float) -> Estimate:
    return Estimate(1000, 1000, 8, 1, 125, 1000, 1.0, 0.4, 0.9, effective_tflops, {})


@pytest.mark.parametrize(
    ("state", "rate", "flows"),
    [("tuned", 1.0, 16.0), ("default", 1.0, 4.0), ("off-tune", 0.95, 16.0), ("wrong-class", 0.2, 16.0)],
)
def test_a_state_of_tuning_acts_on_roce_alone(state: RoceTuning, rate: float, flows: float) -> None:
    run = Operations(roce_tuning=state)
    assert (roce_rate_ratio(run, CONSTANTS), roce_flows(run, CONSTANTS)) == (rate, flows)
    for technology in ("infiniband", "spectrum-x", "ethernet"):
        other = replace(ROCE, technology=technology)
        plain = fabric_path(other, 16, Operations(), CONSTANTS)
        assert fabric_path(other, 16, run, CONSTANTS) == plain
    tuned = fabric_path(ROCE, 16, Operations(), CONSTANTS).bytes_per_s
    assert fabric_path(ROCE, 16, run, CONSTANTS).bytes_per_s == pytest.approx(rate * tuned)


def test_the_grades_say_what_is_guessed() -> None:
    table = CONSTANTS.rows
    assert table["roce.wrong_class_ratio"].source.grade is Grade.GUESS
    assert table["roce.off_tune_ratio"].source.grade is Grade.DERIVED
    assert (table["roce.wrong_class_ratio"].low, table["roce.wrong_class_ratio"].high) == (0.02, 0.5)


def test_states_of_roce_in_gpu_hours_and_money() -> None:
    left = {"tuned": 1000.0, "default": 990.0, "off-tune": 950.0, "wrong-class": 200.0}

    def rated(technology: str, run: Operations) -> Estimate:
        return job(400.0 if technology == "ethernet" else left[run.roce_tuning])

    asked = Operations(roce_tuning="off-tune", gpu_hour_usd=2.0)
    cost = costs(2029, 1000, asked, ROCE, rated)
    assert [state.setting for state in cost.states] == [
        *(f"roce_tuning = {t}" for t in get_args(RoceTuning)),
        "TCP",
    ]
    assert [state.lost_ratio for state in cost.states] == pytest.approx([0.0, 0.01, 0.05, 0.8, 0.6])
    off_tune = cost.states[2]
    assert off_tune.gpu_hours_per_year == pytest.approx(0.05 * 1000 * 8760)
    assert off_tune.usd_per_year == pytest.approx(0.05 * 1000 * 8760 * 2)
    assert [state.current for state in cost.states] == [False, False, True, False, False]
    assert (cost.engineers_fte, cost.engineers_usd_per_year) == (0.5, 126_000.0)
    words = operations_words(cost)
    assert words[2] == (
        "  roce_tuning = off-tune, as in this scenario: 5.0% of the throughput, 438,000 GPU-hours, $876k "
        "(derived; PFC or ECN threshold off)"
    )
    assert words[-1].endswith("0.5 (guess), $126k a year")
    document = operations_document(cost)
    assert document is not None
    assert document["engineers"] == {"fte": 0.5, "usd_per_year": 126_000.0}
    assert document["states"][3]["grade"] == "guess"


def test_states_of_infiniband_take_no_engineers() -> None:
    def rated(_: str, run: Operations) -> Estimate:
        return job(1000.0 if run.adaptive_routing else 930.0)

    cost = costs(2027, 1024, Operations(), INFINIBAND, rated)
    assert [state.setting for state in cost.states] == ["adaptive_routing = true", "adaptive_routing = false"]
    assert cost.states[1].lost_ratio == pytest.approx(0.07)
    assert cost.states[1].note == "13.3 link faults a year, 15 s each"
    assert cost.engineers_fte == 0.0
    assert len(operations_words(cost)) == 2


def test_tcp_is_compared_with_tuned_roce() -> None:
    def rated(technology: str, _: Operations) -> Estimate:
        return job(500.0 if technology == "ethernet" else 1000.0)

    fabric = replace(ROCE, technology="ethernet")
    cost = costs(2027, 1024, Operations(), fabric, rated)
    assert [(s.setting, s.current, s.lost_ratio) for s in cost.states] == [
        ("roce_tuning = tuned", False, 0.0),
        ("TCP", True, 0.5),
    ]


def test_a_plan_shows_what_each_state_costs() -> None:
    result = shipped_plan(GROWN)
    cost = result.operations
    assert cost is not None
    assert cost.states[0].effective_tflops == pytest.approx(result.estimates[0].effective_tflops)
    lost = {state.setting: state.lost_ratio for state in cost.states}
    assert 0.0 < lost["roce_tuning = off-tune"] < 0.05 < lost["roce_tuning = wrong-class"] < 1.0
    worse = shipped_plan({**GROWN, "operations": {"roce_tuning": "wrong-class"}})
    assert worse.estimates[0].effective_tflops == pytest.approx(cost.states[3].effective_tflops)
    assert worse.operations is not None
    assert [state.current for state in worse.operations.states] == [False, False, False, True, False]


def test_memory_without_pools_is_a_note_and_no_term() -> None:
    boxes = [Box("sw", 8, 1.0)]
    pooled, unpooled = (scenario_of(2, boxes, operations={"memory_pools": p}) for p in (True, False))
    said = [note for note in notes(unpooled, ()) if "registered at each message" in note]
    assert len(said) == 1
    assert not any("registered at each message" in note for note in notes(pooled, ()))
