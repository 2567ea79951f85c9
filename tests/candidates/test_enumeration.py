"""What the optimiser may choose from: other years' wirings, the headroom, one model set."""

from __future__ import annotations

from fractions import Fraction

import pytest

from planner.candidates.design_space import RatioCaps
from planner.candidates.enumeration import Candidate
from planner.scenario.scenario import Scenario
from planner.study.notes import notes
from tests.candidates.spaces import NO_CAP, space_of
from tests.support.making import Box, Prices, planned, scenario_of


def found(scenario: Scenario, caps: RatioCaps | None = NO_CAP) -> list[Candidate]:
    """Every candidate, without dual prices."""
    return space_of(scenario, caps).candidates()


def shapes(rows: list[Candidate]) -> set[tuple[int, int, int, int]]:
    return {(c.wiring.tiers, c.wiring.down, c.wiring.up, c.wiring.spines) for c in rows}


def test_a_wiring_of_one_year_serves_the_others_too() -> None:
    """8-port switches, units of 4, 12 then 32 nodes: 4 spines of the second year are offered in the first."""
    scenario = scenario_of(
        [12, 32], [Box("eight", 8, 1.0)], fabric={"nodes_per_scalable_unit": 4, "max_tiers": 2}
    )
    years = {(c.wiring.spines, t): b.size.spines for c in found(scenario) for t, b in c.built.items()}
    assert years == {(2, 0): 2, (4, 0): 4, (4, 1): 4}


def test_what_can_not_serve_a_year_is_not_built_in_it() -> None:
    """A single switch of 8 ports serves the 8 nodes of the first year, not the 16 of the second."""
    rows = found(scenario_of([8, 16], [Box("eight", 8, 1.0)]))
    assert [sorted(c.built) for c in rows if c.wiring.tiers == 1] == [[0]]


def test_a_cap_on_the_leaf_ratio_is_kept() -> None:
    """2:1 allowed, 3:2 left by the headroom: no candidate of 4 down and 2 up on 6 ports."""
    scenario = scenario_of(12, [Box("six", 6, 1.0)], fabric={"max_oversubscription": "2:1"})
    free, capped = found(scenario), found(scenario, RatioCaps(10**6, Fraction(3, 2), None))
    assert (2, 4, 2, 1) in shapes(free)
    assert max(c.wiring.oversubscription for c in capped) == Fraction(3, 2)


def test_a_unit_that_holds_the_job_needs_no_cap() -> None:
    """The job's traffic stays below the leaf: the cap does not bind there."""
    scenario = scenario_of(12, [Box("six", 6, 1.0)], fabric={"max_oversubscription": "2:1"})
    assert (2, 4, 2, 1) in shapes(found(scenario, RatioCaps(4, Fraction(1), None)))


def test_an_endpoint_that_is_too_slow_leaves_no_candidate() -> None:
    assert found(scenario_of(4, [Box("six", 6, 1.0)]), None) == []


def test_the_product_of_both_ratios_is_capped_at_the_core() -> None:
    """16 endpoints on 4-port switches at 2:1 and 2:1: with 2:1 left at the core, one of both is spent."""
    ratios = {"max_oversubscription": "3:1", "spine_oversubscription": "3:1"}
    rows = found(scenario_of(16, [Box("four", 4, 1.0)], fabric=ratios), RatioCaps(10**6, None, Fraction(2)))
    through = {
        c.wiring.oversubscription * c.wiring.spine_oversubscription for c in rows if c.wiring.tiers == 3
    }
    assert through and max(through) <= 2


def test_pieces_are_counted_for_the_year_in_which_they_serve() -> None:
    """3 and 4 leaves, 2 spines, links of both layers."""
    scenario = scenario_of([12, 16], [Box("eight", 8, 1.0)], fabric={"nodes_per_scalable_unit": 4})
    two = next(c for c in found(scenario) if c.wiring.tiers == 2 and c.wiring.spines == 2)
    assert [two.built[t].need["eight"] for t in (0, 1)] == [5, 6]
    assert [two.built[t].need["fibre"] for t in (0, 1)] == [24, 32]


def test_too_many_designs_to_weigh_every_move_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for two designs where all are kept, those that another of the year beats are left out: the
    answer says so, and costs no less."""
    boxes = [Box("eight", 8, 1.0), Box("six", 6, 0.9)]
    whole = planned([12, 32], boxes, Prices(move=0.01))
    for module in ("planner.candidates.enumeration", "planner.candidates.dominance"):
        monkeypatch.setattr(f"{module}.MOST_WIRINGS", 2)
    less = planned([12, 32], boxes, Prices(move=0.01))
    assert (whole.plan.solver.dominated_left_out, less.plan.solver.dominated_left_out) == (False, True)
    assert (less.tco_usd or 0.0) >= (whole.tco_usd or 0.0) > 0.0
    assert any("those were left out" in note for note in notes(scenario_of([12, 32], boxes), [less]))
