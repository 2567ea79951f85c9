"""The plan without looking ahead, by hand: what it takes, what it costs, what looking ahead is worth.

Prices in USD, rate 0 and nothing resold unless said; two years, the growth comes in the second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from planner.candidates.enumeration import candidates
from planner.decide.follow_ups import foresight_of
from planner.fabric.design import Plan
from planner.planning import myopic as myopic_pool
from planner.planning.foresight import Foresight
from planner.planning.planning_task import PlanOptions
from planner.study.result import FabricResult
from planner.study.study import plan_scenario
from tests.proof.oracle_growth import Growth, Switch, cheapest_growth, fabrics, moving_usd, trees
from tests.proof.oracle_money import Money
from tests.support.making import Box, Prices, bare_sources, scenario_of

SMALL, LARGE = Box("small", 4, 10.0), Box("large", 16, 100.0)
EIGHT = Box("eight", 8, 100.0)
FREE_PARTS, MOVES = Prices(), Prices(move=50.0)
FOUR = {"nodes_per_scalable_unit": 4}


@dataclass(frozen=True)
class Answered:
    """A plan, and what looking ahead was worth to it."""

    plan: Plan
    network_tco_usd: float | None
    foresight: Foresight | None


def looked(nodes: list[int], boxes: list[Box], parts: Prices = FREE_PARTS, **asked: Any) -> Answered:
    options = PlanOptions(objective=asked.pop("objective", "tco"))
    sources = bare_sources(parts)
    study = plan_scenario(scenario_of(nodes, boxes, parts, **asked), sources, options)
    (result,) = study.results
    assert isinstance(result, FabricResult) and result.faults == ()
    return Answered(result.plan, result.network_tco_usd, foresight_of(result, study, sources, options))


def of(found: Answered) -> Foresight:
    assert found.foresight is not None and found.foresight.faults == ()
    return found.foresight


def leaves(found: Foresight) -> list[str]:
    return [d.wiring.leaf for d in found.designs]


def test_a_day_one_fabric_that_is_thrown_away() -> None:
    """4, then 16 nodes. Looking ahead: the large switch at once, 100. Without: 10, then 100: 110."""
    result = looked([4, 16], [SMALL, LARGE])
    found = of(result)
    assert leaves(found) == ["small", "large"]
    assert result.network_tco_usd == pytest.approx(100.0)
    assert (found.myopic_tco_usd, found.value_usd) == (pytest.approx(110.0), pytest.approx(10.0))


def test_a_day_one_fabric_that_is_rebuilt_moves_links() -> None:
    """8, then 16 nodes on 8-port switches. Looking ahead: 2 leaves and 2 spines, then 2 leaves more: 600,
    nothing moves. Without: one switch, 100; it becomes a leaf of 4, five more, 4 node links move: 800.

    Left out the moves, foresight would be worth nothing.
    """
    result = looked([8, 16], [EIGHT], MOVES)
    found = of(result)
    assert [d.wiring.tiers for d in result.plan.designs] == [2, 2]
    assert [d.wiring.tiers for d in found.designs] == [1, 2]
    assert [d.change.recabled_links for d in found.designs] == [0, 4]
    assert result.network_tco_usd == pytest.approx(600.0)
    assert (found.myopic_tco_usd, found.value_usd) == (pytest.approx(800.0), pytest.approx(200.0))


def test_foresight_is_worth_nothing_where_the_first_fabric_sells_again() -> None:
    """Unexpired life of 5 years comes back: small 10 - 8, large 100 - 80. Both plans: 22, exactly alike."""
    result = looked([4, 16], [SMALL, LARGE], finance={"residual": "unexpired-life", "life_years": 5})
    found = of(result)
    assert leaves(found) == ["small", "large"]
    assert (found.myopic_tco_usd, found.value_usd) == (pytest.approx(22.0), 0.0)


def test_a_tie_goes_to_what_turns_out_cheaper() -> None:
    """Both switches cost 100: the large one will do for ever. The other way round it would be 200."""
    found = of(looked([4, 16], [Box("small", 4, 100.0), LARGE]))
    assert leaves(found) == ["large", "large"]
    assert (found.myopic_tco_usd, found.value_usd) == (pytest.approx(100.0), 0.0)


def test_what_is_owned_serves_on() -> None:
    """12, then 16 nodes; a switch of 16 ports for 150 comes with the growth. Five of the six small ones are
    there: one more, 600. As if nothing were there the new switch would win, for 650."""
    boxes = [EIGHT, Box("sixteen", 16, 150.0)]
    limits = {"available_from": {"sixteen": 2028}}
    found = of(looked([12, 16], boxes, fabric=FOUR, constraints=limits))
    assert leaves(found) == ["eight", "eight"]
    assert (found.myopic_tco_usd, found.value_usd) == (pytest.approx(600.0), 0.0)


def test_what_is_owned_is_sold_where_that_pays() -> None:
    """The same, but unexpired life of 5 years comes back: five small ones for a year 100, then 150 - 120.

    Kept, they would cost 5 x 40 and 20 for the sixth: 220.
    """
    boxes = [EIGHT, Box("sixteen", 16, 150.0)]
    money = {"residual": "unexpired-life", "life_years": 5}
    limits = {"available_from": {"sixteen": 2028}}
    found = of(looked([12, 16], boxes, fabric=FOUR, finance=money, constraints=limits))
    assert leaves(found) == ["eight", "sixteen"]
    assert (found.myopic_tco_usd, found.value_usd) == (pytest.approx(130.0), 0.0)


def test_the_belief_reaches_to_the_end_of_the_horizon() -> None:
    """Running cost counts for all years that he thinks the fabric will stay: 1 kW at 1 USD/kWh is 8,760 a
    year. Small draws 1 kW, large nothing, for 10,000 more: over three years large wins at once; over the
    one year up to the growth it would not."""
    boxes = [Box("small", 4, 10.0, power_w=1000.0), Box("large", 16, 10_010.0)]
    money = {"electricity_usd_per_kwh": 1.0, "pue": 1.0, "horizon_years": 3}
    found = of(looked([4, 16], boxes, finance=money))
    assert leaves(found) == ["large"] * 3
    assert (found.myopic_tco_usd, found.value_usd) == (pytest.approx(10_010.0), 0.0)


def test_a_limit_on_money_may_leave_no_plan_without_looking_ahead() -> None:
    """450 a year. Looking ahead: 400, then 200. Without: 100, then 500 for switches and 200 for moves."""
    result = looked([8, 16], [EIGHT], MOVES, constraints={"capex_usd_per_year": 450.0})
    found = of(result)
    assert result.network_tco_usd == pytest.approx(600.0)
    assert (found.myopic_tco_usd, found.value_usd) == (None, None)
    assert found.reason == "without looking ahead there is no plan in 2028"


def test_pieces_that_are_there_serve_both_planners() -> None:
    """A large switch lies there: both use it from the start and buy nothing."""
    there = [{"sku": "large", "quantity": 1, "bought_year": 2026}]
    found = of(looked([4, 16], [SMALL, LARGE], installed=there))
    assert leaves(found) == ["large", "large"]
    assert (found.myopic_tco_usd, found.value_usd) == (pytest.approx(0.0), 0.0)


def test_one_build_year_leaves_nothing_to_foresee() -> None:
    found = of(looked([16], [SMALL, LARGE, EIGHT]))
    assert found.value_usd == 0.0


def test_under_another_objective_there_is_no_such_figure() -> None:
    """The least cost for output is no least cost: a difference would mean nothing."""
    assert looked([4, 16], [SMALL, LARGE], objective="levelised-cost").foresight is None


CASES = [
    ([5, 9, 18], [SMALL, EIGHT, Box("twelve", 12, 130.0)]),
    ([3, 12, 20], [Box("six", 6, 40.0), Box("ten", 10, 75.0)]),
]


@pytest.mark.parametrize(("nodes", "boxes"), CASES)
@pytest.mark.parametrize("residual", ["none", "unexpired-life"])
def test_what_is_passed_over_could_not_be_his_choice(
    nodes: list[int], boxes: list[Box], residual: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same cost where every fat-tree of every year is looked at."""
    asked = {"finance": {"residual": residual, "horizon_years": 4, "discount_rate": 0.05}}
    parts = Prices(link=1.0, install=2.0, move=9.0)
    few = of(looked(nodes, boxes, parts, **asked))
    monkeypatch.setattr(
        myopic_pool,
        "candidates",
        lambda space, sets, builds: candidates(
            replace(space, cutoff_usd={}, keep_dominated=True), sets, builds
        ),
    )
    every = of(looked(nodes, boxes, parts, **asked))
    assert few.myopic_tco_usd == pytest.approx(every.myopic_tco_usd or 0.0, abs=0.01)
    assert (few.value_usd or 0.0) >= 0.0


