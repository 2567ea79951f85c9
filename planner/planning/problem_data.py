"""Candidates as the arrays of a programme, with the unit costs of every SKU that one of them uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from planner.candidates.enumeration import Candidate
from planner.cost.finance import UnitCost, discount_factor
from planner.cost.holdings import Lot
from planner.cost.recabling_cost import MoveTable, move_rates
from planner.cost.tariff import Tariff
from planner.fabric.demand import YearDemand
from planner.optimize.problem import LATER, CapexCap, Floats, Ints, Problem, Stock
from planner.optimize.variables import safe
from planner.planning.task import Task


def assemble_problem(
    task: Task,
    found: Sequence[Candidate],
    builds: Sequence[YearDemand],
    *,
    credit_usd: float = 0.0,
    server_capex_usd: Sequence[float] = (),
) -> Problem:
    """The programme's data. ``server_capex_usd`` by year is what a capex limit has to pay first."""
    finance = task.scenario.finance
    installed = [row.sku for row in task.scenario.installed if task.tariff.price_usd(row.sku) is not None]
    skus = sorted({sku for c in found for b in c.built.values() for sku in b.need} | set(installed))
    most = most_before(task, found, builds)
    skus += [sku + LATER for sku in most]  # at the end: the first column is never one of them
    column = {sku: k for k, sku in enumerate(skus)}
    moves = MoveTable(found, builds, move_rates(task.tariff))
    limit = task.scenario.limits.capex_usd_per_year
    paid = server_capex_usd or [0.0] * finance.horizon_years
    return Problem(
        name=task.technology,
        horizon=finance.horizon_years,
        decides=tuple(y.t for y in builds),
        labels=tuple(f"c{i}_{label(c)}" for i, c in enumerate(found)),
        need=tuple(_need(found, year, column, most if _dearer(task, most, year) else {}) for year in builds),
        units=tuple(unit_of(task.tariff, sku) for sku in skus),
        first_usd=moves.first_usd(),
        arc_usd=moves.arc_usd,
        constant_usd=task.constant_usd,
        base_year=task.scenario.base_year,
        output=tuple(_output(task, found, builds, j) for j in range(len(builds))) if credit_usd else (),
        credit_usd=credit_usd,
        stock=tuple(stock_of(task, column)),
        caps=() if limit is None else tuple(CapexCap(t, limit - usd) for t, usd in enumerate(paid)),
        first_services_usd=moves.first_services_usd(),
        arc_services_usd=moves.arc_services_usd,
    )


def unit_of(tariff: Tariff, sku: str) -> UnitCost:
    """The cost of a column's piece: of a SKU, or of what is needed from the change of technology on only."""
    if not sku.endswith(LATER):
        return tariff.unit_cost(sku)
    part = sku.removesuffix(LATER)
    unit, change_t = tariff.unit_cost(part), tariff.dearer_from(part) or 0
    return replace(unit, sku=sku, first_t=max(unit.first_t, change_t))


def most_before(task: Task, found: Sequence[Candidate], builds: Sequence[YearDemand]) -> dict[str, int]:
    """Of every SKU that the later of two technologies prices higher: the most that any candidate needs
    before the change, or what was there before and lasts beyond it. So many are one column, what is needed
    beyond it after the change is another."""
    before = dict[str, int]()
    for year in builds:
        for sku, n in ((s, n) for c in found if year.t in c.built for s, n in c.built[year.t].need.items()):
            change_t = task.tariff.dearer_from(sku)
            if change_t is not None:
                least = before.get(sku) or installed_still_serving(task, sku, change_t)
                before[sku] = max(least, n if year.t < change_t else 0)
    return dict(sorted(before.items()))


def installed_still_serving(task: Task, sku: str, t: int) -> int:
    """Pieces of a SKU that are there before the base year and can still serve in year ``t``."""
    last = task.scenario.base_year + t - task.scenario.finance.life_years
    return sum(row.quantity for row in task.scenario.installed if row.sku == sku and row.bought_year > last)


def _dearer(task: Task, most: Mapping[str, int], year: YearDemand) -> bool:
    return any(year.t >= (task.tariff.dearer_from(sku) or 0) for sku in most)


def _need(
    found: Sequence[Candidate], year: YearDemand, column: dict[str, int], most: Mapping[str, int]
) -> Ints:
    """Pieces by candidate and SKU in a build year; -1 where a candidate can't serve. ``most``: of these SKUs
    no more is in the column of their own."""
    table = np.full((len(found), max(1, len(column))), -1, dtype=np.int64)
    for row, candidate in enumerate(found):
        if year.t in candidate.built:
            table[row] = 0
            for sku, n in candidate.built[year.t].need.items():
                own = min(n, most.get(sku, n))
                table[row, column[sku]] = own
                if n > own:
                    table[row, column[sku + LATER]] = n - own
    return table


def discounted_service_years(task: Task, builds: Sequence[YearDemand], step: int) -> float:
    """Sum of the year-end discount factors of the years that a step's choice serves."""
    horizon = task.scenario.finance.horizon_years
    ends = [*(y.t for y in builds[1:]), horizon]
    rate = task.scenario.finance.discount_rate
    return sum(discount_factor(rate, t + 1) for t in range(builds[step].t, ends[step]))


def _output(task: Task, found: Sequence[Candidate], builds: Sequence[YearDemand], step: int) -> Floats:
    """Discounted effective TFLOP/s-years of each candidate in a step; 0 where it can't serve."""
    year, factor = builds[step], discounted_service_years(task, builds, step)
    rows = [task.output(c.wiring, year) * factor if year.t in c.built else 0.0 for c in found]
    return np.array(rows, dtype=np.float64)


def stock_of(task: Task, column: dict[str, int]) -> list[Stock]:
    """Installed pieces with life left, and what they would sell for at the start of each year."""
    finance, tariff, base = task.scenario.finance, task.tariff, task.scenario.base_year
    lots = []
    for row in task.scenario.installed:
        left = row.bought_year + finance.life_years - base
        if row.sku not in column or left <= 0:
            continue
        until = min(left, finance.horizon_years)
        sale = [
            tariff.installed_resale_usd(row.sku, row.bought_year, t)
            * discount_factor(finance.discount_rate, t)
            for t in range(until + 1)
        ]
        lot = Lot(row.bought_year - base, until, row.quantity, tuple(sale))
        lots.append(Stock(column[row.sku], lot))
    return lots


def label(candidate: Candidate) -> str:
    """A readable name of a wiring: switches by tier, ports of a leaf, spines, pod, cores."""
    w = candidate.wiring
    text = f"{w.planes}p_{w.leaf}_d{w.down}"
    if w.pair_links:
        text += f"_pair{w.pair_links}x{w.uplink_gbps}"
    if w.tiers > 1:
        text += f"_u{w.up}_{w.spine}_S{w.spines}"
    if w.tiers > 2:
        text += f"_L{w.leaves_per_pod}_w{w.spine_up}_{w.core}_G{w.core_groups}_C{w.cores_per_group}"
    return safe(text)
