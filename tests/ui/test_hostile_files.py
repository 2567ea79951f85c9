"""Files that mean harm, in the real app: uploads, imports, links, drafts, what a library holds already."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from planner.library import scenarios
from planner.library.store import library
from planner.scenario.write import dump_document
from planner.text.toml_document import parsed
from tests.ui.kept import got, put
from tests.ui.test_links import APP, SMALL
from tests.ui.test_pages_run import TITLES, words

ID = "00112233445566778899aabbccddeeff"
SECRET = "A_PLANTED_SECRET"
HEAD = 'name = "bad"\nschema = 1\nbase_year = 2027\n'
NO_SCENARIO = 'cluster = 5\ngrowth = "no"\nfabric = [1, 2]\nprices = []\nworkload = 3\nconstraints = "x"\n'
BOMBS = {
    "dotted": 'name = "d"\nx' + ".x" * 100_000 + " = 1",
    "deep": 'name = "d"\na = ' + "[" * 200_000,
}
FILE_KEYS = ("[prices]\nquotes = {}", '[prices]\nbooks = ["reference", {}]', "[calibration]\nfile = {}")
FILES = ('"/proc/self/environ"', '"/dev/zero"', '"secret.txt"')
NAMING = [SMALL + "\n" + key.replace("{}", file) + "\n" for key in FILE_KEYS for file in FILES]
PAGES = [*TITLES, "plan", "library", "compare"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABRIC_PLANNER_HOME", str(tmp_path))
    monkeypatch.setenv("SOME_TOKEN", SECRET)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text(SECRET)


def page(name: str, **query: str) -> AppTest:
    """One page of an app that has only it."""

    def run(name: str) -> None:
        import importlib

        importlib.import_module(f"planner.ui.pages.{name}").render()

    app = AppTest.from_function(run, kwargs={"name": name}, default_timeout=120)
    for key, value in query.items():
        app.query_params[key] = value
    app.session_state["author"] = "Ada"
    return app.run()


def with_draft(name: str, text: str) -> AppTest:
    put(ID, "edited", text)
    put(ID, "opened", text)
    return page(name, s=ID)


def uploaded(app: AppTest, label: str, name: str, text: str) -> AppTest:
    next(box for box in app.file_uploader if box.label == label).upload(name, text.encode())
    return app.run()


@pytest.mark.parametrize("text", NAMING, ids=[f"{k.split()[1]}-{f}" for k in FILE_KEYS for f in FILES])
def test_an_opened_file_shows_nothing_of_the_server_s_files(text: str) -> None:
    app = uploaded(
        page("plan", shipped="seed-university-lab-64"), "Or a scenario file (TOML)", "x.toml", text
    )
    assert not app.exception
    assert SECRET not in words(app)
    assert "only a scenario file on the command line may name one" in words(app)


@pytest.mark.parametrize("text", [NAMING[0], NAMING[3], NAMING[6]])
def test_neither_does_a_link_a_draft_or_an_import(text: str) -> None:
    version = scenarios.save(library(), text, "Ada")
    for app in (
        page("plan", scenario=version.scenario_id),
        with_draft("plan", text),
        with_draft("prices", text),
    ):
        assert not app.exception
        assert SECRET not in words(app)
        assert "names a file" in words(app)
    app = uploaded(page("library"), "Scenario file", "x.toml", text)
    assert "Not imported" in words(app)
    assert len(scenarios.entries(library())) == 1


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("where", ["plan", "library"])
def test_a_bomb_is_refused_and_costs_nothing(where: str, name: str) -> None:
    """The dotted key took 17.8 GB in the library's import."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    label = "Scenario file" if where == "library" else "Or a scenario file (TOML)"
    app = uploaded(page(where, shipped="seed-university-lab-64"), label, "x.toml", BOMBS[name])
    assert not app.exception
    assert "is nested too deeply" in words(app)
    assert scenarios.entries(library()) == ()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_000_000  # KB


def test_an_import_that_is_no_scenario_is_refused_with_its_faults() -> None:
    app = uploaded(page("library"), "Scenario file", "x.toml", HEAD + NO_SCENARIO)
    assert not app.exception
    assert "Not imported: x.toml:4: cluster = 5: is not a table" in words(app).replace("\\", "")
    assert scenarios.entries(library()) == ()
    uploaded(app, "Scenario file", "y.toml", SMALL)
    assert [entry.name for entry in scenarios.entries(library())] == ["Small"]


