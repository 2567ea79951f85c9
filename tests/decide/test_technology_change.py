"""Changes of technology midway, solved by hand.

Every case: one switch is enough in each year (a star), the rate is 0, nothing runs or is worth anything at
the end, so that the network's TCO is the sum of what is bought and moved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology, TechnologyPath
from planner.check.check_case import Books
from planner.check.checks import check_answer
from planner.decide.follow_ups import FollowUps
from planner.decide.technology_change import PathResult, planned_paths
from planner.planning.planning_task import PlanOptions
from planner.report.bom_table import bom_files
from planner.report.json_answer import answer
from planner.report.printed_answer import study_text
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_text
from planner.study.result import TechnologyResult
from planner.study.study import Study, plan_scenario
from pricing.infiniband_rule import Counterpart
from tests.support.making import Box, Prices, bare_sources, scenario_of, scenario_text

BOTH = ("roce", "infiniband")
BOOK = {"infiniband_pricing": "book"}
ROCE = Box("ether", 8, 100.0)
INFINI = Box("infini", 8, 1000.0, technologies=("infiniband",))
EITHER = Box("either", 8, 300.0, technologies=("roce", "spectrum-x"))
PARTS = Prices(nic=10.0, module=2.0, link=1.0, install=5.0, move=7.0)
STEPS = (2, 4)


def two_nics(technologies: dict[str, frozenset[Technology]]) -> Sources:
    """The bare parts with NICs of 100G of their own for each set of technologies."""
    found = bare_sources(PARTS)
    one, price = found.catalog.nics["nic-100"], found.books["reference"].prices["nic-100"]
    nics = {name: replace(one, id=name, name=name, technologies=t) for name, t in technologies.items()}
    catalog = replace(found.catalog, nics=nics)
    book = found.books["reference"].over({name: replace(price, sku=name) for name in nics})
    return replace(found, catalog=catalog, books={"reference": book})


@dataclass(frozen=True)
class Answered:
    """A study with the paths planned beside it."""

    study: Study
    paths: tuple[PathResult, ...]

    @property
    def results(self) -> tuple[TechnologyResult, ...]:
        return self.study.results


def studied(boxes: list[Box], sources: Sources | None = None, steps: Any = STEPS, **asked: Any) -> Answered:
    """The technologies and paths of a scenario over the bare parts."""
    parts = sources or bare_sources(PARTS)
    fabric = {"technologies": BOTH, **asked.pop("fabric", {})}
    text = scenario_text(steps, boxes, fabric=fabric, prices=BOOK, **asked)
    scenario = scenario_from_text(text, parts, "by-hand.toml")
    study = plan_scenario(scenario, parts)
    return Answered(study, planned_paths(study, parts, PlanOptions()))


def network(result: TechnologyResult) -> float:
    assert result.faults == ()
    assert result.network_tco_usd is not None
    return result.network_tco_usd


def the_path(study: Answered) -> PathResult:
    (row,) = study.paths
    return row


def test_changing_is_dearer_than_starting_with_the_later_technology() -> None:
    """Nodes: NIC 10, two modules 2 x 2, fibre 1, install 5: 20 a link. Two links in 2027, two more in 2028.

    InfiniBand from the start: 1,000 + 4 x 20 = 1,080. Changing: the RoCE switch of 100 and two links that
    move at 7 come on top: 1,194. The difference of 114 is what the change costs.
    """
    study = studied([ROCE, INFINI])
    roce, infiniband = study.results
    assert (network(roce), network(infiniband)) == (pytest.approx(180.0), pytest.approx(1080.0))
    row = the_path(study)
    assert row.path == TechnologyPath("roce", "infiniband", 2028)
    assert network(row.result) == pytest.approx(1194.0)
    assert row.advice.over_later_usd == pytest.approx(114.0)
    assert row.advice.over_first_usd == pytest.approx(1014.0)
    assert row.advice.less_by_year == {2028: pytest.approx(-114.0)}
    change = row.advice.change
    assert change is not None
    assert (change.moved_links, change.given_up_usd, change.sold_usd) == (2, 100.0, 0.0)
    assert row.advice.sentences[0].startswith("starting with InfiniBand costs $114.00 less over the horizon")
    assert "in none is changing cheaper" in row.advice.sentences[2]


def test_dual_mode_nics_modules_and_fibres_are_bought_once() -> None:
    """Were NICs, modules and fibres bought again, 2 x 15 more would be paid: 1,224 instead of 1,194."""
    row = the_path(studied([ROCE, INFINI]))
    change = row.advice.change
    assert change is not None
    assert change.reused == {"fibre": 2, "module": 4, "nic-100": 2}
    bought = [d.change.bought for d in row.result.plan.designs]
    assert (bought[0]["nic-100"], bought[1]["nic-100"]) == (2, 2)
    assert [d.wiring.leaf for d in row.result.plan.designs] == ["ether", "infini"]


def test_changing_is_cheaper_where_money_later_is_worth_less() -> None:
    """At 50 % a year 1,000 paid a year later are 667. From the start: 1,000 + 2 x 20 + 40 / 1.5 = 1,066.67.
    Changing: 100 + 40 + (1,000 + 40 + 14) / 1.5 = 842.67, which is 224 less."""
    study = studied([ROCE, INFINI], finance={"discount_rate": 0.5})
    row = the_path(study)
    assert network(study.results[1]) == pytest.approx(1000 + 40 + 40 / 1.5)
    assert network(row.result) == pytest.approx(140 + 1054 / 1.5)
    assert row.advice.over_later_usd == pytest.approx(-224.0)
    assert "costs $224.00 more" in row.advice.sentences[0]
    assert "cheaper than starting with InfiniBand in 2028" in row.advice.sentences[2]


def test_nothing_moves_where_both_use_the_same_switch_and_nic() -> None:
    """One switch of 300 and four links of 20: 380 as with either alone. Moved it were 394."""
    fabric = {"technologies": ("roce", "spectrum-x"), "paths": [["roce", "spectrum-x"]]}
    row = the_path(studied([EITHER], fabric=fabric))
    assert network(row.result) == pytest.approx(380.0)
    assert [d.change.recabled_links for d in row.result.plan.designs] == [0, 0]
    assert row.advice.over_later_usd == pytest.approx(0.0)


def test_another_nic_moves_the_links_at_the_nodes_end() -> None:
    """The switch stays, each technology has a NIC of its own: two NICs are bought again (20) and two links
    plugged anew (14): 380 + 34 = 414. Compared by switches alone, nothing would move: 400."""
    own = two_nics({"nic-a": frozenset({"roce"}), "nic-b": frozenset({"spectrum-x"})})
    fabric = {"technologies": ("roce", "spectrum-x"), "paths": [["roce", "spectrum-x", 2028]]}
    row = the_path(studied([EITHER], own, fabric=fabric, cluster={"server": "node"}))
    assert [d.wiring.nic for d in row.result.plan.designs] == ["nic-a", "nic-b"]
    assert [d.change.recabled_by_tier for d in row.result.plan.designs] == [(0, 0, 0), (2, 0, 0)]
    assert network(row.result) == pytest.approx(414.0)


def test_each_build_year_of_a_change_is_looked_at() -> None:
    """Three steps (2, 4, 6 nodes). Links cost 20 each, 120 in all; the RoCE switch 100, InfiniBand's 1,000.
    Changed in 2028 two links move (14), in 2029 four (28): 1,234 and 1,248 against 1,120 from the start."""
    fabric = {"paths": [["roce", "infiniband", 2029], ["infiniband", "roce"]]}
    study = studied([ROCE, INFINI], steps=(2, 4, 6), fabric=fabric)
    forth, back = study.paths
    assert network(forth.result) == pytest.approx(1248.0)
    assert forth.advice.less_by_year == {2028: pytest.approx(-114.0), 2029: pytest.approx(-128.0)}
    assert back.path == TechnologyPath("infiniband", "roce", 2028)
    assert network(back.result) == pytest.approx(1234.0)


def test_no_card_is_bought_ahead_to_dodge_the_later_price() -> None:
    """The NIC costs 10, and three times that under InfiniBand's rule. Two are needed in 2027, two more from
    the change on: 2 x 10 + 2 x 30. Bought ahead at RoCE's price the four would cost 40, 40 less."""
    plain = bare_sources(PARTS)
    ruled = replace(plain, counterparts={"nic-100": Counterpart("nic-100", "nic-100", "nic")})
    fabric = {"technologies": BOTH}
    text = scenario_text(STEPS, [ROCE, INFINI], fabric=fabric, prices={"infiniband_price_ratio": 3.0})
    scenario = scenario_from_text(text, ruled, "by-hand.toml")
    (row,) = planned_paths(plan_scenario(scenario, ruled), ruled, PlanOptions())
    assert [d.change.bought["nic-100"] for d in row.result.plan.designs] == [2, 2]
    assert network(row.result) == pytest.approx(1194.0 + 40.0)


