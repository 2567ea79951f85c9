"""Growth against plain enumeration: no sequence of fat-trees, purchases, moves and sales is cheaper."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

import pytest
from hypothesis import strategies as st

from planner.optimize.solve import Solver
from planner.study.result import FabricResult
from tests.proof.oracle_growth import Growth, Switch, cheapest_growth
from tests.proof.oracle_money import Money
from tests.support.examples import Examples
from tests.support.making import BASE_YEAR, Box, Prices, planned, switch_counts

pytestmark = pytest.mark.no_cover  # the rooms' own tests are to cover them


def answer(case: Growth, solver: Solver = "highs") -> FabricResult:
    """The planner's answer to the oracle's question."""
    boxes = [Box(f"model-{i}", m.ports, m.price, power_w=m.power_w) for i, m in enumerate(case.models)]
    fabric: dict[str, Any] = {
        "max_oversubscription": text(case.ratio), "spine_oversubscription": text(case.spine_ratio),
        "min_spines": case.min_spines, "max_tiers": case.max_tiers, "rail_optimised": case.rail,
        "planes": case.planes, "link_gbps": 100,
    }  # fmt: skip
    if case.unit_nodes:
        fabric["nodes_per_scalable_unit"] = case.unit_nodes
    money = case.money
    finance = {
        "horizon_years": money.horizon, "life_years": money.life, "residual": money.residual,
        "market_resale_ratio": money.resale, "discount_rate": money.rate,
        "support_ratio_per_year": money.support,
    }  # fmt: skip
    late = {f"model-{i}": BASE_YEAR + m.first_t for i, m in enumerate(case.models) if m.first_t}
    limits: dict[str, Any] = {"available_from": late} if late else {}
    if case.power_limit_w is not None:
        limits["network_power_kw"] = case.power_limit_w / 1000.0
    sections: dict[str, Any] = {"constraints": limits} if limits else {}
    there = [
        {"sku": f"model-{i}", "quantity": m.stock, "bought_year": BASE_YEAR - m.stock_age}
        for i, m in enumerate(case.models)
        if m.stock
    ]
    sections |= {"installed": there} if there else {}
    return planned(
        list(case.nodes), boxes,
        Prices(link=case.link_price, move=case.move_price, install=case.install_price), solver=solver,
        years=[BASE_YEAR + t for t in money.starts], fabric=fabric, finance=finance,
        cluster={"nic_ports_per_node": case.ports_per_node * case.planes},
        prices={"erosion_per_year": {"switch": money.erosion}},
        operations={"recabling_downtime_hours": 1.0, "gpu_hour_usd": case.idle_price}, **sections,
    )  # fmt: skip


def text(ratio: Fraction) -> str:
    return f"{ratio.numerator}:{ratio.denominator}"


def cost(result: FabricResult) -> float:
    return inf if result.network_tco_usd is None else result.network_tco_usd


@st.composite
def moneys(draw: st.DrawFn, steps: int) -> Money:
    """Half of them with rate 0 and no erosion, where it is use alone that costs."""
    starts = [0]
    for _ in range(steps - 1):
        starts.append(starts[-1] + draw(st.sampled_from([1, 1, 2])))
    plain = draw(st.booleans())
    return Money(
        starts=tuple(starts),
        horizon=starts[-1] + draw(st.sampled_from([1, 1, 2, 3])),
        life=draw(st.sampled_from([2, 3, 5, 10])),
        residual=draw(st.sampled_from(["none", "unexpired-life", "unexpired-life", "market"])),
        rate=0.0 if plain else draw(st.sampled_from([0.05, 0.1, 0.25])),
        erosion=0.0 if plain else draw(st.sampled_from([0.0, 0.1, 0.3])),
        support=draw(st.sampled_from([0.0, 0.1])),
    )


@st.composite
def growths(draw: st.DrawFn, deep: bool, rail: bool) -> Growth:
    """``deep``: radix 4 to 6, where three tiers are needed; else 5 to 10 and two tiers."""
    per_node = 2 if rail else draw(st.sampled_from([1, 1, 2]))
    steps = draw(st.sampled_from([2, 2, 3]))
    money = draw(moneys(steps))
    count = draw(st.sampled_from([1, 2, 2]))
    radix = st.integers(4, 6) if deep else st.integers(5, 10)
    stock = draw(st.integers(0, 5)) if steps == 2 and draw(st.booleans()) else 0
    late = draw(st.sampled_from([0, 0, 1, 2])) if count > 1 and not stock else 0
    models = [
        Switch(
            draw(radix), float(draw(st.sampled_from([5, 20, 50]))), float(draw(st.sampled_from([50, 100]))),
            first_t=late * i, stock=0 if i else stock, stock_age=draw(st.integers(1, 3)),
        )
        for i in range(count)
    ]  # fmt: skip
    ports = max(m.ports for m in models)
    most = min(40, ports * ports * (3 if deep else 2) // 4) // per_node
    nodes = sorted(draw(st.lists(st.integers(1, most), min_size=steps, max_size=steps)))
    return Growth(
        nodes=tuple(nodes),
        models=tuple(models),
        money=money,
        ports_per_node=per_node,
        rail=rail,
        unit_nodes=draw(st.sampled_from([None, None, None, 2])) if rail else None,
        link_price=draw(st.sampled_from([0.0, 1.0])),
        move_price=draw(st.sampled_from([0.0, 0.5, 2.0, 5.0, 20.0])),
        install_price=draw(st.sampled_from([0.0, 0.0, 1.0])),
        idle_price=draw(st.sampled_from([0.0, 0.0, 1.0])),
        ratio=draw(st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2)])),
        spine_ratio=draw(st.sampled_from([Fraction(1), Fraction(2)])),
        min_spines=draw(st.sampled_from([1, 2])),
        max_tiers=3 if deep else 2,
        planes=draw(st.sampled_from([1, 1, 2])),
        power_limit_w=draw(st.sampled_from([None, None, 600.0, 1200.0, 2500.0])),
    )


@st.composite
def bends(draw: st.DrawFn) -> Growth:
    """A small, a large, many small switches under large ones: needs of both fall or rise on the way."""
    small, large = draw(st.integers(4, 6)), draw(st.integers(8, 10))
    nodes = draw(st.integers(2, small)), draw(st.integers(small + 1, large)), draw(st.integers(large + 1, 20))
    case = draw(growths(deep=False, rail=False))
    models = Switch(small, float(draw(st.sampled_from([5, 8]))), 50.0), Switch(large, 20.0, 80.0)
    money = replace(draw(moneys(3)), life=draw(st.sampled_from([2, 3, 5])))
    return replace(
        case, nodes=nodes, models=models, money=money, ports_per_node=1, power_limit_w=None, planes=1,
        move_price=draw(st.sampled_from([0.0, 0.5])), install_price=0.0,
    )  # fmt: skip


def turns(result: FabricResult) -> set[str]:
    """Whether the need of some part turns on its way through the years."""
    found = set()
    for sku in {sku for design in result.plan.designs for sku in design.need}:
        needs = [design.need.get(sku, 0) for design in result.plan.designs]
        for k in range(1, len(needs) - 1):
            before, after = needs[:k], needs[k + 1 :]
            found |= {"a need falls and rises again"} if needs[k] < min(max(before), max(after)) else set()
            found |= {"a need rises and falls again"} if needs[k] > max(min(before), min(after)) else set()
    return found


def facts(case: Growth, result: FabricResult) -> list[str]:
    """What a case puts to the proof: named to be counted."""
    designs = result.plan.designs
    again = any(e.owned[s] > e.change.bought.get(s, 0) for d, e in pairwise(designs) for s in e.need)
    found = {
        "three tiers possible": case.max_tiers > 2,
        "three tiers chosen": any(d.wiring.tiers == 3 for d in designs),
        "two tiers chosen": any(d.wiring.tiers == 2 for d in designs),
        "rails": case.rail and bool(designs),
        "planes": case.planes > 1 and bool(designs),
        "two models chosen": any(len({d.wiring.leaf, d.wiring.spine} - {""}) == 2 for d in designs),
        "growth": len({d.nodes for d in designs}) > 1,
        "a piece used again": again and len({d.nodes for d in designs}) > 1,
        "links moved": any(d.change.recabled_links for d in designs),
        "pieces sold": any(d.change.retired for d in designs),
        "stock": bool(designs) and any(m.stock for m in case.models),
        "money over time": bool(designs) and case.money.rate > 0,
        "a limit binds": limit_binds(case, result),
        "no design": not designs,
    }  # fmt: skip
    return [*turns(result), *(name for name, holds in found.items() if holds)]


def limit_binds(case: Growth, result: FabricResult) -> bool:
    """Whether the plan is another one without the power limit and with every model to be had at once."""
    free = replace(case, power_limit_w=None, models=tuple(replace(m, first_t=0) for m in case.models))
    return free != case and cheapest_growth(free) < cost(result) - 1e-6


KINDS = {  # strategy, cases of a part, parts that run side by side
    "two tiers": (growths(deep=False, rail=False), 115, 2),
    "two tiers, rails": (growths(deep=False, rail=True), 130, 1),
    "three tiers": (growths(deep=True, rail=False), 60, 4),
    "three tiers, rails": (growths(deep=True, rail=True), 130, 1),
    "needs that turn": (bends(), 100, 2),
}
PARTS = [(kind, part) for kind, (_, _, parts) in KINDS.items() for part in range(parts)]


def chosen(case: Growth, result: FabricResult) -> list[list[tuple[int, int]]]:
    """The planner's switches of every build year, in the oracle's words."""
    by_year = dict(zip((d.year for d in result.plan.designs), switch_counts(result), strict=True))
    built = [by_year[BASE_YEAR + t] for t in case.money.starts]
    return [[(int(name.removeprefix("model-")), n) for name, n in tiers] for tiers in built]


def agree(case: Growth, seen: Counter[str]) -> None:
    """Cost and switches are the oracle's; what the case was about is counted."""
    least = cheapest_growth(case)
    result = answer(case)
    assert cost(result) == pytest.approx(least, abs=1e-6)
    assert result.faults == ()
    if least < inf:
        assert cheapest_growth(case, chosen(case, result)) == pytest.approx(least, abs=1e-6), (
            "the plan's switches"
        )
    seen.update(["cases", *facts(case, result)])


