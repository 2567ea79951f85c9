"""What a path may lead to: regular files up to a size, and of a document's own folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pricing.guarded_files import NamedFiles, OutsideError, file_bytes, file_text


def test_a_regular_file_is_read_whole_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb")
    assert (file_bytes(path, 7), file_text(path)) == (b"\xef\xbb\xbfa\r\nb", "a\r\nb")
    with pytest.raises(OSError, match="is larger than 6 bytes"):
        file_bytes(path, 6)


def test_what_is_no_regular_file_is_never_opened(tmp_path: Path) -> None:
    """A device never ends, a pipe that nobody writes to never begins."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("/dev/zero")
    for path in (pipe, link, Path("/dev/zero"), Path("/dev/stdin")):
        with pytest.raises(OSError, match="is no regular file") as refused:
            file_bytes(path)
        assert refused.value.strerror
    with pytest.raises(IsADirectoryError, match="is a directory"):
        file_bytes(tmp_path)


def test_a_file_that_says_it_is_empty_is_bounded_all_the_same() -> None:
    """Files of /proc have the size 0 and hold something."""
    with pytest.raises(OSError, match="is larger than 3 bytes"):
        file_bytes(Path("/proc/self/stat"), 3)


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "\ud800", "a/" * 3000])
def test_a_name_that_no_file_has_is_a_plain_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError) as refused:
        file_bytes(tmp_path / name)
    assert refused.value.strerror
    with pytest.raises(OSError):
        file_bytes(NamedFiles(tmp_path).path(name))


def test_a_document_names_files_of_its_folder_and_those_given_outright(tmp_path: Path) -> None:
    inside, outside = tmp_path / "own", tmp_path / "other"
    inside.mkdir()
    outside.mkdir()
    (outside / "b.csv").write_text("b")
    (inside / "link.csv").symlink_to(outside / "b.csv")
    named = NamedFiles(inside)
    assert named.path("below/a.csv") == (inside / "below" / "a.csv").resolve()
    for name in ("../other/b.csv", str(outside / "b.csv"), "link.csv", "/proc/self/environ", ".."):
        with pytest.raises(OutsideError, match="lies outside"):
            named.path(name)
        with pytest.raises(OutsideError, match="is not read"):
            NamedFiles().path(name)
    for given in (outside, outside / "b.csv"):
        assert NamedFiles(inside, (given,)).path("../other/b.csv") == (outside / "b.csv").resolve()


def test_a_circle_of_links_is_a_plain_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError):
        file_bytes(NamedFiles(tmp_path).path("a"))
