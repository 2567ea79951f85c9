"""What a plan may take, time and memory, as a value that is handed down from the question to the solver.

Every pass asks it before it goes on (``Budget.check``), and says by that what it is doing, which is how
progress is told. When it is spent the pass ends in BudgetSpentError; who called it knows the best plan so
far, and a bound that holds without the rest.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Literal

GIGABYTE = 1e9
Resource = Literal["time", "memory"]
_STATM = "/proc/self/statm"  # of Linux; its second figure is what is resident, in pages


class BudgetSpentError(Exception):
    """A plan's time or memory is spent. ``doing``: what was being done."""

    def __init__(self, resource: Resource, doing: str) -> None:
        super().__init__(f"out of {resource} while {doing}")
        self.resource, self.doing = resource, doing


def resident_bytes() -> int:
    """Memory (bytes) that this process has resident; 0 where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        told = os.open(_STATM, os.O_RDONLY)
        try:
            return int(os.read(told, 200).split()[1]) * os.sysconf("SC_PAGE_SIZE")
        finally:
            os.close(told)
    return 0


def nobody(doing: str) -> None:
    """Hears progress, and does nothing with it."""


def _told_as(name: str, told: Callable[[str], None], doing: str) -> None:
    told(f"{name}: {doing}")


@dataclass(frozen=True, slots=True)
class Budget:
    """Up to a moment of the clock (``ends_s``, seconds), and so many bytes of resident memory.

    ``told`` hears what is being done; it is called often, and says for itself what it passes on. ``clock``
    and ``used_bytes`` are the machine's, or a test's.
    """

    ends_s: float = inf
    memory_bytes: float = inf
    told: Callable[[str], None] = nobody
    clock: Callable[[], float] = time.monotonic
    used_bytes: Callable[[], int] = resident_bytes

    def check(self, doing: str) -> None:
        """Says what is being done. Raises BudgetSpentError where nothing is left to do it with."""
        self.told(doing)
        self.require(0, doing)
        self.check_time(doing)

    def check_time(self, doing: str) -> None:
        """The same for inner loops, where only the clock is looked at."""
        if self.ends_s < inf and self.clock() >= self.ends_s:
            raise BudgetSpentError("time", doing)

    def require(self, more_bytes: float, doing: str) -> None:
        """Raises BudgetSpentError where so much more memory would be too much."""
        if self.memory_bytes < inf and self.used_bytes() + more_bytes > self.memory_bytes:
            raise BudgetSpentError("memory", doing)

    @property
    def left_s(self) -> float | None:
        """Seconds that are left, at least 0; None without a limit."""
        return max(0.0, self.ends_s - self.clock()) if self.ends_s < inf else None

    def naming(self, name: str) -> Budget:
        """The same budget, of which progress begins with a name."""
        return replace(self, told=partial(_told_as, name, self.told))

    def part(self, share: float) -> Budget:
        """A budget that ends after a share of the time that is left."""
        left = self.left_s
        return self if left is None else replace(self, ends_s=self.clock() + share * left)


UNLIMITED = Budget()


def budget_of(
    time_limit_s: float | None, memory_bytes: float = inf, told: Callable[[str], None] = nobody
) -> Budget:
    """A budget that begins now."""
    ends = inf if time_limit_s is None else time.monotonic() + time_limit_s
    return Budget(ends, memory_bytes, told)
