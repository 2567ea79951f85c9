"""Of plans that cost the same, against all of them: the least moves, then the preferred designs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.candidates.enumeration import Built, Candidate
from planner.cost.finance import UnitCost
from planner.fabric.design import Size, Wiring
from planner.fabric.part_counts import Pieces
from planner.optimize.problem import Column, Problem
from planner.planning.tie_breaking import break_ties, preference_order

WIRING = Wiring(
    1, 1, 1, 100, False, "nic", 2, "leaf", 1, 4, 1, 4, up=4, uplink_gbps=100, spine="spine", spines=1
)
UNIT = UnitCost("piece", (1.0,) * 4, (0.0,) * 3, 3, 0.0, "none", 0.0)
Drawn = tuple[int, int, int]  # spines of a wiring, its pieces, its ratio's uplinks


def candidate(number: int, drawn: Drawn) -> Candidate:
    spines, pieces, up = drawn
    wiring = replace(WIRING, spines=spines, up=up, cores_per_group=number)
    size = Size(4, 4, 1, 1, spines, 0, 4, 0)
    return Candidate(wiring, {0: Built(size, Pieces({}, 0, 0), {"piece": pieces})})


@st.composite
def problems(draw: st.DrawFn) -> tuple[Problem, list[Candidate], tuple[int, ...]]:
    """Three to five candidates over up to three steps; whole USD, so that a cent decides nothing."""
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from([1, 2, 4]), st.integers(1, 2), st.sampled_from([4, 8])),
            min_size=3,
            max_size=5,
        )
    )
    found = [candidate(i, row) for i, row in enumerate(rows)]
    number, steps = len(found), draw(st.integers(1, 3))
    usd = st.integers(0, 2)
    first = np.array([draw(usd) for _ in found], dtype=np.float64)
    arcs = [np.array([[draw(usd) for _ in found] for _ in found], dtype=np.float64) for _ in range(steps - 1)]

    def arc_usd(step: int, old: np.ndarray, new: np.ndarray) -> np.ndarray:
        return np.asarray(arcs[step - 1][np.ix_(old, new)])

    need = np.array([[row[1]] for row in rows], dtype=np.int64)
    problem = Problem(
        name="ties",
        horizon=3,
        decides=tuple(range(steps)),
        labels=tuple(str(i) for i in range(number)),
        columns=(Column(UNIT),),
        serves=(np.ones(number, dtype=bool),) * steps,
        need=(need,) * steps,
        first_usd=first,
        arc_usd=arc_usd,
        constant_usd=0.0,
        base_year=2027,
    )
    path = tuple(draw(st.integers(0, number - 1)) for _ in range(steps))
    return problem, found, path


def services_usd(problem: Problem, path: Sequence[int]) -> float:
    usd = float(problem.first_usd[path[0]])
    for step in range(1, len(path)):
        pair = np.array([path[step - 1]]), np.array([path[step]])
        usd += float(problem.arc_usd(step, *pair)[0, 0])
    return usd


@settings(max_examples=300)
@given(problems())
def test_the_least_moves_then_the_preferred_designs(
    drawn: tuple[Problem, list[Candidate], tuple[int, ...]],
) -> None:
    """Of all paths with the pieces and the ratio of the given one: the last design counts first."""
    problem, found, path = drawn
    alike = [
        [
            c
            for c in range(len(found))
            if problem.need[step][c].tolist() == problem.need[step][chosen].tolist()
            and found[c].wiring.oversubscription == found[chosen].wiring.oversubscription
        ]
        for step, chosen in enumerate(path)
    ]
    every = list(product(*alike))
    least = min(services_usd(problem, p) for p in every)
    cheapest = [p for p in every if services_usd(problem, p) <= least + 1e-9]
    expected = min(cheapest, key=lambda p: [preference_order(found[c]) for c in reversed(p)])
    assert break_ties(problem, found, path) == expected


def test_the_order_of_preference() -> None:
    """Fewer switches, uplinks at the link rate, few links a pair, large pods, many core groups, names."""
    size = Size(4, 4, 2, 1, 2, 0, 4, 0)

    def ranked(switches: int, **asked: object) -> tuple[object, ...]:
        built = Built(replace(size, leaves=switches), Pieces({}, 0, 0), {})
        return preference_order(Candidate(replace(WIRING, **asked), {0: built}))  # type: ignore[arg-type]

    rising = [
        ranked(1, uplink_gbps=200, up=8), ranked(2, up=4, spines=4), ranked(2, up=4, spines=2),
        ranked(2, up=4, spines=2, uplink_gbps=200), ranked(3, leaves_per_pod=9),
        ranked(3, leaves_per_pod=3, core_groups=4), ranked(3, leaves_per_pod=3, core_groups=2),
        ranked(3, leaves_per_pod=3, core_groups=2, leaf="other"),
    ]  # fmt: skip
    assert sorted(rising) == rising
