"""The pages beside the first one in a real browser: grids, pastes, pictures, widths, keyboard, axe."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from tests.ui.conftest import is_error

ANSWER_MS = 60_000
HEADER, ROW = 36, 35  # of a Streamlit grid, in pixels
SKU_WIDTH = 195
CELL_EDITOR = "#portal textarea.gdg-input"
PAGES = (
    "Plan", "Topology", "Bill of materials", "Prices", "Throughput", "Calibration", "Growth", "Compare",
    "Library", "Method and sources",
)  # fmt: skip
# Streamlit's own widgets, whose markup is not ours: grids on their canvas, pickers, charts, its header.
STREAMLITS_OWN = [
    '[data-testid="stDataFrame"]', '[data-testid="stDataFrameResizable"]', '[data-testid="stElementToolbar"]',
    '[data-testid="stSelectbox"]', '[data-testid="stMultiSelect"]', '[data-testid="stButtonGroup"]',
    '[data-testid="stVegaLiteChart"]', '[data-testid="stFileUploader"]', '[data-testid="stHeader"]',
    '[data-testid="stSidebarHeader"]', '[data-testid="stTooltipIcon"]', '[data-testid="stMainMenu"]',
]  # fmt: skip


def opened(browser: Browser, address: str, width: int, scheme: str = "light") -> tuple[Page, list[str]]:
    """A new visitor's first page, planned, and the errors that it says from now on."""
    errors: list[str] = []
    context = browser.new_context(viewport={"width": width, "height": 1100}, color_scheme=scheme)  # type: ignore[arg-type]
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab = context.new_page()
    tab.on("console", lambda said: errors.append(said.text) if is_error(said) else None)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(address)
    expect(tab.get_by_text("Assumptions, warnings")).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    return tab, errors


def settled(tab: Page) -> None:
    tab.wait_for_timeout(300)
    expect(tab.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=ANSWER_MS)


def go(tab: Page, title: str) -> None:
    """Opens a page by the navigation; at small widths its link is under "more"."""
    link = tab.get_by_role("link", name=title, exact=True).first
    if not link.is_visible():
        tab.get_by_text(re.compile(r"^\d+ more$")).click()
        link = tab.get_by_text(title, exact=True).last
    link.click()
    heading = "Technologies side by side" if title == "Plan" else title
    expect(tab.get_by_role("heading", name=heading, exact=True).first).to_be_visible(timeout=ANSWER_MS)
    settled(tab)


@pytest.fixture
def tab(browser: Browser, shared_address: str) -> Iterator[Page]:
    found, errors = opened(browser, shared_address, 1440)
    yield found
    found.context.close()
    assert errors == []


def grid(tab: Page) -> Locator:
    return tab.get_by_test_id("stMain").get_by_test_id("stDataFrame").first


def select(tab: Page, row: int, x: float) -> None:
    box = grid(tab).locator("canvas").first.bounding_box()
    assert box is not None
    tab.mouse.click(box["x"] + x, box["y"] + HEADER + ROW * (row + 0.5))
    tab.wait_for_timeout(300)
    if tab.locator(CELL_EDITOR).count():
        tab.keyboard.press("Escape")
        tab.wait_for_timeout(300)


def write(tab: Page, row: int, x: float, text: str) -> None:
    select(tab, row, x)
    tab.keyboard.press("Enter")
    cell = tab.locator(CELL_EDITOR)
    cell.fill(text)
    tab.wait_for_timeout(200)
    cell.press("Enter")


def paste(tab: Page, row: int, x: float, text: str) -> None:
    select(tab, row, x)
    tab.evaluate("text => navigator.clipboard.writeText(text)", text)
    tab.keyboard.press("Control+V")


def own_prices(tab: Page) -> Locator:
    """The column Your price in the accessible copy of the grid."""
    return grid(tab).locator("table tbody tr td:nth-child(2)")


OWN_X = SKU_WIDTH + 60


