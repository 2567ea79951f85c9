"""What installing and moving links costs: labour at once, the jobs' downtime over the year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from planner.costing import INSTALL_LINK, RECABLE_LINK, Tariff
from planner.demand import YearDemand
from planner.design import Size, Wiring
from planner.finance import discount_factor
from planner.recabling import Links, Moves, links_of, moves

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MoveRates:
    """Nominal rates of a scenario: USD a link installed and moved by year, USD an idle GPU-hour."""

    install_usd: tuple[float, ...]
    recable_usd: tuple[float, ...]
    downtime_usd_per_gpu: float
    discount_rate: float

    def labour_usd(self, t: int, change: Moves) -> Floats:
        """Nominal labour (USD) of moves at the start of year ``t``."""
        installed = change.installed.sum(axis=-1) * self.install_usd[t]
        return np.asarray(installed + change.moved.sum(axis=-1) * self.recable_usd[t], dtype=np.float64)

    def npv_usd(self, t: int, change: Moves, old_links: Ints, gpus_before: int) -> Floats:
        """Present worth (USD) of moves at the start of year ``t``; ``old_links`` has 3 columns."""
        labour = self.labour_usd(t, change)
        down = idled_gpus(change.moved, old_links, gpus_before).sum(axis=-1) * self.downtime_usd_per_gpu
        here, end = (discount_factor(self.discount_rate, x) for x in (t, t + 1))
        return np.asarray(labour * here + down * end, dtype=np.float64)


def idled_gpus(moved: Ints, old_links: Ints, gpus_before: int) -> Floats:
    """GPUs that stand idle while links move: each link of a layer serves an equal share of them."""
    share = moved / np.maximum(old_links, 1)[..., None, :]
    return np.asarray(share * gpus_before)


def move_rates(tariff: Tariff) -> MoveRates:
    """Rates from the price book and the scenario's operations."""
    scenario = tariff.scenario
    years = range(scenario.finance.horizon_years)
    operations = scenario.operations
    return MoveRates(
        install_usd=tuple(tariff.price_in_year(INSTALL_LINK, t) for t in years),
        recable_usd=tuple(tariff.price_in_year(RECABLE_LINK, t) for t in years),
        downtime_usd_per_gpu=operations.recabling_downtime_hours * operations.gpu_hour_usd,
        discount_rate=scenario.finance.discount_rate,
    )


def least_install_usd(rates: MoveRates) -> float:
    """Least present worth (USD) of installing one link in any year."""
    return min(p * discount_factor(rates.discount_rate, t) for t, p in enumerate(rates.install_usd))


class _AtSize(Protocol):
    @property
    def size(self) -> Size: ...


class Sizes(Protocol):
    """Anything with a wiring and its sizes by build year (t): candidates, and shapes before them."""

    @property
    def wiring(self) -> Wiring: ...  # noqa: D102

    @property
    def built(self) -> Mapping[int, _AtSize]: ...  # noqa: D102


class MoveTable:
    """Links of every candidate in every build year, ready to be compared."""

    def __init__(self, candidates: Sequence[Sizes], builds: Sequence[YearDemand], rates: MoveRates) -> None:
        codes: dict[object, int] = {}
        self._builds, self._rates = builds, rates
        self._links = [links_of([_fabric(c, year.t) for c in candidates], codes) for year in builds]

    def first_usd(self) -> Floats:
        """Services (USD, present worth) of installing every link in the first build year."""
        factor = discount_factor(self._rates.discount_rate, self._builds[0].t)
        return np.asarray(self.first_services_usd() * factor, dtype=np.float64)

    def first_services_usd(self) -> Floats:
        """Nominal services (USD) of installing every link in the first build year."""
        count = self._links[0].count.sum(axis=1)
        return np.asarray(count * self._rates.install_usd[self._builds[0].t], dtype=np.float64)

    def arc_services_usd(self, step: int, old: Ints, new: Ints) -> Floats:
        """Nominal services (USD) from ``old`` to ``new`` candidates at a step."""
        before = self._links[step - 1].take(old)
        change = moves(before, self._links[step].take(new))
        return self._rates.labour_usd(self._builds[step].t, change)

    def arc_usd(self, step: int, old: Ints, new: Ints) -> Floats:
        """Services and downtime (USD, present worth) from ``old`` to ``new`` candidates at a step."""
        before = self._links[step - 1].take(old)
        change = moves(before, self._links[step].take(new))
        return self._rates.npv_usd(self._builds[step].t, change, before.count, self._builds[step - 1].gpus)


def _fabric(candidate: Sizes, t: int) -> tuple[Wiring, Size]:
    """The candidate at a build year; where it can't serve, any size: it is never looked at."""
    built = candidate.built.get(t) or next(iter(candidate.built.values()))
    return candidate.wiring, built.size


def change_between(old: tuple[Wiring, Size], new: tuple[Wiring, Size]) -> tuple[Moves, Links]:
    """Moves between two designs (arrays of one row and column) and the old design's links."""
    codes: dict[object, int] = {}
    before, after = links_of([old], codes), links_of([new], codes)
    return moves(before, after), before
