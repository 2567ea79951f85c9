"""How many spares keep a promise: Poisson failures while replacements are on their way."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, sqrt

WEEKS_PER_YEAR = 52.0


@lru_cache(maxsize=65536)
def spares_for(pieces: int, failures_per_year: float, weeks: float, service_level: float) -> int:
    """The fewest spares s with P(X <= s) >= service level, X Poisson of mean pieces x rate x weeks / 52.

    X is the number of failures in the time that a replacement takes. A flat percent has too few for
    small numbers and too many for large ones.

    >>> spares_for(48, 0.01, 8.0, 0.95), spares_for(2048, 0.02, 8.0, 0.95)
    (1, 11)
    """
    mean = pieces * failures_per_year * weeks / WEEKS_PER_YEAR
    if mean <= 0.0:
        return 0
    # below mean - 12 standard deviations nothing counts; starting there keeps exp() away from 0
    k = max(0, int(mean - 12.0 * sqrt(mean)))
    covered = 0.0
    while True:
        covered += exp(k * log(mean) - mean - lgamma(k + 1.0))
        if covered >= service_level:
            return k
        k += 1
