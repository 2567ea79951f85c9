"""Scenarios and their versions. A version never changes; a save adds one or is refused."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
import tomllib
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from planner.library.store import LibraryError, Store
from planner.library.tables import scenarios, versions
from planner.scenario.write import dump_document

MAX_BYTES = 512 * 1024  # a scenario is a few kilobytes
_MOST_NAME, _MOST_NOTE = 200, 2000


@dataclass(frozen=True, slots=True)
class Entry:
    """A scenario of the library as a list shows it: its latest version, and since when it is deleted."""

    id: str
    name: str
    head: int
    author: str
    note: str
    saved_at: str
    deleted_at: str | None


@dataclass(frozen=True, slots=True)
class Version:
    """One save: immutable. ``started_from`` is the version that its author had opened."""

    scenario_id: str
    number: int
    started_from: int | None
    name: str
    author: str
    note: str
    saved_at: str
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The version of the library that a scenario was opened from or last saved as."""

    scenario_id: str
    version: int


class ConflictError(LibraryError):
    """Somebody saved the scenario after the version that this save started from."""

    def __init__(self, started_from: int | None, head: Version) -> None:
        super().__init__(
            f"{head.author} saved version {head.number} after version {started_from}, which you opened"
        )
        self.started_from = started_from
        self.head = head


def entries(store: Store, deleted: bool = False) -> tuple[Entry, ...]:
    """The scenarios of the library, or of its trash, latest save first. Raises LibraryError."""
    in_trash = scenarios.c.deleted_at.is_not(None) if deleted else scenarios.c.deleted_at.is_(None)
    head = sa.and_(versions.c.scenario_id == scenarios.c.id, versions.c.number == scenarios.c.head)
    columns = (
        scenarios.c.id, scenarios.c.name, scenarios.c.head, versions.c.author, versions.c.note,
        versions.c.saved_at, scenarios.c.deleted_at,
    )  # fmt: skip
    query = sa.select(*columns).select_from(scenarios.join(versions, head)).where(in_trash)
    with store.reading() as connection:
        rows = connection.execute(query.order_by(versions.c.saved_at.desc(), scenarios.c.id)).all()
    return tuple(Entry(*row) for row in rows)


def history(store: Store, scenario_id: str) -> tuple[Version, ...]:
    """Every version of a scenario, latest first. Raises LibraryError."""
    query = sa.select(*versions.c).where(versions.c.scenario_id == scenario_id)
    with store.reading() as connection:
        rows = connection.execute(query.order_by(versions.c.number.desc())).all()
    return tuple(_whole(Version(*row)) for row in rows)


def version(store: Store, scenario_id: str, number: int | None = None) -> Version:
    """One version, the latest where no number is given. Raises LibraryError where there is none."""
    with store.reading() as connection:
        return _version(connection, scenario_id, number)


def save(
    store: Store, text: str, author: str, note: str = "", scenario_id: str | None = None,
    started_from: int | None = None,
) -> Version:  # fmt: skip
    """Saves a scenario's text as a new version, of a new scenario where no id is given.

    ``started_from`` is the version that was edited; where it is no longer the latest, nothing is
    saved and ConflictError carries the latest. Saving the latest text again returns that version, so a save
    whose answer was lost can be repeated. Raises LibraryError.
    """
    name, author, note = _checked(text, author, note)
    with store.writing() as connection:
        if scenario_id is None:
            return _create(connection, name, author, note, text)
        row = connection.execute(
            sa.select(scenarios.c.head, scenarios.c.deleted_at)
            .where(scenarios.c.id == scenario_id)
            .with_for_update()
        ).first()
        if row is None:
            raise LibraryError("the library has no such scenario; save yours as a new one")
        if row.deleted_at is not None:
            raise LibraryError("the scenario is in the trash; bring it back or save yours as a new one")
        head = _version(connection, scenario_id, row.head)
        if head.text == text:
            return head
        if started_from != head.number:
            raise ConflictError(started_from, head)
        new = _stamped(scenario_id, head.number + 1, head.number, name, author, note, text)
        _add(connection, new)
        connection.execute(
            sa.update(scenarios).where(scenarios.c.id == scenario_id).values(head=new.number, name=name)
        )
        return new


