"""The least cost of owning pieces over years, by dynamic programming. It shares no code with the planner.

A year starts at t; what is bought or sold at its start is discounted t years, what runs is paid at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations
from math import inf

import numpy as np
import numpy.typing as npt

Amounts = npt.NDArray[np.int64]
Usd = npt.NDArray[np.float64]
Steps = frozenset[int]


@dataclass(frozen=True)
class Money:
    """``starts``: the years t in which something is built; the last choice serves to the horizon."""

    starts: Sequence[int] = (0,)
    horizon: int = 1
    life: int = 5
    residual: str = "none"
    resale: float = 0.28  # of "market"
    rate: float = 0.0
    erosion: float = 0.0  # of switches
    support: float = 0.0  # a year, as a share of a switch's first price

    def worth(self, t: int) -> float:
        return float((1.0 + self.rate) ** -t)

    def years(self, step: int) -> range:
        """The years that a step's choice serves."""
        return range(self.starts[step], [*self.starts[1:], self.horizon][step])


@dataclass(frozen=True)
class Piece:
    """Something that is bought. ``stock`` pieces of it were bought ``stock_age`` years before year 0."""

    price: float
    erosion: float = 0.0
    support: float = 0.0
    first_t: int = 0
    stock: int = 0
    stock_age: int = 1

    def price_at(self, t: int) -> float:
        return float(self.price * (1.0 - self.erosion) ** t)


def sold_usd(money: Money, piece: Piece, bought: int, sold: int) -> float:
    """What a piece fetches at the start of year ``sold``."""
    left = max(0.0, 1.0 - (sold - bought) / money.life)
    if money.residual == "none":
        return 0.0
    worth = min(piece.price_at(bought) * left, piece.price_at(sold))
    if money.residual == "market":
        worth = min(worth, money.resale * left * piece.price_at(sold))
    return worth


def cover_usd(money: Money, piece: Piece, wanted: frozenset[int]) -> float:
    """The least cost of having one piece in all of ``wanted`` years, bought and sold at will."""
    best = [inf] * money.horizon + [0.0]
    for a in reversed(range(money.horizon)):
        if a not in wanted:
            best[a] = best[a + 1]
        for b in range(a + 1, min(a + money.life, money.horizon) + 1) if a >= piece.first_t else ():
            paid = piece.price_at(a) * money.worth(a) - sold_usd(money, piece, a, b) * money.worth(b)
            best[a] = min(best[a], paid + best[b])
    return best[0]


def stock_cover_usd(money: Money, piece: Piece, wanted: frozenset[int]) -> float:
    """The same with one piece that is there already, against selling that one at once."""
    last = min(money.life - piece.stock_age, money.horizon)
    at_once = sold_usd(money, piece, -piece.stock_age, 0)
    return min(
        at_once
        - sold_usd(money, piece, -piece.stock_age, until) * money.worth(until)
        + cover_usd(money, piece, wanted - frozenset(range(until)))
        for until in range(max(0, last) + 1)
    )


def step_sets(money: Money) -> list[Steps]:
    """Every set of steps that a piece may be wanted in."""
    steps = range(len(money.starts))
    return [frozenset(s) for s in chain.from_iterable(combinations(steps, n + 1) for n in steps)]


@cache
def by_steps(
    money: Money, piece: Piece, cover: Callable[[Money, Piece, frozenset[int]], float]
) -> Mapping[Steps, float]:
    return {s: cover(money, piece, frozenset(t for j in s for t in money.years(j))) for s in step_sets(money)}


def running_usd(money: Money, piece: Piece, step: int) -> float:
    """Support of one piece in use over the years of a step."""
    return piece.price * piece.support * sum(money.worth(t + 1) for t in money.years(step))


def owning_usd(money: Money, piece: Piece, need: Sequence[Amounts]) -> Usd:
    """The least cost of owning ``need[j]`` pieces in every step j (arrays that broadcast), running cost too.

    A k-fold cover of a line by intervals falls apart into k covers. So the needs fall into layers, each the
    steps in which at least so many are wanted; where the middle of three steps wants the most, a layer of
    all three and one of the middle may also be one of the first two and one of the last two (what ends in the
    middle year need not be what began last). Pieces that are there go to the layers in which they save most.
    """
    whole = by_steps(money, piece, cover_usd)
    layers = {s: _layer(s, need) for s in whole}
    # where a piece can't be had yet nobody wants it
    total = sum((_times(layers[s], usd) for s, usd in whole.items()), np.zeros(1))
    if len(need) == 3:
        total = total - _crossed(whole, need)
    total = total + sum(n * running_usd(money, piece, j) for j, n in enumerate(need))
    if piece.stock and money.life > piece.stock_age:
        total = total - _saved(money, piece, whole, layers)
    return np.asarray(total)


def _times(n: Amounts, usd: float) -> Usd:
    return np.asarray(np.where(n > 0, inf, 0.0) if usd == inf else n * usd)


def _layer(steps: Steps, need: Sequence[Amounts]) -> Amounts:
    """How many layers are wanted in just these steps."""
    inside = [n for j, n in enumerate(need) if j in steps]
    outside = [n for j, n in enumerate(need) if j not in steps]
    least = inside[0]
    for n in inside[1:]:
        least = np.minimum(least, n)
    most = np.zeros(1, dtype=np.int64)
    for n in outside:
        most = np.maximum(most, n)
    return np.asarray(np.maximum(0, least - most))


def _crossed(whole: Mapping[Steps, float], need: Sequence[Amounts]) -> Usd:
    first, middle, last = need
    usd = [whole[frozenset(s)] for s in ((0, 1, 2), (1,), (0, 1), (1, 2))]
    gain = usd[0] + usd[1] - usd[2] - usd[3] if max(usd) < inf else 0.0
    pairs = np.minimum(np.minimum(first, last), middle - np.maximum(first, last))
    return np.maximum(0, pairs) * max(0.0, gain)


def _saved(money: Money, piece: Piece, whole: Mapping[Steps, float], layers: Mapping[Steps, Amounts]) -> Usd:
    """What pieces that are there save, and fetch. One or two steps."""
    assert len(money.starts) < 3 and piece.erosion >= 0.0
    there = by_steps(money, piece, stock_cover_usd)
    gains = sorted(((usd - there[s], s) for s, usd in whole.items()), key=lambda row: -row[0])
    left: Amounts = np.full(1, piece.stock)
    total: Usd = np.full(1, piece.stock * sold_usd(money, piece, -piece.stock_age, 0))
    for gain, steps in gains:
        used = np.minimum(left, layers[steps])
        total, left = total + used * max(0.0, gain), left - used
    return total