def filtered_rows(tab: Page, words: str, folder: Path) -> list[dict[str, str]]:
    """The rows of the page's table that hold the words, as they are downloaded."""
    box = tab.get_by_label("Filter rows")
    box.fill(words)
    box.press("Enter")
    settled(tab)
    with tab.expect_download(timeout=ANSWER_MS) as download:
        tab.get_by_text("Table (CSV)").click()
    download.value.save_as(folder / "table.csv")
    with (folder / "table.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_prices_typed_and_pasted_hold_and_every_page_follows(tab: Page, tmp_path: Path) -> None:
    """Without the rules the second edit falls back to the first, 23,4 is read as 234, a reload forgets."""
    go(tab, "Prices")
    write(tab, 0, OWN_X, "50000")
    expect(tab.get_by_text("● 1 price of yours")).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    write(tab, 0, OWN_X, "45000")
    expect(tab.get_by_text("qm9700: $45,000 instead of $58,800")).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    expect(own_prices(tab).first).to_have_text("45000")

    paste(tab, 1, OWN_X, "30000\n40000\n35000\n")
    expect(tab.get_by_text("● 4 prices of yours")).to_be_visible(timeout=ANSWER_MS)
    expect(tab.get_by_text("sn4600: $35,000 instead of $25,000")).to_be_visible()
    settled(tab)
    paste(tab, 1, OWN_X, "23,4")
    fault = tab.get_by_text(re.compile('Your price of .* "23,4" can be read in two ways'))
    expect(fault.first).to_be_visible(timeout=ANSWER_MS)
    expect(tab.get_by_text("The answer below is the one from before that edit.")).to_be_visible()
    settled(tab)  # the message has moved the grid down
    write(tab, 1, OWN_X, "30000")
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
    write(tab, 0, OWN_X, "50000")
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
    write(tab, 0, OWN_X, "40000")
    expect(tab.get_by_text("qm9700: $40,000 instead of $58,800")).to_be_visible(timeout=ANSWER_MS)


def test_growth_is_edited_twice_on_its_own_page_and_the_plan_knows(tab: Page) -> None:
    go(tab, "Growth")
    gpus_x = 32 + 0.75 * (460 - 32)
    write(tab, 0, gpus_x, "1536")
    expect(tab.get_by_text("1,536 GPUs in 2027, 4,096 in 2028").first).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    write(tab, 0, gpus_x, "2,048")
    expect(tab.get_by_text("2,048 GPUs in 2027, 4,096 in 2028").first).to_be_visible(timeout=ANSWER_MS)
    settled(tab)
    cells = ["2027", "2,048", "2028", "4,096", "2029", "16,384"]
    expect(grid(tab).locator("table tbody td")).to_have_text(cells)
    go(tab, "Plan")
    side = tab.get_by_test_id("stSidebar").get_by_test_id("stDataFrame")
    expect(side.locator("table tbody td")).to_have_text(cells, timeout=ANSWER_MS)
    go(tab, "Growth")
    expect(grid(tab).locator("table tbody td")).to_have_text(cells)


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
    browser: Browser, shared_address: str, width: int, scheme: str
) -> None:
    tab, errors = opened(browser, shared_address, width, scheme)
    found = []
    for title in PAGES:
        go(tab, title)
        assert tab.evaluate("document.scrollingElement.scrollWidth") <= width, title
        context = {"include": [["body"]], "exclude": [[selector] for selector in STREAMLITS_OWN]}
        answer = Axe().run(tab, context=context, options={"resultTypes": ["violations"]})  # type: ignore[arg-type]
        found += [
            f"{title}: {v['id']} ({v['impact']}): {[n['target'] for n in v['nodes']][:4]}"
            for v in answer.response["violations"]
            if v["impact"] in ("serious", "critical")
        ]
    tab.context.close()
    assert found == []
    assert errors == []


def tab_to(tab: Page, text: str, most: int = 60) -> None:
    """Presses Tab until the focus stands on what reads ``text``."""
    for _ in range(most):
        tab.keyboard.press("Tab")
        if tab.evaluate("(document.activeElement?.innerText || '').trim()").split("\n")[-1] == text:
            return
    pytest.fail(f"{text!r} is not reached by the keyboard")


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
