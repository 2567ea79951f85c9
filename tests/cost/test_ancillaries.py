"""What a design needs beside its links, and that the independent check notices one too many or too few."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.sources import load_sources
from planner.check.ancillaries import covered
from planner.check.check_case import Books
from planner.check.checks import check_answer
from planner.cost.management_network import node_rows, out_of_band
from planner.cost.spares import part_of, stock_sku
from planner.cost.tariff import tariff
from planner.fabric.design import Design
from planner.scenario.bill import ManagementAsk
from planner.study.result import FabricResult
from tests.study.test_whole_bill import everything
from tests.support.making import Box, one_fabric, planned, shipped_plan


def test_rows_of_racks_are_rounded_up_one_by_one() -> None:
    """4 nodes a rack, 16 racks a row: 64 + 32 ports are 2 switches of 48. 65 nodes start a second row.

    All ports in one pool would take ceil(3 x 96 / 48) = 6 for 129 nodes too; by rows of 50 ports, 2 each.
    """
    ask = ManagementAsk()
    assert [node_rows(ask, n, 1, 48) for n in (1, 32, 33, 64, 65, 128, 129)] == [1, 1, 2, 2, 3, 4, 5]
    odd = replace(ask, racks_per_row=8, pdus_per_rack=3)  # 32 + 24 = 56 ports a row
    assert node_rows(odd, 96, 1, 48) == 6 > ceil(3 * 56 / 48)


def test_the_checks_poisson_is_right() -> None:
    """Mean 1: 0.3679, 0.7358, 0.9197, 0.9810."""
    assert [round(covered(1.0, k), 4) for k in range(4)] == [0.3679, 0.7358, 0.9197, 0.981]
    assert covered(0.0, 0) == 1.0


def sound() -> FabricResult:
    result = one_fabric(everything().results[0])
    assert result.faults == ()
    return result


def with_need(result: FabricResult, tier: str, sku: str, change: int) -> FabricResult:
    """The first design with so many pieces more of one ancillary, and hands and holdings to match."""
    first, *others = result.plan.designs
    by_tier = {**first.need_by_tier, (tier, sku): first.need_by_tier[tier, sku] + change}
    need = {**first.need, sku: first.need[sku] + change}
    broken: Design = replace(first, need=need, need_by_tier=by_tier)
    return replace(result, plan=replace(result.plan, designs=(broken, *others)))


@pytest.mark.parametrize(
    ("tier", "sku", "change", "said"),
    [
        ("spares", stock_sku("qm9790"), -1, "spares: 0 x qm9790"),
        ("spares", stock_sku("connectx-7-400g-osfp"), -1, "x connectx-7-400g-osfp for"),
        ("rack", "network-rack", -1, "rack:"),
        ("manager", "fabric-manager-server", -1, "manager:"),
        ("licence", "ufm-licence-endpoint-year", -1, "licence:"),
        ("management", "sn2201", -1, "management:"),
    ],
)
def test_a_missing_ancillary_is_named(tier: str, sku: str, change: int, said: str) -> None:
    result = sound()
    if (tier, sku) not in result.plan.designs[0].need_by_tier:
        sku = next(s for t, s in result.plan.designs[0].need_by_tier if t == tier)
        said = f"x {part_of(sku)} for"
    assert result.rates is not None
    scenario, catalog = everything().scenario, load_sources().catalog
    found = check_answer(with_need(result, tier, sku, change), scenario, catalog, Books(result.rates.book))
    assert any(said in fault for fault in found), found


def test_a_side_fabric_is_checked_port_by_port() -> None:
    """A spine less in the storage fabric is a fault of the storage section."""
    result = sound()
    storage, *others = result.sides
    first, *later = storage.plan.designs
    less = replace(first, size=replace(first.size, spines=first.size.spines - 1))
    broken = replace(storage, plan=replace(storage.plan, designs=(less, *later)))
    assert result.rates is not None
    found = check_answer(
        replace(result, sides=(broken, *others)),
        everything().scenario,
        load_sources().catalog,
        Books(result.rates.book),
    )
    assert found and all(fault.startswith("storage: 2027") for fault in found)


def test_a_charge_that_is_left_out_of_the_bill_is_named() -> None:
    result = sound()
    kept = tuple(r for r in result.bom if r.sku != "charge-duty")
    assert result.rates is not None
    found = check_answer(
        replace(result, bom=kept), everything().scenario, load_sources().catalog, Books(result.rates.book)
    )
    assert any(fault.startswith("2027: duty not charged") for fault in found)


def uplinks_of(metres: float) -> FabricResult:
    return shipped_plan(
        {
            "schema": 1, "name": "uplinks", "base_year": 2027, "cluster": {"server": "dgx-h100"},
            "growth": [{"year": 2027, "gpus": 64}], "fabric": {"technologies": ["roce"]},
            "finance": {"horizon_years": 1}, "management": {"uplink_m": metres},
        }
    )  # fmt: skip


def test_uplinks_that_no_part_makes_are_the_reason_and_the_length_named_is_possible() -> None:
    """The catalog's only 100G module of the uplinks' cage reaches 100 m. Without the reason the management
    network was left out of the bill, and the answer failed its own check."""
    refused = uplinks_of(1000)
    assert (refused.plan.status, refused.plan.designs, refused.faults) == ("infeasible", (), ())
    assert refused.plan.reason == (
        "management: no cable or pair of modules in the catalog makes an uplink of 1000 m from a 1G to a "
        "100G switch; write uplink_m = 100 or less"
    )
    followed = uplinks_of(100)
    assert (followed.plan.status, followed.faults, followed.missing_prices) == ("optimal", (), ())


@pytest.mark.parametrize(
    ("beside", "named"),
    [
        ({"management": {"enabled": True}}, "management: no priced 1G switch"),
        ({"layout": {"patch_panels": True}}, "patch panels: no priced panel for lc"),
    ],
)
def test_an_answer_without_the_parts_that_it_names_passes_its_check(
    beside: dict[str, Any], named: str
) -> None:
    """A bare catalog with neither 1G switches nor panels: the totals are withheld, the fabric is sound."""
    result = planned(32, [Box("eight", 8, 10.0)], **beside)
    assert result.missing_prices[0].startswith(named)
    assert (result.plan.status, result.tco_usd, result.faults) == ("optimal", None, ())


SWITCHES = [s for s in load_sources().catalog.switches.values() if s.power_w is not None]
LOW = [s.id for s in SWITCHES if s.port_gbps == 1 and s.uplink_gbps == 100]
HIGH = [s.id for s in SWITCHES if s.port_gbps == 100 and "ethernet" in s.technologies]


@settings(max_examples=40)
@given(st.lists(st.integers(1, 9), min_size=len(LOW) + len(HIGH), max_size=len(LOW) + len(HIGH)))
def test_the_management_switches_are_the_cheapest_that_a_cable_joins(usd: list[int]) -> None:
    """Every pair of shipped models is joined by a cable, so that both are the cheapest of their kind."""
    sources, scenario = load_sources(), everything().scenario
    paid = {sku: float(price) for sku, price in zip([*LOW, *HIGH], usd, strict=True)}
    rates = tariff(replace(scenario, prices=replace(scenario.prices, discounts={})), "roce", sources)
    book = {sku: replace(rates.book.prices[sku], mid_usd=price) for sku, price in paid.items()}
    found = out_of_band(scenario, sources.catalog, replace(rates, book=rates.book.over(book)))
    assert found is not None
    assert paid[found.switch.id] == min(paid[sku] for sku in LOW)
    assert paid[found.core.id] == min(paid[sku] for sku in HIGH)
