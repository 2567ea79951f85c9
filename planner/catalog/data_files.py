"""Where the shipped data lies: in the checkout, or inside the installed package."""

from __future__ import annotations

from pathlib import Path

from pricing.guarded_files import file_text

_PACKAGE = Path(__file__).resolve().parents[1]


def data_dir() -> Path:
    """The folder with catalog/, prices/ and scenarios/.

    A wheel carries it as ``planner/_data``; a checkout (also an editable install) as ``data``.
    """
    packaged = _PACKAGE / "_data"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "data"


def app_file() -> Path:
    """The Streamlit entry script, of the wheel or of the checkout."""
    packaged = _PACKAGE / "_app" / "app.py"
    return packaged if packaged.is_file() else _PACKAGE.parent / "app.py"


def mathematics() -> str:
    """The mathematics of the plan, one page of Markdown without its title."""
    return file_text(data_dir() / "mathematics.md").split("\n", 1)[1].lstrip()
