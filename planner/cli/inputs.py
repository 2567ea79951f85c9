"""What several commands do with their input: a scenario, technologies, files to write; and say of faults."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import click

from planner.catalog.sources import load_sources
from planner.catalog.technologies import TECHNOLOGIES
from planner.report.files import write_all
from planner.scenario.faults import ScenarioError, suggest
from planner.scenario.load import load_scenario, scenario_from_document, scenario_path
from planner.scenario.scenario import Scenario

_LOG = logging.getLogger(__name__)


class InputError(click.ClickException):
    """The input is at fault: one readable message on standard error, exit status 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints the message; what it came of goes into the log."""
        _LOG.info("refused: %s", self.message, exc_info=self.__cause__)
        super().show(file)


def check_technologies(technologies: tuple[str, ...]) -> None:
    """Raises InputError where a technology is not known, with the nearest one that is."""
    unknown = [technology for technology in technologies if technology not in TECHNOLOGIES]
    if unknown:
        said = (f'--technology "{word}" is not known; {suggest(word, TECHNOLOGIES)}' for word in unknown)
        raise InputError("\n".join(said))


def loaded_scenario(scenario: str, technologies: tuple[str, ...] = ()) -> Scenario:
    """Reads a file, or the shipped scenario of this id where no such file exists.

    ``technologies`` take the place of the scenario's own: a rate that none of them has is a fault.
    """
    try:
        path = scenario_path(scenario)
    except FileNotFoundError as error:
        raise InputError(str(error)) from error
    try:
        loaded = load_scenario(path, load_sources())
        if not technologies:
            return loaded
        text = path.read_text(encoding="utf-8-sig")
        document = tomllib.loads(text)
        document.setdefault("fabric", {})["technologies"] = list(dict.fromkeys(technologies))
        return scenario_from_document(document, load_sources(), str(path), text)
    except ScenarioError as error:
        raise InputError(str(error)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'"{scenario}" cannot be read: {error}') from error


def write_files(files: Mapping[Path, str | bytes]) -> None:
    """Writes every file or none. Raises InputError where that cannot be done."""
    try:
        write_all(files)
    except OSError as error:
        raise InputError(f"the answer cannot be written: {error.filename}: {error.strerror}") from error
