"""Versions never change, and nobody overwrites what somebody else saved; on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from planner.library import scenarios, tables
from planner.library.drafts import DraftTakenError, load, new_id, save
from planner.library.scenarios import ConflictError, Origin, Version
from planner.library.store import LibraryError, Store, open_store, set_setting, setting

ONE = 'schema = 1\nname = "One"\n'
TWO = 'schema = 1\nname = "One"\nbase_year = 2028\n'
THREE = 'schema = 1\nname = "One, größer"\nbase_year = 2029\n'


def test_every_save_is_a_version_that_can_be_read_back(store: Store) -> None:
    first = scenarios.save(store, ONE, " Ada ", "the start")
    second = scenarios.save(store, TWO, "Bo", "a year later", first.origin)
    assert (first.number, first.started_from, first.author, first.note) == (1, None, "Ada", "the start")
    assert (second.number, second.started_from, second.name) == (2, 1, "One")
    assert scenarios.version(store, first.scenario_id, 1).text == ONE
    assert scenarios.version(store, first.scenario_id).text == TWO
    assert [v.number for v in scenarios.history(store, first.scenario_id)] == [2, 1]
    (entry,) = scenarios.entries(store)
    assert (entry.name, entry.head, entry.author, entry.note) == ("One", 2, "Bo", "a year later")


def test_a_save_from_an_older_version_is_refused_and_shows_the_latest(store: Store) -> None:
    first = scenarios.save(store, ONE, "Ada")
    scenarios.save(store, TWO, "Bo", "", first.origin)
    with pytest.raises(ConflictError, match="Bo saved version 2 after version 1") as refused:
        scenarios.save(store, THREE, "Ada", "", first.origin)
    assert refused.value.head.text == TWO
    assert scenarios.version(store, first.scenario_id).text == TWO
    merged = scenarios.save(store, THREE, "Ada", "", Origin(first.scenario_id, 2))
    assert (merged.number, merged.started_from) == (3, 2)


def test_a_save_whose_answer_was_lost_can_be_repeated(store: Store) -> None:
    first = scenarios.save(store, ONE, "Ada")
    second = scenarios.save(store, TWO, "Ada", "", first.origin)
    assert scenarios.save(store, TWO, "Ada", "", first.origin) == second
    assert len(scenarios.history(store, first.scenario_id)) == 2


def test_of_two_saves_at_once_one_wins_and_the_other_is_told(store: Store) -> None:
    first = scenarios.save(store, ONE, "Ada")
    gate, results = threading.Barrier(2), list[Version | ConflictError]()

    def run(author: str) -> None:
        gate.wait()
        try:
            text = f'name = "by {author}"\n'
            results.append(scenarios.save(store, text, author, "", first.origin))
        except ConflictError as refused:
            results.append(refused)

    threads = [threading.Thread(target=run, args=(author,)) for author in ("Ada", "Bo")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (won,) = [r for r in results if isinstance(r, Version)]
    (lost,) = [r for r in results if isinstance(r, ConflictError)]
    assert won.number == 2
    assert lost.head == won
    assert scenarios.version(store, first.scenario_id) == won


def test_a_copy_is_a_scenario_of_its_own(store: Store) -> None:
    first = scenarios.save(store, ONE, "Ada")
    copy = scenarios.duplicate(store, first.scenario_id, 1, "Bo")
    assert copy.scenario_id != first.scenario_id
    assert (copy.name, copy.note, copy.number) == ("Copy of One", "Copied from version 1 of One", 1)
    assert {entry.name for entry in scenarios.entries(store)} == {"One", "Copy of One"}


def test_a_new_name_is_a_new_version(store: Store) -> None:
    first = scenarios.save(store, ONE, "Ada")
    named = scenarios.rename(store, first.scenario_id, "Uno", "Bo", 1)
    assert named.text == 'schema = 1\nname = "Uno"\n'
    assert (named.number, named.note) == (2, "Renamed from One")
    assert scenarios.version(store, first.scenario_id, 1).name == "One"
    assert scenarios.entries(store)[0].name == "Uno"


def test_what_is_deleted_lies_in_the_trash_and_comes_back_whole(store: Store) -> None:
    first = scenarios.save(store, ONE, "Ada")
    scenarios.save(store, TWO, "Ada", "", first.origin)
    scenarios.delete(store, first.scenario_id)
    assert scenarios.entries(store) == ()
    assert [entry.id for entry in scenarios.entries(store, deleted=True)] == [first.scenario_id]
    with pytest.raises(LibraryError, match="in the trash"):
        scenarios.save(store, THREE, "Ada", "", Origin(first.scenario_id, 2))
    scenarios.bring_back(store, first.scenario_id)
    assert [v.text for v in scenarios.history(store, first.scenario_id)] == [TWO, ONE]


@pytest.mark.parametrize(
    ("text", "author", "said"),
    [
        ('name = "x"', " ", "author's name"),
        ("schema = 1", "Ada", "needs a name"),
        ("= 1", "Ada", "not TOML"),
        ('name = "d"\nx' + ".x" * 100_000 + " = 1", "Ada", "nested too deeply"),
        ('name = "d"\na = ' + "[" * 200_000, "Ada", "nested too deeply"),
        ('name = "x"\n#' + "x" * scenarios.MAX_BYTES, "Ada", "larger than 512 KiB"),
        ('name = "x\x00"', "Ada", "cannot be kept"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_words(store: Store, text: str, author: str, said: str) -> None:
    with pytest.raises(LibraryError, match=said):
        scenarios.save(store, text, author)
    assert scenarios.entries(store) == ()


def test_a_version_that_was_tampered_with_is_not_shown(store: Store) -> None:
    first = scenarios.save(store, ONE, "Ada")
    with store.writing() as connection:
        connection.execute(sa.update(tables.versions).values(text=TWO))
    with pytest.raises(LibraryError, match="version 1 of One is damaged"):
        scenarios.version(store, first.scenario_id)


def test_a_draft_is_kept_and_never_overwritten_by_one_who_has_not_seen_it(store: Store) -> None:
    draft = new_id()
    assert load(store, draft) == ({}, 0)
    assert save(store, draft, {"edited": "a", "opened": "o"}, 0) == 1
    assert save(store, draft, {"edited": "b"}, 1) == 2
    with pytest.raises(DraftTakenError):
        save(store, draft, {"edited": "c"}, 1)
    assert load(store, draft) == ({"edited": "b", "opened": "o"}, 2)
    assert save(store, draft, {"edited": "d"}, None) == 3


def test_a_setting_is_kept(store: Store) -> None:
    assert setting(store, "author") is None
    set_setting(store, "author", "Ada")
    set_setting(store, "author", "Bo")
    assert setting(store, "author") == "Bo"


def test_an_older_store_is_brought_up_to_date_and_a_newer_one_refused(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = scenarios.save(store, ONE, "Ada")

    def add_colour(connection: sa.Connection) -> None:
        connection.execute(sa.text("ALTER TABLE scenarios ADD COLUMN colour VARCHAR(20) DEFAULT 'blue'"))

    def break_off(connection: sa.Connection) -> None:
        connection.execute(sa.text("ALTER TABLE scenarios ADD COLUMN half VARCHAR(20)"))
        raise LibraryError("broken off")

    with monkeypatch.context() as patch:
        patch.setattr(tables, "STEPS", (*tables.STEPS, break_off))
        with pytest.raises(LibraryError, match="broken off"):
            open_store(url)
        columns = {column["name"] for column in sa.inspect(store.engine).get_columns("scenarios")}
        assert "half" not in columns, "a step is taken whole or not at all"
        patch.setattr(tables, "STEPS", (*tables.STEPS[:-1], add_colour))
        newer = open_store(url)
        with newer.reading() as connection:
            assert connection.scalar(sa.text("SELECT colour FROM scenarios")) == "blue"
        assert scenarios.version(newer, first.scenario_id).text == ONE
        newer.engine.dispose()
    with pytest.raises(LibraryError, match="written by a newer planner"):
        open_store(url)


def test_what_is_no_library_is_refused_in_words(tmp_path: object) -> None:
    with pytest.raises(LibraryError, match="sqlite and postgresql are known"):
        open_store("mysql://localhost/x")
    with pytest.raises(LibraryError, match="not a database URL"):
        open_store("library.db")
    with pytest.raises(LibraryError, match="cannot be reached"):
        open_store(f"postgresql://planner:secret@/x?host={tmp_path}")
    with pytest.raises(LibraryError) as refused:
        open_store(f"postgresql://planner:secret@/x?host={tmp_path}")
    assert "secret" not in str(refused.value)


def test_a_library_whose_schema_is_no_number_is_damaged_in_words(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'library.db'}"
    store = open_store(url)
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE settings SET value = 'abc'")
    with pytest.raises(LibraryError, match=r"is damaged \(its schema is 'abc'\); put back a copy of it"):
        open_store(url)
