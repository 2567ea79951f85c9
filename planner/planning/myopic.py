"""The cheapest plan of a planner who does not look ahead.

In each build year he takes the design that would be cheapest if no more growth came: its pieces, running
cost and moves from that year to the end of the horizon, given what he owns by then. Each owned piece
serves on, up to its best year, or is sold at its residual; links that have to be moved are paid for. Of
designs that cost him the same (to the cent) each is followed, and of the plans that come of it the one
that turns out cheapest is his; of equal ones that of the preferred designs.

What he chooses from in a build year: the year's own fat-trees, those chosen before at the year's size,
and those of the plan that does look ahead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np

from planner.candidates.design_space import DesignSpace, DualPrices
from planner.candidates.enumeration import Candidate, candidate_for, candidates
from planner.candidates.switch_sets import SwitchSets, all_switch_sets
from planner.candidates.year_floors import least_floors
from planner.fabric.demand import YearDemand
from planner.fabric.design import Wiring
from planner.fabric.nic_attachment import NicAttachment
from planner.optimize.problem import Floats, Ints, Problem
from planner.planning.assemble_problem import assemble_problem, installed_lots
from planner.planning.narrowing import piece_price
from planner.planning.owned_stock import OwnedStock, most_saved_usd, need_usd, owned_later
from planner.planning.planning_task import Task
from planner.planning.tie_breaking import CENT, preference_order

FIRST_ROOM = 0.01  # above the year's floor, as a share of it: what is looked at first
DOUBLINGS = 10  # of that room, before everything is looked at


@dataclass(frozen=True)
class DesignPool:
    """The fat-trees that a build year may choose from, enumerated one year at a time."""

    task: Task
    space: DesignSpace
    builds: tuple[YearDemand, ...]

    @cached_property
    def _attachments(self) -> tuple[NicAttachment, ...]:
        return self.task.ways.found

    @cached_property
    def _priced_space(self) -> DesignSpace:
        """With dual prices of pieces that serve to the end of the horizon; links that are there take no
        labour."""
        horizon = self.task.scenario.finance.horizon_years
        price = piece_price(self.task, {y.t: range(y.t, horizon) for y in self.builds})
        return replace(self.space, duals=DualPrices(price, self.builds[-1].t, install_usd=0.0))

    @cached_property
    def _switch_sets(self) -> SwitchSets:
        growing = len(self.builds) > 1
        return all_switch_sets(self._priced_space, self._attachments, self.builds, growing=growing)

    @cached_property
    def floors_usd(self) -> dict[int, float]:
        """By build year: no design's pieces are worth less."""
        return least_floors(self._priced_space, self._switch_sets, self.builds)

    def at_size(self, year: YearDemand, wirings: Iterable[Wiring]) -> list[Candidate]:
        """Wirings that are there, or known from elsewhere, at the size of a build year."""
        rows = ((w, _attachment_of(self._attachments, w)) for w in dict.fromkeys(wirings))
        made = (candidate_for(self.space, w, attachment, (year,)) for w, attachment in rows if attachment)
        return [c for c in made if c is not None]

    def up_to(self, year: YearDemand, limit_usd: float, *, keep_dominated: bool) -> list[Candidate]:
        """The year's own fat-trees whose pieces are worth no more than a limit."""
        cutoff = {year.t: limit_usd}
        space = replace(self._priced_space, cutoff_usd=cutoff, keep_dominated=keep_dominated)
        return candidates(space, self._switch_sets, (year,))

    def every(self) -> list[Candidate]:
        """All fat-trees."""
        return candidates(self.space, self._switch_sets, self.builds)


def _merged(year: YearDemand, known: Sequence[Candidate], found: Sequence[Candidate]) -> list[Candidate]:
    """Each wiring once, at the size of the year only, in order of preference."""
    t, rows = year.t, {c.wiring: c for c in known}
    for c in found:
        if t in c.built:
            rows.setdefault(c.wiring, replace(c, built={t: c.built[t]}))
    return sorted(rows.values(), key=preference_order)


def _attachment_of(attachments: Sequence[NicAttachment], wiring: Wiring) -> NicAttachment | None:
    """The way to use the nodes' ports that a wiring is of."""
    names = ("planes", "nic_port_split", "nic_ports_per_node", "link_gbps", "rail_optimised", "nic")
    return next(
        (v for v in attachments if all(getattr(v.base, n) == getattr(wiring, n) for n in names)), None
    )


Needs = tuple[tuple[tuple[str, int], ...], ...]


@dataclass(frozen=True, slots=True)
class State:
    """A way to have come so far: the designs of the build years, what is owned, what installing and moving
    links has cost (USD, present worth)."""

    path: tuple[Candidate, ...]
    owned: OwnedStock
    moves_usd: float

    def needs(self, builds: Sequence[YearDemand]) -> Needs:
        """The pieces of every build year: ways with the same cost the same but for moves."""
        pairs = zip(self.path, builds, strict=False)
        return tuple(tuple(sorted(c.built[y.t].need.items())) for c, y in pairs)


class NoMyopicPlanError(Exception):
    """There is no plan without looking ahead, and why."""


def no_design_in(year: int) -> NoMyopicPlanError:
    """In a build year no design can be had."""
    return NoMyopicPlanError(f"without looking ahead there is no plan in {year}")