def test_objective_is_the_money_counted_again() -> None:
    for finance in ({}, {"discount_rate": 0.1, "residual": "unexpired-life", "support_ratio_per_year": 0.05}):
        result = the_path(studied([ROCE, INFINI], finance=finance)).result
        assert result.plan.status == "optimal"
        assert result.plan.solver.objective_usd == pytest.approx(result.tco_usd, rel=1e-9)


def test_the_check_catches_a_path_that_keeps_the_first_technology() -> None:
    """Designs are checked against the technology of their year, prices against its book."""
    sources = bare_sources(PARTS)
    row = the_path(studied([ROCE, INFINI]))
    asked = {"fabric": {"technologies": BOTH}, "prices": BOOK}
    scenario = scenario_of(STEPS, [ROCE, INFINI], PARTS, **asked)
    assert row.result.rates is not None
    book = row.result.rates.book
    assert check_answer(row.result, scenario, sources.catalog, Books(book, book)) == ()
    late = replace(row.result.plan, path=TechnologyPath("roce", "infiniband", 2029))
    faults = check_answer(replace(row.result, plan=late), scenario, sources.catalog, Books(book, book))
    assert any("not a roce switch" in fault for fault in faults)


def test_paths_in_the_answer_and_the_bills() -> None:
    study = studied([ROCE, INFINI])
    document = answer(study.study, FollowUps(study.paths))
    (path,) = document["paths"]
    assert path["technology"] == "roce-then-infiniband-2028"
    assert (path["first"], path["later"], path["from_year"]) == ("roce", "infiniband", 2028)
    assert path["advice"]["moved_links"] == 2
    assert set(document["technologies"][0]) <= set(path)
    files = bom_files(study.study, study.paths)
    assert "bom_roce-then-infiniband-2028.csv" in files
    assert "then" not in files["bom_all.csv"]
    assert "Path roce-then-infiniband-2028: RoCE first, InfiniBand from 2028" in study_text(
        study.study, FollowUps(study.paths)
    )


