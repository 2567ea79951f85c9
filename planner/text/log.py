"""The log of the planner's programs: quiet by default, on standard error.

Modules write to ``logging.getLogger(__name__)``: at INFO what was refused or broke off and why, with the
exception behind the sentence that the user was told; at DEBUG what else helps to follow a run.
"""

from __future__ import annotations

import logging
import os

from planner.text.terminal import one_line, terminal_text

VERBOSITY = "FABRIC_PLANNER_VERBOSITY"
_PACKAGES = ("planner", "pricing")
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_LEVELS = (logging.CRITICAL, logging.INFO, logging.DEBUG)


class Formatter(logging.Formatter):
    """A line for each record, whatever its message holds; below it the exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The record with its exception, nothing in it that a terminal would obey."""
        message = {"msg": one_line(record.getMessage()), "args": None}
        return terminal_text(super().format(logging.makeLogRecord({**record.__dict__, **message})))


def start(verbosity: int) -> None:
    """Starts the log of this process and, by the environment, of those that it starts.

    ``verbosity``: 0 is quiet, 1 logs from INFO, 2 or more from DEBUG.
    """
    os.environ[VERBOSITY] = str(verbosity)
    if verbosity:
        handler = logging.StreamHandler()
        handler.setFormatter(Formatter(_FORMAT))
        logging.basicConfig(handlers=[handler])
    for package in _PACKAGES:
        logging.getLogger(package).setLevel(_LEVELS[min(verbosity, 2)])


def start_as_told() -> None:
    """Starts the log as the process that started this one did; quiet where none did."""
    asked = os.environ.get(VERBOSITY, "0")
    start(int(asked) if asked.isdecimal() else 0)
