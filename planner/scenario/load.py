"""The door: a scenario file, its text or its document -> a checked Scenario, or every fault at once."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from planner.catalog.data_files import data_dir
from planner.catalog.sources import Sources
from planner.scenario import cluster_section as cluster
from planner.scenario import job_section as job
from planner.scenario import money_section as money
from planner.scenario.attributes import Section
from planner.scenario.bill_section import bill
from planner.scenario.calibration_section import calibration, on_measured_stack
from planner.scenario.document_reader import DocumentReader
from planner.scenario.fabric_section import OWN_VENDOR, fabric, own_switch_prices, own_switches, paths
from planner.scenario.faults import Fault, Lines, ScenarioError, shown, suggest
from planner.scenario.generations_section import generations
from planner.scenario.scenario import Calibration, Scenario
from planner.scenario.sections import SECTIONS
from planner.scenario.write import dump_document
from planner.text.toml_document import TomlError, parsed
from pricing.guarded_files import NamedFiles, file_bytes, file_text

_LOG = logging.getLogger(__name__)
MAX_FILE_BYTES = 1_000_000
NO_FILES = NamedFiles()


def shipped_scenarios() -> dict[str, Path]:
    """The scenarios that come with the planner, by file stem."""
    return {path.stem: path for path in sorted((data_dir() / "scenarios").glob("*.toml"))}


def shipped_text(scenario_id: str) -> str:
    """The TOML text of a shipped scenario. Raises KeyError where there is none of this id."""
    return file_text(shipped_scenarios()[scenario_id])


def scenario_path(path_or_id: str | Path) -> Path:
    """A scenario's file: the one of this name, else that of the shipped scenario of this id.

    Raises FileNotFoundError where there is neither, with the nearest id.
    """
    path, shipped = Path(path_or_id), shipped_scenarios()
    try:
        if path.exists():
            return path
    except (OSError, ValueError):  # a name that no file can have, a folder that may not be entered
        _LOG.info("%r cannot be looked up", str(path_or_id), exc_info=True)
    if str(path_or_id) not in shipped:
        missing = f'there is no file "{path_or_id}", nor a shipped scenario of this id'
        raise FileNotFoundError(f"{missing}; {suggest(str(path_or_id), shipped)}")
    return shipped[str(path_or_id)]


def load_scenario(path: Path, sources: Sources, beside: tuple[Path, ...] = ()) -> Scenario:
    """Reads and checks a scenario file, and the files that it names: those within its folder, and those of
    ``beside`` (files or folders). Raises ScenarioError with every fault."""
    text = text_of(scenario_bytes(path), str(path))
    return scenario_from_text(text, sources, str(path), NamedFiles(path.parent, beside))


def scenario_bytes(path: Path) -> bytes:
    """What a scenario file holds. Raises ScenarioError where it is no file, or too large for a scenario."""
    try:
        return file_bytes(path, MAX_FILE_BYTES)
    except OSError as error:
        _LOG.info("the scenario file %s cannot be read", path, exc_info=True)
        why = f"cannot be read: {error.strerror}"
        raise _unreadable(str(path), why, "name a scenario file") from error


def checked_text(raw: bytes, file: str, sources: Sources, most_bytes: int = MAX_FILE_BYTES) -> str:
    """The text of a file that was handed in, sound as a scenario. Raises ScenarioError with every fault."""
    text = text_of(raw, file, most_bytes)
    scenario_from_text(text, sources, file)
    return text


def text_of(raw: bytes, file: str, most_bytes: int = MAX_FILE_BYTES) -> str:
    """The text of a file's bytes; ``file`` names it in messages. Raises ScenarioError where it is larger than
    ``most_bytes`` or no UTF-8."""
    if len(raw) > most_bytes:
        raise _unreadable(file, f"is larger than {most_bytes:,} bytes", "give a smaller file")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise _unreadable(file, "is not UTF-8 text", "save it as UTF-8", line) from error


def self_contained(path: Path, sources: Sources, beside: tuple[Path, ...] = ()) -> str:
    """A scenario file's text with what the files hold that it names in place of their names.

    It gives the same answer, and can be opened anywhere; comments are lost. ``beside`` as for
    ``load_scenario``. Raises ScenarioError.
    """
    scenario, named = load_scenario(path, sources, beside), NamedFiles(path.parent, beside)
    doc = document_of(text_of(scenario_bytes(path), str(path)), str(path))
    prices, calibrated = doc.get("prices", {}), doc.get("calibration", {})
    carried = dict(prices.get("books_csv", {}))
    books = prices.get("books", "")
    for place, name in enumerate(books if isinstance(books, list) else ()):
        if name not in sources.books and name not in carried:
            own = PurePath(name).stem
            while own in sources.books or own in carried:
                own += "-own"
            books[place], carried[own] = own, file_text(named.path(name))
    if carried:
        prices["books_csv"] = carried
    if "quotes" in prices:
        prices["quotes_csv"] = file_text(named.path(prices.pop("quotes")))
    if "file" in calibrated:
        doc["calibration"] = _measured(scenario, calibrated)
    return dump_document(doc)


def _measured(scenario: Scenario, given: Mapping[str, Any]) -> dict[str, Any]:
    """[calibration] with the figures that hold in the scenario, in place of the file that they came from."""
    found = scenario.calibration or Calibration()
    figures = {
        "logs": given.get("logs") or [PurePath(given["file"]).name],
        "e0_by_technology": dict(found.e0) or None,
        "alpha_us_by_technology": dict(found.alpha_us) or None,
        "nvlink_busbw_gbytes_per_s": found.nvlink_busbw_gbytes_per_s,
        "nvlink_alpha_us": found.nvlink_alpha_us,
        "stack_factor": scenario.workload.stack_factor if scenario.workload.calibrated else None,
    }
    return {key: value for key, value in figures.items() if value is not None}


def document_of(text: str, file: str) -> dict[str, Any]:
    """The document in a scenario's TOML text, with faults or without. Raises ScenarioError."""
    if not text.strip():
        raise _unreadable(file, "is empty", "start from one of the shipped scenarios")
    try:
        return parsed(text)
    except TomlError as error:
        raise _unreadable(file, error.message, error.remedy, error.line) from error


