"""The solver's answer as it is: status, value, bound, whichever solver, whatever constant."""

from __future__ import annotations

import importlib

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


def test_infeasible_is_believed_only_when_the_other_solver_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A programme that has a point, and a first solver that wrongly denies it: the second decides."""
    honest = importlib.import_module("planner.optimize.solve")
    monkeypatch.setattr(honest, "_highs", lambda programme, limit: ("infeasible", None, None))
    outcome = solve(programme(2.5)[0], "highs")
    assert (outcome.solver, outcome.status, outcome.objective) == ("CBC", "optimal", pytest.approx(109.0))


@pytest.mark.parametrize(("first", "second"), [("highs", "_cbc"), ("cbc", "_highs")])
def test_infeasible_asks_the_second_solver(first: str, second: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, asked = importlib.import_module("planner.optimize.solve"), list[str]()
    real = getattr(honest, second)

    def noted(programme: pulp.LpProblem, limit: float | None) -> tuple[str, float | None, int | None]:
        asked.append(second)
        answer: tuple[str, float | None, int | None] = real(programme, limit)
        return answer

    monkeypatch.setattr(honest, second, noted)
    assert solve(programme(11)[0], first).status == "infeasible"
    assert asked == [second]


@BOTH
def test_a_programme_that_cbc_was_seen_to_call_infeasible(solver: str) -> None:
    """The model of coin-or/pulp issue 662: three yes, two no keeps every row, at cost 0."""
    asked = pulp.LpProblem("my_problem", pulp.LpMinimize)
    x = [asked.add_variable(f"x_{i}", 0, 1, cat="Integer") for i in range(3)]
    c = [asked.add_variable(f"c_{i}", 0, 1, cat="Integer") for i in range(2)]
    asked.setObjective(c[0] + c[1])
    rows = [
        x[0] + c[1] == 1, x[0] + c[0] >= 1, x[1] + c[1] <= 1, c[0] + c[1] <= 1, x[2] == 1,
        9000 * x[1] + 7200 * x[2] + 10800 * c[1] >= 16200,
    ]  # fmt: skip
    for i, row in enumerate(rows):
        asked.addConstraint(row, f"r{i}")
    outcome = solve(asked, solver)
    assert (outcome.status, outcome.objective) == ("optimal", pytest.approx(0.0))
    assert [round(v.value()) for v in (*x, *c)] == [1, 1, 1, 0, 0]
