"""Report files: all of them or none, never half a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.report.write_files import write_all


def everything_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_texts_arrive_byte_for_byte_in_folders_that_were_missing(tmp_path: Path) -> None:
    write_all({tmp_path / "new" / "a.csv": "1\r\n", tmp_path / "b.json": "\N{GREEK SMALL LETTER MU}\n"})
    assert everything_in(tmp_path) == ["b.json", "new", "new/a.csv"]
    assert (tmp_path / "new" / "a.csv").read_bytes() == b"1\r\n"
    assert (tmp_path / "b.json").read_bytes() == b"\xce\xbc\n"


def test_where_one_target_cannot_be_written_no_other_is_changed(tmp_path: Path) -> None:
    (tmp_path / "kept.json").write_text("before")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_all({tmp_path / "kept.json": "after", tmp_path / "new.csv": "new", tmp_path / "folder": "x"})
    assert (tmp_path / "kept.json").read_text() == "before"
    assert everything_in(tmp_path) == ["folder", "kept.json"]


def test_a_link_stays_a_link_and_the_file_behind_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("before")
    (tmp_path / "link.json").symlink_to("real.json")
    write_all({tmp_path / "link.json": "after"})
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "after"


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_all({Path("/dev/null"): "gone"})
    assert Path("/dev/null").is_char_device()


def test_a_report_has_the_rights_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_all({tmp_path / "report": "text"})
    assert (tmp_path / "report").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_name_as_long_as_a_file_system_allows_is_written(tmp_path: Path) -> None:
    """The file beside the target must not have a longer name than it."""
    target = tmp_path / ("a" * 251 + ".csv")
    write_all({target: "x"})
    assert target.read_text() == "x"
    with pytest.raises(OSError, match="too long"):
        write_all({tmp_path / ("a" * 252 + ".csv"): "x"})
    assert list(tmp_path.iterdir()) == [target]


def test_half_a_character_is_written_as_its_escape(tmp_path: Path) -> None:
    r"""A file's name of bytes that are no UTF-8 comes as such: \xff as \udcff."""
    write_all({tmp_path / "a.csv": "given in \udcff.toml"})
    assert (tmp_path / "a.csv").read_text() == r"given in \udcff.toml"
