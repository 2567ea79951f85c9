"""Scenarios and their versions. A version never changes; a save adds one or is refused."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from planner.library.store import LibraryError, Store
from planner.library.tables import scenarios, versions
from planner.scenario.write import dump_document
from planner.text.toml_document import TomlError, parsed

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
class Origin:
    """The version of the library that a scenario was opened from or last saved as."""

    scenario_id: str
    version: int


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

    @property
    def origin(self) -> Origin:
        """What a scenario that is opened from it comes from."""
        return Origin(self.scenario_id, self.number)


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


def save(store: Store, text: str, author: str, note: str = "", started_from: Origin | None = None) -> Version:
    """Saves a scenario's text as a new version, of a new scenario where it started from none.

    ``started_from`` is the version that was edited; where it is no longer the latest, nothing is
    saved and ConflictError carries the latest. Saving the latest text again returns that version, so a save
    whose answer was lost can be repeated. Raises LibraryError.
    """
    said = _checked(text, author, note)
    with store.writing() as connection:
        if started_from is None:
            return _add(connection, None, said, text)
        row = connection.execute(
            sa.select(scenarios.c.head, scenarios.c.deleted_at)
            .where(scenarios.c.id == started_from.scenario_id)
            .with_for_update()
        ).first()
        if row is None:
            raise LibraryError("the library has no such scenario; save yours as a new one")
        if row.deleted_at is not None:
            raise LibraryError("the scenario is in the trash; bring it back or save yours as a new one")
        head = _version(connection, started_from.scenario_id, row.head)
        if head.text == text:
            return head
        if started_from != head.origin:
            raise ConflictError(started_from.version, head)
        return _add(connection, head, said, text)


def duplicate(store: Store, scenario_id: str, number: int, author: str) -> Version:
    """A new scenario from a version of another, named as its copy. Raises LibraryError."""
    source = version(store, scenario_id, number)
    note = f"Copied from version {source.number} of {source.name}"
    return save(store, renamed_text(source.text, f"Copy of {source.name}"), author, note[:_MOST_NOTE])


def rename(store: Store, scenario_id: str, name: str, author: str, started_from: int) -> Version:
    """A version with another name and nothing else changed. Raises LibraryError, ConflictError."""
    source = version(store, scenario_id, started_from)
    note = f"Renamed from {source.name}"
    return save(store, renamed_text(source.text, name), author, note, source.origin)


def delete(store: Store, scenario_id: str) -> None:
    """Moves a scenario into the trash, with all its versions. Raises LibraryError."""
    _set_deleted(store, scenario_id, _now())


def bring_back(store: Store, scenario_id: str) -> None:
    """Takes a scenario out of the trash. Raises LibraryError."""
    _set_deleted(store, scenario_id, None)


def renamed_text(text: str, name: str) -> str:
    """The scenario with another name."""
    return dump_document({**document(text), "name": name.strip()[:_MOST_NAME]})


def _set_deleted(store: Store, scenario_id: str, when: str | None) -> None:
    change = sa.update(scenarios).where(scenarios.c.id == scenario_id).values(deleted_at=when)
    with store.writing() as connection:
        if connection.execute(change).rowcount != 1:
            raise LibraryError("the library has no such scenario")


class _Said(NamedTuple):
    """What a save says beside the text."""

    name: str
    author: str
    note: str


def _checked(text: str, author: str, note: str) -> _Said:
    if "\x00" in text + author + note:
        raise LibraryError("the scenario holds a character that cannot be kept")
    if len(text.encode()) > MAX_BYTES:
        raise LibraryError(f"the scenario is larger than {MAX_BYTES // 1024} KiB")
    name = " ".join(str(document(text).get("name", "")).split())
    if not name:
        raise LibraryError("a scenario needs a name to be saved")
    if not author.strip():
        raise LibraryError("a save needs its author's name")
    return _Said(name, author.strip()[:_MOST_NAME], note.strip()[:_MOST_NOTE])


def document(text: str) -> dict[str, Any]:
    """The document in a version's text. Raises LibraryError where that is none."""
    try:
        return parsed(text)
    except TomlError as error:
        raise LibraryError(f"the scenario {error}") from error


def _add(connection: sa.Connection, head: Version | None, said: _Said, text: str) -> Version:
    """The version after ``head``, or the first one of a new scenario."""
    new = Version(
        scenario_id=head.scenario_id if head else secrets.token_hex(6),
        number=head.number + 1 if head else 1,
        started_from=head.number if head else None,
        name=said.name,
        author=said.author,
        note=said.note,
        saved_at=_now(),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        text=text,
    )
    listed = {"name": new.name, "head": new.number}
    if head is None:
        connection.execute(sa.insert(scenarios).values(id=new.scenario_id, deleted_at=None, **listed))
    else:
        connection.execute(sa.update(scenarios).where(scenarios.c.id == new.scenario_id).values(**listed))
    row = {column.name: getattr(new, column.name) for column in versions.c}
    connection.execute(sa.insert(versions).values(**row))
    return new


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
