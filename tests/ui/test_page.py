"""The first page without a browser: it opens, answers, follows edits and keeps them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from planner.catalog.technologies import TECHNOLOGIES, TECHNOLOGY_NAMES
from planner.library import drafts
from planner.library.store import library
from planner.scenario.load import shipped_scenarios
from tests.ui.kept import got, put

APP = Path(__file__).parents[2] / "app.py"
ID = "00112233445566778899aabbccddeeff"
SMALL = """schema = 1
name = "Small $1 & *2*"
base_year = 2027

[cluster]
server = "hgx-h100"

[[growth]]
year = 2027
gpus = 128

[[growth]]
year = 2028
gpus = 256

[finance]
horizon_years = 3
"""
TIMEOUT_S = 120


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FABRIC_PLANNER_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def page() -> AppTest:
    """The page with a small scenario, opened by the address of its draft."""
    put(ID, "edited", SMALL)
    put(ID, "opened", SMALL)
    return opened()


def opened() -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=TIMEOUT_S)
    app.query_params["s"] = ID
    return app.run()


def comparison(app: AppTest) -> str:
    return next(str(html.proto.body) for html in app.get("html") if "fp-table" in html.proto.body)


def box(app: AppTest, label: str) -> Any:
    boxes = [*app.text_input, *app.selectbox, *app.multiselect]
    return next(found for found in boxes if found.label.startswith(label))


def kept(part: str = "edited") -> dict[str, object]:
    text = got(ID, part)
    assert text is not None
    return tomllib.loads(text)


def test_a_new_visitor_sees_the_first_shipped_scenario_planned() -> None:
    app = AppTest.from_file(str(APP), default_timeout=TIMEOUT_S).run()
    assert not app.exception
    first = tomllib.loads(next(iter(shipped_scenarios().values())).read_text(encoding="utf-8"))
    assert app.header[0].value == first["name"]
    draft = "".join(app.query_params["s"])
    assert drafts.is_id(draft)
    assert drafts.load(library(), draft) == ({}, 0), "nothing is kept before the first edit"


def test_all_technologies_stand_side_by_side(page: AppTest) -> None:
    assert not page.exception
    assert page.header[0].value == r"Small \$1 & \*2\*"
    table = comparison(page)
    assert table.count('scope="col"') == 4
    for name in TECHNOLOGY_NAMES.values():
        assert table.count(f">{name}<") == 1
    for measure in (
        "Levelised cost",
        "Capex for throughput",
        "TCO",
        "First-year capex",
        "Network share",
        "MFU",
    ):
        assert f'<th scope="row">{measure}<' in table
    downloads: Any = page.get("download_button")
    assert [button.label for button in downloads] == [
        *("SVG", "PNG") * 2,
        "Table (CSV)",
        *(f"BOM, {name} (CSV)" for name in TECHNOLOGY_NAMES.values()),
        "BOM, all technologies (CSV)",
        "Answer (JSON)",
        "Scenario (TOML)",
    ]


def test_an_edit_changes_the_answer_and_is_kept(page: AppTest) -> None:
    before = comparison(page)
    box(page, "Technologies").set_value(["roce", "ethernet"])
    page.run()
    box(page, "Electricity price").set_value("0.5")
    page.run()
    assert not page.exception
    after = comparison(page)
    assert ">InfiniBand<" in before
    assert ">InfiniBand<" not in after
    assert kept()["fabric"] == {"technologies": ["roce", "ethernet"]}
    assert kept()["finance"] == {"horizon_years": 3, "electricity_usd_per_kwh": 0.5}
    assert kept("planned") == kept()
    assert kept("opened") == tomllib.loads(SMALL)


def test_a_reload_loses_nothing(page: AppTest) -> None:
    box(page, "Discount rate").set_value("12.5")
    page.run()
    box(page, "PUE").set_value("1,2")
    page.run()
    again = opened()
    assert box(again, "Discount rate").value == "12.5"
    assert box(again, "PUE").value == "1,2"
    assert kept()["finance"] == {"horizon_years": 3, "discount_rate": 0.125, "pue": "1,2"}
    assert ">RoCE<" in comparison(again), "the answer from before the faulty edit is there again"


def test_a_faulty_edit_keeps_the_last_answer_and_says_so(page: AppTest) -> None:
    before = comparison(page)
    box(page, "Electricity price").set_value("0,5")
    page.run()
    words = [error.value for error in page.error]
    assert "The answer below is the one from before that edit." in words[0]
    said = (
        'Electricity price "0,5" can be read in two ways because of the comma. '
        "Write decimals after a point and do not group thousands, like 1234.5."
    )
    assert said in words[0]
    assert said == words[1], "it also stands beside the input"
    assert comparison(page) == before
    box(page, "Electricity price").set_value("0.5")
    page.run()
    assert not page.error
    assert comparison(page) != before


def test_an_emptied_input_falls_back_to_its_default(page: AppTest) -> None:
    before = comparison(page)
    box(page, "Electricity price").set_value("0.5")
    page.run()
    assert comparison(page) != before
    box(page, "Electricity price").set_value(" ")
    page.run()
    assert comparison(page) == before
    assert kept()["finance"] == {"horizon_years": 3}


def test_what_has_no_design_says_why_in_its_column(page: AppTest) -> None:
    box(page, "Link rate").set_value(25)
    page.run()
    assert not page.exception
    assert comparison(page).count("No design.") >= 1


def test_opening_another_scenario_can_be_taken_back(page: AppTest) -> None:
    box(page, "Electricity price").set_value("0.5")
    page.run()
    page.selectbox(key="shipped_scenario").set_value("seed-university-lab-64")
    page.run()
    next(b for b in page.button if b.label == "Open this scenario").click()
    page.run()
    assert page.header[0].value == "University laboratory, 64 GPUs on 25G"
    assert box(page, "Electricity price").value == ""
    next(b for b in page.button if b.label == "Undo").click()
    page.run()
    assert box(page, "Electricity price").value == "0.5"
    next(b for b in page.button if b.label == "Undo all edits").click()
    page.run()
    assert box(page, "Electricity price").value == ""
    assert kept() == tomllib.loads(SMALL)


def test_every_technology_has_a_name() -> None:
    assert tuple(TECHNOLOGY_NAMES) == TECHNOLOGIES
