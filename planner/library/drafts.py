"""What people have typed and not saved as a version yet, kept after every edit.

A draft is named by a random id that stands in the page's address, and has parts of text. Its revision
counts its saves: a session that does not know the latest revision does not overwrite it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

import sqlalchemy as sa

from planner.library.store import Store
from planner.library.tables import draft_parts, drafts, settings


class DraftTakenError(Exception):
    """Another session has changed the draft since."""


def save(store: Store, draft_id: str, parts: Mapping[str, str], revision: int | None) -> int:
    """Writes the given parts whole or not at all; returns the new revision.

    ``revision`` is the one that the session knows, 0 for a draft not yet kept; None overwrites what is
    there. Raises DraftTakenError, LibraryError.
    """
    now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
    with store.writing() as connection:
        query = sa.select(drafts.c.revision).where(drafts.c.id == draft_id).with_for_update()
        known = connection.scalar(query) or 0
        if revision is not None and revision != known:
            raise DraftTakenError
        if known:
            connection.execute(
                sa.update(drafts).where(drafts.c.id == draft_id).values(revision=known + 1, changed_at=now)
            )
        else:
            connection.execute(sa.insert(drafts).values(id=draft_id, revision=1, changed_at=now))
        names = list(parts)
        connection.execute(
            sa.delete(draft_parts).where(draft_parts.c.draft_id == draft_id, draft_parts.c.part.in_(names))
        )
        rows = [{"draft_id": draft_id, "part": part, "text": text} for part, text in parts.items()]
        connection.execute(sa.insert(draft_parts), rows)
        return known + 1


def load(store: Store, draft_id: str) -> tuple[dict[str, str], int]:
    """The parts of a draft and its revision; no parts and 0 where it is not kept. Raises LibraryError."""
    with store.reading() as connection:
        revision = connection.scalar(sa.select(drafts.c.revision).where(drafts.c.id == draft_id)) or 0
        query = sa.select(draft_parts.c.part, draft_parts.c.text).where(draft_parts.c.draft_id == draft_id)
        return {row.part: row.text for row in connection.execute(query)}, revision


def setting(store: Store, key: str) -> str | None:
    """A setting of this library. Raises LibraryError."""
    with store.reading() as connection:
        found: str | None = connection.scalar(sa.select(settings.c.value).where(settings.c.key == key))
        return found


def set_setting(store: Store, key: str, value: str) -> None:
    """Keeps a setting of this library. Raises LibraryError."""
    with store.writing() as connection:
        connection.execute(sa.delete(settings).where(settings.c.key == key))
        connection.execute(sa.insert(settings).values(key=key, value=value))