def test_no_paths_leave_the_technologies_as_they_are() -> None:
    with_them, without = studied([ROCE, INFINI]), studied([ROCE, INFINI], fabric={"paths": []})
    assert without.paths == ()
    pairs = zip(with_them.results, without.results, strict=True)
    assert all(a.tco_usd == b.tco_usd and a.plan.designs == b.plan.designs for a, b in pairs)


def test_a_path_without_a_design_gives_its_reason() -> None:
    """The InfiniBand switch has too few ports for 2028, and one tier is all that is allowed."""
    small = replace(INFINI, ports=2)
    row = the_path(studied([ROCE, small], fabric={"max_tiers": 1}))
    assert row.result.plan.status == "infeasible"
    assert "2028" in (row.result.plan.reason or "")
    assert row.advice.over_later_usd is None


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        ([["roce", "rocket"]], "is not a technology"),
        ([["roce", "roce"]], "from a technology to itself"),
        ([["roce", "infiniband", 2027]], "no build year after the first"),
        ([["roce"]], "not a first and a later technology"),
        ([["roce", "infiniband"], ["roce", "infiniband", 2028]], "names a path twice"),
    ],
)
def test_faulty_paths_are_named_at_the_door(paths: list[list[Any]], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        scenario_of(STEPS, [ROCE, INFINI], PARTS, fabric={"technologies": BOTH, "paths": paths})
