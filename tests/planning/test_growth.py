"""What growth buys, keeps, moves and sells, worked out by hand. Prices in USD, rate 0 unless said."""

from __future__ import annotations

from typing import Any

import pytest

from planner.optimize.solve import Outcome
from planner.planning import least_cost
from planner.study.result import FabricResult
from tests.support.making import Box, Prices, counts, planned

EIGHT = Box("eight", 8, 100.0)
TWELVE = Box("twelve", 12, 100.0)


def third_leaf(**money: Any) -> FabricResult:
    """12, then 16 nodes in units of 4 on 8-port switches: 3 leaves and 2 spines, then a fourth leaf."""
    money = {"horizon_years": 2, **money}
    prices = {"erosion_per_year": {"switch": money.pop("erosion", 0.0)}}
    fabric = {"nodes_per_scalable_unit": 4}
    return planned([12, 16], [EIGHT], fabric=fabric, finance=money, prices=prices)


def bought(result: FabricResult, sku: str) -> list[int]:
    return [d.change.bought.get(sku, 0) for d in result.plan.designs]


def test_the_fourth_leaf_is_bought_when_it_is_needed() -> None:
    """Prices fall 10 % a year: 5 x 100, then 1 x 90 = 590. All at the start costs 600."""
    result = third_leaf(erosion=0.1)
    assert [counts(result, t) for t in (0, 1)] == [(2, 3, 2, 0), (2, 4, 2, 0)]
    assert (bought(result, "eight"), result.network_tco_usd) == ([5, 1], pytest.approx(590.0))


def test_a_switch_is_bought_early_where_its_price_rises() -> None:
    """Prices rise 10 % a year: 6 x 100 = 600 at the start. Bought as needed it would be 610."""
    result = third_leaf(erosion=-0.1)
    assert (bought(result, "eight"), result.network_tco_usd) == ([6, 0], pytest.approx(600.0))


def test_later_capex_is_discounted_from_the_start_of_its_year() -> None:
    """Rate 0.25: 500 + 100 / 1.25 = 580. Discounted to the year's end it would be 500 / 1.25 + 64 = 464."""
    result = third_leaf(discount_rate=0.25)
    assert (bought(result, "eight"), result.network_tco_usd) == ([5, 1], pytest.approx(580.0))


def test_an_asset_carried_over_is_paid_once() -> None:
    """Five years of the same switches: 600 in all. Paid again in each period it would be 2,900."""
    result = third_leaf(horizon_years=5)
    assert (bought(result, "eight"), result.network_tco_usd) == ([5, 1, 0, 0, 0], pytest.approx(600.0))


def test_what_is_no_longer_used_is_sold() -> None:
    """4 nodes on a switch of 10, then 16 on one of 100; life 5, two years, unexpired life comes back.

    10 - 8 for the first (held one year), 100 - 80 for the second: 22. Without the sale 30.
    """
    boxes = [Box("small", 4, 10.0), Box("large", 16, 100.0)]
    result = planned([4, 16], boxes, finance={"residual": "unexpired-life", "life_years": 5})
    assert [d.wiring.leaf for d in result.plan.designs] == ["small", "large"]
    assert result.plan.designs[1].change.retired == {"small": 1}
    assert result.network_tco_usd == pytest.approx(22.0)


def test_without_resale_the_large_switch_is_worth_buying_at_once() -> None:
    """Residual none: 100 from the start, against 10 + 100."""
    boxes = [Box("small", 4, 10.0), Box("large", 16, 100.0)]
    result = planned([4, 16], boxes)
    assert [d.wiring.leaf for d in result.plan.designs] == ["large", "large"]
    assert result.network_tco_usd == pytest.approx(100.0)


@pytest.mark.parametrize(("residual", "total_usd"), [("none", 20.0), ("unexpired-life", 15.0)])
def test_a_life_shorter_than_the_horizon_is_bought_again(residual: str, total_usd: float) -> None:
    """Life 2, three years: bought twice, 20; half of the second comes back: 15. Once is 10."""
    money = {"life_years": 2, "horizon_years": 3, "residual": residual}
    result = planned(4, [Box("four", 4, 10.0)], finance=money)
    assert bought(result, "four") == [1, 0, 1]
    assert result.network_tco_usd == pytest.approx(total_usd)