def least_without_foresight(case: Growth) -> float:
    """The cheapest of the ways that the planner may go, over every fat-tree. Rate 0, nothing resold, long
    lives: what is owned stays, and what is believed and what it costs in the end are the same sums."""
    found, price = list(trees(case)), [*(m.price for m in case.models), case.link_price]
    first, second = (fabrics(case, found, step) for step in range(2))
    started = first.links.sum(axis=0) * case.install_price
    started = started + sum(n * usd for n, usd in zip(first.need, price, strict=True))
    ends = []
    for a in np.flatnonzero(started <= started.min() + 0.01):
        here = first.at(np.array([a]))
        more = [np.maximum(0, new - old) for new, old in zip(second.need, here.need, strict=True)]
        grown = moving_usd(case, 1, here, second)[0]
        grown = grown + sum(n * usd for n, usd in zip(more, price, strict=True))
        ends.append(float(started[a] + grown.min()))
    return min(ends)


@pytest.mark.parametrize("nodes", [(3, 12), (5, 9), (8, 16), (4, 20)])
@pytest.mark.parametrize("move_usd", [0.0, 3.0, 50.0])
def test_the_plan_without_foresight_is_the_cheapest_of_all_fat_trees(
    nodes: tuple[int, int], move_usd: float
) -> None:
    """Against an enumeration that shares no code; and foresight is worth what the oracle of growth says."""
    boxes = [Box("six", 6, 41.0), Box("eight", 8, 67.0), Box("sixteen", 16, 211.0)]
    case = Growth(
        nodes=nodes, models=[Switch(b.ports, b.price_usd or 0.0) for b in boxes],
        money=Money(starts=(0, 1), horizon=2), link_price=1.0, install_price=2.0, move_price=move_usd,
        max_tiers=2,
    )  # fmt: skip
    parts = Prices(link=1.0, install=2.0, move=move_usd)
    found = of(looked(list(nodes), boxes, parts, fabric={"max_tiers": 2}))
    least = least_without_foresight(case)
    assert found.myopic_tco_usd == pytest.approx(least, abs=0.02)
    assert found.value_usd == pytest.approx(least - cheapest_growth(case), abs=0.02)
