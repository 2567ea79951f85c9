"""Spares: how many pieces lie in stock for those in service, and how they stand in a design.

A spare is a piece of a part held apart from those in service: it is bought, ages and is sold like them, but
draws no power and costs nothing to run. Its stock has a SKU of its own, which ``stock_sku`` makes and
``part_of`` leads back; no other module knows how. Ids of parts have no colon, so that none is taken for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from math import exp, lgamma, log, sqrt

import numpy as np

from planner.scenario.bill import SparesAsk

SPARES = "spares"  # the tier of pieces in stock
WEEKS_PER_YEAR = 52.0
SPREAD = 12.0  # standard deviations beyond which nothing counts
_MANY = 1e4  # failures on average: from here on one by one takes too long
_BEYOND = 60  # failures above that, for a mean near 0
_STOCK = "spare:"


def stock_sku(part: str) -> str:
    """The SKU under which the spares of a part are held.

    >>> part_of(stock_sku("qm9700"))
    'qm9700'
    """
    return _STOCK + part


def part_of(sku: str) -> str:
    """The part behind a SKU: that of a spare, or the SKU itself."""
    return sku.removeprefix(_STOCK)


def is_spare(sku: str) -> bool:
    """Whether a SKU is of pieces in stock.

    >>> is_spare("qm9700"), is_spare(stock_sku("qm9700"))
    (False, True)
    """
    return sku.startswith(_STOCK)


@lru_cache(maxsize=65536)
def fewest_spares(pieces: int, failures_per_year: float, weeks: float, service_level: float) -> int:
    """The fewest spares s with P(X <= s) >= service level, X Poisson of mean pieces x rate x weeks / 52.

    X is the number of failures in the time that a replacement takes. A flat percent has too few for
    small numbers and too many for large ones.

    >>> fewest_spares(48, 0.01, 8.0, 0.95), fewest_spares(2048, 0.02, 8.0, 0.95)
    (1, 11)
    """
    mean = pieces * failures_per_year * weeks / WEEKS_PER_YEAR
    if mean <= 0.0:
        return 0
    if mean > _MANY:
        return _fewest_of_many(mean, service_level)
    # below mean - 12 standard deviations nothing counts; starting there keeps exp() away from 0
    least, most = int(mean - SPREAD * sqrt(mean)), int(mean + SPREAD * sqrt(mean)) + _BEYOND
    covered = 0.0
    for k in range(max(0, least), most):
        covered += exp(k * log(mean) - mean - lgamma(k + 1.0))
        if covered >= service_level:
            return k
    return most  # a level so close to 1 that the sum of chances, rounded, does not reach it


def _fewest_of_many(mean: float, service_level: float) -> int:
    """The same for a great mean, all chances within 12 standard deviations at once: p(k) / p(k - 1) = mean /
    k."""
    k = np.arange(int(mean - SPREAD * sqrt(mean)), int(mean + SPREAD * sqrt(mean)) + 1, dtype=np.float64)
    logs = np.cumsum(np.log(mean / k))
    covered = np.cumsum(np.exp(logs - logs.max()))
    at = int(np.searchsorted(covered, service_level * covered[-1]))
    return int(k[min(at, len(k) - 1)])


def spares_of(
    use: Mapping[tuple[str, str], int], classes: Mapping[str, str], ask: SparesAsk
) -> dict[tuple[str, str], int]:
    """Spares by (tier, SKU of the stock) for pieces in use by (tier, SKU), each SKU over all its tiers.

    ``classes``: item class by SKU, which the failure rate goes by; a class without a rate has no spares.
    """
    if not ask.enabled:
        return {}
    total = Counter[str]()
    for (_, sku), n in use.items():
        total[sku] += n
    rates = {sku: ask.failures_per_year.get(classes.get(sku, ""), 0.0) for sku in total}
    weeks, level = ask.replenishment_weeks, ask.service_level_ratio
    return {(SPARES, stock_sku(sku)): fewest_spares(n, rates[sku], weeks, level) for sku, n in total.items()}
