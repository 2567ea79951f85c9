"""Drafts as the tests of the pages put them into the library and find them there."""

from __future__ import annotations

from planner.library import drafts
from planner.library.store import library


def put(draft_id: str, part: str, text: str) -> None:
    drafts.save(library(), draft_id, {part: text}, None)


def got(draft_id: str, part: str) -> str | None:
    return drafts.load(library(), draft_id)[0].get(part)
