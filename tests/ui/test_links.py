"""Addresses that open a scenario, and two sessions at one address."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from planner.library import scenarios
from planner.library.store import library
from tests.ui.kept import got, put

APP = Path(__file__).parents[2] / "app.py"
ID = "00112233445566778899aabbccddeeff"
SMALL = """schema = 1
name = "Small"
base_year = 2027

[cluster]
server = "hgx-h100"

[[growth]]
year = 2027
gpus = 128

[finance]
horizon_years = 3
"""
OTHER = SMALL.replace("Small", "Small, changed")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABRIC_PLANNER_HOME", str(tmp_path))


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=120)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def type_into(app: AppTest, label: str, text: str) -> AppTest:
    next(box for box in app.text_input if box.label.startswith(label)).set_value(text)
    return app.run()


def draft_of(app: AppTest) -> str:
    return "".join(app.query_params["s"])


def test_a_link_opens_a_version_and_a_reload_finds_it_again() -> None:
    first = scenarios.save(library(), SMALL, "Ada")
    scenarios.save(library(), OTHER, "Ada", "", first.origin)
    assert opened(scenario=first.scenario_id).header[0].value == "Small, changed"
    app = opened(scenario=first.scenario_id, version="1")
    assert app.header[0].value == "Small"
    assert set(app.query_params) == {"s"}, "the draft stands in the address from now on"
    assert opened(s=draft_of(app)).header[0].value == "Small"
    assert got(draft_of(app), "origin") == f'["{first.scenario_id}", 1]'


def test_a_link_opens_a_shipped_scenario() -> None:
    app = opened(shipped="seed-university-lab-64")
    assert app.header[0].value == "University laboratory, 64 GPUs on 25G"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"scenario": "0123456789ab"}, "no such scenario or version"),
        ({"scenario": "../../x"}, "link is not complete"),
        ({"scenario": "0123456789ab", "version": "x"}, "link is not complete"),
        ({"shipped": "nothing"}, "no shipped scenario"),
    ],
)
def test_a_link_to_nothing_says_so(query: dict[str, str], said: str) -> None:
    app = opened(**query)
    assert not app.exception
    assert said in app.error[0].value


def test_two_sessions_at_one_address_never_overwrite_each_other() -> None:
    """Without the rule the later edit silently takes the place of the other's."""
    put(ID, "edited", SMALL)
    one, two = opened(s=ID), opened(s=ID)
    type_into(one, "Electricity price", "0.11")
    type_into(two, "PUE", "1.2")
    assert draft_of(one) == ID
    assert draft_of(two) != ID
    finance = [tomllib.loads(got(draft_of(app), "edited") or "")["finance"] for app in (one, two)]
    assert finance == [
        {"horizon_years": 3, "electricity_usd_per_kwh": 0.11},
        {"horizon_years": 3, "pue": 1.2},
    ]
    assert [toast.value for toast in two.toast] != []


def test_undo_and_redo_outlast_a_reload() -> None:
    put(ID, "edited", SMALL)
    app = type_into(opened(s=ID), "PUE", "1.2")
    type_into(app, "PUE", "1.1")
    again = opened(s=ID)
    for button, value in (("Undo", "1.2"), ("Undo", ""), ("Redo", "1.2")):
        next(found for found in again.button if found.label == button).click()
        again.run()
        assert next(box for box in again.text_input if box.label.startswith("PUE")).value == value


def test_a_library_that_cannot_be_opened_is_no_empty_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "library.db").write_bytes(b"not a database at all" * 100)
    monkeypatch.setenv("FABRIC_PLANNER_HOME", str(broken))
    app = opened(s=ID)
    assert not app.exception
    assert "is damaged; put back a copy of it" in app.error[0].value
