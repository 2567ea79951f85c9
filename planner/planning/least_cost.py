"""The plan of least cost of one technology: candidates -> programme -> path and holdings."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import inf

from planner.candidates.enumeration import Candidate
from planner.fabric.demand import YearDemand
from planner.fabric.design import Holding, SolverReport
from planner.optimize.elimination import eliminate, plan_cost
from planner.optimize.model import build, least_relaxation
from planner.optimize.problem import Problem, Remaining
from planner.optimize.solve import RELATIVE_GAP, Outcome, relaxation, solve
from planner.optimize.variables import Variables
from planner.planning.designs_by_year import holdings_of
from planner.planning.infeasibility import Refusal, why_none
from planner.planning.narrowing import narrowed_candidates
from planner.planning.phases import Phases, phase_at
from planner.planning.problem_data import assemble_problem
from planner.planning.task import PlanOptions, Task
from planner.planning.tie_breaking import break_ties

KEEP_MARGIN = 0.002  # plans this far (relative) above the best known one are left to the solver too
WIDEST_MARGIN = 0.128  # a limit on money is not followed into plans that cost more than this above the least


@dataclass(frozen=True, slots=True)
class Solved:
    """A programme with its answer: the path of candidates and what was bought for it."""

    found: list[Candidate]
    problem: Problem
    kept: Remaining
    path: tuple[int, ...]
    holdings: tuple[Holding, ...]
    report: SolverReport


class NoPlanError(Exception):
    """Planning ended without a design."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


def least_cost(
    task: Task,
    phases: Phases,
    years: tuple[YearDemand, ...],
    options: PlanOptions,
    credit_usd: float = 0.0,
    known: Solved | None = None,
) -> Solved:
    """The plan of least cost, less ``credit_usd`` for each TFLOP/s-year that it delivers.

    A limit on the money of a year is not in the bounds: they are widened until the cheapest plan that keeps
    it lies within them, or no plan does.
    """
    start, margin = time.perf_counter(), KEEP_MARGIN
    while True:
        own = [known.found[c] for c in dict.fromkeys(known.path)] if known else []
        narrowed = narrowed_candidates(task, phases, margin, credit_usd, own)
        found = narrowed.candidates
        builds = tuple(y for y in years if y.decides)
        for year in builds:
            if all(year.t not in c.built for c in found):
                phase = phase_at(phases, year.t)
                raise NoPlanError(why_none(phase.space, phase.attachments, builds, found))
        problem = assemble_problem(
            task, found, builds, credit_usd=credit_usd, server_capex_usd=task.server_capex_usd
        )
        kept = eliminate(problem, margin)
        programme, v = build(problem, kept)
        if options.lp_dir:
            way = "_patch-panels" if task.scenario.layout.panels else ""
            programme.writeLP(str(options.lp_dir / f"{task.technology}{_of_island(task)}{way}.lp"))
        built_s = time.perf_counter() - start
        relaxed = relaxation(programme)
        outcome = solve(programme, options.solver, options.time_limit_s)
        if not problem.caps:
            break
        within = kept.upper_usd + kept.cushion_usd + problem.constant_usd
        if outcome.objective is not None and outcome.objective <= within:
            break
        if margin >= WIDEST_MARGIN or any(cap.usd < 0 for cap in problem.caps):
            raise NoPlanError(_money_refusal(task, problem, kept, options.solver))
        margin *= 8.0
    report = replace(
        _report(outcome, kept, problem, built_s, relaxed), dominated_left_out=narrowed.dominated_left_out
    )
    path = _chosen(problem, v) if outcome.objective is not None else kept.path
    if outcome.objective is None or (not problem.caps and _equal(outcome.objective, kept, problem)):
        path = kept.path  # of equal plans the one whose designs come first
    if not problem.caps:  # moves are money, too: where it is limited the programme has chosen among equals
        path = break_ties(problem, found, path)
    holdings = holdings_of(problem, path, None if _simple(problem, path, report) else v)
    return Solved(found, problem, kept, path, holdings, report)


def _of_island(task: Task) -> str:
    """What tells the programme of a later island of servers from that of the first."""
    first = task.scenario.growth[0].year
    return "" if first == task.scenario.base_year else f"_{first}"


def cost_without_credit(solved: Solved) -> float:
    """Cost (USD, present worth, constant included) of a solved plan, without any credit."""
    usd = solved.report.objective_usd or 0.0
    credit = solved.problem.credit_usd
    return usd + (credit * solved.problem.delivered(solved.path) if credit else 0.0)


def _money_refusal(task: Task, problem: Problem, kept: Remaining, solver: str) -> Refusal:
    """The years in which a limit on money can't be kept, and the least that would do."""
    limit = task.scenario.limits.capex_usd_per_year or 0.0
    over = {t: usd for t, usd in least_relaxation(problem, kept, solver).items() if usd > 1.0}
    years = ", ".join(f"{task.scenario.base_year + t} by {usd:,.0f} USD" for t, usd in sorted(over.items()))
    least = limit + max(over.values(), default=0.0)
    return Refusal(
        "infeasible",
        f"capex_usd_per_year = {limit:,.0f} can't be met: it falls short in {years or 'some year'}; "
        f"raise it to {least:,.0f} (plans up to {WIDEST_MARGIN:.0%} above the least network cost were "
        "looked at)",
    )


def _simple(problem: Problem, path: tuple[int, ...], report: SolverReport) -> bool:
    """Whether the simple way to buy and sell for a path costs no more than the programme's."""
    usd = plan_cost(problem, path) + problem.constant_usd
    least = report.objective_usd or 0.0
    return not problem.caps and usd <= least + 1e-9 * abs(least)


def _equal(objective: float, kept: Remaining, problem: Problem) -> bool:
    """Whether the programme's plan costs what the plan does that the bounds knew."""
    known = kept.upper_usd + problem.constant_usd
    return abs(objective - known) <= 1e-9 * abs(known)


def _chosen(problem: Problem, v: Variables) -> tuple[int, ...]:
    """The candidate of every step, by the largest value of its choice."""
    path = []
    for j in range(len(problem.decides)):
        options = [(float(var.value() or 0.0), -c) for (step, c), var in v.choose.items() if step == j]
        path.append(-max(options)[1])
    return tuple(path)


def _report(
    outcome: Outcome, kept: Remaining, problem: Problem, built_s: float, relaxed: float | None
) -> SolverReport:
    """The solver's word, with what the bounds already knew.

    A solver that stopped without a point leaves the plan that the bounds started from, and its gap.
    """
    objective = kept.upper_usd + problem.constant_usd if outcome.objective is None else outcome.objective
    bound = min(objective, max(outcome.bound or -inf, kept.lower_usd + problem.constant_usd))
    gap = (objective - bound) / max(abs(objective), 1e-9)
    return SolverReport(
        name=outcome.solver,
        status="optimal" if gap <= RELATIVE_GAP else "feasible",
        objective_usd=objective,
        bound_usd=bound,
        gap=gap,
        seconds=outcome.seconds,
        nodes=outcome.nodes,
        build_seconds=built_s,
        candidates=len(problem.labels),
        root_gap=None if relaxed is None else max(0.0, objective - relaxed) / max(abs(objective), 1e-9),
    )
