"""Floors against what pieces cost at the same prices, counted one by one: never above it, close below it, and
nothing is cut that costs less than the cutoff."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

from hypothesis import given, reject, settings
from hypothesis import strategies as st

from planner.candidates.design_space import DualPrices
from planner.candidates.dominance import TooManyWiringsError
from planner.candidates.enumeration import Candidate, candidates, with_parts
from planner.candidates.year_floors import least_floors
from planner.catalog.sources import load_sources
from planner.fabric.demand import YearDemand
from planner.fabric.design import Wiring
from planner.scenario.load import scenario_from_text
from tests.candidates.spaces import Space, asked_of, space_of
from tests.support.making import Box, Prices, bare_sources, scenario_of, toml

SHIPPED = {
    "schema": 1, "name": "shipped parts", "base_year": 2027, "cluster": {"server": "dgx-h100"},
    "growth": [{"year": 2027, "gpus": 128}, {"year": 2028, "gpus": 320}],
    "workload": {"model": "llama3-70b"},
}  # fmt: skip


def duals_of(seed: int, space: Space, credit_usd: float = 0.0) -> DualPrices:
    """A price a piece and build year, the same for the same seed: switches are dear, some pieces free."""

    @cache
    def price(sku: str, t: int) -> float:
        drawn = random.Random(f"{seed} {sku} {t}")
        return 0.0 if drawn.random() < 0.1 else drawn.uniform(1, 10) * (20 if sku in space.space.by_id else 1)

    return DualPrices(price, space.builds[-1].t, random.Random(seed).choice([0.0, 2.0]), credit_usd)


def cost_usd(space: Space, duals: DualPrices, candidate: Candidate, year: YearDemand) -> float:
    """Pieces one by one, and the labour of every link in the last build year; less the credit for output."""
    built, wiring = candidate.built[year.t], candidate.wiring
    usd = sum(n * duals.piece_usd(sku, year.t) for sku, n in built.need.items())
    if year.t == duals.last_t:
        size = built.size
        between = size.leaf_spine_links + size.spine_core_links + size.leaf_leaf_links
        links = size.endpoints + between * (wiring.uplink_gbps // wiring.link_gbps if between else 0)
        usd += links * wiring.planes * wiring.sites * duals.install_usd
    output = space.space.discounted_output
    return usd - duals.credit_usd * (output(wiring, year) if output else 0.0)


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """Two build years; twin cages, breakouts and native cables, planes, reserved ports, collapsed pairs."""
    boxes = []
    for i in range(draw(st.integers(1, 2))):
        split, cage = draw(st.sampled_from([(1, 1), (1, 2), (2, 1), (2, 2)]))
        ports = draw(st.integers(2, 5)) * 2
        boxes.append(Box(f"model-{i}", ports, 1.0, 100 * split, tuple(sorted({1, split})), cage))
    fabric = {
        "max_oversubscription": draw(st.sampled_from(["1:1", "3:2", "2:1"])), "max_tiers": 3,
        "spine_oversubscription": draw(st.sampled_from(["1:1", "2:1"])), "link_gbps": 100,
        "collapsed_pair": draw(st.booleans()), "planes": draw(st.sampled_from([1, 2])),
        "reserved_fabric_ports": draw(st.sampled_from([0, 2])), "rail_optimised": draw(st.booleans()),
    }  # fmt: skip
    nodes = sorted(draw(st.lists(st.integers(2, 10), min_size=2, max_size=2)))
    cluster = {"nic_ports_per_node": 2}
    scenario = scenario_of(nodes, boxes, Prices(native=1.0), fabric=fabric, cluster=cluster)
    return space_of(scenario, keep_dominated=draw(st.booleans()))


def output_of(wiring: Wiring, year: YearDemand) -> float:
    """More for every uplink."""
    through = wiring.oversubscription * wiring.spine_oversubscription
    return year.gpus / float(1 + through)


def floors_hold(space: Space, duals: DualPrices) -> float:
    """Checks every wiring in every build year; the closest that a floor comes to its cost."""
    priced = space.priced(duals)
    rows = priced.sized()
    least = least_floors(priced.space, priced.switch_sets, priced.builds)
    closest = 0.0
    for row in rows:
        for candidate in with_parts(priced.space, [row], priced.builds):
            for year in (y for y in priced.builds if y.t in candidate.built):
                floor, usd = row.built[year.t].floor_usd, cost_usd(priced, duals, candidate, year)
                assert floor <= usd + 1e-6, (row.wiring, year.t)
                assert least[year.t] <= floor + 1e-6, (row.wiring, year.t)
                closest = max(closest, floor / usd if usd > 0 else 0.0)
    return closest


@settings(max_examples=40)
@given(spaces(), st.integers(0, 10**6))
def test_no_floor_is_above_the_cost_of_its_pieces(space: Space, seed: int) -> None:
    """And the least of a year is above none. The closest is close: a floor of 0 would prove nothing."""
    if space.sized():
        assert floors_hold(space, duals_of(seed, space)) > 0.5


@settings(max_examples=25)
@given(spaces(), st.integers(0, 10**6))
def test_floors_hold_where_output_earns_a_credit(space: Space, seed: int) -> None:
    """The floor of a leaf layer takes off the credit of the best that could come of it."""
    rated_space = replace(
        space.space, discounted_output=output_of, every_ratio=seed % 2 == 0, keep_dominated=False
    )
    rated = replace(space, space=rated_space)
    floors_hold(rated, duals_of(seed, space, credit_usd=random.Random(seed).choice([1.0, 50.0])))


@settings(max_examples=40)
@given(spaces(), st.integers(0, 10**6), st.floats(0, 1))
def test_a_cutoff_leaves_out_nothing_that_costs_less(space: Space, seed: int, share: float) -> None:
    """Of a year's own wirings everything up to a cost between the least and the dearest.

    Without ports kept free: with them a wiring also comes with more units than it needs, and is cut as that.
    """
    duals, year = duals_of(seed, space), space.builds[seed % 2]
    rules = replace(space.space.rules, reserved_fabric_ports=0)
    space = replace(space, space=replace(space.space, rules=rules, keep_dominated=True))
    try:
        every = candidates(space.space, space.switch_sets, (year,))
    except TooManyWiringsError:
        reject()  # then the planner compares no moves, and this test's enumeration has nothing to show
    usd = {c.wiring: cost_usd(space, duals, c, year) for c in every}
    if not usd:
        return
    cutoff = min(usd.values()) + share * (max(usd.values()) - min(usd.values())) + 1e-6
    priced = space.priced(duals, {year.t: cutoff})
    found = {c.wiring for c in candidates(priced.space, priced.switch_sets, (year,))}
    assert {wiring for wiring, cost in usd.items() if cost < cutoff - 1e-7} <= found <= usd.keys()


def test_floors_hold_for_the_shipped_parts() -> None:
    """Splitters, assemblies, twin-port cages, spares and the management network, in all technologies."""
    scenario = scenario_from_text(toml(SHIPPED), load_sources(), "shipped.toml")
    asked = asked_of(scenario, load_sources())
    assert len(asked) > 2
    for seed, (_, (phase,)) in enumerate(asked):
        space = Space(phase.space, phase.attachments, phase.builds)
        assert floors_hold(space, duals_of(seed, space)) > 0.9


def test_what_is_asked_of_a_hand_made_scenario() -> None:
    """One technology, one phase, its build years."""
    ((task, (phase,)),) = asked_of(scenario_of([4, 8], [Box("eight", 8, 1.0)]), bare_sources())
    assert (task.technology, [y.t for y in phase.builds]) == ("roce", [0, 1])
