"""Runs a programme and says honestly what came of it: status, objective, bound, gap, nodes.

PuLP calls a feasible point at a time limit "Optimal", keeps values of infeasible models, and does not
hand the objective's constant to HiGHS; the figures here are read from the solver and mended.
"""

from __future__ import annotations

import logging
import math
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pulp

from pricing.guarded_files import file_bytes

# The bundled CBC goes away with PuLP 4, which the package's bounds exclude.
pulp.set_v4_migration_warnings(False)

_LOG = logging.getLogger(__name__)
RELATIVE_GAP = 1e-7
Solver = Literal["highs", "cbc"]  # a further one: its word here, its run in ``SOLVERS`` at the end
RunStatus = Literal["optimal", "feasible", "infeasible", "none"]  # none: gave up without a point


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended. Objective and bound (USD) include the constant; they are None without a point."""

    solver: str
    status: RunStatus
    objective: float | None
    bound: float | None
    gap: float | None
    seconds: float
    nodes: int | None


class _Run(NamedTuple):
    """What a solver says itself; the bound (USD) includes the constant."""

    status: RunStatus
    bound: float | None
    nodes: int | None


@dataclass(frozen=True, slots=True)
class _Backend:
    """A solver: its name in an answer, how it solves a programme in place within a time limit (s), and who is
    asked, too, before its "infeasible" is believed."""

    name: str
    run: Callable[[pulp.LpProblem, float | None], _Run]
    second_opinion: Solver


def solve(programme: pulp.LpProblem, solver: Solver = "highs", time_limit_s: float | None = None) -> Outcome:
    """Solves in place; variables hold the best point. Infeasible is believed only when two solvers
    say so, within the time limit (s) together; where the second has no time left nothing is known."""
    if time_limit_s is not None and time_limit_s <= 0:
        return Outcome(SOLVERS[solver].name, "none", None, None, None, 0.0, None)
    outcome = _run(programme, solver, time_limit_s)
    _LOG.debug("%s: %s", programme.name, outcome)
    if outcome.status != "infeasible":
        return outcome
    left = None if time_limit_s is None else time_limit_s - outcome.seconds
    if left is not None and left <= 0:
        return replace(outcome, status="none")
    other = _run(programme, SOLVERS[solver].second_opinion, left)
    return outcome if other.status in ("infeasible", "none") else other


def relaxation(programme: pulp.LpProblem, time_limit_s: float | None = None) -> float | None:
    """The least cost (constant included) where choices may be fractions; None where there is none, or it is
    not found in time.

    It leaves its values in the variables: call it before ``solve``.
    """
    with _silence:
        limit = {} if time_limit_s is None else {"timeLimit": time_limit_s}
        programme.solve(pulp.HiGHS(mip=False, msg=False, threads=1, **limit))
    found = programme.sol_status == pulp.LpSolutionOptimal
    return float(programme.objective.value()) if found else None


def _run(programme: pulp.LpProblem, solver: Solver, time_limit_s: float | None) -> Outcome:
    start, backend = time.perf_counter(), SOLVERS[solver]
    status, bound, nodes = backend.run(programme, time_limit_s)
    seconds = time.perf_counter() - start
    if status in ("infeasible", "none"):
        return Outcome(backend.name, status, None, None, None, seconds, nodes)
    objective = float(programme.objective.value())
    if bound is None:
        bound = objective if status == "optimal" else -math.inf
    bound = min(bound, objective)
    gap = (objective - bound) / max(abs(objective), 1e-9)
    if status == "optimal" and gap > RELATIVE_GAP:
        status = "feasible"
    return Outcome(backend.name, status, objective, bound, gap, seconds, nodes)


def _highs(programme: pulp.LpProblem, limit: float | None) -> _Run:
    """HiGHS, in process."""
    options: dict[str, Any] = {
        "msg": False,
        "gapRel": RELATIVE_GAP,
        "threads": 1,
        "random_seed": 1,
        "mip_feasibility_tolerance": 1e-9,
        "primal_feasibility_tolerance": 1e-9,
    }
    if limit is not None:
        options["timeLimit"] = limit
    with _silence:
        programme.solve(pulp.HiGHS(**options))
    info = programme.solverModel.getInfo()
    status = _status(programme)
    constant = float(programme.objective.constant or 0.0)
    is_mip = any(v.cat == pulp.LpInteger for v in programme.variables())
    if not is_mip or not math.isfinite(info.mip_dual_bound):
        return _Run(status, None, 0)
    return _Run(status, float(info.mip_dual_bound) + constant, int(info.mip_node_count))


def _cbc(programme: pulp.LpProblem, limit: float | None) -> _Run:
    """The CBC that PuLP bundles; bound and nodes are read off its log."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "cbc.log"
        command = pulp.PULP_CBC_CMD(
            msg=False, gapRel=RELATIVE_GAP, timeLimit=limit, logPath=str(log), threads=1
        )
        programme.solve(command)
        text = file_bytes(log).decode("utf-8", "replace") if log.exists() else ""
    status = _status(programme)
    nodes = re.search(r"Enumerated nodes:\s+(\d+)", text)
    lower = re.search(r"Lower bound:\s+(\S+)", text)
    bound = None
    if lower and status == "feasible":
        bound = float(lower[1]) + float(programme.objective.constant or 0.0)
    return _Run(status, bound, int(nodes[1]) if nodes else None)


def _status(programme: pulp.LpProblem) -> RunStatus:
    """sol_status tells an optimum from a point found before a limit; ``status`` does not."""
    if programme.status == pulp.LpStatusInfeasible:
        return "infeasible"
    table: dict[int, RunStatus] = {
        pulp.LpSolutionOptimal: "optimal",
        pulp.LpSolutionIntegerFeasible: "feasible",
        pulp.LpSolutionInfeasible: "infeasible",
    }
    return table.get(programme.sol_status, "none")


class _Silence:
    """Keeps the banner that highspy prints from C off standard output.

    Solves may run in several threads at once: the first one in takes the descriptor away, the last
    one out puts it back.
    """

    def __init__(self) -> None:
        self._lock, self._depth, self._saved = threading.Lock(), 0, -1

    def __enter__(self) -> None:
        with self._lock:
            if self._depth == 0:
                sys.stdout.flush()
                self._saved = os.dup(1)
                with Path(os.devnull).open("w") as sink:
                    os.dup2(sink.fileno(), 1)
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                os.dup2(self._saved, 1)
                os.close(self._saved)


_silence = _Silence()

SOLVERS: Mapping[Solver, _Backend] = {
    "highs": _Backend("HiGHS", _highs, second_opinion="cbc"),
    "cbc": _Backend("CBC", _cbc, second_opinion="highs"),
}
