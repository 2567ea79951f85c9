"""Depreciation, fiscal years, lease, unit costs and break-even by hand."""

from __future__ import annotations

from typing import Any

import pytest

from planner.catalog.sources import load_sources
from planner.cost.accounting import (
    Asset,
    InstalledValue,
    Method,
    books,
    depreciation_usd,
    fiscal_years,
    lease_against_buy,
)
from planner.cost.break_even import Offer, break_even, break_evens
from planner.cost.finance import UnitCost
from planner.cost.tco import CostLine
from planner.planning.planning_task import PlanOptions
from planner.report.money import money_document, network_assets, prices_of
from planner.scenario.bill import Lease
from planner.study.study import plan_scenario
from tests.study.test_whole_bill import asked, everything
from tests.support.making import Box, planned, scenario_of


def unit(price: float, horizon: int = 5, life: int = 5, charges: float = 0.0, rate: float = 0.0) -> UnitCost:
    prices = (price,) * (horizon + 1)
    return UnitCost("x", prices, (0.0,) * horizon, life, rate, "unexpired-life", 0.25, charges_ratio=charges)


def test_book_is_not_cash() -> None:
    """10 pieces of 100 at the start: cash 1,000 in the first year, 200 of depreciation in each of five."""
    rows = books([Asset(unit(100.0), 10, 0, 5)], 2027, 5, "straight-line", 0.4)
    assert [r.bought_usd for r in rows] == [1000.0, 0, 0, 0, 0]
    assert [r.depreciation_usd for r in rows] == pytest.approx([200.0] * 5)
    assert [r.closing_book_usd for r in rows] == pytest.approx([800.0, 600.0, 400.0, 200.0, 0.0])


def test_declining_balance_writes_off_the_rest_in_the_last_year() -> None:
    """40 % of 100: 40, 24, 14.40, 8.64, and 12.96 left. Without the last step the life would never end."""
    assert depreciation_usd(100.0, 5, "declining-balance", 0.4) == pytest.approx((40, 24, 14.4, 8.64, 12.96))


def test_what_is_sold_early_leaves_the_books_with_its_rest() -> None:
    """Life 5, sold after 2 of 4 years: 60 of 100 written off in the third year, and sold for 60 then."""
    rows = books([Asset(unit(100.0, 4), 1, 0, 2)], 2027, 4, "straight-line", 0.4)
    assert [r.written_off_usd for r in rows] == pytest.approx([0, 0, 60.0, 0])
    assert [r.resale_usd for r in rows] == pytest.approx([0, 0, 60.0, 0])
    assert rows[-1].closing_book_usd == pytest.approx(0.0)


def test_charges_are_capitalised_and_a_longer_life_leaves_book_value() -> None:
    """100 with 20 % of charges, life 7 in 5 years: 120 x 2 / 7 stay in the books."""
    rows = books([Asset(unit(100.0, life=7, charges=0.2), 1, 0, 5)], 2027, 5, "straight-line", 0.4)
    assert rows[-1].closing_book_usd == pytest.approx(120.0 * 2 / 7)


def test_gear_that_was_there_is_booked_in_the_years_of_the_horizon() -> None:
    """10 of 100, life 5, bought two years before: the books open with 600 and close the life after three
    years. Were the years before counted, too, they would be the last two of the horizon."""
    there = Asset(unit(100.0), 10, -2, 3, InstalledValue(100.0, 0.0))
    rows = books([there], 2027, 5, "straight-line", 0.4)
    assert [r.bought_usd for r in rows] == [0.0] * 5
    assert [r.depreciation_usd for r in rows] == pytest.approx([200.0, 200.0, 200.0, 0.0, 0.0])
    assert [r.closing_book_usd for r in rows] == pytest.approx([400.0, 200.0, 0.0, 0.0, 0.0])
    rows = books([there], 2027, 5, "declining-balance", 0.4)
    assert [r.depreciation_usd for r in rows] == pytest.approx([144.0, 86.4, 129.6, 0.0, 0.0])


