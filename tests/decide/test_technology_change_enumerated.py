"""No change of technology is cheaper: every fat-tree of either technology, every purchase, move and sale.

The enumeration is that of the proof of growth, which shares no code with the planner; here the fat-trees of
each build year are those whose switches all speak its technology.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import pytest
from hypothesis import strategies as st

from planner.catalog.technologies import Technology, TechnologyPath
from planner.decide.technology_change import path_result
from planner.planning.planning_task import PlanOptions
from planner.study.result import FabricResult
from planner.study.side_fabrics import KnownSideFabrics
from tests.proof.oracle_growth import (
    Choice,
    Growth,
    Switch,
    Tree,
    crossing,
    fabrics,
    moving_usd,
    owning_pieces_usd,
    trees,
    with_switches,
)
from tests.proof.oracle_money import Money
from tests.support.examples import Examples
from tests.support.making import BASE_YEAR, Box, Prices, bare_sources, scenario_of, switch_counts

FIRST: Technology = "roce"
LATER: Technology = "infiniband"
PATH = TechnologyPath(FIRST, LATER, BASE_YEAR + 1)
SPEAKS = ((FIRST,), (LATER,), (FIRST, LATER))


@dataclass(frozen=True)
class Change:
    """A question of two build years, and what each of its models speaks."""

    growth: Growth
    technologies: tuple[tuple[str, ...], ...]

    def speaks(self, tree: Tree, technology: str) -> bool:
        """Whether all switches of a fat-tree speak a technology."""
        models = {m for m in (tree.leaf, tree.spine, tree.core) if m >= 0}
        return all(technology in self.technologies[m] for m in models)


def cheapest_change(case: Change, choices: Sequence[Choice] = ()) -> float:
    """The least cost (USD) over all pairs of fat-trees, infinite without one; ``choices``: of those with just
    these switches."""
    growth, found = case.growth, list(trees(case.growth))
    own = [[tree for tree in found if case.speaks(tree, name)] for name in (FIRST, LATER)]
    if not all(own):
        return inf
    steps = [fabrics(growth, rows, step) for step, rows in enumerate(own)]
    if choices:
        steps = [with_switches(growth, f, c) for f, c in zip(steps, choices, strict=True)]
    if any(not len(step.units) for step in steps):
        return inf
    installed = steps[0].links.sum(axis=0) * growth.install_price
    usd = installed[:, None] + moving_usd(growth, 1, *steps) + owning_pieces_usd(growth, crossing(steps))
    return float(usd.min())


def answer(case: Change) -> FabricResult:
    """The planner's answer to the same question."""
    growth, money = case.growth, case.growth.money
    boxes = [
        Box(f"model-{i}", m.ports, m.price, technologies=spoken)
        for i, (m, spoken) in enumerate(zip(growth.models, case.technologies, strict=True))
    ]
    prices = Prices(link=growth.link_price, move=growth.move_price, install=growth.install_price)
    ratio = f"{growth.ratio.numerator}:{growth.ratio.denominator}"
    scenario = scenario_of(
        list(growth.nodes), boxes, prices,
        fabric={
            "technologies": (FIRST, LATER), "max_tiers": growth.max_tiers, "max_oversubscription": ratio,
            "min_spines": growth.min_spines, "link_gbps": 100,
        },
        finance={
            "horizon_years": money.horizon, "life_years": money.life, "residual": money.residual,
            "discount_rate": money.rate,
        },
        prices={"infiniband_pricing": "book", "erosion_per_year": {"switch": money.erosion}},
    )  # fmt: skip
    return path_result(scenario, bare_sources(prices), PATH, PlanOptions(), KnownSideFabrics())


@st.composite
def changes(draw: st.DrawFn) -> Change:
    """Two to three models, at least one for each technology; some speak both, so that pieces may stay."""
    count = draw(st.integers(2, 3))
    spoken = [SPEAKS[0], SPEAKS[1]] if draw(st.booleans()) else [SPEAKS[2], draw(st.sampled_from(SPEAKS))]
    spoken += [draw(st.sampled_from(SPEAKS)) for _ in range(count - 2)]
    models = [Switch(draw(st.integers(4, 8)), float(draw(st.sampled_from([5, 20, 50])))) for _ in spoken]
    money = Money(
        starts=(0, 1),
        horizon=draw(st.integers(2, 4)),
        life=draw(st.sampled_from([2, 3, 5])),
        residual=draw(st.sampled_from(["none", "unexpired-life"])),
        rate=draw(st.sampled_from([0.0, 0.25])),
        erosion=draw(st.sampled_from([0.0, 0.2])),
    )
    growth = Growth(
        nodes=tuple(sorted(draw(st.integers(1, 14)) for _ in range(2))),
        models=tuple(models),
        money=money,
        link_price=draw(st.sampled_from([0.0, 1.0])),
        move_price=draw(st.sampled_from([0.0, 2.0, 20.0])),
        install_price=draw(st.sampled_from([0.0, 1.0])),
        ratio=draw(st.sampled_from([Fraction(1), Fraction(2)])),
        max_tiers=2,
    )
    return Change(growth, tuple(spoken))


def chosen(result: FabricResult) -> list[list[tuple[int, int]]]:
    """The planner's switches of both build years, in the oracle's words."""
    return [
        [(int(name.removeprefix("model-")), n) for name, n in tiers] for tiers in switch_counts(result)[:2]
    ]


def agree(case: Change) -> None:
    """Cost and switches are the enumeration's."""
    least, result = cheapest_change(case), answer(case)
    assert result.faults == ()
    if least == inf:
        assert result.network_tco_usd is None
        return
    assert result.network_tco_usd == pytest.approx(least, abs=1e-6)
    assert cheapest_change(case, chosen(result)) == pytest.approx(least, abs=1e-6)


def test_no_change_of_technology_is_cheaper(examples: Examples) -> None:
    examples(agree, 60, changes())


def test_the_enumeration_by_hand() -> None:
    """One node, then two, on a RoCE switch of 5 and an InfiniBand switch of 20: 25 and the NICs' links: a
    link installed at 1, moved at 2, the other installed at 1: 29. A switch of 8 that speaks both does for 8
    + 2."""
    models = (Switch(4, 5.0), Switch(4, 20.0))
    growth = Growth(
        (1, 2), models, Money(starts=(0, 1), horizon=2), move_price=2.0, install_price=1.0, max_tiers=1
    )
    assert cheapest_change(Change(growth, (SPEAKS[0], SPEAKS[1]))) == 29.0
    both = Growth((1, 2), (Switch(4, 8.0),), growth.money, move_price=2.0, install_price=1.0, max_tiers=1)
    assert cheapest_change(Change(both, (SPEAKS[2],))) == 10.0