def duplicate(store: Store, scenario_id: str, number: int, author: str) -> Version:
    """A new scenario from a version of another, named as its copy. Raises LibraryError."""
    source = version(store, scenario_id, number)
    note = f"Copied from version {source.number} of {source.name}"
    return save(store, renamed_text(source.text, f"Copy of {source.name}"), author, note[:_MOST_NOTE])


def rename(store: Store, scenario_id: str, name: str, author: str, started_from: int) -> Version:
    """A version with another name and nothing else changed. Raises LibraryError, ConflictError."""
    source = version(store, scenario_id, started_from)
    note = f"Renamed from {source.name}"
    return save(store, renamed_text(source.text, name), author, note, scenario_id, started_from)


def delete(store: Store, scenario_id: str) -> None:
    """Moves a scenario into the trash, with all its versions. Raises LibraryError."""
    _set_deleted(store, scenario_id, _now())


def bring_back(store: Store, scenario_id: str) -> None:
    """Takes a scenario out of the trash. Raises LibraryError."""
    _set_deleted(store, scenario_id, None)


def renamed_text(text: str, name: str) -> str:
    """The scenario with another name."""
    return dump_document({**_document(text), "name": name.strip()[:_MOST_NAME]})


def _set_deleted(store: Store, scenario_id: str, when: str | None) -> None:
    change = sa.update(scenarios).where(scenarios.c.id == scenario_id).values(deleted_at=when)
    with store.writing() as connection:
        if connection.execute(change).rowcount != 1:
            raise LibraryError("the library has no such scenario")


def _checked(text: str, author: str, note: str) -> tuple[str, str, str]:
    if "\x00" in text + author + note:
        raise LibraryError("the scenario holds a character that cannot be kept")
    if len(text.encode()) > MAX_BYTES:
        raise LibraryError(f"the scenario is larger than {MAX_BYTES // 1024} KiB")
    name = str(_document(text).get("name", "")).strip()
    if not name:
        raise LibraryError("a scenario needs a name to be saved")
    if not author.strip():
        raise LibraryError("a save needs its author's name")
    return name, author.strip()[:_MOST_NAME], note.strip()[:_MOST_NOTE]


def _document(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise LibraryError(f"the scenario is not TOML: {error}") from None


def _create(connection: sa.Connection, name: str, author: str, note: str, text: str) -> Version:
    new = _stamped(secrets.token_hex(6), 1, None, name, author, note, text)
    connection.execute(sa.insert(scenarios).values(id=new.scenario_id, name=name, head=1, deleted_at=None))
    _add(connection, new)
    return new


def _stamped(
    scenario_id: str, number: int, started_from: int | None, name: str, author: str, note: str, text: str
) -> Version:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Version(scenario_id, number, started_from, name, author, note, _now(), sha256, text)


def _add(connection: sa.Connection, new: Version) -> None:
    row = {column.name: getattr(new, column.name) for column in versions.c}
    connection.execute(sa.insert(versions).values(**row))


def _version(connection: sa.Connection, scenario_id: str, number: int | None) -> Version:
    query = sa.select(*versions.c).where(versions.c.scenario_id == scenario_id)
    if number is not None:
        query = query.where(versions.c.number == number)
    row = connection.execute(query.order_by(versions.c.number.desc()).limit(1)).first()
    if row is None:
        raise LibraryError("the library has no such scenario or version")
    return _whole(Version(*row))


def _whole(found: Version) -> Version:
    if hashlib.sha256(found.text.encode()).hexdigest() != found.sha256:
        raise LibraryError(f"version {found.number} of {found.name} is damaged; open an earlier one")
    return found


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")


def text_of_file(data: bytes) -> str:
    """The text of a file that a user gave. Raises ValueError where it is too large or no UTF-8 text."""
    if len(data) > MAX_BYTES:
        raise ValueError("is too large for a scenario; half a megabyte is the most")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text; save it as UTF-8 and try again") from None
