"""What people have typed and not saved as a version yet, kept after every edit.

A draft is named by a random id that stands in the page's address. Its parts: ``opened``, the scenario as it
was opened; ``edited``, as typed since, faults and all; ``planned``, the last one that had an answer;
``origin``, the version of the library that it came from; ``history``, what undo and redo go back to. Its
revision counts its saves: a session that does not know the latest revision does not overwrite it.
"""

from __future__ import annotations

import datetime as dt
import re
import secrets
from collections.abc import Mapping

import sqlalchemy as sa

from planner.library.scenarios import MAX_BYTES
from planner.library.store import Store
from planner.library.tables import draft_parts, drafts

PARTS = ("opened", "edited", "planned", "origin", "history")
_ID = re.compile(r"[0-9a-f]{32}")


class DraftTakenError(Exception):
    """Another session has changed the draft since."""


def new_id() -> str:
    """A random draft id: 32 hexadecimal digits."""
    return secrets.token_hex(16)


def is_id(text: str | None) -> bool:
    """Whether the text is a draft id. Nothing else ever names a draft."""
    return text is not None and _ID.fullmatch(text) is not None


def save(store: Store, draft_id: str, parts: Mapping[str, str], revision: int | None) -> int:
    """Writes the given parts whole or not at all; returns the new revision.

    ``revision`` is the one that the session knows, 0 for a draft not yet kept; None overwrites what is
    there. Raises DraftTakenError, ValueError for a bad id, part or size, LibraryError.
    """
    _check(draft_id, parts)
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


def _check(draft_id: str, parts: Mapping[str, str]) -> None:
    if not is_id(draft_id) or not set(parts) <= set(PARTS):
        raise ValueError("not a draft id or part")
    if any(len(text.encode("utf-8")) > MAX_BYTES for text in parts.values()):
        raise ValueError("the scenario is too large to keep")
    if any("\x00" in text for text in parts.values()):
        raise ValueError("the scenario holds a character that cannot be kept")


def load(store: Store, draft_id: str | None) -> tuple[dict[str, str], int]:
    """The parts of a draft and its revision; no parts and 0 where it is not kept. Raises LibraryError."""
    if not is_id(draft_id):
        return {}, 0
    with store.reading() as connection:
        revision = connection.scalar(sa.select(drafts.c.revision).where(drafts.c.id == draft_id)) or 0
        query = sa.select(draft_parts.c.part, draft_parts.c.text).where(draft_parts.c.draft_id == draft_id)
        return {row.part: row.text for row in connection.execute(query)}, revision
