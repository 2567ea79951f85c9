"""What the browser tests do on a page: open it, wait for what it shows, edit its grids. Nothing sleeps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

ANSWER_MS = 60_000
LAB = "seed-university-lab-64"  # the shipped scenario that is planned fastest
_SELECTED_MS, _TRIES = 2_000, 10
# Of a Streamlit grid, in pixels: header, row, and the column that marks rows.
_HEADER, _ROW, _MARKER = 36, 35, 32
_CELL_EDITOR = "#portal textarea.gdg-input"
_STATE = "data-test-script-state"
# Counts how often the script behind the page has come to its end, and notes when the page last changed.
_WATCH = f"""window.runs = 0; window.changedAt = 0;
new MutationObserver(changes => {{
  window.changedAt = performance.now();
  for (const {{ target, attributeName }} of changes)
    if (attributeName === '{_STATE}' && target.getAttribute('{_STATE}') === 'notRunning') window.runs += 1;
}}).observe(document, {{ subtree: true, childList: true, attributes: true, characterData: true }});"""
# Whether the script has ended more often than before, and what it said is drawn: nothing changes any more.
_STILL = f"""([before, quiet]) => window.runs > before
  && document.querySelector('[data-testid=stApp]')?.getAttribute('{_STATE}') === 'notRunning'
  && performance.now() - window.changedAt > quiet"""
_QUIET_MS, _POLL_MS = 200, 50
# Streamlit's own widgets, whose markup is not ours: grids on their canvas, pickers, charts, its header.
_STREAMLITS_OWN = [
    '[data-testid="stDataFrame"]', '[data-testid="stDataFrameResizable"]', '[data-testid="stElementToolbar"]',
    '[data-testid="stSelectbox"]', '[data-testid="stMultiSelect"]', '[data-testid="stButtonGroup"]',
    '[data-testid="stVegaLiteChart"]', '[data-testid="stFileUploader"]', '[data-testid="stHeader"]',
    '[data-testid="stSidebarHeader"]', '[data-testid="stTooltipIcon"]', '[data-testid="stMainMenu"]',
]  # fmt: skip


def visitor(
    browser: Browser, errors: list[str], width: int = 1440, scheme: Literal["light", "dark"] = "light"
) -> Page:
    """A new visitor's tab, which has no page yet; what its console says of errors is added to ``errors``."""
    context = browser.new_context(viewport={"width": width, "height": 1200}, color_scheme=scheme)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.add_init_script(_WATCH)
    tab = context.new_page()
    tab.on("console", lambda said: errors.append(said.text) if _is_error(said) else None)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    return tab


def _is_error(said: ConsoleMessage) -> bool:
    """Whether a console message is an error of ours.

    Opened by the address of a page, Streamlit first asks for its own health beside that page, gets a
    404 and asks again at the root: the browser reports it, no page can prevent it.
    """
    return said.type == "error" and "/_stcore/" not in str(said.location.get("url", ""))


def settled(tab: Page, runs_before: int = -1) -> None:
    """Waits until the script behind the page has run to its end and the page stands still."""
    tab.wait_for_function(_STILL, arg=[runs_before, _QUIET_MS], polling=_POLL_MS, timeout=ANSWER_MS)


@contextmanager
def rerun(tab: Page) -> Iterator[None]:
    """Waits as ``settled`` after what is done inside, which must make the script run."""
    before = tab.evaluate("window.runs")
    yield
    settled(tab, before)


def answered(tab: Page) -> None:
    """Waits until the Plan page stands still with an answer on it."""
    expect(tab.get_by_text("Assumptions, warnings")).to_be_visible(timeout=ANSWER_MS)
    settled(tab)


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


def says(tab: Page, text: str | re.Pattern[str]) -> None:
    expect(tab.get_by_text(text).first).to_be_visible(timeout=ANSWER_MS)


def tab_to(tab: Page, text: str, most: int = 60) -> None:
    """Presses Tab until the focus stands on what reads ``text``."""
    for _ in range(most):
        tab.keyboard.press("Tab")
        if tab.evaluate("(document.activeElement?.innerText || '').trim()").split("\n")[-1] == text:
            return
    pytest.fail(f"{text!r} is not reached by the keyboard")


def serious_axe_findings(tab: Page) -> list[str]:
    """What axe-core finds that keeps somebody from using the page, but for Streamlit's own widgets."""
    context: Any = {"include": [["body"]], "exclude": [[selector] for selector in _STREAMLITS_OWN]}
    options: Any = {"resultTypes": ["violations"]}
    found = Axe().run(tab, context=context, options=options).response["violations"]
    return [
        f"{v['id']} ({v['impact']}): {[node['target'] for node in v['nodes']][:4]}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


@dataclass(frozen=True)
class Grid:
    """A Streamlit grid: drawn on a canvas, with an accessible copy of its cells in the page.

    ``middle_of(column, width)``: how far from its left edge a column's middle is, in pixels.
    """

    frame: Locator
    middle_of: Callable[[int, float], float]

    def select(self, row: int, column: int) -> None:
        """Makes a cell the selected one. A click on a selected cell opens its editor: it goes by another."""
        if self._cell(row, column).get_attribute("aria-selected") == "true":
            self._click(row - 1 if row else 1, column)
        self._click(row, column)

    def write(self, row: int, column: int, text: str) -> None:
        """Types into a cell in place of what it holds."""
        self.select(row, column)
        page = self.frame.page
        page.keyboard.press("Enter")
        editor = page.locator(_CELL_EDITOR)
        editor.fill(text)
        expect(editor).to_have_value(text)
        editor.press("Enter")

    def paste(self, row: int, column: int, text: str) -> None:
        """Pastes into a cell and those below it."""
        self.select(row, column)
        page = self.frame.page
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        page.keyboard.press("Control+V")

    def _click(self, row: int, column: int) -> None:
        """Clicks on a cell until it is selected: the page may still have moved under the click."""
        for _ in range(_TRIES):
            box = self.frame.locator("canvas").first.bounding_box()
            assert box is not None
            x = box["x"] + self.middle_of(column, box["width"])
            self.frame.page.mouse.click(x, box["y"] + _HEADER + _ROW * (row + 0.5))
            try:
                expect(self._cell(row, column)).to_have_attribute(
                    "aria-selected", "true", timeout=_SELECTED_MS
                )
            except AssertionError:
                continue
            return
        pytest.fail(f"the cell in row {row}, column {column} cannot be selected")

    def _cell(self, row: int, column: int) -> Locator:
        return self.frame.locator("table tbody tr").nth(row).locator("td").nth(column)


def growth_grid(place: Locator) -> Grid:
    """The growth table: build year and GPUs share what the marker column leaves."""
    frame = place.get_by_test_id("stDataFrame").first
    return Grid(frame, lambda column, width: _MARKER + (0.25 + 0.5 * column) * (width - _MARKER))


def price_grid(tab: Page) -> Grid:
    """The price grid: the SKU, then the column Your price, which alone is edited."""
    frame = tab.get_by_test_id("stMain").get_by_test_id("stDataFrame").first
    return Grid(frame, lambda column, _width: 195.0 * column + 60.0)
