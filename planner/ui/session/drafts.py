"""What the user has typed, kept in the library's store so that a reload of the page loses nothing.

A draft is named by a random id that stands in the page's address. Its parts: ``opened``, the
scenario as it was opened; ``edited``, as typed since, faults and all; ``planned``, the last one that
had an answer; ``origin``, the version of the library that it came from; ``history``, what undo and redo
go back to.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from planner.library import drafts as kept
from planner.library.store import LibraryError, library

MAX_BYTES = 512 * 1024  # a scenario is a few kilobytes
PARTS = ("opened", "edited", "planned", "origin", "history")
_ID = re.compile(r"[0-9a-f]{32}")


def new_id() -> str:
    """A random draft id: 32 hexadecimal digits."""
    return secrets.token_hex(16)


def is_id(text: str | None) -> bool:
    """Whether the text is a draft id. Nothing else ever names a draft."""
    return text is not None and _ID.fullmatch(text) is not None


def save_parts(draft_id: str, parts: Mapping[str, str], revision: int | None) -> int:
    """Writes parts whole or not at all; returns the draft's new revision.

    Raises DraftTakenError where ``revision`` is not the latest, ValueError for a bad id, part or size,
    LibraryError.
    """
    if not is_id(draft_id) or not set(parts) <= set(PARTS):
        raise ValueError("not a draft id or part")
    if any(len(text.encode("utf-8")) > MAX_BYTES for text in parts.values()):
        raise ValueError("the scenario is too large to keep")
    if any("\x00" in text for text in parts.values()):
        raise ValueError("the scenario holds a character that cannot be kept")
    return kept.save(library(), draft_id, parts, revision)


def load_parts(draft_id: str | None) -> tuple[dict[str, str], int]:
    """Every part of a draft and its revision; none and 0 where there is no such draft.

    Raises LibraryError.
    """
    if draft_id is None or not is_id(draft_id):
        return {}, 0
    return kept.load(library(), draft_id)


def save(draft_id: str, part: str, text: str) -> None:
    """Writes one part, whatever the revision. Raises as ``save_parts``."""
    save_parts(draft_id, {part: text}, None)


def load(draft_id: str | None, part: str) -> str | None:
    """The text of one part; None where nothing readable is kept under that id."""
    try:
        return load_parts(draft_id)[0].get(part)
    except LibraryError:
        return None


def read_shipped(path: Path) -> str:
    """The text of a shipped scenario."""
    return path.read_text(encoding="utf-8")
