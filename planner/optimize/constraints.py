"""The programme's constraints, one function a rule."""

from __future__ import annotations

from collections.abc import Iterator

import pulp

from planner.optimize.problem import Kept, Problem
from planner.optimize.variables import Variables, safe

Named = tuple[str, pulp.LpConstraint]


def one_design_a_year(problem: Problem, kept: Kept, v: Variables) -> Iterator[Named]:
    """sum over c of choose[j, c] = 1 in every build year j."""
    for j, nodes in enumerate(kept.nodes):
        year = problem.base_year + problem.decides[j]
        yield f"one_design_{year}", pulp.lpSum(v.choose[j, int(c)] for c in nodes) == 1


def moves_follow_choices(problem: Problem, kept: Kept, v: Variables) -> Iterator[Named]:
    """The moves out of a design, and those into the next, equal the choice of it (a flow).

    sum over b of move[j, a, b] = choose[j, a];  sum over a of move[j, a, b] = choose[j + 1, b].
    """
    for j, arcs in enumerate(kept.arcs):
        out: dict[int, list[pulp.LpVariable]] = {int(c): [] for c in kept.nodes[j]}
        into: dict[int, list[pulp.LpVariable]] = {int(c): [] for c in kept.nodes[j + 1]}
        for a, b in arcs:
            out[a].append(v.move[j, a, b])
            into[b].append(v.move[j, a, b])
        year = problem.base_year + problem.decides[j + 1]
        for a, flows in out.items():
            yield f"leave_{year}_c{a}", pulp.lpSum(flows) == v.choose[j, a]
        for b, flows in into.items():
            yield f"enter_{year}_c{b}", pulp.lpSum(flows) == v.choose[j + 1, b]


def pieces_cover_need(problem: Problem, kept: Kept, v: Variables) -> Iterator[Named]:
    """Pieces held in a year are at least those that the chosen design needs, for every SKU.

    sum of hold[k, a, b] over a <= t < b  >=  sum over c of need[c, k] x choose[j, c].
    """
    for j, nodes in enumerate(kept.nodes):
        for t in problem.years(j):
            for k, unit in enumerate(problem.units):
                held = [v.hold[k, a, b] for a, b in unit.intervals() if a <= t < b]
                needed = [
                    int(problem.need[j][c, k]) * v.choose[j, int(c)] for c in nodes if problem.need[j][c, k]
                ]
                if needed:
                    name = f"cover_{safe(unit.sku)}_{problem.base_year + t}"
                    yield name, pulp.lpSum(held) >= pulp.lpSum(needed)


def no_piece_without_use(problem: Problem, kept: Kept, v: Variables) -> Iterator[Named]:
    """No more of a SKU is held than any design kept for this year or later needs.

    Without it a discount rate far below 0 would make buying and selling a source of money.
    """
    steps = range(len(kept.nodes))
    for k, unit in enumerate(problem.units):
        for t in range(problem.horizon):
            later = [j for j in steps if problem.years(j)[-1] >= t]
            most = max(int(problem.need[j][kept.nodes[j], k].max()) for j in later)
            held = [v.hold[k, a, b] for a, b in unit.intervals() if a <= t < b]
            yield f"use_{safe(unit.sku)}_{problem.base_year + t}", pulp.lpSum(held) <= most
