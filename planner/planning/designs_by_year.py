"""The chosen candidates as a Design for every year: what is bought, moved and retired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from planner.candidates.enumeration import Built, Candidate
from planner.cost.cheapest_holdings import cheapest_holdings
from planner.cost.recabling_cost import change_between, idled_gpus
from planner.fabric.demand import YearDemand
from planner.fabric.design import Change, Design, Holding, Size, Wiring
from planner.fabric.patch_panels import panelled
from planner.optimize.model import Variables
from planner.optimize.problem import DesignPath, Problem


def cheapest_path_holdings(problem: Problem, path: DesignPath) -> tuple[Holding, ...]:
    """The cheapest purchases and sales for a chosen path, where no year's money is limited.

    The programme's own may differ where two ways cost the same; these are the same every time.
    """
    rows, base = list[Holding](), problem.base_year
    for k, column in enumerate(problem.columns):
        sku, lots = column.unit.sku, column.lots
        held = cheapest_holdings(column.unit, problem.need_by_year(path, k), lots)
        rows += [Holding(sku, n, base + lots[i].bought_t, base + t) for i, t, n in held.sold]
        rows += [Holding(sku, n, base + a, base + b) for a, b, n in held.bought]
    return _merged(rows)


def programme_holdings(problem: Problem, v: Variables) -> tuple[Holding, ...]:
    """Purchases and sales as the solved programme has them; its corners are whole numbers."""
    base, rows = problem.base_year, list[Holding]()
    for (k, a, b), var in sorted(v.hold.items()):
        if quantity := round(float(var.value() or 0.0)):
            rows.append(Holding(problem.columns[k].unit.sku, quantity, base + a, base + b))
    for (k, i, t), var in sorted(v.sell.items()):
        column = problem.columns[k]
        if quantity := round(float(var.value() or 0.0)):
            rows.append(Holding(column.unit.sku, quantity, base + column.lots[i].bought_t, base + t))
    return _merged(rows)


def _merged(rows: Iterable[Holding]) -> tuple[Holding, ...]:
    """One holding for each SKU and span of years, whichever columns its pieces are of."""
    total: dict[tuple[str, int, int], int] = {}
    for h in rows:
        key = h.sku, h.bought_year, h.until_year
        total[key] = total.get(key, 0) + h.quantity
    return tuple(Holding(sku, n, *span) for (sku, *span), n in total.items())


@dataclass(frozen=True, slots=True)
class _InService:
    """A candidate at the size of the build year (t) that it was last built for."""

    candidate: Candidate
    built_t: int

    @property
    def built(self) -> Built:
        return self.candidate.built[self.built_t]

    @property
    def fabric(self) -> tuple[Wiring, Size]:
        return self.candidate.wiring, self.built.size


def designs_of(
    chosen: list[Candidate], years: tuple[YearDemand, ...], holdings: tuple[Holding, ...]
) -> tuple[Design, ...]:
    """One Design a year of the horizon, from the first build year on."""
    by_build = {y.t: c for y, c in zip((y for y in years if y.decides), chosen, strict=True)}
    rows = list[Design]()
    before: _InService | None = None
    gpus_before = 0
    for year in years:
        now = _InService(by_build[year.t], year.t) if before is None or year.decides else before
        rows.append(_design(year, now, holdings, _change(before, now, gpus_before, year.year, holdings)))
        before, gpus_before = now, year.gpus
    return tuple(rows)


def _design(year: YearDemand, now: _InService, holdings: tuple[Holding, ...], change: Change) -> Design:
    owned = Counter[str]()
    for h in holdings:
        if h.bought_year <= year.year < h.until_year:
            owned[h.sku] += h.quantity
    built = now.built
    return Design(
        year=year.year,
        gpus=year.gpus,
        nodes=year.nodes,
        wiring=now.candidate.wiring,
        size=built.size,
        need=built.need,
        owned=dict(owned),
        change=change,
        need_by_tier=built.pieces.by_tier,
        node_modules=built.pieces.node_modules,
        switch_modules=built.pieces.switch_modules,
    )


def _change(
    old: _InService | None, new: _InService, gpus_before: int, year: int, holdings: tuple[Holding, ...]
) -> Change:
    """Purchases, retirements and moves at the start of a year; ``old`` None: every link is installed."""
    bought, retired = Counter[str](), Counter[str]()
    for h in holdings:
        if h.bought_year == year:
            bought[h.sku] += h.quantity
        if h.until_year == year:
            retired[h.sku] += h.quantity
    if old is None:
        wiring, size = new.fabric
        above = size.switch_links * wiring.uplink_factor
        installed = (size.endpoints + above) * wiring.copies
        return Change(dict(bought), dict(retired), installed, 0, (0, 0, 0), 0.0)
    moves, layout = change_between(old.fabric, new.fabric)
    moved = tuple(int(x) for x in moves.moved[0, 0])
    here, there = (panelled(x.built.pieces.by_tier) for x in (old, new))
    at_panel = moves.moved * np.array([a and b for a, b in zip(here, there, strict=True)])
    return Change(
        bought=dict(bought),
        retired=dict(retired),
        installed_links=int(moves.installed.sum()),
        recabled_links=sum(moved),
        recabled_by_tier=(moved[0], moved[1], moved[2]),
        idled_gpus=float(idled_gpus(moves.moved, layout.links, gpus_before).sum()),
        panel_links=int(at_panel.sum()),
        panel_idled_gpus=float(idled_gpus(at_panel, layout.links, gpus_before).sum()),
    )
