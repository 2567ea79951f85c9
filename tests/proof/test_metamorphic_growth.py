"""What must hold between two plans, whatever they cost: 360 random scenarios of one or two build years."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.proof.oracle_growth import Growth, Switch
from tests.proof.test_growth import answer, cost, growths

pytestmark = pytest.mark.no_cover  # the rooms' own tests are to cover them

CASES = st.one_of(*(growths(deep, rail) for deep in (False, True) for rail in (False, True)))
MORE = 1e-6  # USD

# each only widens what may be built
FREER: dict[str, Callable[[Growth], Growth]] = {
    "a wider catalog": lambda c: replace(c, models=(*c.models, Switch(7, 21.0, 60.0))),
    "a looser leaf ratio": lambda c: replace(c, ratio=c.ratio * 2),
    "a looser spine ratio": lambda c: replace(c, spine_ratio=c.spine_ratio + 1),
    "any unit size": lambda c: replace(c, unit_nodes=None),
    "fewer spines do": lambda c: replace(c, min_spines=1),
    "a third tier": lambda c: replace(c, max_tiers=3),
    "no power limit": lambda c: replace(c, power_limit_w=None),
    "models to be had at once": lambda c: replace(c, models=tuple(replace(m, first_t=0) for m in c.models)),
}
DEARER: dict[str, Callable[[Growth], Growth]] = {
    "a dearer link": lambda c: replace(c, link_price=c.link_price + 0.5),
    "a dearer move": lambda c: replace(c, move_price=c.move_price + 1.0),
    "dearer switches": lambda c: replace(c, models=tuple(replace(m, price=m.price * 1.2) for m in c.models)),
    "dearer installing": lambda c: replace(c, install_price=c.install_price + 0.5),
    "dearer downtime": lambda c: replace(c, idle_price=c.idle_price + 1.0),
}


@settings(max_examples=120)
@given(CASES, st.sampled_from(sorted(FREER)))
def test_more_freedom_never_costs_more(case: Growth, name: str) -> None:
    assert cost(answer(FREER[name](case))) <= cost(answer(case)) + MORE


@settings(max_examples=100)
@given(CASES, st.sampled_from(sorted(DEARER)))
def test_a_dearer_part_never_makes_a_plan_cheaper(case: Growth, name: str) -> None:
    """Without pieces that are there: those sell for more, too."""
    case = replace(case, models=tuple(replace(m, stock=0) for m in case.models))
    assert cost(answer(DEARER[name](case))) >= cost(answer(case)) - MORE


@settings(max_examples=80)
@given(CASES, st.sampled_from([0.5, 3.0, 7.0]))
def test_scaling_all_prices_scales_the_optimum(case: Growth, factor: float) -> None:
    scaled = replace(
        case,
        models=tuple(replace(m, price=m.price * factor) for m in case.models),
        link_price=case.link_price * factor,
        move_price=case.move_price * factor,
        install_price=case.install_price * factor,
        idle_price=case.idle_price * factor,
    )
    least, now = cost(answer(case)), cost(answer(scaled))
    assert now == (inf if least == inf else pytest.approx(least * factor, abs=1e-5))


@settings(max_examples=60)
@given(CASES)
def test_renaming_parts_changes_no_cost(case: Growth) -> None:
    """Names go by position: the catalog backwards names every model anew."""
    renamed = replace(case, models=tuple(reversed(case.models)))
    assert cost(answer(renamed)) == pytest.approx(cost(answer(case)), abs=MORE)
