"""The solver's answer as it is: status, value, bound, whichever solver, whatever constant."""

from __future__ import annotations

import pulp
import pytest

from planner.optimize.solve import solve

BOTH = pytest.mark.parametrize("solver", ["highs", "cbc"])


def programme(least: float, *, whole: bool = True) -> tuple[pulp.LpProblem, pulp.LpVariable]:
    """Minimise 3 x + 100 with x between ``least`` and 10."""
    asked = pulp.LpProblem("small", pulp.LpMinimize)
    x = asked.add_variable("x", 0, 10, cat="Integer" if whole else "Continuous")
    asked.setObjective(3 * x + 100)
    asked.addConstraint(x >= least, "least")
    return asked, x


@BOTH
def test_value_and_bound_include_the_constant(solver: str) -> None:
    """PuLP does not hand HiGHS the constant: its own bound would be 9."""
    asked, x = programme(2.5)
    outcome = solve(asked, solver)
    assert (outcome.status, x.value()) == ("optimal", pytest.approx(3.0))
    assert outcome.objective == pytest.approx(109.0) and outcome.bound == pytest.approx(109.0)
    assert outcome.gap == pytest.approx(0.0, abs=1e-9)


@BOTH
def test_a_programme_without_whole_numbers(solver: str) -> None:
    outcome = solve(programme(2.5, whole=False)[0], solver)
    assert (outcome.status, outcome.objective) == ("optimal", pytest.approx(107.5))


@BOTH
def test_infeasible_has_no_figures(solver: str) -> None:
    """An infeasible programme still carries values in PuLP: none of them gets out."""
    outcome = solve(programme(11)[0], solver)
    assert (outcome.status, outcome.objective, outcome.bound, outcome.gap) == ("infeasible", None, None, None)


@BOTH
def test_nothing_is_printed(solver: str, capfd: pytest.CaptureFixture[str]) -> None:
    """highspy prints a banner from C even when told to be silent; the JSON answer shares the stream."""
    solve(programme(1)[0], solver)
    assert capfd.readouterr().out == ""
