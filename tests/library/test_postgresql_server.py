"""The database server itself dies, or cannot write any more. A PostgreSQL apart from the other tests'."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Protocol

import pytest

from planner.library import scenarios
from planner.library.scenarios import Version
from planner.library.store import LibraryError, open_store

ONE = 'schema = 1\nname = "One"\n'
MOST_BYTES = 17 * 1024 * 1024  # its write-ahead log is in files of 16 MiB


class Server(Protocol):
    """What ``conftest.Server`` offers."""

    folder: Path

    def url(self, database: str) -> str: ...
    def run(self, program: str, *arguments: str) -> None: ...
    def start(self, limits: tuple[str, ...] = ()) -> None: ...
    def stop(self, mode: str) -> None: ...


@pytest.fixture
def url(server: Server, request: pytest.FixtureRequest) -> str:
    database = f"own_{abs(hash(request.node.name))}"
    server.run("createdb", "-h", str(server.folder), "-U", "planner", database)
    return server.url(database)


def noise(seed: int, size: int) -> str:
    return f'name = "One"\n# {random.Random(seed).randbytes(size // 2).hex()}\n'


def test_a_server_that_dies_and_recovers_has_every_acknowledged_version(server: Server, url: str) -> None:
    store = open_store(url)
    head, kept = scenarios.save(store, ONE, "Ada"), list[Version]()
    kept.append(head)
    for crash in range(3):
        for number in range(5):
            text = noise(10 * crash + number, 50_000)
            head = scenarios.save(store, text, "Ada", "", head.origin)
            kept.append(head)
        server.stop("immediate")
        with pytest.raises(LibraryError, match="cannot be reached; look whether its server runs"):
            scenarios.save(store, ONE, "Ada", "", head.origin)
        server.start()
        assert scenarios.history(store, head.scenario_id) == tuple(reversed(kept)), "the same store goes on"
    store.engine.dispose()


def test_a_server_that_cannot_write_any_more_keeps_what_it_acknowledged(server: Server, url: str) -> None:
    """A limit on the size of its files stands for a full disk."""
    store = open_store(url)
    head = scenarios.save(store, ONE, "Ada")
    kept = [head]
    server.stop("fast")
    server.start(limits=("prlimit", f"--fsize={MOST_BYTES}"))
    with pytest.raises(LibraryError, match="is full; free some space"):
        for number in range(80):
            head = scenarios.save(store, noise(number, 500_000), "Ada", "", head.origin)
            kept.append(head)
    server.stop("immediate")
    server.start()
    assert scenarios.history(store, head.scenario_id) == tuple(reversed(kept))
    assert len(kept) > 10
    assert scenarios.save(store, ONE, "Ada", "", head.origin).number == head.number + 1
    store.engine.dispose()
