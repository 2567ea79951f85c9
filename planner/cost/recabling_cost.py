"""What installing and moving links costs: labour at once, the jobs' downtime over the year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from planner.cost.finance import capex_factor, opex_factor
from planner.cost.price_list import INSTALL_LINK, MOVE_CORD, RECABLE_LINK
from planner.cost.tariff import Tariff
from planner.fabric.demand import YearDemand
from planner.fabric.design import Change, Size, Wiring
from planner.fabric.recabling import LinkLayout, Moves, link_layout, moves

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MoveRates:
    """Nominal rates of a scenario: USD a link installed and moved by year, USD an idle GPU-hour.

    A link moved at a patch panel takes ``cord_usd`` of labour and a share of the downtime.
    """

    install_usd: tuple[float, ...]
    recable_usd: tuple[float, ...]
    downtime_usd_per_gpu: float
    discount_rate: float
    cord_usd: tuple[float, ...] = ()
    panel_downtime_ratio: float = 1.0

    def labour_usd(self, t: int, change: Moves, at_panel: Ints | None = None) -> Floats:
        """Nominal labour (USD) of moves at the start of year ``t``; ``at_panel``: those made at panels."""
        usd = change.installed.sum(axis=-1) * self.install_usd[t]
        usd = usd + change.moved.sum(axis=-1) * self.recable_usd[t]
        if at_panel is not None:
            usd = usd - at_panel.sum(axis=-1) * (self.recable_usd[t] - self.cord_usd[t])
        return np.asarray(usd, dtype=np.float64)

    def npv_usd(
        self, t: int, change: Moves, old_links: Ints, gpus_before: int, at_panel: Ints | None = None
    ) -> Floats:
        """Present value (USD) of moves at the start of year ``t``; ``old_links`` has 3 columns."""
        labour = self.labour_usd(t, change, at_panel)
        moved: Floats | Ints = change.moved
        if at_panel is not None:
            moved = moved - at_panel * (1.0 - self.panel_downtime_ratio)
        down = idled_gpus(moved, old_links, gpus_before).sum(axis=-1) * self.downtime_usd_per_gpu
        at_once, over_year = capex_factor(self.discount_rate, t), opex_factor(self.discount_rate, t)
        return np.asarray(labour * at_once + down * over_year, dtype=np.float64)

    def services_usd(self, t: int, change: Change) -> float:
        """Nominal labour (USD) of a plan's change at the start of year ``t``."""
        usd = change.installed_links * self.install_usd[t] + change.recabled_links * self.recable_usd[t]
        saved = change.panel_links * (self.recable_usd[t] - self.cord_usd[t]) if change.panel_links else 0.0
        return usd - saved

    def downtime_usd(self, change: Change) -> float:
        """Nominal cost (USD) of the GPUs that a plan's change idles."""
        idle = change.idled_gpus - change.panel_idled_gpus * (1.0 - self.panel_downtime_ratio)
        return idle * self.downtime_usd_per_gpu


def idled_gpus(moved: Ints | Floats, old_links: Ints, gpus_before: int) -> Floats:
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
        cord_usd=tuple(tariff.price_in_year(MOVE_CORD, t) for t in years) if scenario.layout.panels else (),
        panel_downtime_ratio=scenario.layout.panel_downtime_ratio,
    )


def least_install_usd(rates: MoveRates) -> float:
    """Least present value (USD) of installing one link in any year."""
    return min(p * capex_factor(rates.discount_rate, t) for t, p in enumerate(rates.install_usd))


class AtSize(Protocol):
    """A wiring at its size in one build year."""

    @property
    def size(self) -> Size: ...  # noqa: D102

    @property
    def panelled(self) -> tuple[bool, bool, bool]:
        """Whether the links of each layer run over patch panels."""
        ...


class Sizes(Protocol):
    """Anything with a wiring and its sizes by build year (t): candidates, and wirings before their parts."""

    @property
    def wiring(self) -> Wiring: ...  # noqa: D102

    @property
    def built(self) -> Mapping[int, AtSize]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class MoveTable:
    """Links of every candidate in every build year, ready to be compared.

    ``panels``: 1 where the links of a layer (columns) run over panels, by build year; none without panels.
    """

    builds: Sequence[YearDemand]
    rates: MoveRates
    layouts: Sequence[LinkLayout]
    panels: Sequence[Ints]

    def first_usd(self) -> Floats:
        """Services (USD, present value) of installing every link in the first build year."""
        factor = capex_factor(self.rates.discount_rate, self.builds[0].t)
        return np.asarray(self.first_services_usd() * factor, dtype=np.float64)

    def first_services_usd(self) -> Floats:
        """Nominal services (USD) of installing every link in the first build year."""
        links = self.layouts[0].links.sum(axis=1)
        return np.asarray(links * self.rates.install_usd[self.builds[0].t], dtype=np.float64)

    def arc_services_usd(self, step: int, old: Ints, new: Ints) -> Floats:
        """Nominal services (USD) from ``old`` to ``new`` candidates at a step."""
        before = self.layouts[step - 1].take(old)
        change = moves(before, self.layouts[step].take(new))
        return self.rates.labour_usd(self.builds[step].t, change, self._at_panel(step, old, new, change))

    def arc_usd(self, step: int, old: Ints, new: Ints) -> Floats:
        """Services and downtime (USD, present value) from ``old`` to ``new`` candidates at a step."""
        before = self.layouts[step - 1].take(old)
        change = moves(before, self.layouts[step].take(new))
        at_panel = self._at_panel(step, old, new, change)
        gpus = self.builds[step - 1].gpus
        return self.rates.npv_usd(self.builds[step].t, change, before.links, gpus, at_panel)

    def _at_panel(self, step: int, old: Ints, new: Ints, change: Moves) -> Ints | None:
        """Moved links that run over panels before and after; None without panels."""
        if not self.panels:
            return None
        before, after = self.panels[step - 1][old], self.panels[step][new]
        return np.asarray(change.moved * before[:, None, :] * after[None, :, :], dtype=np.int64)


def move_table(candidates: Sequence[Sizes], builds: Sequence[YearDemand], rates: MoveRates) -> MoveTable:
    """The table of some candidates; where one can't serve, it has any size: it is never looked at there."""
    codes: dict[object, int] = {}
    sizes = [[_at_size(candidate, year.t) for candidate in candidates] for year in builds]
    fabrics = [[(c.wiring, at.size) for c, at in zip(candidates, row, strict=True)] for row in sizes]
    layouts, panels = [link_layout(row, codes) for row in fabrics], list[Ints]()
    if rates.cord_usd:
        rows = [[at.panelled for at in row] for row in sizes]
        panels = [np.array(row, dtype=np.int64).reshape(len(row), 3) for row in rows]
    return MoveTable(builds, rates, layouts, panels)


def _at_size(candidate: Sizes, t: int) -> AtSize:
    return candidate.built.get(t) or next(iter(candidate.built.values()))


def change_between(old: tuple[Wiring, Size], new: tuple[Wiring, Size]) -> tuple[Moves, LinkLayout]:
    """Moves between two designs (arrays of one row and column), and the layout of the old design."""
    codes: dict[object, int] = {}
    before, after = link_layout([old], codes), link_layout([new], codes)
    return moves(before, after), before
