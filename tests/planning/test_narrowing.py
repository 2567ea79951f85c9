"""Every pair of designs of two build years, priced one by one: narrowing loses none of the cheapest."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from math import inf

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.candidates.enumeration import Candidate, candidates
from planner.candidates.switch_sets import all_switch_sets
from planner.cost.finance import UnitCost
from planner.cost.recabling_cost import move_rates, move_table
from planner.planning.narrowing import narrowed_candidates
from planner.planning.planning_task import Task
from planner.planning.technology_phases import Phases, build_years
from planner.scenario.scenario import Scenario
from tests.candidates.spaces import asked_of
from tests.support.holdings_enumerated import owning_usd
from tests.support.making import Box, Prices, bare_sources, scenario_of

PARTS = Prices(link=1.0, module=2.0, install=1.0, move=4.0)


def every_candidate(phases: Phases) -> list[Candidate]:
    """Without dual prices, cutoffs or dominance."""
    (phase,) = phases
    space = replace(phase.space, keep_dominated=True)
    sets = all_switch_sets(space, phase.attachments, phase.builds, growing=True)
    return candidates(space, sets, phase.builds)


def pieces_usd(unit: UnitCost, first: int, second: int) -> float:
    """The least cost of owning so many pieces in the first and in the second of two years, each in use: some
    are held through both, some bought a year ahead, some sold after the first."""
    through, early, late = owning_usd(unit, 0, 2), owning_usd(unit, 0, 1), owning_usd(unit, 1, 2)
    both, more = min(first, second), max(0, second - first)
    usd = both * min(through, early + late) + (first - both) * early + more * min(through, late)
    rate = 1 + unit.discount_rate
    return usd + first * unit.opex_usd[0] / rate + second * unit.opex_usd[1] / rate**2


def pairs_usd(task: Task, phases: Phases, found: list[Candidate]) -> dict[tuple[int, int], float]:
    """The cost (USD) of every pair of designs, by position."""
    moves, steps = move_table(found, build_years(phases), move_rates(task.tariff)), (0, 1)
    rows = [np.array([i for i, c in enumerate(found) if t in c.built], dtype=np.int64) for t in steps]
    services = moves.first_usd()[rows[0]][:, None] + moves.arc_usd(1, rows[0], rows[1])

    @cache
    def owned(sku: str, first: int, second: int) -> float:
        return pieces_usd(task.tariff.unit_cost(sku), first, second)

    usd = {}
    for (i, a), (j, b) in product(enumerate(rows[0].tolist()), enumerate(rows[1].tolist())):
        needs = [found[c].built[t].need for c, t in zip((a, b), steps, strict=True)]
        skus = needs[0].keys() | needs[1].keys()
        usd[a, b] = float(services[i, j]) + sum(
            owned(sku, needs[0].get(sku, 0), needs[1].get(sku, 0)) for sku in skus
        )
    return usd


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Two models of single or twin cages, two build years; needs rise, stay or fall."""
    boxes = [
        Box(
            f"model-{i}",
            2 * draw(st.integers(2, 4)),
            draw(st.sampled_from([5.0, 20.0, 60.0])),
            ports_per_cage=cage,
        )
        for i, cage in enumerate(draw(st.lists(st.sampled_from([1, 1, 2]), min_size=1, max_size=2)))
    ]
    nodes = draw(st.lists(st.integers(2, 12), min_size=2, max_size=2))
    finance = {
        "discount_rate": draw(st.sampled_from([0.0, 0.1])), "life_years": draw(st.sampled_from([2, 4])),
        "residual": draw(st.sampled_from(["none", "unexpired-life", "market"])),
        "support_ratio_per_year": draw(st.sampled_from([0.0, 0.1])),
    }  # fmt: skip
    erosion = {"erosion_per_year": {"switch": draw(st.sampled_from([0.0, 0.3]))}}
    fabric = {
        "max_tiers": draw(st.sampled_from([2, 3])),
        "max_oversubscription": draw(st.sampled_from(["1:1", "2:1"])),
        "collapsed_pair": draw(st.booleans()),
    }  # fmt: skip
    idle = {"recabling_downtime_hours": 1.0, "gpu_hour_usd": draw(st.sampled_from([0.0, 2.0]))}
    return scenario_of(
        sorted(nodes), boxes, PARTS, fabric=fabric, finance=finance, prices=erosion, operations=idle
    )


@settings(max_examples=40)
@given(scenarios())
def test_the_designs_of_every_cheapest_pair_are_left(scenario: Scenario) -> None:
    """Of equal pairs all: which of them is drawn is decided later."""
    ((task, phases),) = asked_of(scenario, bare_sources(PARTS))
    found = every_candidate(phases)
    usd = pairs_usd(task, phases, found)
    narrowed = narrowed_candidates(task, phases, 0.0, 0.0, [])
    left = {(c.wiring, t) for c in narrowed.candidates for t in c.built}
    least = min(usd.values(), default=inf)
    for (a, b), cost in usd.items():
        if cost <= least + 1e-9 * least:
            assert {(found[a].wiring, 0), (found[b].wiring, 1)} <= left
    assert not narrowed.dominated_left_out
