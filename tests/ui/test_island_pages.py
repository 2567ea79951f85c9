"""Islands of server generations on the pages: the growth table, which fabric is drawn, words and rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.report import changes_by_year
from planner.study.result import TechnologyResult
from planner.ui.content import design_sentences, sentences
from planner.ui.views.growth_table import rows_of, source_frame
from planner.ui.views.inputs import typed_faults
from tests.support.generations_case import scenario_of, studied
from tests.support.making import Box
from tests.ui.test_page import SMALL
from tests.ui.test_pages_run import TITLES, opened, words

ROWS: list[dict[str, Any]] = [{"year": 2027, "gpus": 2}, {"year": 2029, "gpus": 5, "server": "node-200"}]
FOUR, FAST = Box("four", 4, 1000.0), Box("fast", 4, 500.0, gbps=200)
TWO = SMALL.replace("gpus = 256", 'gpus = 512\nserver = "dgx-b300"')


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABRIC_PLANNER_HOME", str(tmp_path))


@pytest.fixture(scope="module")
def result() -> TechnologyResult:
    return studied(ROWS, [FOUR, FAST]).results[0]


def test_servers_and_rates_survive_the_growth_table() -> None:
    rows: list[dict[str, Any]] = [
        {"year": 2027, "gpus": 1024},
        {"year": 2029, "gpus": 2048, "server": "dgx-b300", "link_gbps": 800},
        {"year": 2030, "gpus": 4096, "link_gbps": [400, 800]},
    ]
    frame = source_frame(rows, with_servers=True)
    assert list(frame.columns) == ["year", "gpus", "server", "link_gbps"]
    assert rows_of(frame) == rows
    assert list(source_frame(rows).columns) == ["year", "gpus"]


def test_an_unreadable_rate_is_named() -> None:
    rows = rows_of(source_frame([{"year": 2027, "gpus": 8, "link_gbps": "8OO"}], with_servers=True))
    (fault,) = typed_faults({"growth": rows}, [])
    assert (fault.key, fault.message) == ("growth[1].link_gbps", "is not a whole number")


def test_each_island_is_drawn_and_told_by_itself(result: TechnologyResult) -> None:
    """The sum has no wiring: drawn as one fabric it would be 5 GPUs on the second island's single switch."""
    first, last = result.plan.designs[0], result.plan.designs[-1]
    assert list(design_sentences.by_name(result, first)) == [""]
    drawn = design_sentences.by_name(result, last)
    assert [(name, d.gpus, d.wiring.leaf) for name, d in drawn.items()] == [
        ("node at 100G from 2027", 2, "four"),
        ("node 200 at 200G from 2029", 3, "fast"),
    ]
    said = design_sentences.of_year(result, last, {"four": "Four", "fast": "Fast"})
    assert [line.split(":")[0] for line in said[::2]] == list(drawn)
    assert last.tiers == (("leaf", "four + fast", 2),)


def test_purchases_are_told_by_island(result: TechnologyResult) -> None:
    study = studied(ROWS, [FOUR, FAST])
    frame = changes_by_year.changes_frame(study, result)
    bought = frame[(frame["action"] == "bought") & frame["sku"].isin(["four", "fast"])]
    assert list(zip(bought["year"], bought["fabric"], bought["why"], strict=True)) == [
        (2027, "compute, node", "the first build"),
        (2029, "compute, node 200", "the first build"),
    ]
    assert "node 200 at 200 Gb/s from 2029" in sentences.headline(scenario_of(ROWS, [FOUR, FAST]))


@pytest.mark.parametrize("page", TITLES)
def test_every_page_opens_on_two_generations(page: str) -> None:
    app = opened(page, TWO)
    assert not app.exception
    assert not app.error
    if page == "topology":
        assert "DGX B300 at 800G from 2028" in words(app)
