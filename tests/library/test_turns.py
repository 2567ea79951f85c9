"""Twenty sessions of one server at one library: nobody is told of a lock, however short anybody waits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from planner.library import drafts, scenarios
from planner.library.store import LibraryError, open_store

SESSIONS, SAVES = 20, 8
TEXT = 'schema = 1\nname = "Of {}"\nx = {}\n'


def test_saves_and_drafts_of_twenty_sessions_stand_in_line(tmp_path: Path) -> None:
    """Without the line a transaction that waits a millisecond for a lock is refused at once."""
    store = open_store(f"sqlite:///{tmp_path / 'library.db'}", wait_s=0.001)
    began = Barrier(SESSIONS)

    def session(number: int) -> int:
        began.wait()
        draft_id, revision, head = drafts.new_id(), 0, None
        for x in range(SAVES):
            text = TEXT.format(number, x)
            revision = drafts.save(store, draft_id, {"edited": text}, revision)
            head = scenarios.save(store, text, "Ada", "", head.origin if head else None)
            assert scenarios.entries(store)
        return revision

    with ThreadPoolExecutor(SESSIONS) as sessions:
        assert list(sessions.map(session, range(SESSIONS))) == [SAVES] * SESSIONS
    assert [entry.head for entry in scenarios.entries(store)] == [SAVES] * SESSIONS


def test_another_program_s_lock_is_told(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'library.db'}"
    other, store = open_store(url), open_store(url, wait_s=0.05)
    refused = pytest.raises(LibraryError, match="is in use by another program; try again in a moment")
    with other.engine.connect().execution_options(writes=True) as held, held.begin(), refused:
        scenarios.save(store, TEXT.format(1, 1), "Ada")
    assert scenarios.save(store, TEXT.format(1, 1), "Ada").number == 1
