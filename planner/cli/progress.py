"""What a command may spend, and its progress: one line on standard error, where that is a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import dataclass
from math import inf

import click

from planner.candidates.budget import GIGABYTE, Budget, budget_of, nobody
from planner.text.terminal import one_line

_EVERY_S = 0.2
_MEMORY_SHARE = 0.5  # of the machine's, where the command line gives no limit


@dataclass
class TerminalProgress:
    """Says what is being done on one line that is written over, and takes it away at the end."""

    said_s: float = -inf
    width: int = 0

    def __call__(self, doing: str) -> None:
        """Says it, unless something was said just now."""
        now = time.monotonic()
        if now - self.said_s < _EVERY_S:
            return
        self.said_s = now
        line = one_line(doing)[: shutil.get_terminal_size().columns - 1]
        click.echo(f"\r{line:<{self.width}}", nl=False, err=True)
        self.width = max(self.width, len(line))

    def clear(self) -> None:
        """Leaves the line empty, as it was."""
        if self.width:
            click.echo(f"\r{' ' * self.width}\r", nl=False, err=True)


def terminal_progress() -> TerminalProgress | None:
    """Where standard error is a terminal."""
    return TerminalProgress() if sys.stderr.isatty() else None


def asked_budget(
    time_limit_s: float | None, memory_limit_gb: float | None, progress: TerminalProgress | None
) -> Budget:
    """The budget of a command, which begins now; without a limit given it has all the time, and half of the
    machine's memory."""
    memory = _machine_bytes() * _MEMORY_SHARE if memory_limit_gb is None else memory_limit_gb * GIGABYTE
    return budget_of(time_limit_s, memory, progress or nobody)


def _machine_bytes() -> float:
    """Memory of the machine; infinite where it does not tell."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError, AttributeError):
        return inf