@pytest.mark.parametrize("text", [HEAD + NO_SCENARIO, HEAD + 'cluster = "x"\n'])
def test_a_library_that_holds_no_scenario_breaks_no_page(text: str) -> None:
    """Kept by an earlier version, or written past the app: two versions of it, and one that is in order."""
    bad = scenarios.save(library(), text, "Ada")
    bad = scenarios.save(library(), text + "x = 1\n", "Ada", "", bad.origin)
    app = page("library")
    assert not app.exception
    app.button(key=f"open:{bad.scenario_id}:2").click()
    app.run()
    assert not app.exception
    assert "Not opened: scenario:4: cluster" in words(app).replace("\\", "")
    app.button(key=f"copy:{bad.scenario_id}:2").click()
    app.run()
    assert not app.exception
    assert len(scenarios.entries(library())) == 2
    linked = AppTest.from_file(str(APP), default_timeout=120)
    linked.query_params["scenario"] = bad.scenario_id
    linked.run()
    assert not linked.exception
    assert "This address could not be opened" in words(linked)
    compared = page("compare", shipped="seed-university-lab-64")
    compared.selectbox(key="source:0:0").select(f"library:{scenarios.entries(library())[0].id}")
    compared.run()
    assert not compared.exception
    assert compared.error[0].value.startswith("scenario")


VALUES = (5, "x", [1, "a"], {"a": {"b": 1}}, [{"a": 1}], True, 1e300, -(2**63), "y" * 500)
SECTIONS = {
    "cluster": ("server", "gpus_per_node"), "fabric": ("technologies", "planes", "link_gbps", "switches"),
    "workload": ("model", "tensor_parallel"), "finance": ("pue", "residual", "horizon_years"),
    "prices": ("overrides", "infiniband_pricing", "quotes_csv", "books"), "layout": ("patch_panels",),
    "calibration": ("e0", "logs"),
}  # fmt: skip


def odd_document(value: object) -> str:
    """A document that has this value wherever a page looks."""
    document: dict[str, Any] = {
        "schema": 1, "name": value, "base_year": value,
        **{section: dict.fromkeys(keys, value) for section, keys in SECTIONS.items()},
        "growth": [{"year": value, "gpus": value, "server": value, "link_gbps": value}],
    }  # fmt: skip
    return dump_document(document)


@pytest.mark.parametrize("name", PAGES)
def test_values_of_any_kind_break_no_page(name: str) -> None:
    for value in VALUES:
        app = with_draft(name, odd_document(value))
        assert not app.exception, f"{value!r}: {app.exception[0].message}"


FORMULA = '=HYPERLINK("http://127.0.0.1/x","click")'
BOOK = (
    "sku,item_class,description,manufacturer,unit,currency,low_usd,mid_usd,high_usd,price_date,source,grade,note\n"
    "qm9700,switch,=1+1,@SUM(A1),each,USD,1,1,1,2026-10-01,=cmd,quote,\n"
)


def cells(frame: Any) -> list[str]:
    return [cell for column in frame.columns for cell in frame[column] if isinstance(cell, str)]


@pytest.mark.parametrize("name", ["library", "prices", "growth", "plan", "bom"])
def test_text_like_a_formula_is_inert_in_every_grid(name: str) -> None:
    """Streamlit's grids have a CSV download of their own, which is the browser's and escapes nothing."""
    text = dump_document(
        {
            "schema": 1, "name": FORMULA, "base_year": 2027, "cluster": {"server": "dgx-h100"},
            "growth": [{"year": 2027, "gpus": 64}], "finance": {"horizon_years": 1},
            "fabric": {"technologies": ["infiniband"], "switches": ["qm9700"]},
            "prices": {"quotes_csv": BOOK},
        }
    )  # fmt: skip
    scenarios.save(library(), text, "=Ada", FORMULA)
    app = with_draft(name, text)
    assert not app.exception
    shown = [cell for grid in app.dataframe for cell in cells(grid.value)]
    assert [cell for cell in shown if cell.startswith(("=", "@"))] == []
    assert any(cell.startswith(("'=", "'@")) for cell in shown) or name == "growth"


def test_quotes_are_put_into_the_scenario_and_taken_out_again() -> None:
    """In place of the file that the scenario named, which the app does not read."""
    text = SMALL + '\n[prices]\nquotes = "secret.txt"\n'
    app = with_draft("prices", text)
    assert "names a file" in words(app)
    uploaded(app, "Quotes (CSV)", "mine.csv", BOOK.replace(",quote,", ",list,"))
    assert "Not taken" in words(app)
    assert "is no quote" in words(app)
    uploaded(app, "Quotes (CSV)", "mine.csv", BOOK.replace("\n", "\r\n"))
    assert not app.exception
    assert "The prices of mine.csv are in the scenario now" in str(app.success[0].value).replace("\\", "")
    assert "names a file" not in words(app)
    kept = parsed(got(ID, "edited") or "")["prices"]
    assert kept == {"quotes_csv": BOOK}
    next(button for button in app.button if button.label == "Take your quotes out").click()
    app.run()
    assert not parsed(got(ID, "edited") or "").get("prices")
