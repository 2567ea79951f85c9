"""How a test asks for random examples of its own: the fixture ``examples`` of tests/conftest.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from hypothesis.strategies import SearchStrategy


class Examples(Protocol):
    """Tries a check on so many examples, drawn by these strategies."""

    def __call__(self, check: Callable[..., None], count: int, *drawn: SearchStrategy[Any]) -> None: ...
