"""Prices of a technology step by step, and of one technology after another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.catalog.sources import load_sources
from planner.catalog.technologies import Technology, TechnologyPath
from planner.cost.price_list import MOVE_CORD, RECABLE_LINK, list_prices, net_price_list, server_price
from planner.cost.tariff import path_tariffs, tariff
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_document
from planner.scenario.scenario import Scenario
from pricing.price_book import PriceBook
from pricing.provenance import Grade

SOURCES = load_sources()
BOOK = SOURCES.books["reference"].prices
BOTH = "connectx-7-400g-osfp"  # a NIC of InfiniBand and of RoCE


def scenario(**sections: object) -> Scenario:
    document = {
        "schema": 1, "name": "x", "base_year": 2027, "cluster": {"server": "dgx-h100"},
        "growth": [{"year": year, "gpus": 64 * (year - 2026)} for year in (2027, 2029)],
        "finance": {"horizon_years": 4}, "fabric": {"technologies": ["infiniband", "roce"]}, **sections,
    }  # fmt: skip
    return scenario_from_document(document, SOURCES, "x.toml")


def test_ratio_then_discount_then_the_users_own() -> None:
    """33,600 x 1.75 x (1 - 0.1) = 52,920. The user's 40,000 is net already, and no other way round."""
    plain = scenario(prices={"discounts": {"switch": 0.1}})
    qm9700 = net_price_list(plain, "infiniband", SOURCES).prices["qm9700"]
    assert qm9700.mid_usd == pytest.approx(33_600 * 1.75 * 0.9)
    assert net_price_list(plain, "roce", SOURCES).prices["sn5400"].mid_usd == pytest.approx(33_600 * 0.9)
    own = scenario(prices={"discounts": {"switch": 0.1}, "overrides": {"qm9700": 40_000}})
    assert net_price_list(own, "infiniband", SOURCES).prices["qm9700"].mid_usd == 40_000
    assert net_price_list(own, "infiniband", SOURCES, ["qm9700"]).prices["qm9700"] == qm9700


def test_a_quote_on_top_of_the_book_is_taken_as_it_is() -> None:
    """Neither the ratio nor a discount touches it: 30,000 stays 30,000."""
    row = BOOK["qm9700"]
    source = replace(row.source, grade=Grade.QUOTE)
    quote = replace(row, low_usd=3e4, mid_usd=3e4, high_usd=3e4, book="quotes", source=source)
    asked = scenario(prices={"discounts": {"switch": 0.1}})
    quoted = replace(asked, prices=replace(asked.prices, stacked=(PriceBook("quotes", {"qm9700": quote}),)))
    assert net_price_list(quoted, "infiniband", SOURCES).prices["qm9700"].mid_usd == 3e4
    assert list_prices(quoted, SOURCES).prices["qm9700"] == quote


def test_a_cord_moved_at_a_panel_is_a_share_of_a_cable_moved() -> None:
    """Without panels there is no such price, which is not the same as 0."""
    assert net_price_list(scenario(), "roce", SOURCES).price(MOVE_CORD) is None
    panels = scenario(layout={"patch_panels": True, "panel_labour_ratio": 0.25})
    prices = net_price_list(panels, "roce", SOURCES).prices
    assert prices[MOVE_CORD].mid_usd == pytest.approx(0.25 * prices[RECABLE_LINK].mid_usd)


def test_a_server_costs_the_same_under_every_technology() -> None:
    asked = scenario(prices={"discounts": {"server": 0.2}})
    price = server_price(asked, SOURCES, "server-dgx-h100")
    assert price is not None and price.mid_usd == pytest.approx(0.8 * BOOK["server-dgx-h100"].mid_usd)
    for technology in asked.fabric.technologies:
        assert net_price_list(asked, technology, SOURCES).price("server-dgx-h100") == price


