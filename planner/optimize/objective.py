"""The programme's objective: present worth of everything that a choice changes, and the constant."""

from __future__ import annotations

import pulp

from planner.optimize.problem import Problem, Remaining
from planner.optimize.variables import Variables


def total_cost(problem: Problem, kept: Remaining, v: Variables) -> pulp.LpAffineExpression:
    """Holdings - sales of what was there + running cost + services + moves - credit + constant (USD).

    The coefficients come from the same finance functions that the report uses.
    """
    terms: list[tuple[pulp.LpVariable, float]] = []
    for (k, a, b), var in v.hold.items():
        terms.append((var, problem.units[k].holding_usd(a, b)))
    for (i, t), var in v.sell.items():
        terms.append((var, -problem.stock[i].lot.sale_usd[t]))
    for j, nodes in enumerate(kept.nodes):
        opex = problem.opex_usd(j)
        for c in nodes:
            first = float(problem.first_usd[c]) if j == 0 else 0.0
            terms.append((v.choose[j, int(c)], float(opex[c]) + first))
    for j, arcs in enumerate(kept.arcs):
        terms.extend((v.move[j, a, b], usd) for (a, b), usd in arcs.items())
    terms.append((v.constant, problem.constant_usd))
    return pulp.LpAffineExpression(terms)
