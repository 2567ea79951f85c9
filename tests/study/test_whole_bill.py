"""The bill by hand: spares, charges, contracts, space, licences, and totals that hold with every cost on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from planner.catalog.sources import load_sources
from planner.cost.cheapest_holdings import cheapest_holdings
from planner.cost.price_list import LICENCE
from planner.cost.spares import fewest_spares, stock_sku
from planner.cost.tariff import tariff
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Scenario
from planner.study.study import Study, plan_scenario
from tests.support.making import toml


def document(**sections: Any) -> dict[str, Any]:
    """32 nodes growing to 96, InfiniBand and RoCE, five years, every section on."""
    return {
        "schema": 1, "name": "bill", "base_year": 2027, "cluster": {"server": "dgx-h100"},
        "growth": [{"year": 2027, "gpus": 256}, {"year": 2029, "gpus": 768}],
        "fabric": {"technologies": ["infiniband", "roce"], "nodes_per_scalable_unit": 32}, **sections,
    }  # fmt: skip


def asked(**sections: Any) -> Scenario:
    return scenario_from_text(toml(document(**sections)), load_sources(), "bill.toml")


EVERYTHING = {
    "charges": {"freight_ratio": 0.02, "duty_ratio": 0.1, "sales_tax_ratio": 0.2, "contingency_ratio": 0.05},
    "escalation": {"electricity": 0.03, "support": 0.04, "labour": 0.05, "colocation": 0.065},
    "colocation": {"usd_per_kw_month": 184.06, "includes_power": False},
    "finance": {"discount_rate": 0.08, "residual": "market", "life_years": 3, "horizon_years": 6},
    "prices": {"erosion_per_year": "by-class"},
    "upkeep": {"support_term_years": 2},
}  # fmt: skip


@cache
def everything() -> Study:
    return plan_scenario(asked(**EVERYTHING), load_sources())


def test_spares_keep_the_service_level_and_no_flat_percent_does() -> None:
    """650 pieces x 0.01 a year x 8 of 52 weeks: mean 1. P(X <= 2) = 0.920, P(X <= 3) = 0.981: 3 spares.

    2 % would be 13 of 650, and 1 of 48, of which a tenth of a failure is expected: at 99.9 % that takes 2.
    """
    assert fewest_spares(650, 0.01, 8.0, 0.95) == 3
    assert fewest_spares(650, 0.01, 8.0, 0.92) == 3 and fewest_spares(650, 0.01, 8.0, 0.91) == 2
    assert fewest_spares(48, 0.0135, 8.0, 0.999) == 2
    assert fewest_spares(48, 0.0, 8.0, 0.999) == 0


def test_a_large_stock_is_counted_without_running_out_of_numbers() -> None:
    """Mean 3,077: exp(-3,077) is 0 to a computer. 95 % is about 1.645 standard deviations above: 3,168."""
    assert fewest_spares(1_000_000, 0.02, 8.0, 0.95) == 3168


def test_charges_build_on_each_other_and_are_sunk() -> None:
    """Of 1: freight 0.02, duty 0.1 x 1.02, tax 0.2 x 1.122, contingency 0.05: 0.3964 in all.

    A rack of 5,000 bought at the start of the fourth of 5 years at rate 0 keeps 60 %: it costs 2,000 net and
    1,982 of charges. Charges that were sold on too would leave 2,792.80.
    """
    scenario = asked(charges=EVERYTHING["charges"], finance={"discount_rate": 0.0})
    assert sum(scenario.bill.charges.shares().values()) == pytest.approx(0.3964)
    sources = load_sources()
    rates = tariff(scenario, "roce", sources)
    assert rates.unit_cost("network-rack").holding_usd(3, 5) == pytest.approx(2000.0 + 1982.0)
    assert rates.charges_ratio(LICENCE) == 0.0 and rates.charges_ratio("svc-install-link") == 0.0


def test_support_rises_at_renewals_only_and_a_licence_is_bought_every_year() -> None:
    """A switch of 33,600 at 8 %: 2,688 for two years of a term, then x 1.04^2, then x 1.04^4.

    Rising every year it would cost 2,795.52 in the second. A licence of 120 for 5 years: five purchases,
    nothing back; with the life of hardware it would be one of 120.
    """
    scenario = asked(**{**EVERYTHING, "prices": {}, "finance": {"discount_rate": 0.0, "horizon_years": 5}})
    sources = load_sources()
    rates = tariff(scenario, "roce", sources)
    fees = [rates.opex_usd("sn5400", t)["support"] for t in range(5)]
    assert fees == pytest.approx([2688.0, 2688.0, 2688.0 * 1.0816, 2688.0 * 1.0816, 2688.0 * 1.16985856])
    flat = replace(
        scenario, bill=replace(scenario.bill, escalation=replace(scenario.bill.escalation, support=0))
    )
    held = cheapest_holdings(replace(rates, scenario=flat).unit_cost(LICENCE), [1] * 5)
    assert held.cost_usd == pytest.approx(600.0)
    assert held.bought == tuple((t, t + 1, 1) for t in range(5))


def test_space_with_power_has_no_electricity_beside_it() -> None:
    """1 kW at 200 USD a kW and month: 2,400 a year. Without power in, 8,760 h x 1.3 x 0.1 = 1,138.80 more."""
    money = {"electricity_usd_per_kwh": 0.1, "pue": 1.3}
    sources = load_sources()
    for includes, usd in ((True, 2400.0), (False, 3538.8)):
        scenario = asked(colocation={"usd_per_kw_month": 200.0, "includes_power": includes}, finance=money)
        rates = tariff(scenario, "roce", sources)
        one = replace(rates, power_w={"sn5400": 1000.0}).opex_usd("sn5400", 0)
        assert one["colocation"] + one["network electricity"] == pytest.approx(usd)


def test_failed_parts_are_bought_anew_after_their_warranty_and_switches_are_not() -> None:
    """A module of 1,000, 2 % a year, a year of warranty in five: 16 a year. 20 would pay within it too."""
    scenario = asked(prices={"overrides": {"mma4z00-ns": 1000.0}})
    sources = load_sources()
    rates = tariff(scenario, "roce", sources)
    assert rates.opex_usd("mma4z00-ns", 0)["replacements"] == pytest.approx(16.0)
    assert rates.opex_usd("sn5400", 0)["replacements"] == 0.0
    assert rates.opex_usd(stock_sku("mma4z00-ns"), 0) == {}


def test_engineers_follow_the_switches_and_a_tuned_roce_fabric_takes_more() -> None:
    """7 h x 140 USD a switch; 256 GPUs x 0.5 engineers a thousand x 252,000 USD = 32,256 for tuned RoCE."""
    ib, roce = plan_scenario(asked(finance={"horizon_years": 3}), load_sources()).results
    tuning = [x.amount_usd for x in roce.costs if x.kind == "RoCE tuning"]
    assert tuning == [pytest.approx(32_256.0)] * 2 + [pytest.approx(96_768.0)]
    assert not [x for x in ib.costs if x.kind == "RoCE tuning"]
    staff = next(x.amount_usd for x in ib.costs if x.kind == "network staff" and x.year == 2027)
    boxes = [r for r in ib.bom if r.year == 2027 and r.sku in load_sources().catalog.switches]
    assert staff == pytest.approx(980.0 * sum(r.quantity for r in boxes))


def test_lines_add_up_to_the_cent_with_every_cost_on() -> None:
    """By year, section and technology; the programme's value is the TCO; the check finds nothing."""
    for result in everything().results:
        assert result.faults == ()
        assert result.tco_usd is not None
        assert result.plan.solver.objective_usd == pytest.approx(result.tco_usd, rel=1e-9)
        assert round(sum(x.npv_usd for x in result.costs), 2) == round(result.tco_usd, 2)
        sections: dict[tuple[int, str], float] = defaultdict(float)
        for row in result.bom:
            assert row.technology == result.technology
            sections[row.year, row.section] += row.extended_price_usd
        for totals in result.years:
            bill = sum(usd for (year, _), usd in sections.items() if year == totals.year)
            assert round(bill, 2) == round(totals.network_capex_usd, 2)
            capex = [x for x in result.costs if x.year == totals.year and x.flow == "capex"]
            assert round(sum(x.amount_usd for x in capex), 2) == round(totals.capex_usd, 2)
            opex = [x for x in result.costs if x.year == totals.year and x.flow == "opex"]
            assert round(sum(x.amount_usd for x in opex), 2) == round(totals.opex_usd, 2)


