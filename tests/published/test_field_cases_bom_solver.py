"""Cases from the field, continued: bills of materials, solvers, throughput."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pulp
import pytest

from planner.catalog.sources import load_sources
from planner.optimize.solve import Solver, solve
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_text
from planner.study.study import plan_scenario
from tests.support.field_case import case, document
from tests.support.making import NOTHING_BESIDE, Box, one_fabric, planned, shipped_plan, toml

ROOT = Path(__file__).parents[2]


def test_f15_a_part_without_a_price_is_named_and_never_free() -> None:
    """The switch without a price is left out, dearer or not; if none is left there is no total, and a reason.

    Elsewhere the total was 0, reported as valid.
    """
    priced, unpriced = Box("priced", 4, 10.0), Box("unpriced", 4, None)
    kept = planned(4, [priced, unpriced])
    assert (kept.network_tco_usd, kept.plan.excluded) == (pytest.approx(10.0), ("unpriced: no price",))
    none = planned(4, [unpriced])
    assert (none.plan.status, none.network_tco_usd, none.tco_usd, none.bom) == ("unpriced", None, None, ())
    assert "unpriced: no price" in (none.plan.reason or "")


def test_f15_a_server_without_a_price_withholds_the_total() -> None:
    """The network is priced; the TCO is not, and the part is named."""
    sources = load_sources()
    book = sources.books["reference"]
    prices = {sku: price for sku, price in book.prices.items() if sku != "server-hgx-h100"}
    holed = replace(sources, books={"reference": replace(book, prices=prices)})
    scenario = scenario_from_text(toml(document(64)), holed, "case.toml")
    result = one_fabric(plan_scenario(scenario, holed).results[0])
    assert (result.tco_usd, result.levelised_usd_per_effective_tflops_year) == (None, None)
    assert result.missing_prices == ("server-hgx-h100: no price",)
    assert result.network_tco_usd is not None and result.network_tco_usd > 58_800


def test_f16_an_override_of_a_misspelt_sku_names_the_nearest() -> None:
    """Ignored elsewhere: the plan was priced without it."""
    text = toml(document(64, prices={"overrides": {"qm9700s": 1.0}}))
    with pytest.raises(ScenarioError, match='did you mean "qm9700"') as caught:
        scenario_from_text(text, load_sources(), "case.toml")
    assert len(caught.value.faults) == 1


def test_f17_an_infeasible_design_gives_the_reason_and_exit_1(tmp_path: Path) -> None:
    """1,024 endpoints on one 64-port switch: the limit is named. Elsewhere an empty bill of materials."""
    scenario = tmp_path / "case.toml"
    scenario.write_text(toml(document(1024, fabric={"max_tiers": 1})), encoding="utf-8")
    command = [sys.executable, "-m", "planner", "plan", str(scenario), "--json", "-"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)["technologies"][0]
    assert (done.returncode, answer["status"], answer["years"]) == (1, "infeasible", [])
    assert "1,024 endpoints" in answer["reason"] and "64" in answer["reason"]


def test_f18_lines_and_total_agree_to_the_cent() -> None:
    """Elsewhere lines of 32.55 M stood beside a total of 31.74 M."""
    result = case([512, 1024], finance={"discount_rate": 0.08})
    assert round(sum(line.npv_usd for line in result.costs), 2) == round(result.tco_usd or 0.0, 2)
    assert result.plan.solver.objective_usd == pytest.approx(result.tco_usd, rel=1e-9)


def test_f19_side_fabrics_are_counted_or_said_to_be_missing() -> None:
    """A plan elsewhere forgot 27 switches and a second manager.

    32 nodes: every section has lines, two managers a subnet (compute and storage); each switched off by its
    name has none, and the answer says which.
    """
    sources = load_sources()
    whole = {k: v for k, v in document(256).items() if k not in NOTHING_BESIDE}
    scenario = scenario_from_text(toml(whole), sources, "case.toml")
    (result,) = plan_scenario(scenario, sources).results
    assert {x.section for x in result.bom} == {"compute", "storage", "frontend", "management", "services"}
    assert sum(r.quantity for r in result.bom if r.sku == "fabric-manager-server" and r.year == 2027) == 4
    named = {"storage_fabric": "storage", "frontend_fabric": "frontend", "management": "management"}
    for key, section in named.items():
        off = scenario_from_text(toml({**whole, key: {"enabled": False}}), sources, "case.toml")
        study = plan_scenario(off, sources)
        assert section not in {line.section for line in one_fabric(study.results[0]).bom}
        assert any(note.startswith("Switched off") and section in note for note in study.notes)


def test_f24_the_bundled_cbc_calls_a_feasible_programme_infeasible() -> None:
    """Optimal with value 0, whichever solver is asked first: infeasible is believed only if both say so."""
    for solver in ("highs", "cbc"):
        programme = pulp.LpProblem("f24", pulp.LpMinimize)
        x0, x1, x2, c0, c1 = [_binary(programme, name) for name in ("x_0", "x_1", "x_2", "c_0", "c_1")]
        programme.setObjective(c0 + c1)
        for rule in (
            x0 + c1 == 1, x0 + c0 >= 1, x1 + c1 <= 1, c0 + c1 <= 1, x2 == 1,
            9000 * x1 + 7200 * x2 + 10800 * c1 >= 16200,
        ):  # fmt: skip
            programme.addConstraint(rule)
        outcome = solve(programme, solver)
        assert (outcome.status, outcome.objective) == ("optimal", pytest.approx(0.0))
        assert [round(v.value()) for v in (x0, x1, x2, c0, c1)] == [1, 1, 1, 0, 0]


def _binary(programme: pulp.LpProblem, name: str) -> pulp.LpVariable:
    return programme.add_variable(name, cat="Binary")


def hard_knapsack() -> tuple[pulp.LpProblem, list[list[int]], list[pulp.LpVariable]]:
    """20 knapsacks over 150 things of random weight: far from proven within a second."""
    random = Random(7)
    things, sacks = 150, 20
    programme = pulp.LpProblem("knapsack", pulp.LpMinimize)
    take = [_binary(programme, f"take_{i}") for i in range(things)]
    weights = [[random.randint(10, 1000) for _ in range(things)] for _ in range(sacks)]
    worth = [sum(w[i] for w in weights) // sacks + random.randint(1, 500) for i in range(things)]
    programme.setObjective(pulp.lpSum(-v * x for v, x in zip(worth, take, strict=True)) + 1_000_000)
    for k, row in enumerate(weights):
        load = pulp.lpSum(w * x for w, x in zip(row, take, strict=True))
        programme.addConstraint(load <= sum(row) // 2, f"sack_{k}")
    return programme, weights, take


@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_f25_a_time_limit_with_a_point_is_feasible_with_its_true_gap(solver: Solver) -> None:
    """PuLP itself says "Optimal" here. Objective and bound include the constant of 1,000,000."""
    programme, weights, take = hard_knapsack()
    outcome = solve(programme, solver, time_limit_s=1.0)
    assert outcome.status == "feasible"
    assert outcome.objective is not None and outcome.bound is not None and outcome.gap is not None
    taken = [round(x.value()) for x in take]
    assert all(sum(w * t for w, t in zip(row, taken, strict=True)) <= sum(row) // 2 for row in weights)
    assert outcome.objective == pytest.approx(programme.objective.value())
    assert outcome.bound < outcome.objective < 1_000_000
    assert outcome.gap == pytest.approx((outcome.objective - outcome.bound) / abs(outcome.objective))
    assert 1e-7 < outcome.gap < 0.5


def test_f30_nvlink_domains_of_4_and_of_72() -> None:
    """144 GPUs are 36 compute trays of 4 in 2 racks of 72, and 36 servers of 4; 8 a node would make 18.

    A tensor split over 8 GPUs stays within a rack's NVLink and leaves that of a 4-GPU server.
    """
    job = {"model": "llama3-70b", "tensor_parallel": 8, "pipeline_parallel": 1, "global_batch_sequences": 144}
    own = {"server": "hgx-h100", "gpus_per_node": 4, "nic_ports_per_node": 4}
    rack = case(144, "gb200-nvl72", workload=job)
    small = shipped_plan({**document(144, workload=job), "cluster": own})
    designs = [r.plan.designs[0] for r in (rack, small)]
    assert [(d.nodes, d.size.endpoints) for d in designs] == [(36, 144)] * 2
    leaves_nvlink = [
        any("exceeds the NVLink domain of 4 GPUs" in w for w in r.plan.warnings) for r in (rack, small)
    ]
    assert leaves_nvlink == [False, True]
    servers = [x.amount_usd for x in rack.costs if x.kind == "servers" and x.flow == "capex"]
    price = load_sources().books["reference"].prices["server-gb200-nvl72"].mid_usd
    assert servers == [pytest.approx(2 * price)]
