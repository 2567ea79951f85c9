"""Drops candidates that provably cannot be part of a cheapest plan, before the solver sees them.

Every year's use of a piece is charged a rent: what covering from that year on costs more than
covering from the next. No holding costs less than the rents of its years, so a plan's rents, running
costs and moves are a lower bound on its cost. A candidate or arc of which the best plan through it
has a bound above the cost of a plan already known is dropped; the rule is exact.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf

import numpy as np

from planner.cost.finance import UnitCost
from planner.cost.holdings import cheapest_holdings
from planner.optimize.problem import ArcCost, DesignPath, Floats, Ints, Problem, Remaining

SLACK = 1e-11  # relative: ties and rounding stay in
SHORTLIST = 300  # candidates a step from which the first known plan is taken; bounds nothing


@lru_cache(maxsize=8192)
def dual_prices(unit: UnitCost) -> tuple[float, ...]:
    """Rent (USD, present worth) of one piece in each year: dual values of the cover constraints.

    Where a holding could cost less than nothing (a discount rate far below 0) there is no bound: 0.
    """
    if any(unit.holding_usd(a, b) < 0 for a, b in unit.intervals()):
        return (0.0,) * unit.horizon
    cover = np.minimum.accumulate(np.array(unit.cover_usd))
    rent = cover[:-1] - cover[1:]
    worst = max(
        (rent[a:b].sum() / cost for a, b in unit.intervals() if (cost := unit.holding_usd(a, b)) > 0),
        default=1.0,
    )
    return tuple(float(r) for r in rent / max(1.0, worst))


def piece_rates(problem: Problem, step: int) -> Floats:
    """Rent and running cost (USD, present worth) of one piece of each column over the years of a step."""
    priced = [(column.unit, dual_prices(column.unit)) for column in problem.columns]
    years = problem.years(step)
    return np.array([sum(rent[t] + unit.opex_npv_usd(t) for t in years) for unit, rent in priced])


def node_bounds(problem: Problem) -> list[Floats]:
    """Rents and running costs of every candidate in every step; infinite where it can't serve."""
    bounds = []
    for step in range(len(problem.decides)):
        bound = problem.need[step] @ piece_rates(problem, step)
        bound -= problem.earned_usd(step)
        bound[~problem.serves[step]] = np.inf
        bounds.append(bound + (problem.first_usd if step == 0 else 0.0))
    bounds[0] += stock_bound(problem) + speculation(problem)
    return bounds


def speculation(problem: Problem) -> float:
    """What buying and selling alone could bring at most (USD, at most 0).

    A discount rate far below 0 makes a later sale worth more than the purchase; no more of a SKU is held
    than some candidate needs.
    """
    most = np.max([table.max(axis=0) for table in problem.need], axis=0)
    return sum(int(n) * _best_trade(c.unit) for n, c in zip(most, problem.columns, strict=True))


def _best_trade(unit: UnitCost) -> float:
    """Least present worth (USD) of holdings end to end, any year left out; 0 where none pays."""
    best = [0.0] * (unit.horizon + 1)
    for a in reversed(range(unit.horizon)):
        held = [unit.holding_usd(a, b) + best[b] for start, b in unit.intervals() if start == a]
        best[a] = min([best[a + 1], *held])
    return best[0]


def stock_bound(problem: Problem) -> float:
    """What the pieces that are there can save at most (USD, at most 0): rents up to a sale, and the sale."""
    total = 0.0
    for column in problem.columns:
        rent = dual_prices(column.unit)
        for lot in column.lots:
            total -= lot.quantity * max(sum(rent[:t]) + lot.sale_usd[t] for t in range(lot.until + 1))
    return total


def plan_cost(problem: Problem, path: DesignPath) -> float:
    """Least cost (USD, present worth, without the constant) of choosing ``path``: services and moves, running
    cost, and for each column the cheapest holdings. Exact where no year's money is limited."""
    total = float(problem.first_usd[path[0]])
    for step, candidate in enumerate(path):
        total += float(problem.opex_usd(step)[candidate])
        if step:
            pair = np.array([path[step - 1]]), np.array([candidate])
            total += float(problem.arc_usd(step, *pair)[0, 0])
    for k, column in enumerate(problem.columns):
        total += cheapest_holdings(column.unit, problem.need_by_year(path, k), column.lots).cost_usd
    return total


def eliminate(problem: Problem, margin: float = 0.0) -> Remaining:
    """The candidates and arcs that a plan cheaper than (1 + margin) x the best known one could use."""
    bounds = node_bounds(problem)
    steps = range(len(bounds))
    rows = [problem.usable(j) for j in steps]
    short = [r[np.argsort(bounds[j][r], kind="stable")[:SHORTLIST]] for j, r in enumerate(rows)]
    path = _best_path(problem, bounds, short)
    upper = plan_cost(problem, path)
    least = [float(b.min()) for b in bounds]
    # a cap on money may need a plan dearer in what is common, too: bought ahead
    common = 0.0 if problem.caps else common_usd(problem)
    limit = upper + cushion_usd(upper, common, margin)
    rows = [r[bounds[j][r] + sum(least) - least[j] <= limit] for j, r in enumerate(rows)]
    rows, back = _backward(problem.arc_usd, bounds, rows, limit)
    better = _forward(problem, bounds, rows, back)
    usd = plan_cost(problem, better)
    if usd < upper:
        upper, path = usd, better
    return _through(problem, bounds, rows, back, upper, path, cushion_usd(upper, common, margin))


