"""The plan of least cost of one technology: candidates -> programme -> path and holdings."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

from planner.candidates.budget import BudgetSpentError
from planner.candidates.enumeration import Candidate
from planner.fabric.demand import YearDemand
from planner.fabric.design import Holding, SolverReport
from planner.optimize.elimination import eliminate, plan_cost, speculation
from planner.optimize.model import Variables, build, least_relaxation
from planner.optimize.problem import DesignPath, Problem, Remaining
from planner.optimize.solve import RELATIVE_GAP, Outcome, relaxation, solve
from planner.planning.assemble_problem import assemble_problem
from planner.planning.designs_by_year import cheapest_path_holdings, programme_holdings
from planner.planning.infeasibility import Refusal, why_none
from planner.planning.narrowing import Narrowed, narrowed_candidates
from planner.planning.planning_task import PlanOptions, Task
from planner.planning.technology_phases import Phases, build_years, phase_at
from planner.planning.tie_breaking import break_ties
from planner.text.format import raised_to

KEEP_MARGIN = 0.002  # plans this far (relative) above the best known one are left to the solver too
WIDENING = 8.0  # times that margin, where a limit on money leaves no plan within it
WIDEST_MARGIN = 0.128  # a limit on money is not followed into plans that cost more than this above the least
ENUMERATION_SHARE = 0.7  # of the time that is left: what the solver has beyond it pays more
_STOPPED = (
    "the solver stopped without a plan within capex_usd_per_year; give it more time, or raise "
    "capex_usd_per_year"
)
SAME = 1e-9  # relative: costs that are called equal


@dataclass(frozen=True, slots=True)
class Solved:
    """A programme with its answer: the path of candidates and what was bought for it."""

    found: list[Candidate]
    problem: Problem
    path: DesignPath
    holdings: tuple[Holding, ...]
    report: SolverReport


class NoPlanError(Exception):
    """Planning ended without a design."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class _Run:
    """One programme, from its candidates to the solver's word.

    ``relaxed_usd``: the least cost where choices may be fractions.
    """

    narrowed: Narrowed
    problem: Problem
    remaining: Remaining
    variables: Variables
    build_seconds: float
    relaxed_usd: float | None
    outcome: Outcome

    @property
    def complete(self) -> bool:
        """Whether everything that a cheaper plan could use was left to the solver."""
        return self.narrowed.least_usd is None and self.remaining.complete

    @property
    def least_usd(self) -> float | None:
        """What no plan costs less than (USD, constant included); None where nothing is known of it.

        Short of all candidates it is the sum of the years' floors, unless trade alone could bring money: more
        with pieces of designs that are not among them.
        """
        constant = self.problem.constant_usd
        if self.narrowed.least_usd is not None:
            trade = speculation(self.problem) < 0
            return None if trade else self.narrowed.least_usd + self.remaining.stock_usd + constant
        known = self.remaining.lower_usd + constant
        if not self.remaining.complete:
            return known
        dropped = self.remaining.upper_usd + self.remaining.cushion_usd + constant
        return min(dropped, max(known, self.outcome.bound or -inf))


def least_cost(
    task: Task,
    phases: Phases,
    options: PlanOptions,
    credit_usd: float = 0.0,
    known: Solved | None = None,
) -> Solved:
    """The plan of least cost, less ``credit_usd`` for each TFLOP/s-year that it delivers.

    Candidates are narrowed down and become a programme, which is relaxed and solved; of plans that cost the
    same one is chosen, and what it takes is bought at the least. ``known``: a plan whose designs stay in.

    A limit on the money of a year is not in the bounds: they are widened until the cheapest plan that keeps
    it lies within them; at the widest, or where the budget ends before, a plan that lies beyond them is not
    called the cheapest. Raises NoPlanError, and BudgetSpentError where there is no plan yet.
    """
    margin = KEEP_MARGIN
    run = _run(task, phases, options, credit_usd, known, margin)
    while not _lies_within_bounds(run):
        if run.outcome.objective is None and (run.outcome.status == "none" or not run.complete):
            raise NoPlanError(Refusal("none", _STOPPED))
        if margin >= WIDEST_MARGIN and run.outcome.objective is not None:
            break  # a plan, though a cheaper one may lie beyond the bounds: its report says so
        if margin >= WIDEST_MARGIN or any(cap.usd < 0 for cap in run.problem.caps):
            raise NoPlanError(_money_refusal(task, run, options))
        margin *= WIDENING
        try:
            wider = _run(task, phases, options, credit_usd, known, margin)
        except BudgetSpentError:
            if run.outcome.objective is None:
                raise
            break
        if wider.outcome.objective is None and run.outcome.objective is not None:
            break
        run = wider
    report, path = _report(run), _chosen_path(run)
    return Solved(run.narrowed.candidates, run.problem, path, _holdings(run, path, report), report)


def _run(
    task: Task,
    phases: Phases,
    options: PlanOptions,
    credit_usd: float,
    known: Solved | None,
    margin: float,
) -> _Run:
    """Narrow, assemble, eliminate, build, relax, solve. Raises BudgetSpentError where there is no plan."""
    start, budget = time.perf_counter(), options.budget
    own = [known.found[c] for c in dict.fromkeys(known.path)] if known else []
    narrowed = narrowed_candidates(task, phases, margin, credit_usd, own, budget.part(ENUMERATION_SHARE))
    found, builds = narrowed.candidates, build_years(phases)
    _require_candidates(task, phases, builds, found)
    money = task.server_capex_usd
    problem = assemble_problem(task, found, builds, credit_usd=credit_usd, server_capex_usd=money)
    remaining = eliminate(problem, margin, budget)
    budget.told(f"solving a programme of {len(found):,} fat-trees")
    programme, v = build(problem, remaining)
    if options.lp_dir:
        programme.writeLP(str(options.lp_dir / _lp_name(task)))
    built_s = time.perf_counter() - start
    relaxed = relaxation(programme, budget.left_s)
    outcome = solve(programme, options.solver, budget.left_s)
    return _Run(narrowed, problem, remaining, v, built_s, relaxed, outcome)


