"""Every value of the data has source, date and grade; which are guesses, and how much rests on them."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.catalog.data_files import data_dir
from planner.catalog.sources import load_sources
from planner.cli.main import main
from planner.cost.price_grades import bill_shares
from planner.planning.planning_task import PlanOptions
from planner.scenario.load import load_scenario, shipped_scenarios
from planner.study.result import TechnologyResult
from planner.study.study import plan_scenario
from pricing.provenance import Grade

# Tables that name parts or facts of other tables, which have the provenance, and published runs.
WITHOUT_FIGURES = ("fits.csv", "not_found.csv", "infiniband_", "training_run")
FILES = [p for p in sorted(data_dir().rglob("*.csv")) if not p.name.startswith(WITHOUT_FIGURES)]
SOURCES = load_sources()
GUESSED = {
    "800g-osfp-rhs-dr4-eth", "cat6-rj45", "e810-cqda2", "mfs1s00", "mfs1s50", "mms4a20", "qm9790",
    "server-dgx-b200", "server-dgx-b300", "server-dgx-h200", "server-hgx-a100", "server-hgx-h800", "sn2201",
    "sn4700",
}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_every_row_of_the_data_has_source_date_and_grade(path: Path) -> None:
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    date = "price_date" if "price_date" in rows[0] else "date"
    assert [r for r in rows if not (r["source"].strip() and r[date].strip())] == []
    assert {r["grade"] for r in rows} <= set(Grade)


def test_which_prices_of_parts_are_guesses() -> None:
    """A new guess has to be named here; services and fibre lengths are guesses by rule."""
    classes = ("switch", "nic", "transceiver", "cable", "server")
    prices = SOURCES.books["reference"].prices
    guesses = {s for s, p in prices.items() if p.source.grade is Grade.GUESS and p.item_class in classes}
    assert guesses == GUESSED


@cache
def result() -> TechnologyResult:
    scenario = load_scenario(shipped_scenarios()["growth-16k"], SOURCES)
    return plan_scenario(scenario, SOURCES, PlanOptions(technologies=("roce",))).results[0]


def test_the_shares_are_those_of_the_bill_s_lines_and_sum_to_one() -> None:
    found = result()
    assert found.price_grades is not None
    sums: dict[str, float] = defaultdict(float)
    for line in found.bom:
        sums[line.price_grade] += line.extended_price_usd
    whole = dict(found.price_grades.network_capex)
    assert whole == pytest.approx({Grade(g): usd / sum(sums.values()) for g, usd in sums.items()})
    for shares in (found.price_grades.first_bill, found.price_grades.network_capex, found.price_grades.tco):
        assert sum(share for _, share in shares) == pytest.approx(1, abs=1e-12)
        assert [s for _, s in shares] == sorted((s for _, s in shares), reverse=True)


def test_the_tco_by_grade_is_its_cost_lines() -> None:
    """Servers go by the grade of their price, support by that of its default, a guess."""
    found = result()
    assert found.price_grades is not None and found.tco_usd is not None
    servers = sum(x.npv_usd for x in found.costs if x.kind == "servers") / found.tco_usd
    grade = SOURCES.books["reference"].prices["server-hgx-h100"].source.grade
    tco = dict(found.price_grades.tco)
    assert tco[grade] >= servers > 0.5
    support = sum(x.npv_usd for x in found.costs if x.kind == "support") / found.tco_usd
    assert tco[Grade.GUESS] >= support > 0


def test_a_quoted_line_moves_its_share_to_quote() -> None:
    lines = result().bom
    line = max(lines, key=lambda x: x.extended_price_usd)
    quoted = [replace(x, price_grade="quote") if x is line else x for x in lines]
    total = sum(x.extended_price_usd for x in lines)
    assert dict(bill_shares(quoted))[Grade.QUOTE] == pytest.approx(line.extended_price_usd / total)
    assert Grade.QUOTE not in dict(bill_shares(lines))


def test_the_command_line_and_the_json_say_the_shares() -> None:
    done = CliRunner().invoke(main, ["plan", "growth-16k", "--technology", "roce", "--json", "-"])
    document = json.loads(done.output)
    grades = document["technologies"][0]["price_grades"]
    assert set(grades) == {"first_bill", "network_capex", "tco"}
    assert sum(grades["tco"].values()) == pytest.approx(1)
    assert [i["counterpart_sku"] for i in document["ratios"]["items"] if i["ib_sku"] == "qm9700"] == [
        "sn5400"
    ]
    text = CliRunner().invoke(main, ["plan", "growth-16k", "--technology", "roce"]).output
    share, grade = max((s, g) for g, s in grades["network_capex"].items())
    assert f"prices behind the network capex over the horizon: {100 * share:.0f}% {grade}, " in text
