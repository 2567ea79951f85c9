"""The library's story in a real browser: two people, a conflict, a reload, a killed server, the trash."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from planner.library import scenarios
from planner.library.store import open_store
from tests.ui.browsing import LAB, answered, rerun, says, visitor
from tests.ui.conftest import free_port, start_app


def person(browser: Browser, address: str, errors: list[str]) -> Page:
    tab = visitor(browser, errors)
    tab.goto(address)
    answered(tab)
    return tab


def to(tab: Page, name: str) -> None:
    with rerun(tab):
        tab.get_by_role("link", name=name, exact=True).first.click()


def write(tab: Page, label: str, text: str) -> None:
    box = tab.get_by_role("textbox", name=label)
    box.fill(text)
    with rerun(tab):
        box.press("Enter")


def edit(tab: Page, label: str, text: str) -> None:
    """Types into an input of the Plan page's finance group."""
    to(tab, "Plan")
    if not tab.get_by_role("textbox", name=label).is_visible():
        tab.get_by_text("Finance and power").click()
    write(tab, label, text)


def click(tab: Page, name: str) -> None:
    with rerun(tab):
        tab.get_by_role("button", name=name, exact=True).click()


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
        ada = person(browser, f"{address}?shipped={LAB}", errors)
        link = _saves_twice_and_reads_the_difference(ada)
        bo = person(browser, link, errors)
        _edits_meanwhile(bo)
        bo.context.close()
        _meets_the_conflict(ada, tmp_path)
        _loses_nothing_by_a_reload(ada)
        place = ada.url
        ada.goto("about:blank")  # an open page rightly says on its console that its server is gone
        app.kill()
        app.wait()
        app = start_app(tmp_path, port)
        ada.goto(place)
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
    says(ada, "Saved as version 1 of University laboratory, 64 GPUs on 25G.")
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
