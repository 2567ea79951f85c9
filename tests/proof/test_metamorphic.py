"""What must hold between two plans: more freedom never costs more, prices scale, names change nothing."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.sources import Sources, load_sources
from planner.planning.planning_task import PlanOptions
from planner.scenario.load import scenario_from_text
from planner.study.study import plan_scenario
from tests.proof.metamorphic import NEVER_CHEAPER, Ask, asks, renamed, scaled
from tests.support.examples import Examples
from tests.support.making import planned, toml

pytestmark = pytest.mark.no_cover  # the rooms' own tests are to cover them

A_FACT = 40  # random scenarios a fact
LEAST_FEASIBLE = 16  # of them with a design on both sides


def costs(ask: Ask) -> tuple[float, float]:
    """(TCO, network TCO) in USD; infinite where there is no design."""
    result = planned(
        ask.nodes, ask.boxes, ask.parts, fabric=ask.fabric, finance=ask.finance,
        cluster={"nic_ports_per_node": ask.ports_per_node}, constraints=ask.limits,
    )  # fmt: skip
    assert result.faults == ()
    if result.tco_usd is None or result.network_tco_usd is None:
        return inf, inf
    return result.tco_usd, result.network_tco_usd


@pytest.mark.parametrize("name", NEVER_CHEAPER)
def test_more_freedom_never_costs_more(name: str, examples: Examples) -> None:
    """On random scenarios; a wrong cut in the enumeration or a wrong bound shows as a dearer plan."""
    both = 0

    def holds(ask: Ask, n: int) -> None:
        nonlocal both
        narrow, wide = NEVER_CHEAPER[name](ask, n)
        most, least = costs(narrow)[0], costs(wide)[0]
        both += most < inf
        assert least <= most * (1 + 1e-9) + 1e-6

    examples(holds, A_FACT, asks(), st.integers(0, 59))
    assert both >= LEAST_FEASIBLE


@settings(max_examples=A_FACT)
@given(asks(), st.sampled_from([0.5, 3.0, 1000.0]))
def test_all_prices_times_a_factor_scale_both_costs(ask: Ask, factor: float) -> None:
    """Nothing that costs money is left out of the price list: the TCO scales exactly, servers included."""
    expected = [usd * factor for usd in costs(ask)]
    assert costs(scaled(ask, factor)) == pytest.approx(expected, rel=1e-9)


@settings(max_examples=A_FACT)
@given(asks())
def test_names_change_no_cost(ask: Ask) -> None:
    """The order of ids decides between equal plans only."""
    assert costs(renamed(ask)) == pytest.approx(costs(ask), rel=1e-9)


def shipped_tco(document: dict[str, dict[str, Any]], sources: Sources) -> float:
    """TCO (USD) over the shipped catalog; infinite where there is no design."""
    rows = [
        {"year": 2027, "gpus": document["growth"]["first"]},
        {"year": 2029, "gpus": document["growth"]["last"]},
    ]
    asked = {"schema": 1, "name": "pair", "base_year": 2027, **document, "growth": rows}
    scenario = scenario_from_text(toml(asked), sources, "pair.toml")
    result = plan_scenario(scenario, sources, PlanOptions()).results[0]
    assert result.faults == ()
    return inf if result.tco_usd is None else result.tco_usd


def shipped_case(number: int) -> dict[str, dict[str, Any]]:
    """A cluster of H100 servers over the shipped catalog and book, two build years, a narrow choice."""
    random = Random(number)
    first = 8 * random.randint(4, 90)
    return {
        "cluster": {"server": random.choice(["dgx-h100", "hgx-h100"])},
        "growth": {"first": first, "last": first + 8 * random.randint(0, 120)},
        "fabric": {
            "technologies": [random.choice(["roce", "spectrum-x", "infiniband"])],
            "planes": random.choice([1, 2]), "rail_optimised": random.choice([True, False]),
            "min_spines": random.choice([2, 4]), "max_tiers": 2, "bandwidth_headroom": 0.2,
            "max_oversubscription": "1:1",
        },
        "prices": {"erosion_per_year": random.choice(["by-class", 0.0])},
        "constraints": {},
    }  # fmt: skip


FREEDOMS: dict[str, dict[str, dict[str, Any]]] = {
    "a looser leaf ratio": {"fabric": {"max_oversubscription": "2:1"}},
    "a third tier": {"fabric": {"max_tiers": 3}},
    "planes left open": {"fabric": {"planes": [1, 2]}},
    "rails left open": {"fabric": {"rail_optimised": [True, False]}},
    "fewer spines asked": {"fabric": {"min_spines": 1}},
    "less headroom": {"fabric": {"bandwidth_headroom": 0.0}},
}


@pytest.mark.parametrize("name", FREEDOMS)
def test_more_freedom_never_costs_more_over_the_shipped_catalog(name: str) -> None:
    """The whole bill: servers, side fabrics, staff and upkeep included."""
    for number in range(4):
        narrow = shipped_case(100 * list(FREEDOMS).index(name) + number)
        if name == "less headroom":
            narrow["fabric"] |= {"max_oversubscription": "4:1", "bandwidth_headroom": 0.7}
        wide = {k: {**table, **FREEDOMS[name].get(k, {})} for k, table in narrow.items()}
        most = shipped_tco(narrow, load_sources())
        assert most < inf and shipped_tco(wide, load_sources()) <= most * (1 + 1e-7)


@pytest.mark.parametrize("sku", ["sn5600", "arista-7060x6-64pe"])
def test_a_dearer_or_missing_switch_never_makes_a_shipped_plan_cheaper(sku: str) -> None:
    for number in range(2):
        case = shipped_case(900 + number)
        case["fabric"] |= {"technologies": ["roce"], "switches": ["sn5600", "arista-7060x6-64pe", "sn5400"]}
        least = shipped_tco(case, load_sources())
        dear = {**case, "prices": {**case["prices"], "overrides": {sku: 200_000.0}}}
        without = [s for s in case["fabric"]["switches"] if s != sku]
        fewer = {**case, "fabric": {**case["fabric"], "switches": without}}
        late = {**case, "constraints": {"available_from": {sku: 2029}}}
        for harder in (dear, fewer, late):
            assert least <= shipped_tco(harder, load_sources()) * (1 + 1e-7)


def test_every_shipped_price_times_three_is_three_times_the_tco() -> None:
    """Prices of the book and every default that is money; anything priced elsewhere would not scale."""
    shipped = load_sources()
    book = shipped.books["reference"]
    prices = {
        sku: replace(p, low_usd=3 * p.low_usd, mid_usd=3 * p.mid_usd, high_usd=3 * p.high_usd)
        for sku, p in book.prices.items()
    }
    defaults = {k: replace(d, value=3 * d.value) if "_usd" in k else d for k, d in shipped.defaults.items()}
    dear = replace(shipped, books={"reference": replace(book, prices=prices)}, defaults=defaults)
    for number in range(950, 956):
        case = shipped_case(number)
        assert shipped_tco(case, dear) == pytest.approx(3 * shipped_tco(case, shipped), rel=1e-7)
