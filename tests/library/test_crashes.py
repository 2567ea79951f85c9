"""Whatever happens to a writer or its store: the library opens afterwards with every acknowledged version."""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from planner.library import scenarios
from planner.library.store import LibraryError, Store, open_store

ROOT = Path(__file__).parents[2]
WRITER = Path(__file__).with_name("writer.py")
KILLS = 12
ONE = 'schema = 1\nname = "One"\n'
Writer = subprocess.Popen[str]


def started(url: str, asked: str, author: str, filling: int, most_bytes: int | None = None) -> Writer:
    def limit() -> None:
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write then fails like one on a full disk

    return subprocess.Popen(
        [sys.executable, str(WRITER), url, asked, author, str(filling)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, preexec_fn=limit,
    )  # fmt: skip


def lines(writer: Writer) -> Iterator[list[str]]:
    assert writer.stdout is not None
    with writer.stdout:
        for line in writer.stdout:
            if line.endswith("\n"):  # a killed process may leave half a line
                yield line.split(maxsplit=3)


def killed_during_saves(writer: Writer, after_s: float) -> list[list[str]]:
    """Kills the writer some time after its first acknowledged save; returns all of those."""
    said = lines(writer)
    first = next(said)
    timer = threading.Timer(after_s, writer.kill)
    timer.start()
    rest = list(said)
    timer.join()
    assert writer.wait() == -signal.SIGKILL
    return [first, *rest]


def assert_whole(url: str, acknowledged: list[list[str]]) -> None:
    """The library opens, is sound, and holds what was acknowledged, with no gap before it."""
    store = open_store(url)
    if store.engine.dialect.name == "sqlite":
        with store.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    kept = {
        (e.id, str(v.number), v.sha256)
        for e in scenarios.entries(store)
        for v in scenarios.history(store, e.id)
    }
    assert {(words[1], words[2], words[3].strip()) for words in acknowledged} <= kept
    for entry in scenarios.entries(store):
        numbers = [v.number for v in scenarios.history(store, entry.id)]
        assert numbers == list(range(entry.head, 0, -1))
    store.engine.dispose()


def test_a_process_killed_during_saves_loses_nothing_acknowledged(url: str) -> None:
    """Kills at random moments; two processes write the same scenario, one of them is killed."""
    open_store(url).engine.dispose()
    chance, acknowledged = random.Random(20261130), list[list[str]]()
    for _ in range(KILLS):
        acknowledged += killed_during_saves(started(url, "new", "Ada", 100_000), chance.uniform(0, 0.15))
        assert_whole(url, acknowledged)
    scenario_id = acknowledged[0][1]
    for turn in range(3):  # each writes texts of its own: to save the latest text again is no new version
        other = started(url, scenario_id, f"Bo{turn}", 1_000)
        cy = started(url, scenario_id, f"Cy{turn}", 1_000)
        acknowledged += killed_during_saves(cy, chance.uniform(0.1, 0.4))
        acknowledged += killed_during_saves(other, 0.0)
        assert_whole(url, acknowledged)
    assert len({(words[1], words[2]) for words in acknowledged}) == len(acknowledged), "a number given twice"


def test_two_writers_at_once_lose_nothing(url: str) -> None:
    """Both save the same scenario as fast as they can; each acknowledged number is one writer's only."""
    store = open_store(url)
    scenario_id = scenarios.save(store, ONE, "Ada").scenario_id
    store.engine.dispose()
    writers = [started(url, scenario_id, author, 1_000) for author in ("Ada", "Bo")]
    said = [lines(writer) for writer in writers]
    acknowledged = [next(words) for words in said]  # a busy machine starts them late
    for writer in writers:
        threading.Timer(3.0, writer.terminate).start()
    acknowledged += [words for each in said for words in each]
    for writer in writers:
        writer.wait()
    assert [words[0] for words in acknowledged if words[0] != "saved"] == []
    assert len({words[2] for words in acknowledged}) == len(acknowledged) > 10
    assert_whole(url, acknowledged)


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_store_at_its_file_size_limit_keeps_what_it_acknowledged(url: str) -> None:
    writer = started(url, "new", "Ada", 40_000, most_bytes=1_000_000)
    *acknowledged, refused = list(lines(writer))
    assert writer.wait() == 0
    assert refused[0] == "refused"
    assert "is full; free some space, then save again" in " ".join(refused)
    assert len(acknowledged) > 10
    assert_whole(url, acknowledged)
    store = open_store(url)  # without the limit it takes the next save
    head = scenarios.version(store, acknowledged[0][1])
    assert scenarios.save(store, ONE, "Ada", "", head.origin).number == head.number + 1


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_store_of_the_most_pages_keeps_what_it_acknowledged(store: Store, url: str) -> None:
    @sa.event.listens_for(store.engine, "connect")
    def _limit(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 60").close()

    head, texts = scenarios.save(store, ONE, "Ada"), [ONE]
    with pytest.raises(LibraryError, match="is full; free some space"):
        for number in range(100):
            text = f'name = "One"\n# {number}{"x" * 9_000}\n'
            head = scenarios.save(store, text, "Ada", "", head.origin)
            texts.append(text)
    assert len(texts) > 10
    fresh = open_store(url)
    assert [v.text for v in scenarios.history(fresh, head.scenario_id)] == texts[::-1]
    assert scenarios.save(fresh, ONE, "Ada", "", head.origin).number == head.number + 1


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_library_locked_by_another_program_says_so_and_works_afterwards(url: str, store: Store) -> None:
    first = scenarios.save(store, ONE, "Ada")
    hasty = open_store(url, wait_s=0.3)
    other = sqlite3.connect(store.engine.url.database or "", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    with pytest.raises(LibraryError, match="in use by another program; try again"):
        scenarios.save(hasty, ONE + "a = 1\n", "Ada", "", first.origin)
    with pytest.raises(LibraryError, match="in use by another program; try again"):
        scenarios.entries(hasty)
    assert time.monotonic() - began < 5
    other.execute("ROLLBACK")
    other.close()
    assert scenarios.save(hasty, ONE + "a = 1\n", "Ada", "", first.origin).number == 2


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_table_locked_by_another_program_says_so_and_works_afterwards(url: str, store: Store) -> None:
    first = scenarios.save(store, ONE, "Ada")
    hasty = open_store(url, wait_s=0.3)
    with store.writing() as other:
        other.execute(sa.text("LOCK TABLE scenarios IN ACCESS EXCLUSIVE MODE"))
        with pytest.raises(LibraryError, match="in use by another program; try again"):
            scenarios.save(hasty, ONE + "a = 1\n", "Ada", "", first.origin)
    assert scenarios.save(hasty, ONE + "a = 1\n", "Ada", "", first.origin).number == 2
    hasty.engine.dispose()
