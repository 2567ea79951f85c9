"""What the user has typed, kept on disk so that a reload of the page loses nothing.

A draft is named by a random id that stands in the page's address. Its parts: ``opened``, the
scenario as it was opened; ``edited``, as typed since, faults and all; ``planned``, the last one that
had an answer.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from pathlib import Path

from platformdirs import user_data_dir

MAX_BYTES = 512 * 1024  # a scenario is a few kilobytes
PARTS = ("opened", "edited", "planned")
_ID = re.compile(r"[0-9a-f]{32}")


def drafts_dir() -> Path:
    """The folder of the drafts: under FABRIC_PLANNER_HOME where set, else the user's data folder."""
    home = os.environ.get("FABRIC_PLANNER_HOME")
    return (Path(home) if home else Path(user_data_dir("fabric-planner"))) / "drafts"


def new_id() -> str:
    """A random draft id: 32 hexadecimal digits."""
    return secrets.token_hex(16)


def is_id(text: str | None) -> bool:
    """Whether the text is a draft id. Nothing else ever becomes a file name."""
    return text is not None and _ID.fullmatch(text) is not None


def _path(draft_id: str, part: str) -> Path:
    if not is_id(draft_id) or part not in PARTS:
        raise ValueError("not a draft id or part")
    return drafts_dir() / f"{draft_id}.{part}.toml"


def save(draft_id: str, part: str, text: str) -> None:
    """Writes one part whole or not at all. Raises ValueError for a bad id or size, OSError."""
    data = text.encode("utf-8")
    if len(data) > MAX_BYTES:
        raise ValueError("the scenario is too large to keep")
    path = _path(draft_id, part)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        file.write(data)
    Path(file.name).replace(path)


def load(draft_id: str | None, part: str) -> str | None:
    """The text of one part; None where the id is no id, or nothing readable is kept under it."""
    if draft_id is None or not is_id(draft_id):
        return None
    path = _path(draft_id, part)
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def read_shipped(path: Path) -> str:
    """The text of a shipped scenario."""
    return path.read_text(encoding="utf-8")


def decoded(data: bytes) -> str:
    """The text of a file that a user gave. Raises ValueError where it is too large or no UTF-8 text."""
    if len(data) > MAX_BYTES:
        raise ValueError("is too large for a scenario; half a megabyte is the most")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text; save it as UTF-8 and try again") from None