def common_usd(problem: Problem) -> float:
    """Rents and running costs (USD) of the pieces that every candidate takes: no choice changes them."""
    total = 0.0
    for step in range(len(problem.decides)):
        total += float(problem.need[step][problem.usable(step)].min(axis=0) @ piece_rates(problem, step))
    return total


def cushion_usd(upper: float, common: float, margin: float) -> float:
    """How far above a known cost (USD) plans are kept: ``margin`` of what choices can change."""
    return abs(upper - common) * margin + abs(upper) * SLACK


def _best_path(problem: Problem, bounds: list[Floats], rows: list[Ints]) -> DesignPath:
    """The plan of least bound over these candidates (dynamic programming over the steps)."""
    return _forward(problem, bounds, *_backward(problem.arc_usd, bounds, rows))


def _forward(problem: Problem, bounds: list[Floats], rows: list[Ints], back: list[Floats]) -> DesignPath:
    """The path along the least bounds, given the least after each candidate."""
    current = int(np.argmin(bounds[0][rows[0]] + back[0]))
    path = [int(rows[0][current])]
    for j in range(1, len(rows)):
        arc = problem.arc_usd(j, np.array([path[-1]]), rows[j])[0]
        path.append(int(rows[j][int(np.argmin(arc + bounds[j][rows[j]] + back[j]))]))
    return tuple(path)


def _backward(
    arc_usd: ArcCost, bounds: list[Floats], rows: list[Ints], limit: float = inf
) -> tuple[list[Ints], list[Floats]]:
    """Candidates of each step, and the least bound of everything after each: without those through which
    no plan stays within a limit, whatever comes before."""
    left = list(rows)
    back = [np.zeros(len(r)) for r in rows]
    before = np.cumsum([0.0, *(float(bounds[j][r].min(initial=inf)) for j, r in enumerate(rows))])
    for j in reversed(range(len(rows))):
        if j < len(rows) - 1:
            onward = bounds[j + 1][left[j + 1]] + back[j + 1]
            back[j] = _min_over(arc_usd, j + 1, left[j], left[j + 1], onward)
        within = before[j] + bounds[j][left[j]] + back[j] <= limit
        left[j], back[j] = left[j][within], back[j][within]
    return left, back


def on_paths_within(arc_usd: ArcCost, bounds: list[Floats], rows: list[Ints], limit: float) -> list[Ints]:
    """The candidates of each step through which some plan stays within a limit (USD); moves cost no less
    than 0."""
    left, back = _backward(arc_usd, bounds, rows, limit)
    ahead = bounds[0][left[0]]
    kept = [left[0][ahead + back[0] <= limit]]
    ahead = ahead[ahead + back[0] <= limit]
    for j in range(1, len(left)):
        flipped = _min_over(lambda s, new, old: arc_usd(s, old, new).T, j, left[j], kept[-1], ahead)
        through = flipped + bounds[j][left[j]]
        within = through + back[j] <= limit
        kept.append(left[j][within])
        ahead = through[within]
    return kept


def _min_over(arc_usd: ArcCost, step: int, old: Ints, new: Ints, onward: Floats) -> Floats:
    """min over ``new`` of arc + onward for each ``old``, in blocks to bound the memory."""
    block = max(1, 500_000 // max(1, len(new)))
    parts = [
        (arc_usd(step, old[k : k + block], new) + onward[None, :]).min(axis=1, initial=inf)
        for k in range(0, len(old), block)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _through(
    problem: Problem,
    bounds: list[Floats],
    rows: list[Ints],
    back: list[Floats],
    upper: float,
    path: DesignPath,
    cushion: float,
) -> Remaining:
    """Drops what no plan within the limit passes through, arcs included."""
    limit = upper + cushion
    ahead = bounds[0][rows[0]]
    nodes = [rows[0][ahead + back[0] <= limit]]
    lower = float((ahead + back[0]).min())
    arcs: list[dict[tuple[int, int], float]] = []
    ahead = ahead[ahead + back[0] <= limit]
    for j in range(1, len(rows)):
        cost = problem.arc_usd(j, nodes[-1], rows[j])
        onward = bounds[j][rows[j]] + back[j]
        through = ahead[:, None] + cost + onward[None, :]
        old, new = np.nonzero(through <= limit)
        arcs.append(
            {(int(nodes[-1][a]), int(rows[j][b])): float(cost[a, b]) for a, b in zip(old, new, strict=True)}
        )
        used = np.unique(new)
        ahead = (ahead[:, None] + cost).min(axis=0)[used] + bounds[j][rows[j][used]]
        nodes.append(rows[j][used])
    saved = stock_bound(problem) + speculation(problem)
    return Remaining(tuple(nodes), tuple(arcs), upper, path, lower, saved, cushion)