def myopic_states(
    task: Task, space: DesignSpace, builds: tuple[YearDemand, ...], also: Iterable[Wiring]
) -> list[State]:
    """Every way that the planner may go, one for each set of needs: that of the least moves.

    Raises NoMyopicPlanError.
    """
    seen = tuple(dict.fromkeys(also))
    states = [State((), _installed(task), 0.0)]
    pool = DesignPool(task, space, builds)
    for j, year in enumerate(builds):
        known = pool.at_size(year, (*seen, *(c.wiring for s in states for c in s.path)))
        choice = YearChoice(task, builds, j, states)
        states = choice.next_states(_choosable(pool, choice, known))
        if not states:
            raise no_design_in(year.year)
    return states


def _choosable(pool: DesignPool, choice: YearChoice, known: list[Candidate]) -> list[Candidate]:
    """A build year's own fat-trees, and ``known``: all that can be the cheapest.

    Those little above the floor first, then twice as much, until one can be had. What the pieces of the
    cheapest may then be worth at most bounds what is looked at.
    """
    year, floor = choice.year, pool.floors_usd[choice.year.t]
    for doubling in range(DOUBLINGS if floor < inf else 0):
        near = floor + FIRST_ROOM * 2**doubling * abs(floor)
        found = _merged(year, known, pool.up_to(year, near, keep_dominated=False))
        limit = choice.limit_usd(found) if found else inf
        if limit < inf:
            several = len(pool.builds) > 1
            return _merged(year, known, pool.up_to(year, limit, keep_dominated=several))
    return _merged(year, known, pool.every())


def _installed(task: Task) -> OwnedStock:
    """What is there before the base year."""
    skus = {row.sku for row in task.scenario.installed if task.tariff.price_usd(row.sku) is not None}
    return {sku: lots for sku in sorted(skus) if (lots := installed_lots(task, sku))}


@dataclass(frozen=True, slots=True)
class YearChoice:
    """The choice of one build year, from every state."""

    task: Task
    builds: tuple[YearDemand, ...]
    position: int
    states: list[State]

    @property
    def year(self) -> YearDemand:
        """The build year."""
        return self.builds[self.position]

    @property
    def t(self) -> int:
        """The build year, as a position of the horizon."""
        return self.year.t

    def limit_usd(self, found: list[Candidate]) -> float:
        """The most that the pieces of a state's cheapest design are worth, some candidates being known."""
        most, problem = -inf, self._problem(found)
        for k, state in enumerate(self.states):
            least = float(self._believed_usd(problem, found, k)[0].min(initial=inf))
            saved = sum(
                most_saved_usd(self.task.tariff.unit_cost(sku), lots, self.t)
                for sku, lots in state.owned.items()
            )
            most = max(most, least + saved)
        return most + abs(most) * 1e-9 + CENT if most < inf else inf

    def next_states(self, found: list[Candidate]) -> list[State]:
        """Every state's cheapest designs, ties included."""
        rows: dict[tuple[Needs, Wiring], State] = {}
        problem = self._problem(found)
        for k, state in enumerate(self.states):
            usd, moves = self._believed_usd(problem, found, k)
            least = float(usd.min(initial=inf))
            for c in np.flatnonzero(usd <= least + CENT) if least < inf else ():
                new = self._grown(state, found[int(c)], float(moves[c]))
                key = new.needs(self.builds), found[int(c)].wiring
                if key not in rows or new.moves_usd < rows[key].moves_usd - CENT:
                    rows[key] = new
        return list(rows.values())

    def _grown(self, state: State, chosen: Candidate, moves_usd: float) -> State:
        owned: OwnedStock = {}
        if self.position + 1 < len(self.builds):
            need = chosen.built[self.t].need
            units = {sku: self.task.tariff.unit_cost(sku) for sku in {*need, *state.owned}}
            owned = owned_later(units, state.owned, need, self.t, self.builds[self.position + 1].t)
        return State((*state.path, chosen), owned, state.moves_usd + moves_usd)

    def _problem(self, found: list[Candidate]) -> Problem:
        """The candidates behind those that the states end with, over this build year and the one before."""
        old = [s.path[-1] for s in self.states if s.path]
        builds = self.builds[max(0, self.position - 1) : self.position + 1]
        task = self.task
        return assemble_problem(task, [*old, *found], builds, server_capex_usd=task.server_capex_usd)

    def _believed_usd(self, problem: Problem, found: list[Candidate], k: int) -> tuple[Floats, Floats]:
        """What each candidate would cost from the state at ``k`` on if nothing grew any more, and what of it
        are moves; infinite where it can't be had."""
        first = len(self.states) if self.position else 0
        rows = np.arange(first, first + len(found), dtype=np.int64)
        moves, services = self._moves(problem, k, rows)
        need = problem.need[-1][rows]
        usd, paid = moves.copy(), services.copy()
        for position, column in enumerate(problem.columns):
            if need[:, position].any():
                unit = column.unit
                owned = () if column.beyond_change else self.states[k].owned.get(unit.sku, ())
                cost, bought = need_usd(unit, owned, self.t, need[:, position])
                usd += cost
                paid += bought * unit.price_usd[self.t] * (1.0 + unit.charges_ratio)
        for cap in problem.caps:
            if cap.t == self.t:
                usd[paid > cap.usd + CENT] = inf
        return usd, moves

    def _moves(self, problem: Problem, k: int, rows: Ints) -> tuple[Floats, Floats]:
        """Installing and moving links: present worth, and the nominal services of it."""
        if not self.position or problem.arc_services_usd is None:
            return problem.first_usd[rows], problem.first_usd[rows]
        old = np.array([k])
        return problem.arc_usd(1, old, rows)[0], problem.arc_services_usd(1, old, rows)[0]
