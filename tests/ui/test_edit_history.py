"""Undo and redo: every edit one step, within bounds, across a save and a reload."""

from __future__ import annotations

from planner.library.scenarios import Origin
from planner.ui.session.edit_history import (
    MOST_STEPS,
    Edits,
    Snapshot,
    dumped,
    loaded,
    recorded,
    redone,
    undone,
)

START = Snapshot("a", "a")


def after(*texts: str) -> Edits:
    edits = Edits(START)
    for text in texts:
        edits = recorded(edits, Snapshot(text, "a"))
    return edits


def test_undo_and_redo_walk_through_every_edit() -> None:
    edits = after("b", "c", "c")
    assert [s.text for s in edits.undo] == ["b", "a"], "no edit, no step"
    back = undone(undone(edits))
    assert (back.now, [s.text for s in back.redo]) == (START, ["b", "c"])
    assert undone(back) == back
    assert redone(redone(back)) == edits
    assert redone(edits) == edits


def test_an_edit_after_an_undo_ends_what_redo_had() -> None:
    edits = recorded(undone(after("b", "c")), Snapshot("d", "a"))
    assert (edits.redo, [s.text for s in edits.undo]) == ((), ["b", "a"])


def test_the_oldest_steps_are_forgotten() -> None:
    edits = after(*map(str, range(MOST_STEPS + 5)))
    assert len(edits.undo) == MOST_STEPS
    assert edits.undo[-1].text == "4"


def test_undo_past_a_save_keeps_the_version_that_a_save_would_start_from() -> None:
    """Without the rule the next save starts from version 1 and collides with one's own version 2."""
    opened, saved = Origin("x", 1), Origin("x", 2)
    edits = recorded(Edits(Snapshot("a", "a", opened)), Snapshot("b", "a", opened))
    edits = recorded(edits, Snapshot("b", "b", saved))
    assert len(edits.undo) == 1
    assert undone(edits).now == Snapshot("a", "b", saved)
    other = recorded(edits, Snapshot("z", "z", Origin("y", 1)))
    assert undone(other).now == Snapshot("b", "b", saved), "another scenario is left altogether"


def test_steps_outlast_a_reload() -> None:
    edits = undone(recorded(after("b", "c"), Snapshot("d", "d", Origin("x", 3))))
    assert loaded(dumped(edits), edits.now) == edits
    for broken in (
        None,
        "",
        "[]",
        "{",
        '{"undo": [[1, 2]]}',
        '{"texts": [], "undo": [[0, 0, null]], "redo": []}',
    ):
        assert loaded(broken, START) == Edits(START)


def test_a_large_history_is_cut_to_what_can_be_kept() -> None:
    edits = after(*(f"{i}{'x' * 9_000}" for i in range(40)))
    kept = loaded(dumped(edits), edits.now)
    assert kept.undo == edits.undo[:20]
