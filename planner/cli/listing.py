"""``fabric-planner list``: the ids that a scenario may name, its keys, the columns that estimate reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from planner.catalog.sources import Sources, load_sources
from planner.cli.output import say
from planner.scenario.load import load_scenario, shipped_scenarios
from planner.scenario.sections import default_of, every_attribute, reference
from planner.text.format import gbps, plain
from planner.throughput.runs.columns import COLUMNS

_Row = tuple[str, ...]


def servers(sources: Sources) -> list[_Row]:
    """Servers: id, name, GPUs and NIC ports of a node."""
    return [
        (s.id, s.name, f"{s.gpus_per_node} GPUs a node", f"{s.nic_ports_per_node} x {gbps(s.nic_port_gbps)}")
        for s in sources.catalog.servers.values()
    ]


def models(sources: Sources) -> list[_Row]:
    """Trained models: id, name, parameters, layers, sequence."""
    return [
        (m.id, m.name, f"{plain(round(m.params / 1e9, 1))} billion parameters", f"{m.layers} layers",
         f"{m.sequence:,} tokens a sequence")
        for m in sources.catalog.models.values()
    ]  # fmt: skip


def switches(sources: Sources) -> list[_Row]:
    """Switches: id, name, ports, the technologies that may use it."""
    return [
        (s.id, s.name, f"{s.ports} x {gbps(s.port_gbps)}", ", ".join(sorted(s.technologies)))
        for s in sources.catalog.switches.values()
    ]


def scenarios(sources: Sources) -> list[_Row]:
    """Shipped scenarios: id, name, growth."""
    return [_scenario(name, path, sources) for name, path in shipped_scenarios().items()]


def _scenario(name: str, path: Path, sources: Sources) -> _Row:
    asked = load_scenario(path, sources)
    return name, asked.name, ", ".join(f"{step.gpus:,} GPUs in {step.year}" for step in asked.growth)


def keys(sources: Sources) -> list[_Row]:
    """Keys of a scenario by section: default, unit, the default's grade, meaning."""
    rows = list[_Row]()
    for section, row in every_attribute():
        found = sources.defaults.get(row.path)
        by_rule = row.rule and found is None
        value = "by rule" if by_rule else default_of(row, sources.defaults)[0].split(";")[0]
        grade = found.source.grade.value if found else ""
        said = ", ".join(filter(None, (value, row.unit, grade)))
        rows.append((f"{section.title()} {row.key}".strip(), f"{said}. {row.sentence}"))
    return rows


def run_columns(sources: Sources) -> list[_Row]:
    """Columns of the table that ``estimate`` reads: what each means, and what holds where it is empty."""
    return list(COLUMNS)


LISTS: dict[str, Callable[[Sources], list[_Row]]] = {
    "servers": servers, "models": models, "switches": switches, "scenarios": scenarios, "keys": keys,
    "run-columns": run_columns,
}  # fmt: skip


def table(rows: Sequence[_Row]) -> str:
    """The rows in columns, each as wide as its widest cell."""
    most = max(map(len, rows))
    filled = [(*row, *[""] * (most - len(row))) for row in rows]
    widths = [max(len(row[i]) for row in filled) for i in range(most)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in filled)
    return "\n".join(line.rstrip() for line in lines)


@click.command("list")
@click.argument("what", type=click.Choice(list(LISTS)), metavar="|".join(LISTS))
@click.option("--markdown", is_flag=True, help="keys alone: as a document, with type, range and source.")
def list_command(what: str, markdown: bool) -> None:
    """Lists what a scenario may name: servers, models, switches, shipped scenarios, or all its keys.

    A key stands with its default, its unit, the default's grade where it is a figure of the data, and its
    meaning. run-columns are those of the table that the command estimate reads.
    """
    if markdown and what != "keys":
        raise click.UsageError("--markdown is for keys alone.")
    sources = load_sources()
    say(reference(sources.defaults) if markdown else table(LISTS[what](sources)))