def test_gear_that_was_there_and_is_sold_at_once_leaves_the_books() -> None:
    """Bought three years before two of horizon for 120, charges in, 2/5 left: 48 written off, 40 in cash."""
    there = Asset(unit(100.0, horizon=2, charges=0.2), 1, -3, 0, InstalledValue(100.0, 40.0))
    first, last = books([there], 2030, 2, "straight-line", 0.4)
    assert (first.depreciation_usd, first.resale_usd) == (0.0, 40.0)
    assert first.written_off_usd == pytest.approx(48.0)
    assert (last.resale_usd, last.written_off_usd) == (0.0, 0.0)
    assert last.closing_book_usd == pytest.approx(0.0)


def test_gear_that_was_there_is_owned_and_not_leased() -> None:
    """Beside ten new pieces four of 2025 change neither side of the comparison."""
    new = Asset(unit(100.0), 10, 0, 5)
    there = Asset(unit(100.0), 4, -2, 3, InstalledValue(100.0, 0.0))
    assert lease_against_buy([new, there], Lease(1, 0.3)) == lease_against_buy([new], Lease(1, 0.3))


@pytest.mark.parametrize("horizon", [2, 5])
@pytest.mark.parametrize("nodes", [8, 32])
def test_the_books_of_a_plan_with_gear_that_was_there(horizon: int, nodes: int) -> None:
    """Switches of 10, life 5, four of them three years old: 40 x 2/5 = 16 open the books, beside what is
    bought. All of it is depreciated, written off or left, in years of the horizon."""
    terms: dict[str, Any] = {
        "finance": {"residual": "unexpired-life", "life_years": 5, "horizon_years": horizon},
        "installed": [{"sku": "cheap", "quantity": 4, "bought_year": 2024}],
        "lease": {"term_years": 1, "rate_ratio_per_year": 0.3},
    }
    scenario = scenario_of(nodes, [Box("cheap", 8, 10.0)], **terms)
    result = planned(nodes, [Box("cheap", 8, 10.0)], **terms)
    assert result.faults == ()
    document = money_document(result, scenario)
    for method in ("straight-line", "declining-balance"):
        rows = document["depreciation"][method]
        assert [row["year"] for row in rows] == [2027 + t for t in range(horizon)]
        opening = 16.0 if method == "straight-line" else 40 * 0.6**3
        gone = sum(row["depreciation_usd"] + row["written_off_usd"] for row in rows)
        bought = sum(row["bought_usd"] for row in rows)
        assert opening + bought == pytest.approx(gone + rows[-1]["closing_book_usd"])


@pytest.mark.parametrize("method", ["straight-line", "declining-balance"])
def test_the_books_of_a_plan_balance(method: Method) -> None:
    """All that is bought is depreciated, written off or still in the books; bought is the BOM's hardware."""
    result = everything().results[0]
    rows = books(network_assets(result), 2027, 6, method, 0.4)
    bought = sum(r.bought_usd for r in rows)
    gone = sum(r.depreciation_usd + r.written_off_usd for r in rows)
    assert bought == pytest.approx(gone + rows[-1].closing_book_usd)
    expense = [r for r in result.bom if r.sku.startswith(("svc-", "ufm-"))]
    capitalised = sum(r.extended_price_usd for r in result.bom) - sum(r.extended_price_usd for r in expense)
    assert bought == pytest.approx(capitalised)


def test_a_fiscal_year_from_april_takes_a_quarter_of_last_years_opex() -> None:
    """1,200 of opex in 2027: January to March, 300, in fiscal 2027; 900 in fiscal 2028.

    Capex of January 2027 is in fiscal 2027, the residual of December 2027 in fiscal 2028.
    """
    lines = [
        CostLine(2027, "switches", "capex", True, 500.0, 0.0),
        CostLine(2027, "support", "opex", True, 1200.0, 0.0),
        CostLine(2027, "switches", "residual", True, -80.0, 0.0),
    ]
    assert fiscal_years(lines, 4) == {
        (2027, "capex"): 500.0, (2027, "opex"): 300.0, (2028, "opex"): 900.0, (2028, "residual"): -80.0,
    }  # fmt: skip
    assert fiscal_years(lines, 1) == {
        (2027, "capex"): 500.0, (2027, "opex"): 1200.0, (2027, "residual"): -80.0,
    }  # fmt: skip


@pytest.mark.parametrize("month", range(1, 13))
def test_fiscal_years_lose_nothing(month: int) -> None:
    lines = everything().results[0].costs
    total = sum(fiscal_years(lines, month).values())
    assert total == pytest.approx(sum(x.amount_usd for x in lines))


