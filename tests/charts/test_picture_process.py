"""Pictures come from a process of their own: what ends it is a sentence here."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.charts import picture_process
from planner.charts.picture_process import PictureError, rendered

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'


def test_a_drawing_becomes_a_picture() -> None:
    assert rendered("svg-png", SQUARE).startswith(b"\x89PNG")


def test_what_is_no_picture_is_a_sentence_and_this_process_lives() -> None:
    with pytest.raises(PictureError, match="the picture could not be made: "):
        rendered("svg-png", "no drawing")


def test_a_process_that_dies_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As it does where memory ends: no word, and no picture."""
    (tmp_path / "dying_renderer.py").write_text("import os\nos.abort()\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(picture_process, "_MODULE", "dying_renderer")
    with pytest.raises(PictureError, match="too little memory"):
        rendered("svg-png", SQUARE)


def test_a_picture_that_takes_too_long_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_process, "TIME_LIMIT_S", 0.001)
    with pytest.raises(PictureError, match="took more than"):
        rendered("svg-png", SQUARE)