def _require_candidates(
    task: Task, phases: Phases, builds: tuple[YearDemand, ...], found: list[Candidate]
) -> None:
    """Raises NoPlanError, with the reason, where a build year has no design."""
    for year in builds:
        if all(year.t not in c.built for c in found):
            phase = phase_at(phases, year.t)
            raise NoPlanError(why_none(task.scenario, phase.space, phase.attachments, builds, found))


def _lp_name(task: Task) -> str:
    """The LP file of a technology, of a later island of servers, and of a plan over patch panels."""
    first = task.scenario.growth[0].year
    island = "" if first == task.scenario.base_year else f"_{first}"
    way = "_patch-panels" if task.scenario.layout.panels else ""
    return f"{task.name}{island}{way}.lp"


def _lies_within_bounds(run: _Run) -> bool:
    """Whether nothing that the bounds dropped can be cheaper than what was found, limits on money kept; no
    matter where the budget is spent."""
    if not run.problem.caps or (run.outcome.objective is not None and not run.complete):
        return True
    within = run.remaining.upper_usd + run.remaining.cushion_usd + run.problem.constant_usd
    return run.outcome.objective is not None and run.outcome.objective <= within


def _chosen_path(run: _Run) -> DesignPath:
    """The designs of the programme; of plans that cost the same, the preferred ones.

    Moves are money, too: where it is limited the programme itself has chosen among equals.
    """
    objective = run.outcome.objective
    if run.problem.caps and objective is not None:
        return _programme_path(run)
    known_usd = run.remaining.upper_usd + run.problem.constant_usd
    is_known = objective is None or abs(objective - known_usd) <= SAME * abs(known_usd)
    path = run.remaining.path if is_known else _programme_path(run)
    return break_ties(run.problem, run.narrowed.candidates, path)


def _programme_path(run: _Run) -> DesignPath:
    """The candidate of every step, by the largest value of its choice; of equal ones the first."""
    path = []
    for j in range(len(run.problem.decides)):
        choices = [(c, var) for (step, c), var in run.variables.choose.items() if step == j]
        path.append(max(choices, key=lambda choice: float(choice[1].value() or 0.0))[0])
    return tuple(path)


def _holdings(run: _Run, path: DesignPath, report: SolverReport) -> tuple[Holding, ...]:
    """The cheapest holdings of the path, the same every time; the programme's own where a year's money is
    limited, or where they cost less (it may hold what other designs left to it would need)."""
    least = report.objective_usd or 0.0
    usd = plan_cost(run.problem, path) + run.problem.constant_usd
    if run.problem.caps or usd > least + SAME * abs(least):
        return programme_holdings(run.problem, run.variables)
    return cheapest_path_holdings(run.problem, path)


def cost_without_credit(solved: Solved) -> float:
    """Cost (USD, present worth, constant included) of a solved plan, without any credit."""
    usd = solved.report.objective_usd or 0.0
    credit = solved.problem.credit_usd
    return usd + (credit * solved.problem.delivered(solved.path) if credit else 0.0)


def _money_refusal(task: Task, run: _Run, options: PlanOptions) -> Refusal:
    """The years in which a limit on money can't be kept, and the least that would do."""
    limit = task.scenario.limits.capex_usd_per_year or 0.0
    above = least_relaxation(run.problem, run.remaining, options.solver, options.budget.left_s)
    if not above:
        return Refusal("none", _STOPPED)
    over = {t: usd for t, usd in above.items() if usd > 0.005}  # half a cent
    years = ", ".join(f"{task.scenario.base_year + t} by {usd:,.2f} USD" for t, usd in sorted(over.items()))
    least = raised_to(limit + max(above.values(), default=0.0))
    return Refusal(
        "infeasible",
        f"capex_usd_per_year = {limit:.15g} can't be met: it falls short in {years}; raise "
        f"capex_usd_per_year to {least} (plans up to {WIDEST_MARGIN:.0%} above the least network cost were "
        "looked at)",
    )


def _report(run: _Run) -> SolverReport:
    """The solver's word, with what the bounds already knew.

    A solver that stopped without a point leaves the plan that the bounds started from, and its gap.
    """
    outcome, constant = run.outcome, run.problem.constant_usd
    objective = run.remaining.upper_usd + constant if outcome.objective is None else outcome.objective
    scale, relaxed, least = max(abs(objective), 1e-9), run.relaxed_usd, run.least_usd
    bound = None if least is None else min(objective, least)
    gap = None if bound is None else (objective - bound) / scale
    return SolverReport(
        name=outcome.solver,
        status="optimal" if gap is not None and gap <= RELATIVE_GAP else "feasible",
        objective_usd=objective,
        bound_usd=bound,
        gap=gap,
        seconds=outcome.seconds,
        nodes=outcome.nodes,
        build_seconds=run.build_seconds,
        candidates=len(run.problem.labels),
        root_gap=None if relaxed is None or not run.complete else max(0.0, objective - relaxed) / scale,
        dominated_left_out=run.narrowed.dominated_left_out,
    )