def editable_document(text: str, file: str) -> dict[str, Any]:
    """A document that can be shown and edited: its sections are tables, and rows where they repeat.

    What stands in them may be at fault. Raises ScenarioError.
    """
    doc = document_of(text, file)
    odd = [section for section in SECTIONS if not _is_shaped(doc.get(section.header, _NOTHING), section)]
    if odd:
        lines = Lines(text)
        raise ScenarioError(tuple(_misshapen(section, doc, lines, file) for section in odd))
    return doc


_NOTHING = object()


def _is_shaped(value: object, section: type[Section]) -> bool:
    if not section.repeated:
        return value is _NOTHING or isinstance(value, Mapping)
    return value is _NOTHING or isinstance(value, list) and all(isinstance(row, Mapping) for row in value)


def _misshapen(section: type[Section], doc: Mapping[str, Any], lines: Lines, file: str) -> Fault:
    line, value = lines.line((section.header,)), shown(doc[section.header])
    message = "is not a list of tables" if section.repeated else "is not a table"
    return Fault(file, line, section.header, value, message, f"put its keys under {section.title()}")


def scenario_from_text(text: str, sources: Sources, file: str, named: NamedFiles = NO_FILES) -> Scenario:
    """Checks a scenario's TOML text; ``file`` names it in messages. Raises ScenarioError.

    ``named``: the files that it may name. By default none: a text may come from anybody.
    """
    return scenario_from_document(document_of(text, file), sources, file, text, named)


def scenario_from_document(
    doc: Mapping[str, Any],
    sources: Sources,
    file: str,
    text: str | None = None,
    named: NamedFiles = NO_FILES,
) -> Scenario:
    """Checks a document; with the ``text`` it came from, faults name lines. Raises ScenarioError.

    ``named`` as for ``scenario_from_text``.
    """
    reader = DocumentReader(doc, sources, file, text, named)
    scenario = _scenario(reader)
    if reader.faults or scenario is None:
        raise ScenarioError(tuple(sorted(reader.faults, key=lambda fault: fault.line or 0)))
    return scenario


def _scenario(reader: DocumentReader) -> Scenario | None:
    """Every section in turn, so that each reports its own faults; None only with a fault."""
    top = cluster.head(reader)
    growth = cluster.growth_steps(reader, top.base_year)
    server = cluster.server_model(reader)
    own = own_switches(reader)
    ask = fabric(reader, server, own)
    trained = job.workload(reader, server, growth[0].gpus if growth else None)
    finance = money.finance(reader, growth)
    prices = money.prices(reader, server, own_switch_prices(reader))
    operations = job.operations(reader)
    layout = cluster.layout(reader)
    limits = money.limits(reader, OWN_VENDOR if reader.given_rows("switch") else None, prices.book)
    installed = money.installed(reader, top.base_year, growth, server, prices)
    wan = cluster.wan(reader, growth, server)
    rest = bill(reader)
    kinds = generations(reader, server, ask, own, trained, rest)
    changes = paths(reader, ask.technologies, growth, whole=not kinds or ask.join_generations)
    measured, stack_factor = calibration(reader, server)
    trained = on_measured_stack(reader, trained, stack_factor)
    if reader.faults or server is None or trained is None or finance is None or top.base_year is None:
        return None
    return Scenario(
        name=top.name or "",
        base_year=top.base_year,
        server=server,
        growth=growth,
        fabric=replace(ask, paths=changes),
        own_switches=own,
        workload=trained,
        finance=finance,
        prices=prices,
        operations=operations,
        layout=layout,
        limits=limits,
        wan=wan,
        defaults_used=tuple(reader.defaults_used),
        calibration=measured,
        installed=installed,
        bill=rest,
        generations=kinds,
    )


def _unreadable(file: str, message: str, remedy: str, line: int | None = None) -> ScenarioError:
    return ScenarioError((Fault(file, line, "", None, message, remedy),))
