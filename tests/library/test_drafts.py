"""Drafts: whole, small, and named by nothing but an id."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.library import drafts, scenarios
from planner.library.store import Store, open_store

ID = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path / 'library.db'}")


def test_a_draft_is_read_back(store: Store) -> None:
    drafts.save(store, ID, {"edited": 'name = "größer"\n'}, None)
    drafts.save(store, ID, {"edited": 'name = "größer 2"\n'}, None)
    assert drafts.load(store, ID)[0].get("edited") == 'name = "größer 2"\n'
    assert drafts.load(store, ID) == ({"edited": 'name = "größer 2"\n'}, 2)
    assert drafts.load(store, ID)[0].get("planned") is None


def test_new_ids_are_ids_and_differ() -> None:
    first, second = drafts.new_id(), drafts.new_id()
    assert drafts.is_id(first)
    assert first != second


@pytest.mark.parametrize(
    "asked", ["", "../x", ID[:-1], ID + "0", ID.upper(), ID[:-1] + "g", ID + "\n", "%2e", None]
)
def test_nothing_but_an_id_names_a_draft(store: Store, asked: str | None) -> None:
    assert not drafts.is_id(asked)
    assert drafts.load(store, asked) == ({}, 0)


def test_an_unknown_id_or_part_is_not_written(store: Store) -> None:
    with pytest.raises(ValueError, match="not a draft id"):
        drafts.save(store, "../escape", {"edited": ""}, None)
    with pytest.raises(ValueError, match="not a draft id or part"):
        drafts.save(store, ID, {"../escape": ""}, None)
    with pytest.raises(ValueError, match="cannot be kept"):
        drafts.save(store, ID, {"edited": "\x00"}, None)
    assert drafts.load(store, ID) == ({}, 0)


def test_what_is_too_large_is_not_written(store: Store) -> None:
    with pytest.raises(ValueError, match="too large"):
        drafts.save(store, ID, {"edited": "#" * (scenarios.MAX_BYTES + 1)}, None)
    assert drafts.load(store, ID) == ({}, 0)