@pytest.mark.parametrize(("kind", "part"), PARTS)
def test_no_growth_is_cheaper(
    kind: str, part: int, examples: Examples, record_property: Callable[[str, object], None]
) -> None:
    """930 cases of two or three build years, free units, pods, cores, models: no plan costs less.

    The least cost with the plan's own switches, year by year, is the least of all: where one choice alone is
    the cheapest it is that one, else one of them. What the cases were about is counted (``.ci/run`` sums it).
    """
    seen = Counter[str]()
    drawn, count, _ = KINDS[kind]
    examples(lambda case: agree(case, seen), count, drawn)
    assert seen["cases"] >= count
    record_property("growth", json.dumps(seen))


@pytest.mark.parametrize("rail", [False, True])
def test_both_solvers_grow_at_the_same_cost(rail: bool, examples: Examples) -> None:
    def agree_by_cbc(case: Growth) -> None:
        assert cost(answer(case, "cbc")) == pytest.approx(cheapest_growth(case), abs=1e-6)

    examples(agree_by_cbc, 40, growths(False, rail) | growths(True, rail))


def test_a_unit_size_that_only_growth_wants() -> None:
    """One switch of 9 ports holds 9 nodes; then 5 leaves of 6 + 3 under 3 spines hold 25.

    In use: 1 switch for a year, 8 for another, of 50 over 10 years: 45. Units of 6 hold 6 + 5 + 5 + 5 + 4:
    six of the first switch's nine links stay, three move: 15, in all 60. Units of 5, of which five stay,
    make it 65; they need no more of anything, and were once the only ones looked at.
    """
    money = Money((0, 1), 2, 10, "unexpired-life")
    case = Growth((9, 25), (Switch(9, 50.0),), money, move_price=5.0, ratio=Fraction(2), max_tiers=2)
    result = answer(case)
    assert (cheapest_growth(case), cost(result)) == (pytest.approx(60.0), pytest.approx(60.0))
    assert [d.wiring.nodes_per_unit for d in result.plan.designs] == [9, 6]
    assert result.plan.designs[1].change.recabled_by_tier == (3, 0, 0)
