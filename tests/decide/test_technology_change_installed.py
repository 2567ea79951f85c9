"""Changes of technology over a cluster that is there already, solved by hand (see ``test_paths``)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.decide.technology_change import PathResult, planned_paths
from planner.planning.planning_task import PlanOptions
from planner.scenario.load import scenario_from_text
from planner.study.study import plan_scenario
from pricing.infiniband_rule import Counterpart
from tests.support.making import Box, Prices, bare_sources, scenario_text

PARTS = Prices(nic=10.0, module=2.0, link=1.0, install=5.0, move=7.0)
BOXES = [Box("ether", 8, 100.0), Box("infini", 8, 1000.0, technologies=("infiniband",))]


def path_with(quantity: int, bought_year: int = 2026) -> PathResult:
    """Two nodes, then four; RoCE, then InfiniBand at three times the price of a NIC, over NICs there."""
    plain = bare_sources(PARTS)
    ruled = replace(plain, counterparts={"nic-100": Counterpart("nic-100", "nic-100", "nic")})
    text = scenario_text(
        (2, 4),
        BOXES,
        fabric={"technologies": ("roce", "infiniband")},
        prices={"infiniband_price_ratio": 3.0},
        installed=[{"sku": "nic-100", "quantity": quantity, "bought_year": bought_year}],
    )
    scenario = scenario_from_text(text, ruled, "by-hand.toml")
    (row,) = planned_paths(plan_scenario(scenario, ruled), ruled, PlanOptions())
    assert row.result.faults == ()
    return row


@pytest.mark.parametrize(
    ("quantity", "bought_year", "bought", "usd"),
    [
        (4, 2026, (0, 0), 1154.0),
        (3, 2026, (0, 1), 1184.0),
        (2, 2026, (0, 2), 1214.0),
    ],
)
def test_nics_that_are_there_serve_beyond_the_change(
    quantity: int, bought_year: int, bought: tuple[int, int], usd: float
) -> None:
    """Without NICs a link is 10: 100 + 20 for RoCE, then 1,000 + 20 + two moves of 7 = 1,154.

    NICs that were there before serve InfiniBand too; only what they don't cover is bought, at 30. Were they
    counted for the years before the change alone, two would be bought beside four: 1,214 instead of 1,154.
    """
    result = path_with(quantity, bought_year).result
    changes = [design.change.bought.get("nic-100", 0) for design in result.plan.designs]
    assert tuple(changes) == bought
    assert result.network_tco_usd == pytest.approx(usd)
    assert result.plan.solver.objective_usd == pytest.approx(result.tco_usd, rel=1e-9)
