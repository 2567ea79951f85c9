"""The objective of least cost per output, against plans of every oversubscription one by one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from planner.catalog.sources import load_sources
from planner.catalog.technologies import Technology
from planner.planning.plan import plan_technology
from planner.planning.planning_task import PlanOptions
from planner.scenario.load import load_scenario, shipped_scenarios
from planner.scenario.scenario import Objective, Scenario
from planner.study.fabric_answer import question
from planner.study.result import FabricResult
from planner.study.side_fabrics import KnownSideFabrics
from planner.study.study import plan_scenario
from tests.proof.oracle_growth import Growth, Switch, fabrics, owning_pieces_usd, trees
from tests.proof.oracle_money import Money
from tests.support.making import Box, Prices, bare_sources, one_fabric, scenario_of


def asked(ratio: Fraction) -> Scenario:
    """1,024 H800 under scalable units of 32 nodes, leaves of 32 down: any ratio up to ``ratio``."""
    scenario = load_scenario(shipped_scenarios()["seed-cloud-1024"], load_sources())
    return replace(scenario, fabric=replace(scenario.fabric, max_oversubscription=ratio))


def answer(ratio: Fraction, technology: Technology, objective: Objective) -> FabricResult:
    options = PlanOptions(technologies=(technology,), objective=objective)
    return one_fabric(plan_scenario(asked(ratio), load_sources(), options).results[0])


def levelised(result: FabricResult) -> float:
    value = result.levelised_usd_per_effective_tflops_year
    assert value is not None
    return value


@pytest.mark.parametrize("technology", ["infiniband", "roce"])
def test_no_single_ratio_is_cheaper_per_output(technology: Technology) -> None:
    """Of the plans of least cost for each number of uplinks the best is what the objective finds.

    Planned on cost alone, 4:1 would be taken whatever it does to the training.
    """
    best = answer(Fraction(4), technology, "levelised-cost")
    singly = min(levelised(answer(Fraction(32, up), technology, "tco")) for up in range(8, 33, 2))
    assert levelised(best) <= singly * (1 + 1e-9)
    solver = best.plan.solver
    assert solver.ratio == pytest.approx(levelised(best), rel=1e-9)
    assert solver.ratio_bound is not None and solver.ratio is not None
    assert solver.ratio * (1 - 1e-7) <= solver.ratio_bound <= solver.ratio
    assert best.plan.status == "optimal" and best.faults == ()


def test_the_looser_fabric_is_refused_where_the_training_needs_it() -> None:
    """Hashed flows (RoCE, ECMP) lose more on a narrow spine than its switches cost: not 4:1.

    Spread flows (InfiniBand, adaptive routing) do not, for this job's traffic is light: 4:1.
    """
    roce, infiniband = (answer(Fraction(4), t, "levelised-cost") for t in ("roce", "infiniband"))
    assert roce.plan.designs[0].wiring.oversubscription < 4
    assert infiniband.plan.designs[0].wiring.oversubscription == 4


NODES, SERVERS_USD = 12, 3000.0
BOXES = [Box("eight", 8, 100.0), Box("twelve", 12, 170.0)]


def delivered(ratio: Fraction, loss: float) -> float:
    """Made-up output of all nodes (TFLOP/s): a share is lost with each step of the oversubscription."""
    return NODES * 10.0 * float(1 - Fraction(loss) * (max(Fraction(1), ratio) - 1))


def least_ratio_of_all(loss: float, money: Money) -> float:
    """USD per discounted TFLOP/s-year of every fat-tree of one or two tiers, one by one."""
    case = Growth(
        nodes=(NODES,), models=[Switch(box.ports, box.price_usd or 0.0) for box in BOXES], money=money,
        link_price=3.0, install_price=1.0, ratio=Fraction(4), max_tiers=2,
    )  # fmt: skip
    found = fabrics(case, list(trees(case)), 0)
    usd = SERVERS_USD + found.links.sum(axis=0) * case.install_price + owning_pieces_usd(case, [found])
    down, up = found.tree["unit"] * found.tree["per_leaf"], found.tree["up"]
    ratios = [Fraction(int(d), int(u)) if u else Fraction(1) for d, u in zip(down, up, strict=True)]
    years = sum(money.worth(t + 1) for t in range(money.horizon))
    return min(float(c) / (delivered(r, loss) * years) for c, r in zip(usd, ratios, strict=True))


@pytest.mark.parametrize("loss", [0.001, 0.02, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("rate", [0.0, 0.25])
def test_the_least_ratio_is_that_of_all_fat_trees(loss: float, rate: float) -> None:
    """One build year, so that every oversubscription is tried; the output is made up."""
    money = Money(horizon=3, residual="unexpired-life", rate=rate)
    finance = {"horizon_years": 3, "residual": "unexpired-life", "life_years": 5, "discount_rate": rate}
    scenario = scenario_of(
        NODES, BOXES, Prices(link=3.0, install=1.0), finance=finance,
        fabric={"max_oversubscription": "4:1", "max_tiers": 2},
    )  # fmt: skip
    options = PlanOptions(objective="levelised-cost")
    task = question(
        scenario, bare_sources(Prices(link=3.0, install=1.0)), "roce", options, KnownSideFabrics()
    ).task
    task = replace(
        task, constant_usd=SERVERS_USD, output=lambda wiring, year: delivered(wiring.oversubscription, loss)
    )
    plan = plan_technology(task, options)
    assert plan.status == "optimal"
    assert plan.solver.ratio == pytest.approx(least_ratio_of_all(loss, money), rel=1e-7)
    assert plan.solver.ratio_bound == pytest.approx(plan.solver.ratio, rel=1e-6)
