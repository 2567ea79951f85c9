"""The pages beside the first one without a browser: they open, follow the scenario, say when they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.kept import got, put
from tests.ui.test_page import ID, SMALL

TIMEOUT_S = 120
TITLES = {
    "topology": "Topology",
    "bom": "Bill of materials",
    "prices": "Prices",
    "throughput": "Throughput",
    "calibration": "Calibration",
    "growth": "Growth",
    "method": "Method and sources",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABRIC_PLANNER_HOME", str(tmp_path))


def opened(page: str, text: str) -> AppTest:
    """One page of an app that has only it, on a draft."""

    def run(page: str) -> None:
        import importlib

        importlib.import_module(f"planner.ui.pages.{page}").render()

    put(ID, "edited", text)
    put(ID, "opened", text)
    app = AppTest.from_function(run, kwargs={"page": page}, default_timeout=TIMEOUT_S)
    app.query_params["s"] = ID
    return app.run()


def words(app: AppTest) -> str:
    found = [*app.markdown, *app.caption, *app.info, *app.error, *app.warning]
    return "\n".join(str(element.value) for element in found)


@pytest.mark.parametrize("page", TITLES)
def test_every_page_opens_and_says_whose_answer_it_shows(page: str) -> None:
    app = opened(page, SMALL)
    assert not app.exception
    assert not app.error
    assert app.header[0].value == TITLES[page]
    assert any("128 GPUs in 2027, 256 in 2028" in caption.value for caption in app.caption)


@pytest.mark.parametrize("page", TITLES)
def test_a_scenario_without_any_design_is_said_on_every_page(page: str) -> None:
    """One tier of 400G switches holds no 100,000 GPUs: no technology has a design."""
    text = SMALL.replace("gpus = 256", "gpus = 100000") + "\n[fabric]\nmax_tiers = 1\n"
    app = opened(page, text)
    assert not app.exception
    assert page in ("calibration", "method") or "No technology has a design" in words(app)


@pytest.mark.parametrize("page", TITLES)
def test_a_scenario_that_was_never_planned_leaves_the_pages_standing(page: str) -> None:
    app = opened(page, SMALL.replace("gpus = 256", "gpus = 64"))
    assert not app.exception
    assert "There is no answer to show yet" in words(app)
    assert "cannot be planned" in words(app)


def test_an_own_price_changes_the_bill(home: None) -> None:
    before = words(opened("bom", SMALL))
    after = words(opened("bom", SMALL + "\n[prices.overrides]\nqm9700 = 100.0\n"))
    assert "- **InfiniBand**: " in before
    line = {
        text: next(x for x in text.splitlines() if x.startswith("- **InfiniBand**"))
        for text in (before, after)
    }
    assert line[before] != line[after]
    assert "quote" in line[after]
    assert "quote" not in line[before]


def test_a_price_that_cannot_be_read_is_named_and_kept() -> None:
    app = opened("prices", SMALL + '\n[prices.overrides]\nqm9700 = "23,4"\n')
    assert not app.exception
    assert 'Your price of qm9700 "23,4" can be read in two ways' in words(app)
    assert "23,4" in (got(ID, "edited") or "")


def test_a_question_on_the_growth_page_is_answered_below_its_button() -> None:
    """The value of looking ahead, for each technology by its name; nothing is planned before it is asked."""
    app = opened("growth", SMALL)
    assert "value of foresight" not in words(app)
    app.button(key="ask_foresight").click().run()
    assert not app.exception
    assert words(app).count("value of foresight") == 4
    assert "**RoCE**" in words(app)
