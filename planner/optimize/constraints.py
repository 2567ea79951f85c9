"""The programme's constraints, one function a rule."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pulp

from planner.optimize.problem import Problem, Remaining
from planner.optimize.variables import Variables, safe

Named = tuple[str, pulp.LpConstraint]


def one_design_a_year(problem: Problem, kept: Remaining, v: Variables) -> Iterator[Named]:
    """sum over c of choose[j, c] = 1 in every build year j."""
    for j, nodes in enumerate(kept.nodes):
        year = problem.base_year + problem.decides[j]
        yield f"one_design_{year}", pulp.lpSum(v.choose[j, int(c)] for c in nodes) == 1


def moves_follow_choices(problem: Problem, kept: Remaining, v: Variables) -> Iterator[Named]:
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


def pieces_cover_need(problem: Problem, kept: Remaining, v: Variables) -> Iterator[Named]:
    """Pieces held in a year are at least those that the chosen design needs, for every SKU.

    sum of hold[k, a, b] over a <= t < b, + sell[lot, b] over b > t  >=  sum of need[c, k] x choose[j, c].
    """
    for j, nodes in enumerate(kept.nodes):
        for t in problem.years(j):
            for k, unit in enumerate(problem.units):
                held = _held(problem, v, k, t)
                needed = [
                    int(problem.need[j][c, k]) * v.choose[j, int(c)] for c in nodes if problem.need[j][c, k]
                ]
                if needed:
                    name = f"cover_{safe(unit.sku)}_{problem.base_year + t}"
                    yield name, pulp.lpSum(held) >= pulp.lpSum(needed)


def no_piece_without_use(problem: Problem, kept: Remaining, v: Variables) -> Iterator[Named]:
    """No more of a SKU is held than any design kept for this year or later needs.

    sum of hold[k, a, b] over a <= t < b, + sell[lot, b] over b > t  <=  max of need[c, k] from year t on.

    Without it a discount rate far below 0 would make buying and selling a source of money.
    """
    steps = range(len(kept.nodes))
    for k, unit in enumerate(problem.units):
        for t in range(problem.horizon):
            later = [j for j in steps if problem.years(j)[-1] >= t]
            most = max(int(problem.need[j][kept.nodes[j], k].max()) for j in later)
            held = _held(problem, v, k, t)
            yield f"use_{safe(unit.sku)}_{problem.base_year + t}", pulp.lpSum(held) <= most


def _held(problem: Problem, v: Variables, k: int, t: int) -> list[pulp.LpVariable]:
    """Pieces of a SKU that are held in year t: bought, or there before and not yet sold."""
    bought = [v.hold[k, a, b] for a, b in problem.units[k].intervals() if a <= t < b]
    lots = [i for i, stock in enumerate(problem.stock) if stock.column == k]
    return bought + [v.sell[i, b] for i in lots for b in range(t + 1, problem.stock[i].lot.until + 1)]


def every_lot_goes_once(problem: Problem, kept: Remaining, v: Variables) -> Iterator[Named]:
    """What was there is sold at some time, at the latest when its life or the horizon ends.

    sum over t of sell[lot, t] = quantity of the lot.
    """
    for i, stock in enumerate(problem.stock):
        sold = pulp.lpSum(v.sell[i, t] for t in range(stock.lot.until + 1))
        yield f"lot{i}_{safe(problem.units[stock.column].sku)}", sold == stock.lot.quantity


def money_of_a_year(problem: Problem, kept: Remaining, v: Variables) -> Iterator[Named]:
    """What is bought at the start of a year, and its services, stay within the year's cap (nominal USD).

    sum of price[k, t] x hold[k, t, b] + services of the first build and of the moves  <=  cap.
    """
    for cap in problem.caps:
        yield f"capex_{problem.base_year + cap.t}", spent(problem, kept, v, cap.t) <= cap.usd


def spent(problem: Problem, kept: Remaining, v: Variables, t: int) -> pulp.LpAffineExpression:
    """Nominal USD that is paid at the start of year t."""
    paid = [unit.price_usd[t] * (1.0 + unit.charges_ratio) for unit in problem.units]
    terms = [(var, paid[k]) for (k, a, _), var in v.hold.items() if a == t]
    if t == problem.decides[0] and problem.first_services_usd is not None:
        terms += [(v.choose[0, int(c)], float(problem.first_services_usd[c])) for c in kept.nodes[0]]
    for j, arcs in enumerate(kept.arcs):
        if problem.decides[j + 1] == t and problem.arc_services_usd is not None:
            for a, b in arcs:
                usd = problem.arc_services_usd(j + 1, np.array([a]), np.array([b]))[0, 0]
                terms.append((v.move[j, a, b], float(usd)))
    return pulp.LpAffineExpression(terms)
