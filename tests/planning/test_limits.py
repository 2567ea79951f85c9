"""Limits that a committee sets, and pieces that are there already: hand-solved."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from planner.catalog.technologies import Technology
from planner.scenario.load import scenario_from_text
from planner.study.result import FabricResult
from planner.study.study import plan_scenario
from pricing.infiniband_rule import Counterpart
from tests.proof.oracle_growth import Growth, Switch, fabrics, trees
from tests.proof.oracle_money import Money
from tests.support.making import Box, Prices, bare_sources, counts, planned, scenario_text

LIFE_5: dict[str, Any] = {"residual": "unexpired-life", "life_years": 5, "horizon_years": 5}
# 8 nodes of one port on 8-port switches: one switch; 32 nodes: 8 leaves of 4 + 4 and 4 spines
CHEAP = Box("cheap", 8, 10.0, power_w=100.0)
FRUGAL = Box("frugal", 8, 11.0, power_w=10.0)


def limited(nodes: int | list[int], boxes: list[Box], **asked: Any) -> FabricResult:
    return planned(nodes, boxes, Prices(), **asked)


@pytest.mark.parametrize(
    ("limit_kw", "usd", "leaf", "spine"),
    [(1.2, 120.0, "cheap", "cheap"), (0.5, 128.0, "frugal", "cheap"), (0.3, 132.0, "frugal", "frugal")],
)
def test_a_power_limit_takes_dearer_frugal_switches(
    limit_kw: float, usd: float, leaf: str, spine: str
) -> None:
    """8 leaves and 4 spines draw 1.2 kW if all are cheap; 0.48 with frugal leaves, 0.12 all frugal.

    Dropping the dearer of two twins without looking at the limit would leave no design at all.
    """
    result = limited(32, [CHEAP, FRUGAL], constraints={"network_power_kw": limit_kw})
    assert (counts(result), result.network_tco_usd) == ((2, 8, 4, 0), pytest.approx(usd))
    wiring = result.plan.designs[0].wiring
    assert (wiring.leaf, wiring.spine) == (leaf, spine)


def test_a_power_limit_that_cannot_be_met_names_the_least() -> None:
    """12 frugal switches draw 0.12 kW: that is the least, and the reason says so."""
    result = limited(32, [CHEAP, FRUGAL], constraints={"network_power_kw": 0.1})
    assert (result.plan.status, result.plan.designs) == ("infeasible", ())
    assert result.plan.reason == (
        "2027: network_power_kw = 0.1 can't be met; the least that any fat-tree takes is 0.12 kW: "
        "raise network_power_kw to 0.12"
    )


def test_a_part_that_comes_later_is_not_planned_before() -> None:
    """The cheap switch can be had from 2028: in 2027 the plan buys the dear one, and in 2028 adds cheap ones
    only if it may mix; one model a tier and year, so it keeps the dear one for 8 nodes and 55."""
    boxes = [Box("late", 8, 10.0), Box("early", 8, 30.0)]
    result = limited(8, boxes, constraints={"available_from": {"late": 2028}})
    assert result.network_tco_usd == pytest.approx(30.0)
    assert result.plan.designs[0].wiring.leaf == "early"


def test_a_part_that_never_comes_in_time_is_named() -> None:
    result = limited(8, [Box("late", 8, 10.0)], constraints={"available_from": {"late": 2028}})
    assert result.plan.status == "infeasible"
    assert result.plan.reason == (
        "2027: not to be had by then: late (from 2028); begin later, bring constraints.available_from "
        "forward to 2027, or allow other parts"
    )


def test_installed_switches_are_not_bought_again() -> None:
    """12 switches are needed; 5 of 2025 serve until their life ends in 2030. Rate 0, life 5, five years.

    7 bought in 2027 serve to the end: 70. The 5 are replaced in 2030 for two years: 50, of which 3/5 come
    back as residual: 20. Without the 5 old ones the bill would be 120.
    """
    there = [{"sku": "cheap", "quantity": 5, "bought_year": 2025}]
    result = limited(32, [CHEAP], finance=LIFE_5, installed=there)
    assert result.network_tco_usd == pytest.approx(70.0 + 20.0)
    assert [d.change.bought.get("cheap", 0) for d in result.plan.designs] == [7, 0, 0, 5, 0]
    assert result.faults == ()


def test_installed_switches_that_nobody_needs_are_sold() -> None:
    """One switch of 8 ports serves 8 nodes; of two of 2026, one is sold at once: 4/5 of 10 come back.

    The other serves to 2031; then one is bought for the last year, and 4/5 come back: 2.
    """
    there = [{"sku": "cheap", "quantity": 2, "bought_year": 2026}]
    result = limited(8, [CHEAP], finance=LIFE_5, installed=there)
    assert result.network_tco_usd == pytest.approx(-8.0 + 2.0)
    assert result.plan.designs[0].change.retired == {"cheap": 1}
    assert result.faults == ()


@pytest.mark.parametrize("technology", ["roce", "infiniband"])
def test_what_is_there_sells_for_the_same_whatever_is_planned(technology: Technology) -> None:
    """Four NICs of 10, life 5, of 2026; two are needed for one year. 2 x 8 at once, 2 x 6 at the end: 28.

    InfiniBand's NICs cost three times as much: by that rule it would be paid 84 for the same four.
    """
    plain = bare_sources(Prices(nic=10.0))
    ruled = replace(plain, counterparts={"nic-100": Counterpart("nic-100", "nic-100", "nic")})
    text = scenario_text(
        2,
        [Box("both", 8, 100.0, technologies=("roce", "infiniband"))],
        fabric={"technologies": [technology]},
        finance={**LIFE_5, "horizon_years": 1},
        prices={"infiniband_price_ratio": 3.0},
        installed=[{"sku": "nic-100", "quantity": 4, "bought_year": 2026}],
    )
    result = plan_scenario(scenario_from_text(text, ruled, "by-hand.toml"), ruled).results[0]
    assert sum(x.amount_usd for x in result.costs if x.kind == "NICs") == pytest.approx(-28.0)
    assert result.network_tco_usd == pytest.approx(100.0 - 80.0 - 28.0)
    assert result.faults == ()


def test_a_limit_on_a_years_money_buys_ahead() -> None:
    """8 nodes, then 32: 1 switch in 2027 and 11 more in 2028 cost 110 in one year. With at most 80 a year
    four of them are bought a year early, which costs their depreciation of one year: 4 x 2 = 8 at life 5.
    """
    money = {**LIFE_5}
    free = limited([8, 32], [CHEAP], finance=money)
    tight = limited([8, 32], [CHEAP], finance=money, constraints={"capex_usd_per_year": 80.0})
    assert free.network_tco_usd is not None and tight.network_tco_usd is not None
    assert [y.capex_usd for y in free.years[:2]] == [10.0, 110.0]
    assert [y.capex_usd for y in tight.years[:2]] == [40.0, 80.0]
    assert tight.network_tco_usd - free.network_tco_usd == pytest.approx(3 * 2.0)
    assert tight.faults == ()


def test_a_limit_on_money_that_cannot_be_met_names_the_year_and_the_least() -> None:
    """12 switches for 120 over two years: 60 a year is the least; 50 falls short."""
    result = limited([8, 32], [CHEAP], finance=LIFE_5, constraints={"capex_usd_per_year": 50.0})
    assert result.plan.status == "infeasible"
    assert result.plan.reason == (
        "capex_usd_per_year = 50 can't be met: it falls short in 2027 by 10.00 USD, 2028 by 10.00 USD; raise "
        "capex_usd_per_year to 60 (plans up to 13% above the least network cost were looked at)"
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_least_that_is_named_is_the_least_of_every_fat_tree(seed: int) -> None:
    """Two models of random power, and a limit of next to nothing: the reason names the least that any
    fat-tree of an enumeration draws."""
    draw = random.Random(seed)
    models = [Switch(draw.randint(4, 8), 1.0, float(draw.randint(10, 90)) * 100) for _ in range(2)]
    case = Growth([draw.randint(3, 8)], models, Money((0,), 1), max_tiers=2)
    boxes = [Box(f"model-{i}", m.ports, 1.0, power_w=m.power_w) for i, m in enumerate(models)]
    found = fabrics(case, list(trees(case)), 0)
    watts = sum(n * m.power_w for n, m in zip(found.need, models, strict=False))
    result = limited(case.nodes[0], boxes, constraints={"network_power_kw": 0.001}, fabric={"max_tiers": 2})
    least = f"the least that any fat-tree takes is {np.min(watts) / 1000:g} kW:"
    assert least in (result.plan.reason or "")
