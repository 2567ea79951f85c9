"""The programme, as a table of contents."""

from __future__ import annotations

import pulp

from planner.optimize.bounds import keep
from planner.optimize.constraints import (
    every_lot_goes_once,
    money_of_a_year,
    moves_follow_choices,
    no_piece_without_use,
    one_design_a_year,
    pieces_cover_need,
)
from planner.optimize.objective import total_cost
from planner.optimize.problem import Kept, Problem
from planner.optimize.variables import Variables, safe, variables


def build(problem: Problem, kept: Kept) -> tuple[pulp.LpProblem, Variables]:
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


__all__ = ["build", "keep"]
