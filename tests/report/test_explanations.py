"""Every figure explained: its formula in numbers and its sources; the yearly changes beside the bill."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.catalog.sources import Sources, load_sources
from planner.report import changes_by_year, explanations
from planner.scenario.load import load_scenario, shipped_scenarios
from planner.study.study import Study, plan_scenario
from planner.text import format as form


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources()


@pytest.fixture(scope="module")
def planned(sources: Sources) -> Study:
    return plan_scenario(load_scenario(shipped_scenarios()["seed-cloud-1024"], sources), sources)


@pytest.mark.parametrize("figure", explanations.FIGURES)
def test_every_figure_is_explained_with_sources(figure: str, planned: Study, sources: Sources) -> None:
    for result in planned.results:
        found = explanations.explain(figure, planned, result, sources)
        assert found.figure == figure
        assert found.amount.split(" per ")[0] in found.worked
        assert found.values
        assert all(value.source and value.amount for value in found.values)


def test_the_parts_of_tco_add_up(planned: Study, sources: Sources) -> None:
    """Each addend is a line of the costs; the last figure is the TCO of the answer."""
    result = planned.results[0]
    kinds = {f"{x.kind} ({x.flow})" for x in result.costs}  # five years of life, five of horizon: no residual
    found = explanations.explain("TCO", planned, result, sources)
    assert {value.name for value in found.values[1:]} == kinds
    assert found.values[1].amount == form.usd(sum(x.npv_usd for x in result.costs if x.kind == "servers"))
    assert found.values[0].source.startswith("default: planner guess")


def test_a_given_value_is_said_to_be_given(planned: Study, sources: Sources) -> None:
    given = replace(planned.scenario, defaults_used=())
    found = explanations.explain("Goodput", replace(planned, scenario=given), planned.results[0], sources)
    assert {value.source for value in found.values} == {"given in the scenario"}


def test_the_years_table_comes_to_the_bill_of_every_fabric(planned: Study) -> None:
    """Spares, side fabrics and labour are in it, each once, at the price of its year."""
    for result in planned.results:
        rows = changes_by_year.changes_frame(planned, result)
        bill = sum(line.extended_price_usd for line in result.bom)
        assert rows["capex_usd"].sum() == pytest.approx(bill)
        assert set(rows["fabric"]) == {"compute", *(side.section for side in result.sides)}
