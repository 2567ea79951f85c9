"""The door: a scenario file, its text or its document -> a checked Scenario, or every fault at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from planner.catalog.data_files import data_dir
from planner.catalog.parts import ServerModel
from planner.catalog.sources import Sources
from planner.scenario import cluster_section as parts
from planner.scenario.bill_section import bill
from planner.scenario.calibration_section import calibration, on_measured_stack
from planner.scenario.fabric_section import OWN_VENDOR, fabric, own_switch_prices, own_switches, paths
from planner.scenario.faults import Fault, ScenarioError, suggest
from planner.scenario.form import Form
from planner.scenario.generations_section import generations
from planner.scenario.limits_section import installed, limits
from planner.scenario.prices_section import DEFAULT_BOOK, node_price, prices
from planner.scenario.scenario import PriceAsk, Scenario
from planner.scenario.schema import (
    TABLE_ARRAYS,
    TABLES,
    CalibrationSection,
    Cluster,
    Constraints,
    Fabric,
    FinanceSection,
    Growth,
    InstalledRow,
    LayoutSection,
    OperationsSection,
    PricesSection,
    Switch,
    Top,
    Wan,
)
from planner.scenario.schema_workload import WorkloadSection
from planner.scenario.workload_section import workload

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
        raise _unreadable(file, f"cannot be read: {why}", "name a scenario file") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise _unreadable(file, "is not UTF-8 text", "save it as UTF-8 TOML", line) from None
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
    except RecursionError:
        raise _unreadable(file, "is nested too deeply", "write it as the shipped scenarios are") from None
    except ValueError as error:  # also a number of more digits than Python converts
        raise _syntax(file, text, str(error)) from None
    return scenario_from_document(doc, sources, file, text)


def _is_deep(text: str) -> bool:
    """Whether a key has very many parts: reading one takes time with the square of their number."""
    keys = (part for line in text.splitlines() for part in re.split("[={},]", line.partition("#")[0]))
    return any(part.count(".") > _MOST_KEY_PARTS for part in keys)


def scenario_from_document(
    doc: Mapping[str, Any], sources: Sources, file: str, text: str | None = None
) -> Scenario:
    """Checks a document; with the ``text`` it came from, faults name lines. Raises ScenarioError."""
    form = Form(doc, sources, file, text)
    scenario = _scenario(form)
    if form.faults or scenario is None:
        raise ScenarioError(tuple(sorted(form.faults, key=lambda fault: fault.line or 0)))
    return scenario


def _scenario(form: Form) -> Scenario | None:
    """Every section in turn, so that each reports its own faults; None only with a fault."""
    named = {key: value for key, value in form.doc.items() if key not in TABLES and key not in TABLE_ARRAYS}
    top = form.section(Top, named, ())
    parts.head(form, top)
    grows = form.rows("growth", Growth)
    growth = parts.growth_steps(form, grows, top.base_year)
    cluster = form.table("cluster", Cluster)
    server = parts.server_model(form, cluster)
    rows = form.rows("switch", Switch)
    own = own_switches(form, rows)
    section = form.table("fabric", Fabric)
    ask = fabric(form, section, cluster, server, own)
    job = workload(form, form.table("workload", WorkloadSection), server, growth[0].gpus if growth else None)
    finance = form.table("finance", FinanceSection)
    money = parts.finance(form, finance, growth)
    paid = _prices(form, cluster, server, rows)
    run = parts.operations(form, form.table("operations", OperationsSection))
    lengths = parts.layout(form, form.table("layout", LayoutSection))
    set_limits = limits(form, form.table("constraints", Constraints), OWN_VENDOR if rows else None, paid.book)
    there = installed(form, form.rows("installed", InstalledRow), top.base_year, paid.book)
    sites = parts.wan(form, form.table("wan", Wan))
    parts.equal_sites(form, growth, server, sites)
    rest = bill(form, finance)
    kinds = generations(form, grows, cluster, server, ask, own, job, rest)
    changes = paths(form, section, ask.technologies, growth, whole=not kinds or ask.join_generations)
    measured, stack_factor = calibration(form, form.table("calibration", CalibrationSection), server)
    job = on_measured_stack(form, job, stack_factor)
    if form.faults or server is None or job is None or money is None or top.base_year is None:
        return None
    return Scenario(
        top.name or "", top.base_year, server, growth, replace(ask, paths=changes), own, job, money, paid,
        run, lengths, set_limits, sites, tuple(form.defaults_used), measured, there, rest, kinds,
    )  # fmt: skip


def _prices(form: Form, cluster: Cluster, server: ServerModel | None, rows: list[Switch]) -> PriceAsk:
    section = form.table("prices", PricesSection)
    book = section.books[0] if section.books else section.book or DEFAULT_BOOK
    given = {**own_switch_prices(form, rows), **node_price(form, cluster, server, book)}
    return prices(form, section, given)


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
