"""The pages beside the first one in a real browser: grids, pastes, pictures, widths, keyboard, axe."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.ui.browsing import (
    ANSWER_MS,
    Grid,
    answered,
    go,
    growth_grid,
    price_grid,
    rerun,
    serious_axe_findings,
    settled,
    tab_to,
    visitor,
)

OWN = 1  # the column Your price
PAGES = (
    "Plan", "Topology", "Bill of materials", "Prices", "Throughput", "Calibration", "Growth", "Compare",
    "Library", "Method and sources",
)  # fmt: skip


@pytest.fixture
def tab(browser: Browser, address: str, errors: list[str]) -> Iterator[Page]:
    """A new visitor's first page, planned."""
    found = visitor(browser, errors)
    found.goto(address)
    answered(found)
    yield found
    found.context.close()


def own_prices(tab: Page) -> Locator:
    """The column Your price in the accessible copy of the grid."""
    return price_grid(tab).frame.locator(f"table tbody tr td:nth-child({OWN + 1})")


def growth(tab: Page) -> Grid:
    """The growth table of the Growth page."""
    return growth_grid(tab.get_by_test_id("stMain"))


def filtered_rows(tab: Page, words: str, folder: Path) -> list[dict[str, str]]:
    """The rows of the page's table that hold the words, as they are downloaded."""
    box = tab.get_by_label("Filter rows")
    box.fill(words)
    with rerun(tab):
        box.press("Enter")
    with tab.expect_download(timeout=ANSWER_MS) as download:
        tab.get_by_text("Table (CSV)").click()
    download.value.save_as(folder / "table.csv")
    with (folder / "table.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_prices_typed_and_pasted_hold_and_every_page_follows(tab: Page, tmp_path: Path) -> None:
    """Without the rules the second edit falls back to the first, 23,4 is read as 234, a reload forgets."""
    go(tab, "Prices")
    price_grid(tab).write(0, OWN, "50000")
    expect(tab.get_by_text("● 1 price of yours")).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    price_grid(tab).write(0, OWN, "45000")
    expect(tab.get_by_text("qm9700: $45,000 instead of $58,800")).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    expect(own_prices(tab).first).to_have_text("45000")

    price_grid(tab).paste(1, OWN, "30000\n40000\n35000\n")
    expect(tab.get_by_text("● 4 prices of yours")).to_be_visible(timeout=ANSWER_MS)
    expect(tab.get_by_text("sn4600: $35,000 instead of $25,000")).to_be_visible()
    settled(tab)
    price_grid(tab).paste(1, OWN, "23,4")
    fault = tab.get_by_text(re.compile('Your price of .* "23,4" can be read in two ways'))
    expect(fault.first).to_be_visible(timeout=ANSWER_MS)
    expect(tab.get_by_text("The answer below is the one from before that edit.")).to_be_visible()
    settled(tab)  # the message has moved the grid down
    price_grid(tab).write(1, OWN, "30000")
    expect(fault).to_have_count(0, timeout=ANSWER_MS)
    settled(tab)

    tab.reload()
    expect(tab.get_by_text("● 4 prices of yours")).to_be_visible(timeout=ANSWER_MS)
    for row, price in enumerate(("45000", "30000", "40000", "35000")):
        expect(own_prices(tab).nth(row)).to_have_text(price)
    go(tab, "Bill of materials")
    rows = filtered_rows(tab, "qm9700 2027", tmp_path)
    assert {(row["unit_price_usd"], row["price_grade"]) for row in rows} == {("45000.0", "quote")}


def test_a_price_is_undone_and_done_again(tab: Page) -> None:
    go(tab, "Prices")
    price_grid(tab).write(0, OWN, "50000")
    expect(tab.get_by_text("● 1 price of yours")).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    tab.get_by_role("button", name="Undo", exact=True).click()
    expect(tab.get_by_text("No price is yours yet")).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    expect(own_prices(tab).first).to_have_text("")
    tab.get_by_role("button", name="Redo", exact=True).click()
    expect(tab.get_by_text("qm9700: $50,000 instead of $58,800")).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    expect(own_prices(tab).first).to_have_text("50000")
    price_grid(tab).write(0, OWN, "40000")
    expect(tab.get_by_text("qm9700: $40,000 instead of $58,800")).to_be_visible(timeout=ANSWER_MS)


def test_growth_is_edited_twice_on_its_own_page_and_the_plan_knows(tab: Page) -> None:
    go(tab, "Growth")
    growth(tab).write(0, 1, "1536")
    expect(tab.get_by_text("1,536 GPUs in 2027, 4,096 in 2028").first).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    growth(tab).write(0, 1, "2,048")
    expect(tab.get_by_text("2,048 GPUs in 2027, 4,096 in 2028").first).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    cells = ["2027", "2,048", "2028", "4,096", "2029", "16,384"]
    expect(growth(tab).frame.locator("table tbody td")).to_have_text(cells)
    go(tab, "Plan")
    side = tab.get_by_test_id("stSidebar").get_by_test_id("stDataFrame")
    expect(side.locator("table tbody td")).to_have_text(cells, timeout=ANSWER_MS)
    go(tab, "Growth")
    expect(growth(tab).frame.locator("table tbody td")).to_have_text(cells)


def test_tables_are_filtered_and_downloaded_as_shown(tab: Page, tmp_path: Path) -> None:
    go(tab, "Bill of materials")
    rows = filtered_rows(tab, "RoCE spine 2029", tmp_path)
    assert rows
    assert {(r["technology"], r["year"]) for r in rows} == {("RoCE", "2029")}
    assert all("spine" in " ".join(r.values()) for r in rows)


def test_pictures_are_taken_away(tab: Page, tmp_path: Path) -> None:
    """The drawing at once, a chart made when it is asked for."""
    go(tab, "Topology")
    title = "2029: 16,384 GPUs on"
    starts = {"SVG": b"<svg", "PNG": b"\x89PNG"}
    for place in (0, 1):
        for kind, start in starts.items():
            with tab.expect_download(timeout=ANSWER_MS) as download:
                tab.get_by_role("button", name=kind, exact=True).nth(place).click()
            file = tmp_path / f"{place}.{kind}"
            download.value.save_as(file)
            assert file.read_bytes().startswith(start)
            if kind == "SVG":
                words = "".join(ElementTree.fromstring(file.read_text(encoding="utf-8")).itertext())
                assert (title if place == 0 else "Share of the tier's ports") in words


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (800, "light"), (1440, "dark")])
def test_every_page_fits_says_no_error_and_has_no_serious_axe_finding(
    browser: Browser, address: str, errors: list[str], width: int, scheme: Literal["light", "dark"]
) -> None:
    tab = visitor(browser, errors, width, scheme)
    tab.goto(address)
    answered(tab)
    found = []
    for title in PAGES:
        go(tab, title)
        assert tab.evaluate("document.scrollingElement.scrollWidth") <= width, title
        found += [f"{title}: {finding}" for finding in serious_axe_findings(tab)]
    tab.context.close()
    assert found == []


def test_a_picture_is_reached_by_keyboard_only(tab: Page) -> None:
    tab_to(tab, "Topology")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="Topology", exact=True)).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    tab_to(tab, "InfiniBand")
    tab.keyboard.press("Space")
    expect(tab.get_by_text("InfiniBand 2029: 16,384 GPUs on").first).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    tab_to(tab, "SVG")
    with tab.expect_download(timeout=ANSWER_MS) as download:
        tab.keyboard.press("Enter")
    assert download.value.suggested_filename == "topology_infiniband_2029.svg"
