"""The programme's variables, with readable names."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pulp

from planner.optimize.problem import Problem, Remaining


@dataclass(frozen=True, slots=True)
class Variables:
    """choose[step, candidate] (binary), move[step, old, new], hold[sku, bought, until] and
    sell[lot, t]: pieces of a lot that was there, sold at the start of year t (>= 0)."""

    choose: dict[tuple[int, int], pulp.LpVariable]
    move: dict[tuple[int, int, int], pulp.LpVariable]
    hold: dict[tuple[int, int, int], pulp.LpVariable]
    sell: dict[tuple[int, int], pulp.LpVariable]
    constant: pulp.LpVariable


def variables(programme: pulp.LpProblem, problem: Problem, kept: Remaining) -> Variables:
    """Adds the variables to a programme.

    Only ``choose`` must be binary: with it fixed, moves are a flow and holdings an interval cover,
    both with integer corners. A cap on a year's money cuts those corners: then holdings are whole, too.
    """
    whole = "Integer" if problem.caps else "Continuous"
    choose = {
        (j, int(c)): programme.add_variable(f"choose_{_year(problem, j)}_{problem.labels[c]}", cat="Binary")
        for j, nodes in enumerate(kept.nodes)
        for c in nodes
    }
    move = {
        (j, a, b): programme.add_variable(f"move_{_year(problem, j + 1)}_c{a}_to_c{b}", 0, 1)
        for j, arcs in enumerate(kept.arcs)
        for a, b in arcs
    }
    hold = {
        (k, a, b): programme.add_variable(
            f"hold_{safe(unit.sku)}_{problem.base_year + a}_to_{problem.base_year + b}", 0, cat=whole
        )
        for k, unit in enumerate(problem.units)
        for a, b in unit.intervals()
    }
    sell = {
        (i, t): programme.add_variable(
            f"sell_lot{i}_{safe(problem.units[stock.column].sku)}_{problem.base_year + t}", 0, cat=whole
        )
        for i, stock in enumerate(problem.stock)
        for t in range(stock.lot.until + 1)
    }
    # fixed at 1: so that the programme, and its LP file, hold what no choice changes
    constant = programme.add_variable("what_no_choice_changes", 1, 1)
    return Variables(choose, move, hold, sell, constant)


def _year(problem: Problem, step: int) -> int:
    return problem.base_year + problem.decides[step]


def safe(text: str) -> str:
    """A name that LP files accept.

    >>> safe("qm9700-x 1:2")
    'qm9700_x_1_2'
    """
    return re.sub(r"[^A-Za-z0-9_.]+", "_", text)
