"""Of plans that cost the same, the one an architect would draw, and the same one every time.

Designs that take the same pieces in a year differ only in how links run. Among them the least cost of
moves decides, then: fewer switches, uplinks at the link rate, few links a pair (spread over many spines),
large pods, many core groups, and last the name.
"""

from __future__ import annotations

import numpy as np

from planner.candidates.enumeration import Candidate
from planner.optimize.problem import Floats, Ints, Problem

CENT = 0.01


def break_ties(problem: Problem, found: list[Candidate], path: tuple[int, ...]) -> tuple[int, ...]:
    """The preferred path among those with the pieces of ``path`` in every step, at no greater cost."""
    rows = [_equals(problem, found, step, chosen) for step, chosen in enumerate(path)]
    rows = [r[_ranks(found, r)] for r in rows]
    cost: Floats = problem.first_usd[rows[0]].astype(np.float64)
    back: list[Ints] = []
    for step in range(1, len(rows)):
        through = cost[:, None] + problem.arc_usd(step, rows[step - 1], rows[step])
        least = through.min(axis=0)
        # rows are in order of preference: the first within a cent of the least wins
        back.append(np.argmax(through <= least[None, :] + CENT, axis=0).astype(np.int64))
        cost = least
    last = int(np.argmax(cost <= cost.min() + CENT))
    picks = [last]
    for pointers in reversed(back):
        picks.append(int(pointers[picks[-1]]))
    return tuple(int(r[k]) for r, k in zip(rows, reversed(picks), strict=True))


def _equals(problem: Problem, found: list[Candidate], step: int, chosen: int) -> Ints:
    """Candidates that take the same pieces in a step and run the job alike."""
    need = problem.need[step]
    same = np.flatnonzero((need == need[chosen]).all(axis=1))
    wiring = found[chosen].wiring
    alike = [
        c
        for c in same
        if found[c].wiring.tiers == wiring.tiers
        and found[c].wiring.oversubscription == wiring.oversubscription
        and found[c].wiring.spine_oversubscription == wiring.spine_oversubscription
        and found[c].wiring.nodes_per_unit == wiring.nodes_per_unit
    ]
    return np.array(alike, dtype=np.int64)


def _ranks(found: list[Candidate], rows: Ints) -> Ints:
    return np.array(
        sorted(range(len(rows)), key=lambda k: preference_order(found[int(rows[k])])), dtype=np.int64
    )


def preference_order(candidate: Candidate) -> tuple[int | str, ...]:
    """Sorts candidates of equal cost: fewer switches, and so on as above."""
    w = candidate.wiring
    size = list(candidate.built.values())[-1].size
    return (
        size.leaves + size.spines + size.cores,
        w.uplink_factor,
        w.links_per_pair,
        -w.leaves_per_pod,
        -w.core_groups,
        w.leaf,
        w.spine,
        w.core,
        w.spines,
        w.cores_per_group,
    )
