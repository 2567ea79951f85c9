"""The cheapest way to own the pieces of one SKU over time: an interval programme, solved as a flow.

    minimise    sum of c[a, b] x[a, b]  -  sum of sale[i, b] s[i, b]
    subject to  need[t] <= held[t] <= max(need[t], ..., need[H - 1])     every year t < H
                sum over b of s[i, b] = quantity[i]                      every lot i
                held[t] = sum of x[a, b] over a <= t < b  +  sum of s[i, b] over b > t

x[a, b]: pieces bought at the start of year a and sold at that of year b, at the present worth c[a, b]
(``UnitCost.holding_usd``). s[i, b]: pieces of a lot that is there before year 0, sold at the start of year
b. The upper limit says that no piece is held that no year from then on needs; without it a discount rate
far below 0 would make buying and selling a source of money.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import NamedTuple

from planner.cost.finance import UnitCost

EPSILON_USD = 1e-9
RELATIVE = 1e-9  # of a cost: what counts as the same


class Purchase(NamedTuple):
    """Pieces bought at the start of year ``bought_t`` and sold at the start of year ``until_t``."""

    bought_t: int
    until_t: int
    quantity: int


class Sale(NamedTuple):
    """Pieces of the lot at position ``lot`` that are sold at the start of year ``until_t``."""

    lot: int
    until_t: int
    quantity: int


@dataclass(frozen=True, slots=True)
class Lot:
    """Pieces of a SKU that are there before: bought at ``bought_t`` (below 0: before the base year), usable
    up to the start of year ``until``. ``sale_usd[t]``: present worth (USD) of selling one at the start of
    year t, for t = 0 .. ``until``. What was paid for them is spent whatever is decided."""

    bought_t: int
    until: int
    quantity: int
    sale_usd: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Holdings:
    """What is bought and sold. ``cost_usd``: present worth of the purchases, less what everything sells for,
    without opex; infinite where the need can't be met."""

    cost_usd: float
    bought: tuple[Purchase, ...] = ()
    sold: tuple[Sale, ...] = ()


def cheapest_holdings(unit: UnitCost, need: Sequence[int], lots: Sequence[Lot] = ()) -> Holdings:
    """The least cost of owning ``need[t]`` pieces in every year t (the programme above), and how.

    Of holdings that cost the same those are preferred in which lots serve first, the need is covered layer
    by layer, and nothing is sold for nothing: these may run on beyond the need.

    >>> flat = UnitCost("x", (100.0,) * 4, (0.0,) * 3, 2, 0.0, "none", 0.0)
    >>> cheapest_holdings(flat, [1, 2, 1])
    Holdings(cost_usd=200.0, bought=(Purchase(bought_t=0, until_t=2, quantity=1), \
Purchase(bought_t=1, until_t=3, quantity=1)), sold=())
    """
    return _cheapest(unit, tuple(int(n) for n in need), tuple(lots))


@lru_cache(maxsize=16384)
def _cheapest(unit: UnitCost, need: tuple[int, ...], lots: tuple[Lot, ...]) -> Holdings:
    plain = _lots_first(unit, need, lots)
    if not lots and layers_are_exact(unit, need):
        return plain
    exact = _by_flow(unit, need, lots)
    same = abs(plain.cost_usd - exact.cost_usd) <= max(EPSILON_USD, RELATIVE * abs(exact.cost_usd))
    return plain if same else exact


def layers_are_exact(unit: UnitCost, need: Sequence[int]) -> bool:
    """Whether covering each layer of a need by itself costs the least: it only rises or only falls, and a
    longer holding never costs less than a shorter one, nor any less than 0.

    Proof by duality. A need that rises: let V(s) be the least cost of one piece in all years from s on, and
    y[t] = V(t) - V(t + 1), which is not below 0. A holding [a, b), cut where the cover from b on starts, and
    that cover make a cover from a on: c[a, b] >= V(a) - V(b) = y[a] + ... + y[b - 1]. So y is feasible in
    the dual, and worth the sum of V over the layers, which is what the layers cost. A need that falls: the
    same with U(e), the least cost of all years before e, and y[t] = U(t + 1) - U(t). A need that rises and
    falls has no such y: 1, 2, 1 pieces of life 2 take two holdings, its layers three.
    """
    steps = list(zip(need, need[1:], strict=False))
    monotone = all(a <= b for a, b in steps) or all(a >= b for a, b in steps)
    return monotone and unit.longer_costs_more


def _lots_first(unit: UnitCost, need: Sequence[int], lots: Sequence[Lot]) -> Holdings:
    """A way that is always possible: each lot serves as long as it can from year 0 while it is needed, and is
    sold when it is not; what is left of the need is covered layer by layer."""
    left, sold = list(need), list[Sale]()
    for i, lot in sorted(enumerate(lots), key=lambda row: -row[1].until):
        held = lot.quantity
        for t in range(lot.until):
            still = min(held, max(left[t : lot.until], default=0))
            if held > still:
                sold.append(Sale(i, t, held - still))
            held = still
            left[t] -= min(left[t], held)
        if held:
            sold.append(Sale(i, lot.until, held))
    usd, bought = _by_layers(unit, left)
    return Holdings(usd - sum(n * lots[i].sale_usd[t] for i, t, n in sold), bought, tuple(sold))


def _by_layers(unit: UnitCost, need: Sequence[int]) -> tuple[float, tuple[Purchase, ...]]:
    """Covers the years in which at least 1, 2, ... pieces are needed, each by itself."""
    total, rows, below = 0.0, Counter[tuple[int, int]](), 0
    for level in sorted({n for n in need if n > 0}):
        usd, intervals = _one_piece(unit, tuple(n >= level for n in need))
        total += usd * (level - below)
        for interval in intervals:
            rows[interval] += level - below
        below = level
    return total, tuple(Purchase(a, b, q) for (a, b), q in sorted(rows.items()))


