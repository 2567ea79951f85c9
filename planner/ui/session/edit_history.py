"""Undo and redo as frozen values, apart from the page: steps back and forth between whole scenarios."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from planner.library import scenarios

MOST_STEPS = 50
_MOST_CHARACTERS = 200_000  # of the history as it is kept: the oldest steps go first


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The scenario as it stood, as it was opened, and where it came from."""

    text: str
    opened: str
    origin: scenarios.Origin | None = None


@dataclass(frozen=True, slots=True)
class Edits:
    """Where the user is: the scenario now, what undo goes back to (last first), what redo goes to."""

    now: Snapshot
    undo: tuple[Snapshot, ...] = ()
    redo: tuple[Snapshot, ...] = ()


def recorded(edits: Edits, now: Snapshot) -> Edits:
    """After an edit: a step that undo takes back. What is no edit, such as a save, is no step."""
    if now.text == edits.now.text:
        return replace(edits, now=now)
    return Edits(now, (edits.now, *edits.undo)[:MOST_STEPS], ())


def undone(edits: Edits) -> Edits:
    """One step back; the same where there is none."""
    if not edits.undo:
        return edits
    first, *rest = edits.undo
    return Edits(_kept_origin(first, edits.now), tuple(rest), (edits.now, *edits.redo))


def redone(edits: Edits) -> Edits:
    """One step forth; the same where there is none."""
    if not edits.redo:
        return edits
    first, *rest = edits.redo
    return Edits(_kept_origin(first, edits.now), (edits.now, *edits.undo)[:MOST_STEPS], tuple(rest))


def _kept_origin(step: Snapshot, now: Snapshot) -> Snapshot:
    """A step within one scenario of the library stays at the version that was saved since."""
    same = step.origin and now.origin and step.origin.scenario_id == now.origin.scenario_id
    return replace(step, origin=now.origin, opened=now.opened) if same else step


def dumped(edits: Edits) -> str:
    """The steps as JSON, each text once; as many as there is room for, the nearest first."""
    for most in (MOST_STEPS, 20, 8, 3, 0):
        texts: dict[str, int] = {}
        steps = [
            [[_place(texts, s.text), _place(texts, s.opened), _origin(s)] for s in side[:most]]
            for side in (edits.undo, edits.redo)
        ]
        found = json.dumps({"texts": list(texts), "undo": steps[0], "redo": steps[1]})
        if len(found) <= _MOST_CHARACTERS:
            break
    return found


def loaded(text: str | None, now: Snapshot) -> Edits:
    """The steps from their JSON; none where it cannot be read."""
    try:
        kept = json.loads(text or "{}")
        texts = kept.get("texts", [])
        undo, redo = (
            tuple(
                Snapshot(texts[now_], texts[opened], scenarios.Origin(*where) if where else None)
                for now_, opened, where in kept[side]
            )
            for side in ("undo", "redo")
        )
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return Edits(now)
    return Edits(now, undo, redo)


def _place(texts: dict[str, int], text: str) -> int:
    return texts.setdefault(text, len(texts))


def _origin(snapshot: Snapshot) -> list[str | int] | None:
    found = snapshot.origin
    return None if found is None else [found.scenario_id, found.version]
