"""The command line, ``fabric-planner``: its commands. Exit status: 0 answered, 1 a technology has no design
(or a log could not be used), 2 the input is at fault, 3 the solver gave up with no design."""

from __future__ import annotations

import errno
import io
import logging
import os
import sys
from pathlib import Path
from typing import Any

import click

from planner.catalog.sources import load_sources
from planner.cli.app import app
from planner.cli.calibrate import calibrate
from planner.cli.inputs import InputError, found_scenario, loaded_scenario, may_read, write_files
from planner.cli.listing import list_command
from planner.cli.output import say_line
from planner.cli.plan import plan
from planner.cli.quotes import quotes
from planner.scenario.faults import ScenarioError
from planner.scenario.load import self_contained
from planner.study.islands import generation_words
from planner.text import log
from planner.throughput.runs.prediction import TableError, predicted_table
from pricing.guarded_files import file_text

_MOST_RUNS_BYTES = 100_000_000


_LOG = logging.getLogger(__name__)
_OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EPIPE)


class Commands(click.Group):
    """Commands whose output may fail: a full disk behind standard output, an encoding without a character."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Runs a command. What can't be printed is one sentence and exit status 2, never a traceback."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            try:
                return super().main(*args, **extra)
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()
        except OSError as error:
            if error.filename is not None or error.errno not in _OUTPUT_ERRORS:
                raise
            _LOG.info("standard output failed", exc_info=True)
            say_line(f"Error: the answer cannot be printed: {error.strerror}", err=True)
            _forget_output()
            sys.exit(InputError.exit_code)


def _forget_output() -> None:
    """Lets what is left in the buffer go nowhere: else Python tries again as it ends."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.close(sink)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="fabric-planner")
@click.option("-v", "--verbose", "verbosity", count=True, help="Log to standard error; -vv logs more.")
def main(verbosity: int) -> None:
    """Plans the network of a growing AI cluster: design, cost and training throughput."""
    log.start(verbosity)


@main.command()
@click.argument("scenario")
@may_read
def check(scenario: str, readable: tuple[Path, ...]) -> None:
    """Checks SCENARIO and names every fault at once, with file, line, key, value and remedy."""
    asked = loaded_scenario(scenario, readable=readable)
    say_line(f"{scenario}: no faults. {asked.name}")
    for line in generation_words(asked):
        say_line(f"  {line}")
    for default in asked.defaults_used:
        say_line(f"  assumed: {default}")


@main.command()
@click.argument("scenario")
@click.option("--out", "out_file", required=True, type=click.Path(path_type=Path), metavar="FILE")
@may_read
def embed(scenario: str, out_file: Path, readable: tuple[Path, ...]) -> None:
    """Writes SCENARIO with its price files and calibration inside: it can then be opened in the app.

    The app reads no file that a scenario names. The answer is the same; comments are lost.
    """
    try:
        text = self_contained(found_scenario(scenario), load_sources(), readable)
    except ScenarioError as error:
        raise InputError(*str(error).split("\n")) from error
    write_files({out_file: text})


@main.command()
@click.argument("runs", type=click.Path(path_type=Path), metavar="RUNS.csv")
@click.option("--out", "out_file", required=True, type=click.Path(path_type=Path), metavar="PREDICTED.csv")
@click.option("--anchor", is_flag=True, help="The first run on the fewest GPUs of a series fixes its level.")
def estimate(runs: Path, out_file: Path, anchor: bool) -> None:
    """Predicts every training run of a table: step time, MFU, exposed share of the fabric.

    The same rows come back in the same order with the predictions, or a reason why there is none.
    """
    try:
        text = file_text(runs, _MOST_RUNS_BYTES)
        predicted = predicted_table(text, load_sources().catalog, anchor)
    except TableError as error:
        raise InputError(f"{runs}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'"{runs}" cannot be read: {error}') from error
    write_files({out_file: predicted})


for command in (plan, list_command, calibrate, quotes, app):
    main.add_command(command)
