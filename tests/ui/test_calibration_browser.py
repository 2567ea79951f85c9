"""The calibration page in a real browser: logs in, constants into the scenario by keyboard, the plot away."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.ui.browsing import ANSWER_MS, answered, go, serious_axe_findings, settled, tab_to, visitor

LOGS = Path(__file__).parents[1] / "published" / "logs"


def test_logs_are_read_used_and_undone(
    browser: Browser, address: str, errors: list[str], tmp_path: Path
) -> None:
    tab = visitor(browser, errors)
    tab.goto(address)
    answered(tab)
    go(tab, "Calibration")
    broken = tmp_path / "cut.log"
    broken.write_bytes(next(LOGS.glob("g5_*.log")).read_bytes()[:1500])
    paths = [next(LOGS.glob(f"g{number}_*.log")) for number in (6, 7)]
    tab.locator("input[type=file]").set_input_files([broken, *paths])
    expect(tab.get_by_role("heading", name="Fit", exact=True)).to_be_visible(timeout=ANSWER_MS)
    expect(tab.get_by_role("alert").filter(has_text="cut.log, line")).to_be_visible()
    settled(tab)
    assert serious_axe_findings(tab) == []
    tab_to(tab, "Use in this scenario", 90)
    tab.keyboard.press("Enter")
    expect(tab.get_by_text("The scenario is planned with the measured constants now")).to_be_visible(
        timeout=ANSWER_MS
    )
    settled(tab)
    with tab.expect_download(timeout=ANSWER_MS) as download:
        tab.get_by_role("button", name="SVG").first.click()
    download.value.save_as(tmp_path / "fit.svg")
    assert "g7_ib_send_lat" in (tmp_path / "fit.svg").read_text(encoding="utf-8")
    tab.reload()  # the logs are forgotten, the constants are not
    expect(tab.get_by_text("This scenario is calibrated")).to_be_visible(timeout=ANSWER_MS)
    tab.get_by_role("button", name="Undo", exact=True).click()
    expect(tab.get_by_text("This scenario is calibrated")).to_have_count(0, timeout=ANSWER_MS)
    tab.context.close()
