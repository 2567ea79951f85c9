"""Drafts: whole, small, and named by nothing but an id."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.library import scenarios
from planner.ui.session import drafts

ID = "0123456789abcdef0123456789abcdef"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FABRIC_PLANNER_HOME", str(tmp_path))
    return tmp_path


def test_a_draft_is_read_back() -> None:
    drafts.save(ID, "edited", 'name = "größer"\n')
    drafts.save(ID, "edited", 'name = "größer 2"\n')
    assert drafts.load(ID, "edited") == 'name = "größer 2"\n'
    assert drafts.load_parts(ID) == ({"edited": 'name = "größer 2"\n'}, 2)
    assert drafts.load(ID, "planned") is None


def test_new_ids_are_ids_and_differ() -> None:
    first, second = drafts.new_id(), drafts.new_id()
    assert drafts.is_id(first)
    assert first != second


@pytest.mark.parametrize(
    "asked", ["", "../x", ID[:-1], ID + "0", ID.upper(), ID[:-1] + "g", ID + "\n", "%2e", None]
)
def test_nothing_but_an_id_names_a_draft(asked: str | None) -> None:
    assert not drafts.is_id(asked)
    assert drafts.load(asked, "edited") is None


def test_an_unknown_id_or_part_is_not_written(home: Path) -> None:
    with pytest.raises(ValueError, match="not a draft id"):
        drafts.save("../escape", "edited", "")
    with pytest.raises(ValueError, match="not a draft id or part"):
        drafts.save(ID, "../escape", "")
    with pytest.raises(ValueError, match="cannot be kept"):
        drafts.save(ID, "edited", "\x00")
    assert list(home.iterdir()) == []


def test_what_is_too_large_is_not_written() -> None:
    with pytest.raises(ValueError, match="too large"):
        drafts.save(ID, "edited", "#" * (drafts.MAX_BYTES + 1))
    assert drafts.load(ID, "edited") is None


def test_an_uploaded_file_is_text_of_limited_size() -> None:
    assert scenarios.text_of_file(b"\xef\xbb\xbfschema = 1\n") == "schema = 1\n"
    with pytest.raises(ValueError, match="not UTF-8"):
        scenarios.text_of_file(b"name = \xff")
    with pytest.raises(ValueError, match="too large"):
        scenarios.text_of_file(b"#" * (drafts.MAX_BYTES + 1))
