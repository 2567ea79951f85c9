"""The plan that changes technology midway against every pair of fat-trees, one of each technology.

The enumeration shares no code with the planner (``tests.proof.oracle_growth``): wirings, needs, moves and the
cost of owning are its own; a pair is allowed where each year's switches are of that year's technology.
"""

from __future__ import annotations

import numpy as np
import pytest

from planner.catalog.technologies import TechnologyPath
from planner.decide.technology_change import path_result
from planner.planning.task import PlanOptions
from planner.study.side_fabrics import SideMemory
from tests.proof.oracle_growth import (
    Fabrics,
    Growth,
    Switch,
    crossing,
    fabrics,
    moving_usd,
    owning_pieces_usd,
    trees,
)
from tests.proof.oracle_money import Money, Piece, owning_usd
from tests.support.making import Box, Prices, bare_sources, scenario_of

PARTS = Prices(nic=10.0, module=2.0, link=1.0, install=5.0, move=7.0)
LINK_USD = PARTS.link + 2 * PARTS.module
BOXES = [
    Box("small", 4, 90.0, technologies=("roce", "infiniband")),
    Box("ether", 8, 260.0),
    Box("infini", 8, 240.0, technologies=("infiniband",)),
]
ROCE, INFINIBAND = (0, 1), (0, 2)  # positions of their switches


def of(found: Fabrics, models: tuple[int, ...]) -> Fabrics:
    """Those whose switches are all of one technology."""
    tiers = [found.tree["leaf"], found.tree["spine"]]
    return found.at(np.flatnonzero(np.all([np.isin(tier, (-1, *models)) for tier in tiers], axis=0)))


def least_of_all_pairs(nodes: tuple[int, int], rate: float, life: int) -> float:
    money = Money(starts=(0, 1), horizon=2, life=life, residual="unexpired-life", rate=rate)
    case = Growth(
        nodes=nodes, models=[Switch(box.ports, box.price_usd or 0.0) for box in BOXES], money=money,
        link_price=LINK_USD, move_price=PARTS.move, install_price=PARTS.install, max_tiers=2,
    )  # fmt: skip
    found = list(trees(case))
    steps = [of(fabrics(case, found, 0), ROCE), of(fabrics(case, found, 1), INFINIBAND)]
    assert min(len(step.units) for step in steps) > 1
    installed = steps[0].links.sum(axis=0) * PARTS.install
    owned = owning_pieces_usd(case, crossing(steps))
    nics = float(owning_usd(money, Piece(PARTS.nic), [np.array([n]) for n in nodes])[0])
    return float((installed[:, None] + moving_usd(case, 1, *steps) + owned).min()) + nics


@pytest.mark.parametrize("nodes", [(3, 5), (2, 6), (5, 7)])
@pytest.mark.parametrize("rate", [0.0, 0.3])
@pytest.mark.parametrize("life", [2, 5])
def test_no_cheaper_pair_of_designs_is_lost(nodes: tuple[int, int], rate: float, life: int) -> None:
    scenario = scenario_of(
        nodes, BOXES, PARTS, fabric={"technologies": ("roce", "infiniband"), "max_tiers": 2},
        prices={"infiniband_pricing": "book"},
        finance={"discount_rate": rate, "residual": "unexpired-life", "life_years": life},
    )  # fmt: skip
    path = TechnologyPath("roce", "infiniband", 2028)
    result = path_result(scenario, bare_sources(PARTS), path, PlanOptions(), SideMemory())
    assert result.faults == ()
    assert result.tco_usd == pytest.approx(least_of_all_pairs(nodes, rate, life), rel=1e-9)
