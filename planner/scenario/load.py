"""The door: a scenario file, its text or its document -> a checked Scenario, or every fault at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from planner.catalog.data_files import data_dir
from planner.catalog.sources import Sources
from planner.scenario import cluster_section as cluster
from planner.scenario import job_section as job
from planner.scenario import money_section as money
from planner.scenario.bill_section import bill
from planner.scenario.calibration_section import calibration, on_measured_stack
from planner.scenario.document_reader import DocumentReader
from planner.scenario.fabric_section import OWN_VENDOR, fabric, own_switch_prices, own_switches, paths
from planner.scenario.faults import Fault, ScenarioError, suggest
from planner.scenario.generations_section import generations
from planner.scenario.scenario import Scenario

MAX_FILE_BYTES = 1_000_000
_MOST_KEY_PARTS = 100


def shipped_scenarios() -> dict[str, Path]:
    """The scenarios that come with the planner, by file stem."""
    return {path.stem: path for path in sorted((data_dir() / "scenarios").glob("*.toml"))}


def shipped_text(scenario_id: str) -> str:
    """The TOML text of a shipped scenario. Raises KeyError where there is none of this id."""
    return shipped_scenarios()[scenario_id].read_text(encoding="utf-8")


def scenario_path(path_or_id: str | Path) -> Path:
    """A scenario's file: the one of this name, else that of the shipped scenario of this id.

    Raises FileNotFoundError where there is neither, with the nearest id.
    """
    path, shipped = Path(path_or_id), shipped_scenarios()
    if path.exists():
        return path
    if str(path_or_id) not in shipped:
        missing = f'there is no file "{path_or_id}", nor a shipped scenario of this id'
        raise FileNotFoundError(f"{missing}; {suggest(str(path_or_id), shipped)}")
    return shipped[str(path_or_id)]


def load_scenario(path: Path, sources: Sources) -> Scenario:
    """Reads and checks a scenario file. Raises ScenarioError with every fault."""
    file = str(path)
    try:
        if path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
            raise _unreadable(file, f"is larger than {MAX_FILE_BYTES:,} bytes", "name a scenario file")
        raw = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        why = "is a directory" if path.is_dir() else (getattr(error, "strerror", None) or str(error))
        raise _unreadable(file, f"cannot be read: {why}", "name a scenario file") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise _unreadable(file, "is not UTF-8 text", "save it as UTF-8 TOML", line) from error
    return scenario_from_text(text, sources, file)


def scenario_from_text(text: str, sources: Sources, file: str) -> Scenario:
    """Checks a scenario's TOML text; ``file`` names it in messages. Raises ScenarioError."""
    if not text.strip():
        raise _unreadable(file, "is empty", "start from one of the shipped scenarios")
    if len(text) > MAX_FILE_BYTES:
        raise _unreadable(file, f"is larger than {MAX_FILE_BYTES:,} characters", "name a scenario file")
    try:
        if _is_deep(text):
            raise RecursionError
        doc = tomllib.loads(text)
    except RecursionError as error:
        raise _unreadable(file, "is nested too deeply", "write it as the shipped scenarios are") from error
    except ValueError as error:  # also a number of more digits than Python converts
        raise _syntax(file, text, str(error)) from error
    return scenario_from_document(doc, sources, file, text)


def _is_deep(text: str) -> bool:
    """Whether a key has very many parts: reading one takes time with the square of their number."""
    keys = (part for line in text.splitlines() for part in re.split("[={},]", line.partition("#")[0]))
    return any(part.count(".") > _MOST_KEY_PARTS for part in keys)


def scenario_from_document(
    doc: Mapping[str, Any], sources: Sources, file: str, text: str | None = None
) -> Scenario:
    """Checks a document; with the ``text`` it came from, faults name lines. Raises ScenarioError."""
    reader = DocumentReader(doc, sources, file, text)
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
    installed = money.installed(reader, top.base_year, prices.book)
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


def _syntax(file: str, text: str, said: str) -> ScenarioError:
    """A TOML error as one fault; the parser names the line in words, or the end of the document."""
    found = re.search(r"\(at (?:line (\d+), column (\d+)|end of document)\)", said)
    what = said[: found.start()].strip() if found else "a value cannot be read"
    line = int(found[1]) if found and found[1] else (text.rstrip().count("\n") + 1 if found else None)
    column = f" at column {found[2]}" if found and found[2] else ""
    what = what.encode("unicode_escape").decode("ascii")
    return _unreadable(
        file, f"is not TOML{column}: {what}", "write key = value under [section] headers", line
    )


def _unreadable(file: str, message: str, remedy: str, line: int | None = None) -> ScenarioError:
    return ScenarioError((Fault(file, line, "", None, message, remedy),))
