"""Drops candidates that provably cannot be part of a cheapest plan, before the solver sees them.

Every year's use of a piece is charged a rent: what covering from that year on costs more than
covering from the next. No holding costs less than the rents of its years, so a plan's rents, running
costs and moves are a lower bound on its cost. A candidate or arc of which the best plan through it
has a bound above the cost of a plan already known is dropped; the rule is exact.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import inf

import numpy as np

from planner.candidates.budget import UNLIMITED, Budget, BudgetSpentError
from planner.cost.cheapest_holdings import cheapest_holdings
from planner.cost.finance import UnitCost
from planner.optimize.problem import ArcCost, DesignPath, Floats, Ints, Problem, Remaining

_LOG = logging.getLogger(__name__)
SLACK = 1e-11  # relative: ties and rounding stay in
BLOCK = 500_000  # arcs that are weighed at a time
MOST_ARCS = 400_000  # left to the solver: more take gigabytes as a programme
SHORTLIST = 300  # candidates a step from which the first known plan is taken; no candidate is dropped by it


@lru_cache(maxsize=8192)
def dual_prices(unit: UnitCost) -> tuple[float, ...]:
    """Rent (USD, present worth) of one piece in each year: dual values of the cover constraints.

    None is below 0, and no holding costs less than the rents of its years. Where a holding costs less than
    nothing (a discount rate far below 0), or nothing though its years have rents, there is no bound: 0.
    """
    cover = np.minimum.accumulate(np.array(unit.cover_usd))
    rent, worst = cover[:-1] - cover[1:], 1.0
    for a, b in unit.intervals():
        usd, rents = unit.holding_usd(a, b), float(rent[a:b].sum())
        if usd < 0 or (usd == 0 and rents > 0):
            return (0.0,) * unit.horizon
        if usd > 0:
            worst = max(worst, rents / usd)
    return tuple(float(r) for r in rent / worst)


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


@dataclass(frozen=True, slots=True)
class _Layers:
    """The candidates of each step that are left, and the least bound of everything after each of them."""

    rows: list[Ints]
    onward: list[Floats]


@dataclass(frozen=True, slots=True)
class _Known:
    """A plan that is known, its cost (USD), and how far above it plans are kept."""

    path: DesignPath
    usd: float
    cushion_usd: float

    @property
    def limit_usd(self) -> float:
        """What a plan may cost to be kept."""
        return self.usd + self.cushion_usd


class TooManyArcsError(Exception):
    """More arcs are left than a programme can hold. ``lower_usd``: what no plan costs less than."""

    def __init__(self, lower_usd: float) -> None:
        super().__init__(f"more than {MOST_ARCS:,} moves between designs are left")
        self.lower_usd = lower_usd


def eliminate(problem: Problem, margin: float = 0.0, budget: Budget = UNLIMITED) -> Remaining:
    """The candidates and arcs that a plan cheaper than (1 + margin) x the best known one could use.

    Where they are too many, or the budget ends before they are known, only a known plan's are left, and the
    answer is not ``complete``.
    """
    bounds = node_bounds(problem)
    rows = [problem.usable(j) for j in range(len(bounds))]
    # a cap on money may need a plan dearer in what is common, too: bought ahead
    common = 0.0 if problem.caps else common_usd(problem)
    known = _known(problem, _shortlisted_path(problem, bounds, rows), common, margin)

    def arc_usd(step: int, old: Ints, new: Ints) -> Floats:
        budget.check_time("weighing the moves between designs")
        return problem.arc_usd(step, old, new)

    try:
        affordable = _affordable(bounds, rows, known.limit_usd)
        layers = _backward(arc_usd, bounds, affordable, known.limit_usd)
        better = _known(problem, _forward(problem, bounds, layers), common, margin)
        known = better if better.usd < known.usd else known
        return _through(problem, arc_usd, bounds, layers, known)
    except TooManyArcsError as many:
        _LOG.info("%s: %s", problem.name, many)
        return _known_only(problem, known, many.lower_usd)
    except BudgetSpentError as spent:
        _LOG.info("%s: %s", problem.name, spent)
        return _known_only(problem, known, sum(float(b.min()) for b in bounds))


def _known_only(problem: Problem, known: _Known, lower_usd: float) -> Remaining:
    """The known plan, and what no plan costs less than."""
    nodes = [np.array([c], dtype=np.int64) for c in known.path]
    moves = [float(problem.arc_usd(j, nodes[j - 1], nodes[j])[0, 0]) for j in range(1, len(nodes))]
    return Remaining(
        nodes=tuple(nodes),
        arcs=tuple({pair: usd} for pair, usd in zip(pairwise(known.path), moves, strict=True)),
        path=known.path,
        upper_usd=known.usd,
        lower_usd=lower_usd,
        stock_usd=stock_bound(problem) + speculation(problem),
        cushion_usd=known.cushion_usd,
        complete=False,
    )


def _known(problem: Problem, path: DesignPath, common_usd: float, margin: float) -> _Known:
    usd = plan_cost(problem, path)
    return _Known(path, usd, abs(usd - common_usd) * margin + abs(usd) * SLACK)


def _shortlisted_path(problem: Problem, bounds: list[Floats], rows: list[Ints]) -> DesignPath:
    """The plan of least bound over the few candidates of least bound in each step."""
    short = [r[np.argsort(bounds[j][r], kind="stable")[:SHORTLIST]] for j, r in enumerate(rows)]
    return _forward(problem, bounds, _backward(problem.arc_usd, bounds, short))


def _affordable(bounds: list[Floats], rows: list[Ints], limit: float) -> list[Ints]:
    """Candidates that stay within a limit with the least of every other step, moves left out."""
    least = [float(b.min()) for b in bounds]
    return [r[bounds[j][r] + sum(least) - least[j] <= limit] for j, r in enumerate(rows)]


def common_usd(problem: Problem) -> float:
    """Rents and running costs (USD) of the pieces that every candidate takes: no choice changes them."""
    total = 0.0
    for step in range(len(problem.decides)):
        total += float(problem.need[step][problem.usable(step)].min(axis=0) @ piece_rates(problem, step))
    return total


def _forward(problem: Problem, bounds: list[Floats], layers: _Layers) -> DesignPath:
    """The path along the least bounds."""
    rows, onward = layers.rows, layers.onward
    path = [int(rows[0][int(np.argmin(bounds[0][rows[0]] + onward[0]))])]
    for j in range(1, len(rows)):
        arc = problem.arc_usd(j, np.array([path[-1]]), rows[j])[0]
        path.append(int(rows[j][int(np.argmin(arc + bounds[j][rows[j]] + onward[j]))]))
    return tuple(path)


def _backward(arc_usd: ArcCost, bounds: list[Floats], rows: list[Ints], limit: float = inf) -> _Layers:
    """Dynamic programming from the last step: drops the candidates through which no plan stays within a
    limit, whatever comes before."""
    left = list(rows)
    onward = [np.zeros(len(r)) for r in rows]
    before = np.cumsum([0.0, *(float(bounds[j][r].min(initial=inf)) for j, r in enumerate(rows))])
    for j in reversed(range(len(rows))):
        if j < len(rows) - 1:
            after = bounds[j + 1][left[j + 1]] + onward[j + 1]
            onward[j] = _least_after(arc_usd, j + 1, left[j], left[j + 1], after)
        within = before[j] + bounds[j][left[j]] + onward[j] <= limit
        left[j], onward[j] = left[j][within], onward[j][within]
    return _Layers(left, onward)


def on_paths_within(arc_usd: ArcCost, bounds: list[Floats], rows: list[Ints], limit: float) -> list[Ints]:
    """The candidates of each step through which some plan stays within a limit (USD); moves cost no less
    than 0."""
    layers = _backward(arc_usd, bounds, rows, limit)
    left, onward = layers.rows, layers.onward
    reached = bounds[0][left[0]]  # the least bound up to and with each candidate
    kept: list[Ints] = []
    for j, candidates in enumerate(left):
        if j:
            before = _least_before(arc_usd, j, kept[-1], candidates, reached)
            reached = before + bounds[j][candidates]
        within = reached + onward[j] <= limit
        kept.append(candidates[within])
        reached = reached[within]
    return kept


def _least_after(arc_usd: ArcCost, step: int, old: Ints, new: Ints, after: Floats) -> Floats:
    """min over ``new`` of arc + after for each ``old``, in blocks to bound the memory."""
    block = max(1, BLOCK // max(1, len(new)))
    parts = [
        (arc_usd(step, old[k : k + block], new) + after[None, :]).min(axis=1, initial=inf)
        for k in range(0, len(old), block)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _least_before(arc_usd: ArcCost, step: int, old: Ints, new: Ints, before: Floats) -> Floats:
    """min over ``old`` of before + arc for each ``new``, in blocks to bound the memory."""
    block = max(1, BLOCK // max(1, len(old)))
    parts = [
        (before[:, None] + arc_usd(step, old, new[k : k + block])).min(axis=0, initial=inf)
        for k in range(0, len(new), block)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _through(
    problem: Problem, arc_usd: ArcCost, bounds: list[Floats], layers: _Layers, known: _Known
) -> Remaining:
    """Drops what no plan within the limit passes through, arcs included. Raises TooManyArcsError."""
    rows, onward, limit = layers.rows, layers.onward, known.limit_usd
    ahead = bounds[0][rows[0]]
    within = ahead + onward[0] <= limit
    nodes, lower = [rows[0][within]], float((ahead + onward[0]).min())
    arcs: list[dict[tuple[int, int], float]] = []
    ahead = ahead[within]
    for j in range(1, len(rows)):
        after = bounds[j][rows[j]] + onward[j]
        found, reached = _arcs_within(arc_usd, (j, nodes[-1], rows[j]), ahead, after, limit)
        arcs.append(found)
        if sum(map(len, arcs)) > MOST_ARCS:
            raise TooManyArcsError(lower)
        used = np.flatnonzero(np.isin(rows[j], [b for _, b in found]))
        ahead = reached[used] + bounds[j][rows[j][used]]
        nodes.append(rows[j][used])
    return Remaining(
        nodes=tuple(nodes),
        arcs=tuple(arcs),
        path=known.path,
        upper_usd=known.usd,
        lower_usd=lower,
        stock_usd=stock_bound(problem) + speculation(problem),
        cushion_usd=known.cushion_usd,
    )


def _arcs_within(
    arc_usd: ArcCost, between: tuple[int, Ints, Ints], ahead: Floats, after: Floats, limit: float
) -> tuple[dict[tuple[int, int], float], Floats]:
    """The arcs (step, from, to) on a plan within a limit, and the least of everything up to each end, in
    blocks to bound the memory; no more than just above ``MOST_ARCS``."""
    step, old, new = between
    found, reached = dict[tuple[int, int], float](), np.full(len(new), inf)
    block = max(1, BLOCK // max(1, len(new)))
    for k in range(0, len(old), block):
        cost = arc_usd(step, old[k : k + block], new)
        upto = ahead[k : k + block, None] + cost
        reached = np.minimum(reached, upto.min(axis=0))
        rows, columns = np.nonzero(upto + after[None, :] <= limit)
        pairs = zip(rows, columns, strict=True)
        found |= {(int(old[k + a]), int(new[b])): float(cost[a, b]) for a, b in pairs}
        if len(found) > MOST_ARCS:
            break
    return found, reached