def test_every_section_has_its_lines_and_every_charge_is_a_line() -> None:
    for result in everything().results:
        first = [r for r in result.bom if r.year == 2027]
        assert {r.section for r in first} == {"compute", "storage", "frontend", "management", "services"}
        charges = {r.sku for r in first if r.sku.startswith("charge-")}
        assert charges == {"charge-freight", "charge-duty", "charge-sales-tax", "charge-contingency"}
        kinds = {x.kind for x in result.costs if x.flow == "opex"}
        assert kinds >= {
            "network electricity", "colocation", "support", "network staff", "replacements",
            "server electricity", "server colocation",
        }  # fmt: skip
        assert sum(r.spares for r in first) > sum(r.spares for r in first if r.section == "storage") > 0


def test_a_part_has_one_line_in_each_place() -> None:
    """Managers of the compute and the storage subnet are one line of four, so are their licences."""
    for result in everything().results:
        keys = [(r.year, r.section, r.tier, r.sku) for r in result.bom]
        assert len(keys) == len(set(keys))
    managers = [r for r in everything().results[0].bom if r.sku == "fabric-manager-server" and r.year == 2027]
    assert [r.quantity for r in managers] == [4]


def test_power_is_that_of_the_pieces_in_use_and_no_spare_draws_any() -> None:
    """Everything that is bought in the first year is in use: quantity x power, modules once."""
    for result in everything().results:
        first = [r for r in result.bom if r.year == 2027]
        watts = sum(r.quantity * r.power_w for r in first)
        assert watts / 1000.0 == pytest.approx(result.years[0].network_power_kw)