def doubled(move_usd: float, **asked: Any) -> FabricResult:
    """24, then 48 nodes in units of 8 at 2:1 on 12-port switches whose price falls 10 % a year.

    3 leaves of 8 + 4 fill one spine (m = 4); 6 leaves need two (m = 2). Per leaf 2 of 4 links then end at
    the new spine: 6 of 12 links move, unless two spines are there from the start.
    """
    fabric = {"nodes_per_scalable_unit": 8, "max_oversubscription": "2:1"}
    return planned(
        [24, 48], [TWELVE], Prices(move=move_usd), fabric=fabric,
        prices={"erosion_per_year": {"switch": asked.pop("erosion", 0.1)}}, **asked,
    )  # fmt: skip


def test_a_doubled_spine_count_moves_half_of_the_links_and_pays_for_it() -> None:
    """A move at 1: 4 x 100 + 4 x 90 + 6 = 766; two spines at once cost 770. Moves uncounted: 760."""
    result = doubled(1.0)
    assert [counts(result, t)[2] for t in (0, 1)] == [1, 2]
    assert result.plan.designs[1].change.recabled_by_tier == (0, 6, 0)
    assert result.network_tco_usd == pytest.approx(766.0)
    services = [line for line in result.bom if line.sku == "svc-recable-link"]
    assert [(line.year, line.quantity, line.extended_price_usd) for line in services] == [(2028, 6, 6.0)]


def test_dear_moves_buy_the_second_spine_at_once() -> None:
    """A move at 2 makes the late spine 772: two spines from the start, 770, and nothing moves."""
    result = doubled(2.0)
    assert [counts(result, t)[2] for t in (0, 1)] == [2, 2]
    assert [d.change.recabled_links for d in result.plan.designs] == [0, 0]
    assert result.network_tco_usd == pytest.approx(770.0)


def test_the_downtime_of_moved_links_is_opex() -> None:
    """Prices halve: 4 x 100 + 4 x 50 = 600, and 6 of 12 links idle 12 of 24 GPUs for 2 h at 1: 624.

    Two spines at once cost 650. At 5 h the downtime (60) turns the choice.
    """
    short, long = (
        doubled(0.0, erosion=0.5, operations={"recabling_downtime_hours": h, "gpu_hour_usd": 1.0})
        for h in (2.0, 5.0)
    )
    assert short.network_tco_usd == pytest.approx(624.0)
    assert [(x.year, x.amount_usd) for x in short.costs if x.kind == "downtime"] == [(2028, 24.0)]
    assert (counts(long)[2], long.network_tco_usd) == (2, pytest.approx(650.0))


def test_every_link_is_installed_once() -> None:
    """Installing at 1: 24 + 12 links, then 36 more, and 8 switches of 100."""
    fabric = {"nodes_per_scalable_unit": 8, "max_oversubscription": "2:1"}
    result = planned([24, 48], [TWELVE], Prices(install=1.0), fabric=fabric)
    assert [d.change.installed_links for d in result.plan.designs] == [36, 36]
    assert result.network_tco_usd == pytest.approx(800.0 + 72.0)


def test_a_year_between_the_steps_changes_nothing() -> None:
    """Steps in 2027 and 2029: in 2028 nothing is bought, moved or sold, and all three years are answered."""
    result = planned([12, 16], [EIGHT], years=[2027, 2029], fabric={"nodes_per_scalable_unit": 4})
    assert [(d.year, d.nodes) for d in result.plan.designs] == [(2027, 12), (2028, 12), (2029, 16)]
    assert bought(result, "eight") == [5, 0, 1]
    assert result.plan.designs[1].change.bought == {} and result.plan.designs[1].change.recabled_links == 0


def test_a_solver_that_gave_up_is_no_proof_that_the_limit_is_impossible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a point within the limit the answer is that the solver stopped, not that the money can't do."""
    gave_up = Outcome("HiGHS", "none", None, None, None, 1.0, 0)
    monkeypatch.setattr(least_cost, "solve", lambda *_: gave_up)
    result = planned([4], [Box("four", 4, 10.0)], constraints={"capex_usd_per_year": 15.0})
    assert (result.plan.status, result.plan.solver.status) == ("none", "none")
    assert result.plan.reason is not None
    assert result.plan.reason.startswith("the solver stopped without a plan within capex_usd_per_year")
