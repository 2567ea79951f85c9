"""The library's story in a real browser: two people, a conflict, a reload, a killed server, the trash."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from planner.library import scenarios
from planner.library.store import open_store
from tests.ui.conftest import free_port, is_error, start_app

WAIT_MS = 60_000
_STILL_MS = 400


@pytest.fixture
def errors() -> Iterator[list[str]]:
    """What the browsers' consoles say of errors: it has to be nothing."""
    found: list[str] = []
    yield found
    assert found == []


def person(browser: Browser, address: str, errors: list[str], width: int) -> Page:
    tab = browser.new_context(viewport={"width": width, "height": 1000}).new_page()
    tab.on("console", lambda said: errors.append(said.text) if is_error(said) else None)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(address)
    answered(tab)
    return tab


def answered(tab: Page) -> None:
    expect(tab.get_by_text("Assumptions, warnings")).to_be_visible(timeout=WAIT_MS)
    still(tab)


def still(tab: Page) -> None:
    """Waits until the page stands still."""
    tab.wait_for_timeout(_STILL_MS)
    expect(tab.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=WAIT_MS)
    tab.wait_for_timeout(_STILL_MS)


def to(tab: Page, name: str) -> None:
    """Another page by the navigation; where it is too narrow, from the menu that it folds into."""
    link = tab.get_by_role("link", name=name, exact=True)
    if not link.is_visible():
        tab.get_by_test_id("stTopNavSection").last.click()
    link.first.click()
    still(tab)


def write(tab: Page, label: str, text: str) -> None:
    box = tab.get_by_role("textbox", name=label)
    box.fill(text)
    box.press("Enter")
    still(tab)


def edit(tab: Page, label: str, text: str) -> None:
    """Types into an input of the Plan page's finance group."""
    to(tab, "Plan")
    if not tab.get_by_role("textbox", name=label).is_visible():
        tab.get_by_text("Finance and power").click()
        tab.wait_for_timeout(_STILL_MS)
    write(tab, label, text)


def click(tab: Page, name: str) -> None:
    tab.get_by_role("button", name=name, exact=True).click()
    still(tab)


def says(tab: Page, text: str) -> None:
    expect(tab.get_by_text(text).first).to_be_visible(timeout=WAIT_MS)


def finance(folder: Path, version: int) -> dict[str, Any]:
    """The finance section of a version of the only scenario, read past the app."""
    store = open_store(f"sqlite:///{folder / 'home' / 'library.db'}")
    (entry,) = scenarios.entries(store)
    found: dict[str, Any] = tomllib.loads(scenarios.version(store, entry.id, version).text)["finance"]
    return {key: found.get(key) for key in ("electricity_usd_per_kwh", "pue")}


def test_the_story_of_the_library(browser: Browser, tmp_path: Path, errors: list[str]) -> None:
    port = free_port()
    address = f"http://localhost:{port}/"
    app = start_app(tmp_path, port)
    try:
        ada = person(browser, address, errors, 1440)
        link = _saves_twice_and_reads_the_difference(ada)
        bo = person(browser, link, errors, 1440)
        _edits_meanwhile(bo)
        _meets_the_conflict(ada, tmp_path)
        _loses_nothing_by_a_reload(ada)
        app.kill()
        app.wait()
        app = start_app(tmp_path, port)
        _loses_nothing_by_a_restart(ada, tmp_path)
        _deletes_and_brings_back(ada)
    finally:
        app.terminate()
        app.wait(timeout=30)


def _saves_twice_and_reads_the_difference(ada: Page) -> str:
    to(ada, "Library")
    click(ada, "Save to the library")
    says(ada, "Not saved: a save needs its author's name. Your edits are still here.")
    write(ada, "Your name", "Ada")
    write(ada, "Note", "the start")
    click(ada, "Save to the library")
    says(ada, "Saved as version 1 of 1,024 GPUs growing to 16,384.")
    edit(ada, "Electricity price", "0.12")
    to(ada, "Library")
    says(ada, "edited since version 1 in the library")
    click(ada, "Save as version 2")
    says(ada, "What version 2 changed since version")
    says(ada, "Electricity price: 0.12 instead of the default")
    return ada.locator("code", has_text="?scenario=").inner_text()


def _edits_meanwhile(bo: Page) -> None:
    edit(bo, "PUE", "1.2")
    to(bo, "Library")
    write(bo, "Your name", "Bo")
    click(bo, "Save as version 3")
    says(bo, "Saved as version 3")


def _meets_the_conflict(ada: Page, folder: Path) -> None:
    edit(ada, "Electricity price", "0.2")
    to(ada, "Library")
    click(ada, "Save as version 3")
    says(ada, "Not saved, and nothing is lost: Bo saved version 3 after version 2, which you opened.")
    says(ada, "Electricity price: 0.2 instead of 0.12")
    says(ada, "PUE: 1.2 instead of the default")
    assert finance(folder, 3) == {"electricity_usd_per_kwh": 0.12, "pue": 1.2}
    click(ada, "Save both together as version 4")
    says(ada, "Saved as version 4")
    assert finance(folder, 4) == {"electricity_usd_per_kwh": 0.2, "pue": 1.2}


def _loses_nothing_by_a_reload(ada: Page) -> None:
    edit(ada, "Discount rate", "9.5")
    ada.reload()
    answered(ada)
    ada.get_by_text("Finance and power").click()
    expect(ada.get_by_role("textbox", name="Discount rate")).to_have_value("9.5")
    expect(ada.get_by_role("textbox", name="Electricity price")).to_have_value("0.2")


def _loses_nothing_by_a_restart(ada: Page, folder: Path) -> None:
    ada.reload()
    answered(ada)
    ada.get_by_text("Finance and power").click()
    expect(ada.get_by_role("textbox", name="Discount rate")).to_have_value("9.5")
    click(ada, "Undo")
    expect(ada.get_by_role("textbox", name="Discount rate")).to_have_value("")
    click(ada, "Redo")
    expect(ada.get_by_role("textbox", name="Discount rate")).to_have_value("9.5")
    assert finance(folder, 4) == {"electricity_usd_per_kwh": 0.2, "pue": 1.2}


def _deletes_and_brings_back(ada: Page) -> None:
    to(ada, "Library")
    click(ada, "Delete the scenario")
    says(ada, "is in the trash below, with all its versions.")
    says(ada, "Nothing is saved yet.")
    ada.get_by_text("Trash", exact=True).click()
    click(ada, "Bring back")
    says(ada, "is back.")
    says(ada, "What version 4 changed since version")
