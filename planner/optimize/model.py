"""The programme, as a table of contents."""

from __future__ import annotations

from dataclasses import replace

import pulp

from planner.optimize.constraints import (
    every_lot_goes_once,
    money_of_a_year,
    moves_follow_choices,
    no_piece_without_use,
    one_design_a_year,
    pieces_cover_need,
    spent,
)
from planner.optimize.elimination import eliminate
from planner.optimize.objective import total_cost
from planner.optimize.problem import Problem, Remaining
from planner.optimize.solve import solve
from planner.optimize.variables import Variables, safe, variables


def build(problem: Problem, kept: Remaining) -> tuple[pulp.LpProblem, Variables]:
    """The mixed-integer programme over what the bounds left."""
    programme = pulp.LpProblem(safe(problem.name), pulp.LpMinimize)
    v = variables(programme, problem, kept)
    programme.setObjective(total_cost(problem, kept, v))
    rules = (
        one_design_a_year,
        moves_follow_choices,
        pieces_cover_need,
        no_piece_without_use,
        every_lot_goes_once,
        money_of_a_year,
    )
    for rule in rules:
        for name, constraint in rule(problem, kept, v):
            programme.addConstraint(constraint, name)
    return programme, v


def least_relaxation(problem: Problem, kept: Remaining, solver: str) -> dict[int, float]:
    """By how much (nominal USD) each year's cap must rise at least, in sum, for some plan to keep it."""
    programme, v = build(replace(problem, caps=()), kept)
    slack = {cap.t: programme.add_variable(f"raise_{problem.base_year + cap.t}", 0) for cap in problem.caps}
    for cap in problem.caps:
        name = f"capex_{problem.base_year + cap.t}"
        programme.addConstraint(spent(problem, kept, v, cap.t) <= cap.usd + slack[cap.t], name)
    programme.setObjective(pulp.lpSum(slack.values()))
    solve(programme, solver)
    return {t: float(var.value() or 0.0) for t, var in slack.items()}


__all__ = ["build", "eliminate", "least_relaxation"]