@lru_cache(maxsize=16384)
def _one_piece(unit: UnitCost, wanted: tuple[bool, ...]) -> tuple[float, tuple[tuple[int, int], ...]]:
    """Cheapest intervals of one piece, end to end, that cover every wanted year; a gap may be run through."""
    horizon = unit.horizon
    best = [0.0] * (horizon + 1)
    chosen: list[tuple[int, int] | None] = [None] * (horizon + 1)
    for a in reversed(range(horizon)):
        best[a] = best[a + 1] if not wanted[a] else inf
        if a < unit.first_t:
            continue
        for b in range(a + 1, min(a + unit.life_years, horizon) + 1):
            usd = unit.holding_usd(a, b) + best[b]
            # a longer holding wins a tie: nothing is sold and bought again for no gain
            if usd < best[a] - EPSILON_USD or (chosen[a] and usd <= best[a] + EPSILON_USD):
                best[a], chosen[a] = min(best[a], usd), (a, b)
    rows, t = list[tuple[int, int]](), 0
    while t < horizon:
        interval = chosen[t]
        if interval is None:
            t += 1
        else:
            rows.append(interval)
            t = interval[1]
    return best[0], tuple(rows)


@dataclass(slots=True)
class _Arc:
    """An arc of the flow. Its residual twin, the way back, has the next number (odd) or the one before."""

    tail: int
    head: int
    room: int
    usd: float
    row: Purchase | Sale | None = None  # what a unit of flow on it stands for


def _by_flow(unit: UnitCost, need: tuple[int, ...], lots: tuple[Lot, ...]) -> Holdings:
    """The programme as a flow of least cost on the line of years.

    max(need[t:]) places stand side by side in year t. The flow over a place is a piece that is held (an arc
    a -> b for each interval) or none (an arc t -> t + 1, of which there are only as many as the need lets
    stay empty). Places end where no later year needs them. All arcs lead onward, so that there is no cycle
    to begin with, and the shortest augmenting paths stay exact whatever the signs of the costs.
    """
    arcs = _arcs(unit, need, lots)
    source, sink = 0, len(need) + 1
    flow, at_once = 0, sum(lot.quantity * lot.sale_usd[0] for lot in lots)
    while path := _shortest_path(arcs, source, sink):
        pushed = min(arcs[k].room for k in path)
        for k in path:
            arcs[k].room -= pushed
            arcs[k ^ 1].room += pushed
        flow += pushed
    if flow < max(need, default=0):
        return Holdings(inf)
    used = [(arc, arcs[k + 1].room) for k, arc in enumerate(arcs) if k % 2 == 0 and arcs[k + 1].room]
    bought = [arc.row._replace(quantity=n) for arc, n in used if isinstance(arc.row, Purchase)]
    sold = [arc.row._replace(quantity=n) for arc, n in used if isinstance(arc.row, Sale)]
    serving = Counter[int]()
    for sale in sold:
        serving[sale.lot] += sale.quantity
    unused = [Sale(i, 0, n) for i, lot in enumerate(lots) if (n := lot.quantity - serving[i])]
    usd = sum(n * arc.usd for arc, n in used) - at_once
    return Holdings(usd, tuple(sorted(bought)), tuple(sorted([*sold, *unused])))


def _arcs(unit: UnitCost, need: tuple[int, ...], lots: tuple[Lot, ...]) -> list[_Arc]:
    """Nodes: 0 .. H the starts of years, H + 1 the end of all places, H + 2 + i a lot. A lot that is used up
    to year b forgoes its sale at the start."""
    horizon = len(need)
    most = [max(need[t:]) for t in range(horizon)] + [0]
    arcs = list[_Arc]()

    def add(tail: int, head: int, room: int, usd: float, row: Purchase | Sale | None = None) -> None:
        arcs.extend((_Arc(tail, head, room, usd, row), _Arc(head, tail, 0, -usd)))

    # of equal ways the longer interval is found first
    for a, b in sorted(unit.intervals(), key=lambda ab: (ab[0], -ab[1])):
        add(a, b, most[0], unit.holding_usd(a, b), Purchase(a, b, 0))
    for t in range(horizon):
        add(t, t + 1, most[t] - need[t], 0.0)
        add(t + 1, horizon + 1, most[t] - most[t + 1], 0.0)
    for i, lot in enumerate(lots):
        add(0, horizon + 2 + i, lot.quantity, 0.0)
        for b in reversed(range(1, lot.until + 1)):
            add(horizon + 2 + i, b, lot.quantity, lot.sale_usd[0] - lot.sale_usd[b], Sale(i, b, 0))
    return arcs


def _shortest_path(arcs: Sequence[_Arc], source: int, sink: int) -> list[int]:
    """The arcs of a cheapest path with room from source to sink (Bellman and Ford); none: no path."""
    nodes = 1 + max(max(arc.tail, arc.head) for arc in arcs)
    epsilon = 1e-13 * max(1.0, *(abs(arc.usd) for arc in arcs))
    usd, by = [inf] * nodes, [-1] * nodes
    usd[source] = 0.0
    for _ in range(nodes):
        changed = False
        for k, arc in enumerate(arcs):
            if arc.room and usd[arc.tail] + arc.usd < usd[arc.head] - epsilon:
                usd[arc.head], by[arc.head], changed = usd[arc.tail] + arc.usd, k, True
        if not changed:
            break
    path, node = list[int](), sink
    while node != source:
        if by[node] < 0:
            return []
        path.append(by[node])
        node = arcs[by[node]].tail
    return path[::-1]
