"""Books on books, discounts, quotes of a scenario, and what a BOM line says of its price."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.catalog.sources import load_sources
from planner.catalog.technologies import Technology
from planner.cost.bom_lines import BomLine
from planner.planning.planning_task import PlanOptions
from planner.scenario.faults import ScenarioError
from planner.scenario.load import load_scenario
from planner.scenario.scenario import Scenario
from planner.scenario.write import dump_document
from planner.study.study import plan_scenario
from pricing.discounts import discount_key, net_prices
from pricing.price_book import Price, PriceBook, age_years, price_source
from pricing.provenance import Grade, Source

HEADER = (
    "sku,item_class,description,manufacturer,unit,currency,low_usd,mid_usd,high_usd,"
    "price_date,source,grade,note"
)


def price(usd: float, grade: Grade = Grade.LIST, vendor: str = "NVIDIA", date: str = "2026") -> Price:
    return Price(
        "a", "switch", usd / 2, usd, usd * 2, Source("seller", date, grade), "b", manufacturer=vendor
    )


def scenario(folder: Path, prices: dict[str, Any], *rows: str, name: str = "own.csv") -> Scenario:
    """64 GPUs over InfiniBand and RoCE; ``rows`` are those of a price file beside the scenario."""
    (folder / name).write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    document = {
        "schema": 1, "name": "x", "base_year": 2027, "cluster": {"server": "dgx-h100"},
        "growth": [{"year": 2027, "gpus": 64}], "finance": {"horizon_years": 1}, "prices": prices,
        "fabric": {"technologies": ["infiniband", "roce"], "switches": ["qm9700", "sn5400"]},
    }  # fmt: skip
    path = folder / "scenario.toml"
    path.write_text(dump_document(document), encoding="utf-8")
    return load_scenario(path, load_sources())


def switch_line(asked: Scenario, technology: Technology) -> BomLine:
    study = plan_scenario(asked, load_sources(), PlanOptions(technologies=(technology,)))
    assert study.results[0].faults == ()
    return next(line for line in study.results[0].bom if line.sku in ("qm9700", "sn5400"))


QM9700 = "qm9700,switch,QM9700,NVIDIA,each,USD,40000,44000,48000,2026-10-01,Reseller GmbH,{},"
SN5400 = "sn5400,switch,SN5400,NVIDIA,each,USD,20000,20000,20000,2026-10-01,Reseller GmbH,{},"


def test_the_highest_book_prices_a_part_and_the_line_says_which_and_how_old(tmp_path: Path) -> None:
    """Without the stack the ratio rule prices QM9700 at 1.75 x 33,600 = 58,800."""
    books = {"books": ["reference", "own.csv"]}
    line = switch_line(scenario(tmp_path, books, QM9700.format("list")), "infiniband")
    assert line.unit_price_usd == 44_000
    assert line.price_source == "own: Reseller GmbH [price 0.2 years old at the start of 2027]"


def test_the_rule_prices_infiniband_from_the_stack_s_counterpart(tmp_path: Path) -> None:
    asked = scenario(tmp_path, {"books": ["reference", "own.csv"]}, SN5400.format("list"))
    assert switch_line(asked, "infiniband").unit_price_usd == pytest.approx(1.75 * 20_000)
    assert switch_line(asked, "roce").unit_price_usd == 20_000


def test_a_quote_is_taken_as_it_is_and_the_ratio_acts_on_reference_prices_only(tmp_path: Path) -> None:
    asked = scenario(tmp_path, {"quotes": "own.csv", "discounts": {"NVIDIA": 0.5}}, SN5400.format("quote"))
    assert switch_line(asked, "roce").unit_price_usd == 20_000
    assert switch_line(asked, "infiniband").unit_price_usd == pytest.approx(1.75 * 33_600 * 0.5)


def test_an_override_lies_over_a_quote(tmp_path: Path) -> None:
    asked = scenario(tmp_path, {"quotes": "own.csv", "overrides": {"sn5400": 7}}, SN5400.format("quote"))
    assert switch_line(asked, "roce").unit_price_usd == 7


def test_the_most_specific_discount_is_taken_once_and_said(tmp_path: Path) -> None:
    taken = {"NVIDIA": 0.2, "switch": 0.1, "NVIDIA/switch": 0.25}
    line = switch_line(scenario(tmp_path, {"discounts": taken}), "roce")
    assert line.unit_price_usd == pytest.approx(33_600 * 0.75)
    assert line.price_source.endswith("; net of 25 % discount (NVIDIA/switch)]")


@pytest.mark.parametrize(
    ("discounts", "key"),
    [
        ({"NVIDIA": 0.2, "switch": 0.1, "NVIDIA/switch": 0.25}, "NVIDIA/switch"),
        ({"NVIDIA": 0.2, "switch": 0.1, "NVIDIA/nic": 0.25}, "NVIDIA"),
        ({"Arista": 0.2, "switch": 0.1}, "switch"),
        ({"Arista": 0.2, "nic": 0.1}, None),
    ],
)
def test_which_discount_holds(discounts: dict[str, float], key: str | None) -> None:
    assert discount_key(price(100), discounts) == key


def test_a_discount_scales_the_band_and_is_never_taken_twice_or_off_a_quote() -> None:
    book = net_prices(PriceBook("b", {"a": price(100)}), {"NVIDIA": 0.2})
    once = book.prices["a"]
    assert (once.low_usd, once.mid_usd, once.high_usd) == (40, 80, 160)
    assert net_prices(book, {"NVIDIA": 0.2}).prices["a"] == once
    quoted = PriceBook("b", {"a": price(100, Grade.QUOTE)})
    assert net_prices(quoted, {"NVIDIA": 0.2}) == quoted


@pytest.mark.parametrize(
    ("prices", "row", "said"),
    [
        ({"discounts": {"NVIDEA": 0.1}}, "", 'names no vendor of the books; did you mean "NVIDIA"?'),
        ({"discounts": {"NVIDIA/swich": 0.1}}, "", "names no vendor of the books"),
        ({"discounts": {"NVIDIA": 1}}, "", "is too large"),
        ({"books": ["own.csv"]}, "", "is not a known price book"),
        ({"books": ["reference", "none.csv"]}, "", "cannot be read: No such file or directory"),
        ({"books": ["reference"], "book": "other"}, "", "is not the first of books"),
        ({"quotes": "own.csv"}, QM9700.format("list"), "has qm9700 with the grade list, which is no quote"),
        ({"quotes": "own.csv"}, "qm9700x" + QM9700.format("quote")[6:], 'did you mean "qm9700"?'),
        ({"quotes": "own.csv"}, QM9700.format("quote").replace(",switch,", ",nic,"), "but it is a switch"),
        ({"overrides": {"qm97000": 3}}, "", 'did you mean "qm9700"?'),
    ],
)
def test_faults_name_the_remedy(tmp_path: Path, prices: dict[str, Any], row: str, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(tmp_path, prices, *([row] if row else []))
    assert said in str(caught.value)


def test_an_unreadable_date_has_no_age_rather_than_0() -> None:
    assert age_years("n/d", 2027) is None
    words = price_source(price(1, date="n/d"), 2027)
    assert words == "b: seller [price without a date]"
    assert "dated 0.5 years after the start of 2026" in price_source(price(1, date="2026-07-01"), 2026)
    assert age_years("2026", 2026) == 0
