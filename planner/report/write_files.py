"""Writes report files: all of them or none."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

_BESIDE = ".fabric-planner."


def write_all(files: Mapping[Path, str | bytes]) -> None:
    """Writes each text (UTF-8, line ends as given) or picture, making folders that are missing.

    Everything is first written beside its target; only when all are on disk do they take their
    names, so that a reader never sees half a file. A target that is a device or a pipe is written
    to. Raises OSError, and then leaves no file changed.
    """
    streams = {path for path in files if path.exists() and not path.is_file() and not path.is_dir()}
    written: dict[Path, Path] = {}
    try:
        for path in files.keys() - streams:
            target = path.resolve()  # the file behind a link, not the link
            _make_folder(target.parent)
            written[target] = _write_beside(target, files[path])
        for path in streams:
            path.write_bytes(_bytes(files[path]))
        for target, temporary in written.items():
            temporary.replace(target)
    finally:
        for temporary in written.values():
            temporary.unlink(missing_ok=True)


def _bytes(content: str | bytes) -> bytes:
    """UTF-8; half a character, such as a file's name may hold, as its escape."""
    return content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, "Not a directory", error.filename) from error


def _write_beside(target: Path, content: str | bytes) -> Path:
    """Writes a new file in the target's folder and returns its path."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(target))
    try:
        handle, name = tempfile.mkstemp(prefix=_BESIDE, dir=target.parent)  # no longer than any target's name
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(_bytes(content))
        Path(name).chmod(0o666 & ~_umask())  # mkstemp's files are private, a report is not
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    return Path(name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
