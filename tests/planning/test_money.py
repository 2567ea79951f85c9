"""Finance by hand: residuals, lives, one timing convention, and lines that add up."""

from __future__ import annotations

import pytest

from planner.cost.cheapest_holdings import Holdings, Purchase, cheapest_holdings
from planner.cost.finance import UnitCost, capex_factor, discount_factor, opex_factor, residual_usd
from planner.scenario.scenario import ResidualRule
from tests.support.making import Box, Prices, planned


def unit(
    prices: list[float],
    life: int = 5,
    rule: ResidualRule = "unexpired-life",
    rate: float = 0.0,
    resale: float = 0.25,
) -> UnitCost:
    """A piece with one price a year and one for the end of the horizon, no opex."""
    return UnitCost("x", tuple(prices), (0.0,) * (len(prices) - 1), life, rate, rule, resale)


def test_a_late_purchase_costs_what_it_uses_up() -> None:
    """100 bought at the start of the 4th of 5 years, life 5, rate 0: residual 60, net 40, not 100."""
    assert unit([100.0] * 6).holding_usd(3, 5) == pytest.approx(40.0)


def test_a_life_longer_than_the_horizon_leaves_its_rest() -> None:
    """Life 7, five years: 2 / 7 of 100 come back. A life cut to the horizon would leave nothing."""
    assert unit([100.0] * 6, life=7).holding_usd(0, 5) == pytest.approx(100.0 * 5 / 7)


def test_a_life_of_one_year_is_bought_every_year() -> None:
    """Five years of one piece cost 500; holding it two years is refused."""
    yearly = unit([100.0] * 6, life=1)
    found = cheapest_holdings(yearly, [1] * 5)
    assert found == Holdings(500.0, tuple(Purchase(t, t + 1, 1) for t in range(5)))
    with pytest.raises(ValueError, match="cannot be held from year 0 to 2"):
        yearly.holding_usd(0, 2)


def test_a_residual_is_at_most_the_replacement_price() -> None:
    """80 of 100 are unexpired after a year, but a new one costs 20 by then: 20 come back."""
    assert unit([100.0, 20.0]).holding_usd(0, 1) == pytest.approx(80.0)
    assert residual_usd(100.0, 1, 5, 90.0, "unexpired-life", 0.25) == pytest.approx(80.0)


def test_the_market_pays_a_share_of_the_replacement_price() -> None:
    """A year old, new at 90, four fifths of life left: 0.25 x 90 x 0.8 = 18. Unexpired life would say 80."""
    assert unit([100.0, 90.0], rule="market").holding_usd(0, 1) == pytest.approx(100.0 - 18.0)


def test_residual_none_leaves_nothing() -> None:
    assert unit([100.0, 90.0], rule="none").holding_usd(0, 1) == pytest.approx(100.0)


def test_a_residual_is_discounted_from_the_year_of_the_sale() -> None:
    """Rate 0.25: 100 - 80 / 1.25 = 36. Undiscounted it would be 20."""
    assert unit([100.0] * 6, rate=0.25).holding_usd(0, 1) == pytest.approx(36.0)


def test_a_piece_is_sold_in_a_gap_only_if_that_pays() -> None:
    """Needed in the first and third of three years. Residual none: held through, 100 against 200.

    At 50 from the third year on and unexpired life: 100 - 50 (capped) - then 50 - 40: 60 sold and bought
    again, 100 - 40 = 60 held: a tie, and the longer holding wins.
    """
    kept = cheapest_holdings(unit([100.0] * 4, rule="none"), [1, 0, 1])
    assert kept == Holdings(100.0, (Purchase(0, 3, 1),))
    tie = cheapest_holdings(unit([100.0, 50.0, 50.0, 50.0]), [1, 0, 1])
    assert tie == Holdings(60.0, (Purchase(0, 3, 1),))


def test_only_the_growth_of_a_need_is_bought() -> None:
    """1, 3, 2 pieces at 10, residual none: 3 bought, 30, not 60."""
    held = cheapest_holdings(unit([10.0] * 4, rule="none"), [1, 3, 2])
    rows = held.bought
    assert held.cost_usd == pytest.approx(30.0)
    assert sum(q for a, _, q in rows if a == 0) == 1 and sum(q for _, _, q in rows) == 3


def test_opex_is_discounted_from_the_end_of_its_year() -> None:
    """Rate 0.25: 100 a year for two years is 80 + 64 at year ends, 100 + 80 at their starts."""
    assert sum(100.0 * opex_factor(0.25, t) for t in (0, 1)) == pytest.approx(144.0)
    assert sum(100.0 * capex_factor(0.25, t) for t in (0, 1)) == pytest.approx(180.0)
    assert discount_factor(0.25, 2) == pytest.approx(0.64)


def test_a_switch_over_two_years_by_hand() -> None:
    """100 at once; support 10 and 1 kW x 8,760 h x 1.5 x 0.01 USD = 131.4 a year; 60 back at the end.

    Rate 0.25: 100 + 141.4 x (0.8 + 0.64) - 60 x 0.64 = 265.216.
    """
    money = {
        "discount_rate": 0.25, "support_ratio_per_year": 0.1, "electricity_usd_per_kwh": 0.01, "pue": 1.5,
        "residual": "unexpired-life", "life_years": 5, "horizon_years": 2,
    }  # fmt: skip
    result = planned(4, [Box("four", 4, 100.0, power_w=1000.0)], finance=money)
    assert result.network_tco_usd == pytest.approx(265.216, abs=1e-9)
    assert result.years[1].opex_usd == pytest.approx(141.4)
    assert result.years[0].network_power_kw == pytest.approx(1.0)


def test_servers_are_in_the_tco_and_not_in_the_networks_share() -> None:
    """4 nodes at 1,000 beside one switch of 10: TCO 4,010, network TCO 10, capex of the year 4,010."""
    result = planned(4, [Box("four", 4, 10.0)], Prices(server=1000.0))
    assert (result.tco_usd, result.network_tco_usd) == (pytest.approx(4010.0), pytest.approx(10.0))
    assert (result.years[0].capex_usd, result.years[0].network_capex_usd) == (4010.0, 10.0)


def test_a_years_capex_is_the_sum_of_its_bom_rows_and_lines_add_up_to_the_objective() -> None:
    """Two build years with every kind of cost: BOM = network capex, lines = TCO = the programme's value."""
    money = {
        "discount_rate": 0.08, "support_ratio_per_year": 0.08, "electricity_usd_per_kwh": 0.08,
        "residual": "unexpired-life", "life_years": 3, "horizon_years": 5,
    }  # fmt: skip
    result = planned(
        [12, 40], [Box("eight", 8, 997.0, power_w=300.0), Box("twelve", 12, 1709.0, power_w=450.0)],
        Prices(link=13.0, module=29.0, nic=101.0, install=3.0, move=7.0, server=5003.0), finance=money,
        prices={"erosion_per_year": 0.07},
    )  # fmt: skip
    for position, totals in enumerate(result.years):
        rows = [line for line in result.bom if line.year == totals.year]
        assert sum(line.extended_price_usd for line in rows) == pytest.approx(totals.network_capex_usd)
        assert {d.sku for d in rows} >= set(result.plan.designs[position].change.bought)
    assert sum(line.npv_usd for line in result.costs) == pytest.approx(result.tco_usd, abs=0.005)
    assert result.plan.solver.objective_usd == pytest.approx(result.tco_usd, rel=1e-9)
