"""Opening the library's database and running transactions on it.

SQLite keeps a rollback journal rather than a write-ahead log: the library is then one file whenever
nobody writes, which can be copied and may lie on a network folder; ``synchronous = EXTRA`` makes an
acknowledged save outlast a power cut. Transactions are short, so readers seldom wait.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import sqlalchemy as sa
from platformdirs import user_data_dir
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from planner.library import tables

HOME = "FABRIC_PLANNER_HOME"
DATABASE_URL = "FABRIC_PLANNER_DATABASE_URL"
FILE = "library.db"
WAIT_S = 5.0  # for another program's lock
_TURN_S = 120.0  # for the others of this program, each of which takes milliseconds
_UPGRADE_LOCK = 0x6661627269  # any number, the same for every process
_WRITES = "writes"


class LibraryError(Exception):
    """The library did not do what was asked: one sentence that says why and what helps."""


@dataclass(frozen=True, slots=True)
class Store:
    """An open library. ``place`` says where it is, without a password."""

    engine: sa.Engine
    place: str

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that only reads. Raises LibraryError."""
        with _in_words(self.place), self._in_turn(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that is committed at the end, whole or not at all. Raises LibraryError."""
        engine = self.engine.execution_options(**{_WRITES: True})
        with _in_words(self.place), self._in_turn(), engine.begin() as connection:
            yield connection

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """SQLite takes one transaction at a time and lets others poll, so that of many sessions some would
        find it locked for seconds: those of this process stand in line. A server keeps order itself."""
        if self.engine.dialect.name != "sqlite":
            yield
            return
        turn = _turn(self.place)
        if not turn.acquire(timeout=_TURN_S):
            raise LibraryError(f"the library {self.place} is busy; try again in a moment")
        try:
            yield
        finally:
            turn.release()


def setting(store: Store, key: str) -> str | None:
    """A setting of this library. Raises LibraryError."""
    with store.reading() as connection:
        query = sa.select(tables.settings.c.value).where(tables.settings.c.key == key)
        found: str | None = connection.scalar(query)
        return found


def set_setting(store: Store, key: str, value: str) -> None:
    """Keeps a setting of this library. Raises LibraryError."""
    with store.writing() as connection:
        connection.execute(sa.delete(tables.settings).where(tables.settings.c.key == key))
        connection.execute(sa.insert(tables.settings).values(key=key, value=value))


def home_dir() -> Path:
    """Where the app keeps its data: FABRIC_PLANNER_HOME where set, else the user's data folder."""
    home = os.environ.get(HOME)
    return Path(home) if home else Path(user_data_dir("fabric-planner"))


def library() -> Store:
    """The library that the environment names, opened once. Raises LibraryError."""
    url = os.environ.get(DATABASE_URL) or f"sqlite:///{home_dir() / FILE}"
    return _opened(url)


@cache
def _turn(_place: str) -> threading.Lock:
    """The line of this process before one library."""
    return threading.Lock()


@lru_cache(maxsize=8)
def _opened(url: str) -> Store:
    return open_store(url)


def open_store(url: str, wait_s: float = WAIT_S) -> Store:
    """Opens a SQLite or PostgreSQL library by its URL, and brings its schema up to date.

    ``wait_s``: how long a transaction waits for another program's lock. Raises LibraryError.
    """
    try:
        asked = make_url(url)
    except ArgumentError:
        raise LibraryError(f"{DATABASE_URL} is not a database URL; write postgresql://…") from None
    kind = asked.get_backend_name()
    if kind not in ("sqlite", "postgresql"):
        raise LibraryError(f'the library cannot be kept in "{kind}"; sqlite and postgresql are known')
    store = _sqlite(asked, wait_s) if kind == "sqlite" else _postgresql(asked, wait_s)
    try:
        with store.writing() as connection:
            _prepare(connection, store.place)
    except LibraryError:
        store.engine.dispose()
        raise
    return store


def _sqlite(url: sa.URL, wait_s: float) -> Store:
    if url.database:
        try:
            Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(f"the library's folder cannot be made: {error}") from error
    engine = sa.create_engine(url, poolclass=sa.NullPool, connect_args={"timeout": wait_s})

    @sa.event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # SQLAlchemy's "begin" below says when a transaction starts
        for setting in ("synchronous = EXTRA", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {setting}").close()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        # A writer takes its lock at once: two that read first and write later would deadlock.
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return Store(engine, str(url.database))


def _postgresql(url: sa.URL, wait_s: float) -> Store:
    try:
        engine = sa.create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,  # a restarted server costs nobody a failed save
            connect_args={
                "connect_timeout": 10,
                "options": f"-c lock_timeout={int(wait_s * 1000)} -c synchronous_commit=on",
            },
        )
    except ImportError:
        raise LibraryError('PostgreSQL needs its driver; pip install "fabric-planner[postgres]"') from None
    return Store(engine, url.render_as_string(hide_password=True))


def _prepare(connection: sa.Connection, place: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_UPGRADE_LOCK)))
    else:
        said = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if said != "ok":
            raise LibraryError(f"the library {place} is damaged ({said}); put back a copy of it")
    try:
        known = tables.schema_of(connection)
    except ValueError as error:
        raise LibraryError(f"the library {place} is damaged ({error}); put back a copy of it") from error
    if known > len(tables.STEPS):
        raise LibraryError(f"the library {place} was written by a newer planner; install that one")
    if known < len(tables.STEPS):
        tables.upgrade(connection, known)


@contextmanager
def _in_words(place: str) -> Iterator[None]:
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:  # the latter while a connection is set up
        raise LibraryError(f"the library {place} {_why(error)}") from error


def _why(error: Exception) -> str:
    said = str(error.orig if isinstance(error, DBAPIError) and error.orig else error).strip()
    lower = said.lower()
    reasons = (
        ("is in use by another program; try again in a moment", ("locked", "lock timeout", "busy")),
        ("is full; free some space, then save again",
         ("full", "no space", "could not extend", "could not write", "disk i/o")),
        ("may only be read; ask for the right to write", ("readonly", "read-only", "permission denied")),
        ("cannot be reached; look whether its server runs", ("connection", "unable to open", "connect")),
        ("is damaged; put back a copy of it", ("malformed", "not a database", "corrupt")),
    )  # fmt: skip
    for reason, signs in reasons:
        if any(sign in lower for sign in signs):
            return f"{reason} ({said.splitlines()[0]})"
    return f"refused: {said.splitlines()[0] if said else type(error).__name__}"
