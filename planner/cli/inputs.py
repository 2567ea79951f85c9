"""What several commands do with their input: a scenario, technologies, files to write; and say of faults."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import click

from planner.catalog.sources import load_sources
from planner.catalog.technologies import TECHNOLOGIES
from planner.cli.output import say
from planner.report.write_files import write_all
from planner.scenario.faults import ScenarioError, suggest
from planner.scenario.load import (
    document_of,
    load_scenario,
    scenario_bytes,
    scenario_from_document,
    scenario_path,
    text_of,
)
from planner.scenario.scenario import Scenario
from planner.text.terminal import one_line
from pricing.guarded_files import NamedFiles

_LOG = logging.getLogger(__name__)


class InputError(click.ClickException):
    """The input is at fault: one readable message on standard error, exit status 2."""

    exit_code = 2

    def __init__(self, *lines: str) -> None:
        """Takes the lines of the message; a line feed in one of them, as in a file's name, begins none."""
        super().__init__("\n".join(map(one_line, lines)))

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints the message; what it came of goes into the log."""
        _LOG.info("refused: %s", self.message, exc_info=self.__cause__)
        say(f"Error: {self.message}", err=True)


def check_technologies(technologies: tuple[str, ...]) -> None:
    """Raises InputError where a technology is not known, with the nearest one that is."""
    unknown = [technology for technology in technologies if technology not in TECHNOLOGIES]
    if unknown:
        said = (f'--technology "{word}" is not known; {suggest(word, TECHNOLOGIES)}' for word in unknown)
        raise InputError(*said)


may_read = click.option(
    "--may-read", "readable", multiple=True, type=click.Path(path_type=Path), metavar="PATH",
    help="A file or folder outside the scenario's own that it may name; repeatable.",
)  # fmt: skip


def found_scenario(scenario: str) -> Path:
    """The file, or that of the shipped scenario of this id. Raises InputError where there is neither."""
    try:
        return scenario_path(scenario)
    except FileNotFoundError as error:
        raise InputError(str(error)) from error


def loaded_scenario(
    scenario: str, technologies: tuple[str, ...] = (), readable: tuple[Path, ...] = ()
) -> Scenario:
    """Reads a file, or the shipped scenario of this id where no such file exists.

    ``technologies`` take the place of the scenario's own: a rate that none of them has is a fault.
    ``readable``: what ``may_read`` names.
    """
    path = found_scenario(scenario)
    try:
        loaded = load_scenario(path, load_sources(), readable)
        if not technologies:
            return loaded
        text = text_of(scenario_bytes(path), str(path))
        document = document_of(text, str(path))
        document.setdefault("fabric", {})["technologies"] = list(dict.fromkeys(technologies))
        named = NamedFiles(path.parent, readable)
        return scenario_from_document(document, load_sources(), str(path), text, named)
    except ScenarioError as error:
        raise InputError(*str(error).split("\n")) from error


def write_files(files: Mapping[Path, str | bytes]) -> None:
    """Writes every file or none. Raises InputError where that cannot be done."""
    try:
        write_all(files)
    except OSError as error:
        raise InputError(f"the answer cannot be written: {error.filename}: {error.strerror}") from error