def test_a_lease_by_hand() -> None:
    """100, five years of 24 in advance: 120 at rate 0; 24 x (1 + .8 + .64 + .512 + .4096) at 25 %.

    Discounted from year ends the lease would cost 64.54, not 80.68.
    """
    free = lease_against_buy([Asset(unit(100.0), 1, 0, 5)], Lease(5, 0.24))
    assert (free.buy_usd, free.lease_usd, free.cheaper) == (pytest.approx(100.0), pytest.approx(120.0), "buy")
    dear = lease_against_buy([Asset(unit(100.0, rate=0.25), 1, 0, 5)], Lease(5, 0.24))
    assert (dear.lease_usd, dear.cheaper) == (pytest.approx(80.6784), "lease")


def test_a_term_that_has_begun_is_paid_in_full() -> None:
    """Five years in terms of three: six payments of 30, not five."""
    found = lease_against_buy([Asset(unit(100.0), 1, 0, 5)], Lease(3, 0.3))
    assert found.lease_usd == pytest.approx(180.0)


def test_the_lease_of_a_plan_is_set_against_what_it_paid() -> None:
    """Buying the network in present worth is its capex less residual, without labour and licences."""
    scenario = asked(lease={"term_years": 3, "rate_ratio_per_year": 0.36})
    result = plan_scenario(scenario, load_sources(), PlanOptions(technologies=("roce",))).results[0]
    found = money_document(result, scenario)["lease"]
    held = [x for x in result.costs if x.network and x.flow != "opex" and x.kind != "services"]
    assert found["network"]["buy_usd"] == pytest.approx(sum(x.npv_usd for x in held))
    bought = [x for x in result.costs if x.kind == "servers"]
    assert found["servers"]["buy_usd"] == pytest.approx(sum(x.npv_usd for x in bought))


def test_unit_costs_of_a_plan_by_hand() -> None:
    """Capex over the first year's 256 GPUs, 32 nodes, 256 endpoints; 8,760 GPU-hours a year, discounted."""
    study = everything()
    result = study.results[0]
    prices = prices_of(result, study.scenario)
    assert prices is not None and result.tco_usd is not None
    first = result.years[0]
    assert prices.capex_usd_per_gpu == pytest.approx(first.capex_usd / 256)
    assert prices.capex_usd_per_node == pytest.approx(first.capex_usd / 32)
    assert prices.network_capex_usd_per_endpoint == pytest.approx(first.network_capex_usd / 256)
    hours = sum(8760 * (256 if t < 2 else 768) / 1.08 ** (t + 1) for t in range(6))
    assert prices.levelised_usd_per_gpu_hour == pytest.approx(result.tco_usd / hours)
    assert prices.levelised_usd_per_effective_tflops_year == pytest.approx(
        result.levelised_usd_per_effective_tflops_year
    )


def test_five_per_cent_of_output_is_worth_five_per_cent_of_everything() -> None:
    """A network of 30 against 15, servers of 270: 300 against 285. It pays where the cheaper loses over 5 %.

    On the networks alone (30 against 15) it would have to save half the output.
    """
    pair = break_even(Offer("dear", 300.0, 30.0, 1.0), Offer("cheap", 285.0, 15.0, 0.94))
    assert (pair.dearer, pair.cheaper, pair.slower) == ("dear", "cheap", "cheap")
    assert (pair.loss_ratio, pair.actual_loss_ratio) == (pytest.approx(0.05), pytest.approx(0.06))
    assert pair.dearer_pays
    assert pair.equal_output_usd == pytest.approx(285.0 / 0.94)
    assert not break_even(Offer("dear", 300.0, 30.0, 1.0), Offer("cheap", 285.0, 15.0, 0.96)).dearer_pays


def test_the_pair_of_least_levelised_cost_comes_first() -> None:
    offers = [Offer("a", 100.0, 10.0, 0.5), Offer("b", 100.0, 10.0, 1.0), Offer("c", 100.0, 10.0, 0.9)]
    assert [(p.dearer, p.cheaper) for p in break_evens([*offers, Offer("none", 9.0, 1.0, 0.0)])] == [
        ("b", "c"), ("b", "a"),
    ]  # fmt: skip
