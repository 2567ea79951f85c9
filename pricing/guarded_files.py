"""How files are opened, everywhere: regular files only, up to a size; and which ones a document may name.

A path may come from anybody: a device never ends, a pipe never begins, a folder of a server holds what is
nobody's business. So no other module opens a file to read it.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

_MOST_BYTES = 20_000_000  # of a table; logs may be larger and say so


def file_bytes(path: Path, most_bytes: int = _MOST_BYTES) -> bytes:
    """What a regular file holds. Raises OSError for anything else, and for more bytes."""
    try:
        _check_kind(path.stat(), path)
        # A pipe that took the file's place meanwhile would be waited for without O_NONBLOCK.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags)
    except ValueError as error:  # a null character or half a character, which no file's name holds
        raise OSError(errno.EINVAL, "is no name of a file", str(path)) from error
    with os.fdopen(handle, "rb") as stream:
        _check_kind(os.fstat(stream.fileno()), path)
        data = stream.read(most_bytes + 1)  # some files, such as those of /proc, say that they are empty
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"is larger than {most_bytes:,} bytes", str(path))
    return data


def file_text(path: Path, most_bytes: int = _MOST_BYTES) -> str:
    """The text of a regular file in UTF-8, with or without a byte order mark, its line ends as they stand.

    Raises OSError as ``file_bytes``, UnicodeDecodeError.
    """
    return file_bytes(path, most_bytes).decode("utf-8-sig")


def _check_kind(found: os.stat_result, path: Path) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "is no regular file but a device, a pipe or the like", str(path))


class OutsideError(OSError):
    """A document names a file that it may not name."""


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """The files that a document may name: those in its own folder, and those in ``given``.

    ``folder`` is None for a document that is no file: it may name none, whoever wrote it. ``given`` are
    files and folders that the user has named outright.
    """

    folder: Path | None = None
    given: tuple[Path, ...] = ()

    def path(self, name: str) -> Path:
        """The file of that name, relative to the document's folder. Raises OSError, as OutsideError."""
        if self.folder is None:
            raise OutsideError(errno.EPERM, "is not read", name)
        try:
            found = (self.folder / name).resolve()  # where links lead, not where they lie
            inside = any(found.is_relative_to(place.resolve()) for place in (self.folder, *self.given))
        except (ValueError, RuntimeError) as error:  # no name of a file; a circle of links
            raise OSError(errno.EINVAL, "is no name of a file", name) from error
        if not inside:
            raise OutsideError(errno.EPERM, "lies outside the folder", name)
        return found
