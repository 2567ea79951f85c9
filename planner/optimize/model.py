"""The programme: ``build`` is its table of contents, then come variables, objective and one function a rule.

Indices: j a step (build year), t a year, c a candidate, (a, b) either an arc from candidate a to candidate b
or a holding from year a to year b, k a column of pieces, i a lot that is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pulp

from planner.optimize.problem import Problem, Remaining, safe_name
from planner.optimize.solve import Solver, solve

Named = tuple[str, pulp.LpConstraint]
_ROUNDING = 1e-9  # relative: of a value that becomes a bound


def build(problem: Problem, remaining: Remaining) -> tuple[pulp.LpProblem, Variables]:
    """The mixed-integer programme over what the bounds left."""
    programme = pulp.LpProblem(safe_name(problem.name), pulp.LpMinimize)
    v = variables(programme, problem, remaining)
    programme.setObjective(total_cost(problem, remaining, v))
    rules = (
        one_design_a_year,
        moves_follow_choices,
        pieces_cover_need,
        no_piece_without_use,
        every_lot_goes_once,
        money_of_a_year,
    )
    for rule in rules:
        for name, constraint in rule(problem, remaining, v):
            programme.addConstraint(constraint, name)
    return programme, v


@dataclass(frozen=True, slots=True)
class Variables:
    """``choose[j, c]`` (binary). ``move[j, a, b]``: from a in step j to b in step j + 1. ``hold[k, a, b]``:
    pieces bought at the start of year a and sold at that of year b. ``sell[k, i, t]``: pieces of a lot that
    was there, sold at the start of year t. ``constant``: 1."""

    choose: dict[tuple[int, int], pulp.LpVariable]
    move: dict[tuple[int, int, int], pulp.LpVariable]
    hold: dict[tuple[int, int, int], pulp.LpVariable]
    sell: dict[tuple[int, int, int], pulp.LpVariable]
    constant: pulp.LpVariable

    def held(self, problem: Problem, k: int, t: int) -> list[pulp.LpVariable]:
        """Pieces of a column that are held in year t: bought, or there before and not yet sold."""
        column = problem.columns[k]
        bought = [self.hold[k, a, b] for a, b in column.unit.intervals() if a <= t < b]
        lots = enumerate(column.lots)
        return bought + [self.sell[k, i, b] for i, lot in lots for b in range(t + 1, lot.until + 1)]


def variables(programme: pulp.LpProblem, problem: Problem, remaining: Remaining) -> Variables:
    """Adds the variables to a programme.

    Only ``choose`` must be binary: with it fixed, moves are a flow and so are holdings
    (``planner.cost.cheapest_holdings``), both with integer corners. A cap on a year's money cuts those
    corners: then holdings are whole, too.
    """
    whole = "Integer" if problem.caps else "Continuous"
    add, base = programme.add_variable, problem.base_year
    steps, columns = range(len(problem.decides)), list(enumerate(problem.columns))
    choose = {
        (j, int(c)): add(f"choose_{problem.build_year(j)}_{problem.labels[c]}", cat="Binary")
        for j in steps
        for c in remaining.nodes[j]
    }
    move = {
        (j, a, b): add(f"move_{problem.build_year(j + 1)}_c{a}_to_c{b}", 0, 1)
        for j, arcs in enumerate(remaining.arcs)
        for a, b in arcs
    }
    hold = {
        (k, a, b): add(f"hold_{column.name}_{base + a}_to_{base + b}", 0, cat=whole)
        for k, column in columns
        for a, b in column.unit.intervals()
    }
    sell = {
        (k, i, t): add(f"sell_{column.name}_of_{base + lot.bought_t}_lot{i}_{base + t}", 0, cat=whole)
        for k, column in columns
        for i, lot in enumerate(column.lots)
        for t in range(lot.until + 1)
    }
    # fixed at 1: so that the programme, and its LP file, hold what no choice changes
    constant = add("what_no_choice_changes", 1, 1)
    return Variables(choose, move, hold, sell, constant)


def total_cost(problem: Problem, remaining: Remaining, v: Variables) -> pulp.LpAffineExpression:
    """Holdings - sales of what was there + running cost - credit + services + moves + constant (USD).

    sum of holding[k, a, b] x hold[k, a, b]  -  sum of sale[k, i, t] x sell[k, i, t]
    + sum of (opex[j, c] - credit[j, c] + services[c] if j = 0) x choose[j, c]
    + sum of arc[j, a, b] x move[j, a, b]  +  constant.

    The coefficients come from the same finance functions that the report uses.
    """
    terms: list[tuple[pulp.LpVariable, float]] = []
    for (k, a, b), var in v.hold.items():
        terms.append((var, problem.columns[k].unit.holding_usd(a, b)))
    for (k, i, t), var in v.sell.items():
        terms.append((var, -problem.columns[k].lots[i].sale_usd[t]))
    for j, nodes in enumerate(remaining.nodes):
        opex = problem.opex_usd(j)
        for c in nodes:
            first = float(problem.first_usd[c]) if j == 0 else 0.0
            terms.append((v.choose[j, int(c)], float(opex[c]) + first))
    for j, arcs in enumerate(remaining.arcs):
        terms.extend((v.move[j, a, b], usd) for (a, b), usd in arcs.items())
    terms.append((v.constant, problem.constant_usd))
    return pulp.LpAffineExpression(terms)


def one_design_a_year(problem: Problem, remaining: Remaining, v: Variables) -> Iterator[Named]:
    """sum over c of choose[j, c] = 1 in every step j."""
    for j, nodes in enumerate(remaining.nodes):
        yield f"one_design_{problem.build_year(j)}", pulp.lpSum(v.choose[j, int(c)] for c in nodes) == 1


def moves_follow_choices(problem: Problem, remaining: Remaining, v: Variables) -> Iterator[Named]:
    """The moves out of a design, and those into the next, equal the choice of it (a flow).

    sum over b of move[j, a, b] = choose[j, a];  sum over a of move[j, a, b] = choose[j + 1, b].
    """
    for j, arcs in enumerate(remaining.arcs):
        out: dict[int, list[pulp.LpVariable]] = {int(c): [] for c in remaining.nodes[j]}
        into: dict[int, list[pulp.LpVariable]] = {int(c): [] for c in remaining.nodes[j + 1]}
        for a, b in arcs:
            out[a].append(v.move[j, a, b])
            into[b].append(v.move[j, a, b])
        year = problem.build_year(j + 1)
        for a, flows in out.items():
            yield f"leave_{year}_c{a}", pulp.lpSum(flows) == v.choose[j, a]
        for b, flows in into.items():
            yield f"enter_{year}_c{b}", pulp.lpSum(flows) == v.choose[j + 1, b]


def pieces_cover_need(problem: Problem, remaining: Remaining, v: Variables) -> Iterator[Named]:
    """Pieces held in a year are at least those that the chosen design needs, in every column.

    sum of hold[k, a, b] over a <= t < b, + sum of sell[k, i, b] over b > t
    >=  sum over c of need[j, c, k] x choose[j, c],  for every year t of step j.
    """
    for j, nodes in enumerate(remaining.nodes):
        for t in problem.years(j):
            for k, column in enumerate(problem.columns):
                need = [(int(c), int(problem.need[j][c, k])) for c in nodes]
                needed = [n * v.choose[j, c] for c, n in need if n]
                if needed:
                    name = f"cover_{column.name}_{problem.base_year + t}"
                    yield name, pulp.lpSum(v.held(problem, k, t)) >= pulp.lpSum(needed)


def no_piece_without_use(problem: Problem, remaining: Remaining, v: Variables) -> Iterator[Named]:
    """No more pieces are held than any design left for this year or later needs.

    sum of hold[k, a, b] over a <= t < b, + sum of sell[k, i, b] over b > t
    <=  max of need[j, c, k] over the steps j in service in year t or later.

    Without it a discount rate far below 0 would make buying and selling a source of money.
    """
    steps = range(len(remaining.nodes))
    for k, column in enumerate(problem.columns):
        for t in range(problem.horizon):
            later = [j for j in steps if problem.years(j)[-1] >= t]
            most = max(int(problem.need[j][remaining.nodes[j], k].max()) for j in later)
            yield f"use_{column.name}_{problem.base_year + t}", pulp.lpSum(v.held(problem, k, t)) <= most


def every_lot_goes_once(problem: Problem, remaining: Remaining, v: Variables) -> Iterator[Named]:
    """What was there is sold at some time, at the latest when its life or the horizon ends.

    sum over t of sell[k, i, t] = quantity of the lot.
    """
    for k, column in enumerate(problem.columns):
        for i, lot in enumerate(column.lots):
            sold = pulp.lpSum(v.sell[k, i, t] for t in range(lot.until + 1))
            yield f"lot_{column.name}_of_{problem.base_year + lot.bought_t}_lot{i}", sold == lot.quantity


def money_of_a_year(problem: Problem, remaining: Remaining, v: Variables) -> Iterator[Named]:
    """What is bought at the start of a year, and its services, stay within the year's cap (nominal USD).

    sum of price[k, t] x hold[k, t, b] + services of the first build and of the moves  <=  cap.
    """
    for cap in problem.caps:
        yield f"capex_{problem.base_year + cap.t}", spent(problem, remaining, v, cap.t) <= cap.usd


def spent(problem: Problem, remaining: Remaining, v: Variables, t: int) -> pulp.LpAffineExpression:
    """Nominal USD that is paid at the start of year t."""
    paid = [c.unit.price_usd[t] * (1.0 + c.unit.charges_ratio) for c in problem.columns]
    terms = [(var, paid[k]) for (k, a, _), var in v.hold.items() if a == t]
    if t == problem.decides[0] and problem.first_services_usd is not None:
        terms += [(v.choose[0, int(c)], float(problem.first_services_usd[c])) for c in remaining.nodes[0]]
    for j, arcs in enumerate(remaining.arcs):
        if problem.decides[j + 1] == t and problem.arc_services_usd is not None:
            for a, b in arcs:
                usd = problem.arc_services_usd(j + 1, np.array([a]), np.array([b]))[0, 0]
                terms.append((v.move[j, a, b], float(usd)))
    return pulp.LpAffineExpression(terms)


def least_relaxation(
    problem: Problem, remaining: Remaining, solver: Solver, time_limit_s: float | None = None
) -> dict[int, float]:
    """By how much (nominal USD) each year's cap falls short of a plan: with all caps raised by the greatest
    of these figures, which is the least that can be, there is one. Years that need no more have 0. Empty
    where that is not found in time.
    """
    programme, v = build(problem, remaining)
    worst = programme.add_variable("most_above_a_cap", 0)
    above = {
        cap.t: programme.add_variable(f"above_cap_{problem.base_year + cap.t}", 0) for cap in problem.caps
    }
    for cap in problem.caps:
        name = f"capex_{problem.base_year + cap.t}"
        del programme.constraints[name]
        programme.addConstraint(spent(problem, remaining, v, cap.t) <= cap.usd + above[cap.t], name)
        programme.addConstraint(above[cap.t] <= worst, f"worst_{problem.base_year + cap.t}")
    programme.setObjective(pulp.lpSum([worst]))
    first = solve(programme, solver, time_limit_s)
    worst.bounds(0, float(worst.value() or 0.0) * (1 + _ROUNDING) + _ROUNDING)
    programme.setObjective(pulp.lpSum(above.values()))  # of plans that are alike in their worst year
    left = None if time_limit_s is None else max(0.0, time_limit_s - first.seconds)
    if first.objective is None or solve(programme, solver, left).objective is None:
        return {}
    for var in programme.variables():
        if var.cat == pulp.LpInteger:  # money of whole pieces, not of the solver's slack
            var.setInitialValue(round(var.value() or 0.0))
    paid = {cap.t: spent(problem, remaining, v, cap.t).value() - cap.usd for cap in problem.caps}
    return {t: max(0.0, usd) for t, usd in paid.items()}
