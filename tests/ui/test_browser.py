"""The first page in a real browser: two edits of the growth table in a row, a paste, a reload, a download."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from planner.catalog.sources import load_sources
from planner.report.bom_table import BOM_COLUMNS
from planner.scenario.load import load_scenario, shipped_scenarios
from planner.study.study import plan_scenario
from tests.ui.browsing import ANSWER_MS, Grid, answered, growth_grid, visitor


@pytest.fixture
def page(browser: Browser, address: str, errors: list[str]) -> Iterator[Page]:
    """A new visitor's first page, planned."""
    tab = visitor(browser, errors)
    tab.goto(address)
    answered(tab)
    yield tab
    tab.context.close()


def _growth(tab: Page) -> Grid:
    return growth_grid(tab.get_by_test_id("stSidebar"))


def _expect_rows(tab: Page, *cells: str) -> None:
    """The growth table, row by row, in the accessible copy of the editor's canvas."""
    expect(_growth(tab).frame.locator("table tbody td")).to_have_text(list(cells), timeout=ANSWER_MS)


def test_edits_hold_pastes_are_not_misread_and_a_reload_loses_nothing(page: Page) -> None:
    """Without the rules: the second edit falls back to 1,024; 23,4 becomes 234; the reload forgets all."""
    _expect_rows(page, "2027", "1,024", "2028", "4,096", "2029", "16,384")
    _growth(page).write(0, 1, "1536")
    expect(page.get_by_text("1,536 GPUs in 2027, 4,096 in 2028")).to_be_visible(timeout=ANSWER_MS)
    answered(page)
    _growth(page).write(0, 1, "2,048")
    expect(page.get_by_text("2,048 GPUs in 2027, 4,096 in 2028")).to_be_visible(timeout=ANSWER_MS)
    expect(page.get_by_text("2,048 GPUs on 256 nodes.")).to_be_visible(timeout=ANSWER_MS)
    answered(page)
    _expect_rows(page, "2027", "2,048", "2028", "4,096", "2029", "16,384")

    _growth(page).paste(1, 1, "23,4")
    fault = 'Growth, row 2, GPUs "23,4" is not a whole number. Write it like 1024 or 1,024.'
    expect(page.get_by_text(fault)).to_have_count(2, timeout=ANSWER_MS)
    expect(page.get_by_text("The answer below is the one from before that edit.")).to_be_visible()
    expect(page.get_by_text("2,048 GPUs in 2027, 4,096 in 2028")).to_be_visible()

    page.reload()
    answered(page)
    _expect_rows(page, "2027", "2,048", "2028", "23,4", "2029", "16,384")
    expect(page.get_by_text(fault)).to_have_count(2, timeout=ANSWER_MS)
    expect(page.get_by_text("2,048 GPUs in 2027, 4,096 in 2028")).to_be_visible()


def test_the_bill_of_materials_is_downloaded_whole(page: Page, tmp_path: Path) -> None:
    with page.expect_download(timeout=ANSWER_MS) as download:
        page.get_by_text("BOM, all technologies (CSV)").click()
    assert download.value.suggested_filename == "bom_all.csv"
    file = tmp_path / "bom_all.csv"
    download.value.save_as(file)
    with file.open(encoding="utf-8", newline="") as stream:
        header, *rows = list(csv.reader(stream))
    assert list(header) == [column.name for column in BOM_COLUMNS]
    sums: dict[tuple[str, int], float] = defaultdict(float)
    for row in (dict(zip(header, row, strict=True)) for row in rows):
        sums[row["technology"], int(row["year"])] += float(row["extended_price_usd"])
    sources = load_sources()
    study = plan_scenario(load_scenario(next(iter(shipped_scenarios().values())), sources), sources)
    expected = {(r.technology, y.year): y.network_capex_usd for r in study.results for y in r.years}
    bought = {key: usd for key, usd in expected.items() if usd}
    assert len({technology for technology, _ in bought}) == 4
    assert sums == pytest.approx(bought)
