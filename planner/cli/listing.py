"""``fabric-planner list``: the ids that a scenario may name, its keys, the columns that estimate reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from planner.catalog.sources import Sources, load_sources
from planner.scenario.load import load_scenario, shipped_scenarios
from planner.scenario.schema import TABLE_ARRAYS, TABLES, keys_of
from planner.text.format import gbps, plain
from planner.throughput.runs.rows import COLUMNS

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
    """Keys of a scenario by section, with the default that the data has, its unit and grade."""
    rows: list[_Row] = [("schema", "1"), ("name", "required"), ("base_year", "required")]
    for section, model in {**TABLE_ARRAYS, **TABLES}.items():
        title = f"[[{section}]]" if section in TABLE_ARRAYS else f"[{section}]"
        rows += [(f"{title} {key}", *_default(f"{section}.{key}", sources)) for key in keys_of(model)]
    return rows


def run_columns(sources: Sources) -> list[_Row]:
    """Columns of the table that ``estimate`` reads: what each means, and what holds where it is empty."""
    return list(COLUMNS)


def _default(key: str, sources: Sources) -> _Row:
    found = sources.defaults.get(key)
    return () if found is None else (plain(found.value), found.unit, found.source.grade.value)


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
def list_command(what: str) -> None:
    """Lists what a scenario may name: servers, models, switches, shipped scenarios, or all its keys.

    A key stands with the default that the data has for it, its unit and its grade. run-columns are those of
    the table that the command estimate reads.
    """
    click.echo(table(LISTS[what](load_sources())))
