"""Files that a scenario names are read on the command line, from its folder; elsewhere their content travels
inside the scenario."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from planner.catalog.sources import load_sources
from planner.cli.main import main
from planner.scenario.faults import ScenarioError
from planner.scenario.load import load_scenario, scenario_from_text, self_contained
from planner.scenario.write import dump_document
from tests.scenario.test_books import HEADER, QM9700, SN5400

SECRET = "A_PLANTED_SECRET"
BASE: dict[str, Any] = {
    "schema": 1, "name": "x", "base_year": 2027, "cluster": {"server": "dgx-h100"},
    "growth": [{"year": 2027, "gpus": 64}], "finance": {"horizon_years": 1},
    "fabric": {"technologies": ["infiniband", "roce"], "switches": ["qm9700", "sn5400"]},
}  # fmt: skip
KEYS: dict[str, dict[str, Any]] = {
    "prices.quotes": {"prices": {"quotes": "{}"}},
    "prices.books[2]": {"prices": {"books": ["reference", "{}"]}},
    "calibration.file": {"calibration": {"file": "{}"}},
}
CALIBRATION = {"constants": {"e0": {"roce": {"value": 0.91}}, "stack_factor": {"value": 1.1, "logs": ["a"]}}}


def text_naming(key: str, path: object) -> str:
    filled = json.loads(json.dumps(KEYS[key]).replace("{}", str(path)))
    return dump_document({**BASE, **filled})


def faults(text: str) -> str:
    with pytest.raises(ScenarioError) as refused:
        scenario_from_text(text, load_sources(), "scenario")
    return str(refused.value)


@pytest.mark.parametrize("key", KEYS)
def test_a_text_that_is_no_file_names_none(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the app checks: an upload, an import, a link, what is typed. Not even a file's absence shows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOME_TOKEN", SECRET)
    (tmp_path / "own.csv").write_text(SECRET)
    said = {
        re.sub('".*": ', "PATH: ", faults(text_naming(key, path)))
        for path in ("/proc/self/environ", "/dev/zero", "own.csv", str(tmp_path / "own.csv"), "none")
    }
    (only,) = said
    assert SECRET not in only
    assert f"{key} = PATH: " in only
    assert "only a scenario file on the command line may name one; put what the file holds into" in only


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("path", ["/proc/self/environ", "/dev/zero", "../secret.txt", "link"])
def test_a_scenario_file_names_none_outside_its_folder(tmp_path: Path, key: str, path: str) -> None:
    (tmp_path / "secret.txt").write_text(SECRET)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret.txt")
    (folder / "s.toml").write_text(text_naming(key, path))
    with pytest.raises(
        ScenarioError, match="lies outside the scenario's folder; move it into that folder"
    ) as e:
        load_scenario(folder / "s.toml", load_sources())
    assert SECRET not in str(e.value)


def test_a_pipe_in_the_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "s.toml").write_text(text_naming("prices.quotes", "pipe"))
    with pytest.raises(ScenarioError, match="cannot be read: is no regular file"):
        load_scenario(tmp_path / "s.toml", load_sources())


def of(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_the_command_line_reads_elsewhere_only_what_it_is_given(tmp_path: Path) -> None:
    folder, prices = tmp_path / "a", tmp_path / "b" / "own.csv"
    folder.mkdir()
    prices.parent.mkdir()
    prices.write_text(f"{HEADER}\n{QM9700.format('quote')}\n")
    path = folder / "s.toml"
    path.write_text(text_naming("prices.quotes", "../b/own.csv"))
    assert "or name it on the command line too: --may-read FILE" in of("check", path).output
    assert of("check", path, "--may-read", prices).exit_code == 0
    assert of("check", path, "--may-read", prices.parent).exit_code == 0
    assert of("check", path, "--may-read", folder).exit_code == 2


def test_an_embedded_scenario_gives_the_same_answer_and_is_read_anywhere(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text(f"{HEADER}\r\n{SN5400.format('list')}\r\n", newline="")
    (tmp_path / "mine.csv").write_text(f"{HEADER}\n{QM9700.format('quote').replace('GmbH', 'quoted x')}\n")
    (tmp_path / "c.json").write_text(json.dumps(CALIBRATION))
    asked = {
        **BASE, "prices": {"books": ["reference", "own.csv"], "quotes": "mine.csv"},
        "calibration": {"file": "c.json", "alpha_us": 4.0, "technologies": ["roce"]},
    }  # fmt: skip
    (tmp_path / "s.toml").write_text(dump_document(asked))
    before = load_scenario(tmp_path / "s.toml", load_sources())
    done = of("embed", tmp_path / "s.toml", "--out", tmp_path / "out.toml")
    assert (done.exit_code, done.output) == (0, "")
    text = (tmp_path / "out.toml").read_text()
    after = scenario_from_text(text, load_sources(), "elsewhere")
    assert text == self_contained(tmp_path / "s.toml", load_sources())
    assert (after.calibration, after.workload) == (before.calibration, before.workload)
    assert after.workload.stack_factor == 1.1
    paid = {sku: price.mid_usd for sku, price in before.prices.overrides.items()}
    assert {sku: price.mid_usd for sku, price in after.prices.overrides.items()} == paid == {"qm9700": 44_000}
    assert after.prices.stacked == before.prices.stacked
    assert not {"own.csv", "mine.csv"} & set(text.split('"'))


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ({"books": ["reference", "own"], "books_csv": {"own": "sku\n"}}, "own, line 1, column"),
        ({"books_csv": {"own": HEADER}}, "is not one of books; give it another name, and name it in books"),
        (
            {"books": ["reference", "reference"], "books_csv": {"reference": HEADER}},
            "names a value twice",
        ),
        ({"quotes_csv": f"{HEADER}\n{QM9700.format('list')}"}, "with the grade list, which is no quote"),
        ({"quotes_csv": f"{HEADER}\n{QM9700.format('quote')}", "quotes": "a"}, "stands beside quotes_csv"),
        ({"quotes_csv": f'{HEADER}\n"{"x" * 200_000}"'}, "cannot be read: field larger than field limit"),
        ({"quotes_csv": f"{HEADER}\n" + "a,,,,,,,,,,,,\n" * 20_000}, "line 2, column item_class: is empty"),
    ],
)
def test_carried_books_at_fault_are_said_by_their_key(prices: dict[str, Any], said: str) -> None:
    assert said in faults(dump_document({**BASE, "prices": prices}))


def test_thousands_of_unknown_parts_are_not_looked_up_one_by_one() -> None:
    """Each would take a search for a near word: a minute for a file of this size."""
    rows = [QM9700.format("quote").replace("qm9700", f"qm97{i}x", 1) for i in range(3_000)]
    said = faults(dump_document({**BASE, "prices": {"quotes_csv": "\n".join([HEADER, *rows])}}))
    assert said.startswith("50 faults:")