def test_each_year_is_at_the_prices_of_its_technology() -> None:
    """RoCE until 2028, InfiniBand from 2029 (t = 2): a NIC of both costs 1.75 times as much from then on; a
    switch of one of them is at its own technology's price in every year, also in the other's view."""
    asked = scenario(prices={"erosion_per_year": 0.0})
    first, later = path_tariffs(asked, TechnologyPath("roce", "infiniband", 2029), SOURCES)
    nic = BOOK[BOTH].mid_usd
    for view in (first, later):
        assert [view.price_in_year(BOTH, t) for t in range(4)] == pytest.approx(
            [nic, nic, 1.75 * nic, 1.75 * nic]
        )
        assert {view.price_in_year("qm9700", t) for t in range(4)} == {33_600 * 1.75}
        assert {view.price_in_year("sn5610", t) for t in range(4)} == {BOOK["sn5610"].mid_usd}
        assert (view.dearer_from(BOTH), view.dearer_from("qm9700")) == (2, None)
    assert (first.price_usd(BOTH), later.price_usd(BOTH)) == pytest.approx((nic, 1.75 * nic))


def test_a_change_to_the_cheaper_technology_makes_nothing_dearer() -> None:
    """And where nothing changes, no year is dearer either."""
    first, _ = path_tariffs(scenario(), TechnologyPath("infiniband", "roce", 2029), SOURCES)
    assert first.dearer_from(BOTH) is None
    alone = tariff(scenario(), "infiniband", SOURCES)
    assert alone.dearer_from(BOTH) is None and alone.book_in(3) is alone.book


@pytest.mark.parametrize("technology", ["infiniband", "roce", "spectrum-x", "ethernet"])
def test_idle_gear_is_worth_the_same_under_every_technology(technology: Technology) -> None:
    """A QM9700 of 2026 with 4 of 5 years left: 33,600 x 1.75 x 4/5 = 47,040, as InfiniBand prices it; a NIC
    of both is worth 4/5 of its price without the rule. By the prices of the technology planned the switch
    would bring 26,320 under RoCE, and the NIC 1.75 times as much under InfiniBand."""
    asked = scenario(installed=[{"sku": "qm9700", "quantity": 48, "bought_year": 2026}])
    rates = tariff(asked, technology, SOURCES)
    assert rates.installed_resale_usd("qm9700", 2026, 0) == pytest.approx(47_040.0)
    assert rates.installed_resale_usd(BOTH, 2026, 0) == pytest.approx(0.8 * BOOK[BOTH].mid_usd)


def test_idle_gear_is_worth_the_same_before_and_after_a_change_of_technology() -> None:
    asked = scenario(installed=[{"sku": BOTH, "quantity": 48, "bought_year": 2026}])
    worth = 0.2 * BOOK[BOTH].mid_usd  # of a life of 5 years one is left at the start of 2030
    for rates in path_tariffs(asked, TechnologyPath("roce", "infiniband", 2029), SOURCES):
        assert rates.installed_resale_usd(BOTH, 2026, 3) == pytest.approx(worth)


def test_the_price_of_idle_gear_is_that_of_the_year_it_was_bought_in() -> None:
    """It fell by half a year since 2025: 8 x 4 = 32 in base-year money of 8; 3/5 of that is more than a new
    one costs, which is what it brings."""
    asked = scenario(
        prices={"erosion_per_year": 0.5, "overrides": {"sn5600": 8.0}},
        installed=[{"sku": "sn5600", "quantity": 1, "bought_year": 2025}],
    )
    rates = tariff(asked, "roce", SOURCES)
    assert rates.installed_price_usd("sn5600", -2) == pytest.approx(32.0)
    assert rates.installed_resale_usd("sn5600", 2025, 0) == pytest.approx(8.0)


@pytest.mark.parametrize("sku", ["svc-install-link", "ufm-licence-endpoint-year", "server-dgx-h100"])
def test_what_a_network_cannot_own_and_sell_is_not_there(sku: str) -> None:
    """A server would be sold into the network's residual, and bought again beside it."""
    with pytest.raises(ScenarioError, match="no gear of the network"):
        scenario(installed=[{"sku": sku, "quantity": 4, "bought_year": 2026}])
