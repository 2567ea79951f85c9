"""The solver's answer as it is: status, value, bound, whichever solver, whatever constant."""

from __future__ import annotations

from typing import get_args

import pulp
import pytest

from planner.optimize import solve as runs
from planner.optimize.solve import SOLVERS, Outcome, Solver, solve

BOTH = pytest.mark.parametrize("solver", ["highs", "cbc"])


def programme(least: float, *, whole: bool = True) -> tuple[pulp.LpProblem, pulp.LpVariable]:
    """Minimise 3 x + 100 with x between ``least`` and 10."""
    asked = pulp.LpProblem("small", pulp.LpMinimize)
    x = asked.add_variable("x", 0, 10, cat="Integer" if whole else "Continuous")
    asked.setObjective(3 * x + 100)
    asked.addConstraint(x >= least, "least")
    return asked, x


@BOTH
def test_value_and_bound_include_the_constant(solver: Solver) -> None:
    """PuLP does not hand HiGHS the constant: its own bound would be 9."""
    asked, x = programme(2.5)
    outcome = solve(asked, solver)
    assert (outcome.status, x.value()) == ("optimal", pytest.approx(3.0))
    assert outcome.objective == pytest.approx(109.0) and outcome.bound == pytest.approx(109.0)
    assert outcome.gap == pytest.approx(0.0, abs=1e-9)


@BOTH
def test_a_programme_without_whole_numbers(solver: Solver) -> None:
    outcome = solve(programme(2.5, whole=False)[0], solver)
    assert (outcome.status, outcome.objective) == ("optimal", pytest.approx(107.5))


@BOTH
def test_infeasible_has_no_figures(solver: Solver) -> None:
    """An infeasible programme still carries values in PuLP: none of them gets out."""
    outcome = solve(programme(11)[0], solver)
    assert (outcome.status, outcome.objective, outcome.bound, outcome.gap) == ("infeasible", None, None, None)


@BOTH
def test_nothing_is_printed(solver: Solver, capfd: pytest.CaptureFixture[str]) -> None:
    """highspy prints a banner from C even when told to be silent; the JSON answer shares the stream."""
    solve(programme(1)[0], solver)
    assert capfd.readouterr().out == ""


def cbc_calls_it_infeasible() -> pulp.LpProblem:
    """Five binaries: x = 1, c = 0 is feasible and costs 0. The bundled CBC says infeasible.

    Source: github.com/coin-or/pulp/issues/662. Names and coefficients matter.
    """
    asked = pulp.LpProblem("five_binaries", pulp.LpMinimize)
    x0, x1, x2, c0, c1 = (asked.add_variable(n, cat="Binary") for n in ("x_0", "x_1", "x_2", "c_0", "c_1"))
    asked.setObjective(c0 + c1)
    rows = (
        x0 + c1 == 1, x0 + c0 >= 1, x1 + c1 <= 1, c0 + c1 <= 1, x2 == 1,
        9000 * x1 + 7200 * x2 + 10800 * c1 >= 16200,
    )  # fmt: skip
    for i, row in enumerate(rows, 1):
        asked.addConstraint(row, f"_C{i}")
    return asked


@BOTH
def test_infeasible_is_believed_only_of_two_solvers(solver: Solver) -> None:
    """CBC alone would refuse the programme: with HiGHS asked, too, the answer is 0 whoever starts."""
    asked = cbc_calls_it_infeasible()
    outcome = solve(asked, solver)
    assert (outcome.status, outcome.solver) == ("optimal", "HiGHS")
    assert outcome.objective == pytest.approx(0.0, abs=1e-9)
    assert [asked.variablesDict()[n].value() for n in ("x_0", "x_1", "x_2")] == pytest.approx([1, 1, 1])


def test_the_bundled_cbc_still_errs() -> None:
    """The case above proves something only while CBC is wrong on it: when mended, look for another."""
    assert runs._run(cbc_calls_it_infeasible(), "cbc", None).status == "infeasible"


@pytest.mark.parametrize(("first", "second"), [("highs", "cbc"), ("cbc", "highs")])
def test_the_other_solver_is_asked(first: Solver, second: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, run = list[Solver](), runs._run

    def noted(problem: pulp.LpProblem, solver: Solver, time_limit_s: float | None) -> Outcome:
        asked.append(solver)
        return run(problem, solver, time_limit_s)

    monkeypatch.setattr(runs, "_run", noted)
    assert solve(programme(11)[0], first).status == "infeasible" and asked == [first, second]
    asked.clear()
    assert solve(programme(2)[0], first).status == "optimal" and asked == [first]


def test_every_solver_word_has_a_run_and_a_second_opinion() -> None:
    assert set(SOLVERS) == set(get_args(Solver))
    assert all(SOLVERS[backend.second_opinion].run != backend.run for backend in SOLVERS.values())
