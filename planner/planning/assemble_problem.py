"""Candidates as the arrays of a programme, with the unit costs of every SKU that one of them uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from planner.candidates.enumeration import Candidate
from planner.cost.cheapest_holdings import Lot
from planner.cost.finance import UnitCost, opex_factor, sale_factor
from planner.cost.recabling_cost import move_rates, move_table
from planner.cost.tariff import Tariff
from planner.fabric.demand import YearDemand
from planner.optimize.problem import CapexCap, Column, Flags, Floats, Ints, Problem, safe_name
from planner.planning.planning_task import Task


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
    split = most_before_change(task, found, builds)
    skus = _skus(task, found)
    moves = move_table(found, builds, move_rates(task.tariff))
    limit = task.scenario.limits.capex_usd_per_year
    paid = server_capex_usd or [0.0] * finance.horizon_years
    return Problem(
        name=task.name,
        horizon=finance.horizon_years,
        decides=tuple(y.t for y in builds),
        labels=tuple(f"c{i}_{label(c)}" for i, c in enumerate(found)),
        columns=_columns(task, skus, split),
        serves=tuple(_serves(found, year) for year in builds),
        need=tuple(_need(found, year, skus, split) for year in builds),
        first_usd=moves.first_usd(),
        arc_usd=moves.arc_usd,
        constant_usd=task.constant_usd,
        base_year=task.scenario.base_year,
        output=tuple(_output(task, found, builds, j) for j in range(len(builds))) if credit_usd else (),
        credit_usd=credit_usd,
        caps=() if limit is None else tuple(CapexCap(t, limit - usd) for t, usd in enumerate(paid)),
        first_services_usd=moves.first_services_usd(),
        arc_services_usd=moves.arc_services_usd,
    )


def _skus(task: Task, found: Sequence[Candidate]) -> list[str]:
    """What candidates need, and what is there, in order."""
    there = {row.sku for row in task.scenario.installed if task.tariff.price_usd(row.sku) is not None}
    return sorted(there.union(*(built.need for c in found for built in c.built.values())))


def _columns(task: Task, skus: Sequence[str], split: Mapping[str, int]) -> tuple[Column, ...]:
    """A column for each SKU, and behind them one for what is needed beyond those bought before a change."""
    whole = [Column(task.tariff.unit_cost(sku), installed_lots(task, sku)) for sku in skus]
    beyond = [Column(unit_cost_from_change(task.tariff, sku), beyond_change=True) for sku in split]
    return (*whole, *beyond)


def unit_cost_from_change(tariff: Tariff, sku: str) -> UnitCost:
    """The cost of a piece that can be had from the change of technology on only."""
    unit = tariff.unit_cost(sku)
    return replace(unit, first_t=max(unit.first_t, tariff.dearer_from(sku) or 0))


def most_before_change(
    task: Task, found: Sequence[Candidate], builds: Sequence[YearDemand]
) -> dict[str, int]:
    """Of every SKU that the later of two technologies prices higher: the most that any candidate needs
    before the change, or what was there before and lasts beyond it. So many can be had at the lower price;
    what is needed beyond them after the change is a column of its own."""
    most = dict[str, int]()
    for year in builds:
        for sku, n in ((s, n) for c in found if year.t in c.built for s, n in c.built[year.t].need.items()):
            change_t = task.tariff.dearer_from(sku)
            if change_t is not None:
                known = most.get(sku) or installed_still_serving(task, sku, change_t)
                most[sku] = max(known, n if year.t < change_t else 0)
    return dict(sorted(most.items()))


def installed_still_serving(task: Task, sku: str, t: int) -> int:
    """Pieces of a SKU that are there before the base year and can still serve in year ``t``."""
    last = task.scenario.base_year + t - task.scenario.finance.life_years
    return sum(row.quantity for row in task.scenario.installed if row.sku == sku and row.bought_year > last)


def _serves(found: Sequence[Candidate], year: YearDemand) -> Flags:
    return np.array([year.t in candidate.built for candidate in found], dtype=np.bool_)


def _need(
    found: Sequence[Candidate], year: YearDemand, skus: Sequence[str], split: Mapping[str, int]
) -> Ints:
    """Pieces by candidate and column in a build year; 0 where a candidate can't serve. Of the SKUs in
    ``split`` so many are in the column of their own, what is beyond them is in the other."""
    own = {sku: k for k, sku in enumerate(skus)}
    beyond = {sku: k for k, sku in enumerate(split, start=len(skus))}
    table = np.zeros((len(found), len(own) + len(beyond)), dtype=np.int64)
    for row, candidate in enumerate(found):
        if year.t in candidate.built:
            for sku, n in candidate.built[year.t].need.items():
                table[row, own[sku]] = n
                if sku in split:
                    table[row, own[sku]] = min(n, split[sku])
                    table[row, beyond[sku]] = max(0, n - split[sku])
    return table


def discounted_service_years(task: Task, builds: Sequence[YearDemand], step: int) -> float:
    """Sum of the year-end discount factors of the years that a step's choice serves."""
    horizon = task.scenario.finance.horizon_years
    ends = [*(y.t for y in builds[1:]), horizon]
    rate = task.scenario.finance.discount_rate
    return sum(opex_factor(rate, t) for t in range(builds[step].t, ends[step]))


def _output(task: Task, found: Sequence[Candidate], builds: Sequence[YearDemand], step: int) -> Floats:
    """Discounted effective TFLOP/s-years of each candidate in a step; 0 where it can't serve."""
    year, factor = builds[step], discounted_service_years(task, builds, step)
    rows = [task.output(c.wiring, year) * factor if year.t in c.built else 0.0 for c in found]
    return np.array(rows, dtype=np.float64)


def installed_lots(task: Task, sku: str) -> tuple[Lot, ...]:
    """Installed pieces of a SKU with life left, and what they would sell for at the start of each year."""
    finance, tariff, base = task.scenario.finance, task.tariff, task.scenario.base_year
    lots = []
    for row in task.scenario.installed:
        left = row.bought_year + finance.life_years - base
        if row.sku != sku or left <= 0:
            continue
        until = min(left, finance.horizon_years)
        sale = [
            tariff.installed_resale_usd(sku, row.bought_year, t) * sale_factor(finance.discount_rate, t)
            for t in range(until + 1)
        ]
        lots.append(Lot(row.bought_year - base, until, row.quantity, tuple(sale)))
    return tuple(lots)


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
    return safe_name(text)
