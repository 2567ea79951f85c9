"""Scenarios small enough to be solved by hand: a bare catalog, one NIC, one kind of fibre, chosen prices.

A node has one GPU and ports of 100G; every switch is the scenario's own. With the money of ``FREE``
(rate 0, no running cost, no residual) the network's TCO is the sum of what is bought.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from planner.catalog.parts import (
    CableAssembly,
    Catalog,
    Fibre,
    NicModel,
    ServerModel,
    TrainedModel,
    Transceiver,
)
from planner.catalog.sources import Sources, load_sources
from planner.catalog.technologies import PROTOCOLS, TECHNOLOGIES
from planner.optimize.solve import Solver
from planner.planning.planning_task import PlanOptions
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Scenario
from planner.study.result import FabricResult, TechnologyResult
from planner.study.study import plan_scenario
from pricing.price_book import ItemClass, Price, PriceBook
from pricing.provenance import Grade, Source

MADE_UP = Source("made up for a test", "2026", Grade.GUESS)
CAGE = "test-cage"
BASE_YEAR = 2027
RATES = (50, 100, 200, 400)
FREE = {
    "discount_rate": 0.0,
    "electricity_usd_per_kwh": 0.0,
    "support_ratio_per_year": 0.0,
    "residual": "none",
    "horizon_years": 1,
}
LIGHT = {"model": "light", "global_batch_sequences": 1_000_000, "fixed_batch": True}  # hardly any traffic
NOTHING_BESIDE = {  # the compute fabric alone: no section and no running cost beside it
    "storage_fabric": {"enabled": False},
    "frontend_fabric": {"enabled": False},
    "management": {"enabled": False},
    "spares": {"enabled": False},
    "staff": {"enabled": False, "hours_per_switch_year": 0.0},
    "upkeep": {"replace_failures": False},
}
STILL = {"recabling_downtime_hours": 0.0}  # a moved link idles no GPU: labour only


@dataclass(frozen=True)
class Box:
    """A switch of one's own: ``ports`` at ``gbps``, and its price (USD; None: not given)."""

    id: str
    ports: int
    price_usd: float | None
    gbps: int = 100
    breakouts: tuple[int, ...] = (1,)
    ports_per_cage: int = 1
    power_w: float = 0.0
    technologies: tuple[str, ...] = ("roce",)


@dataclass(frozen=True)
class Prices:
    """USD a piece of everything that is not a switch. A 100G link is one fibre, 200G two.

    ``native``: a cable that carries one 200G link between two unsplit ports; None: there is none.
    """

    link: float = 0.0
    native: float | None = None
    module: float = 0.0
    nic: float = 0.0
    install: float = 0.0
    move: float = 0.0
    server: float = 0.0


@cache
def bare_sources(prices: Prices = Prices()) -> Sources:
    """One NIC, one server, one optical module and its fibre; every cage takes the module."""
    shipped = load_sources()
    technologies, protocols = frozenset(TECHNOLOGIES), frozenset(PROTOCOLS)
    nics = {
        f"nic-{g}": NicModel(f"nic-{g}", f"nic-{g}", "x", technologies, 1, g, CAGE, 6, 0.0, MADE_UP)
        for g in (100, 200)
    }
    module = Transceiver(
        "module", "module", frozenset({CAGE}), frozenset(RATES), "sr", "mmf", "lc", 64, 1, 100, 1000.0,
        protocols, 0.0, MADE_UP,
    )  # fmt: skip
    fibre = Fibre("fibre", "fibre", "mmf", "lc", 1, 1000.0, MADE_UP)
    halves = Fibre("fibre-split", "fibre, split in two", "mmf", "lc", 2, 1000.0, MADE_UP)
    cable = CableAssembly(
        "cable-200", "cable", "AOC", frozenset({CAGE}), frozenset({CAGE}), 1, 200, frozenset({200}), 1000.0,
        protocols, 0.0, MADE_UP,
    )  # fmt: skip
    server = ServerModel("node", "node", "h100", 1, 1, 100, 1, "nic-100", CAGE, 6, 1, 1, 0.0, MADE_UP)
    light = TrainedModel("light", "light", 1e6, 1, 1024, 4096, 1, 1, 1000, 2048, False, False, MADE_UP)
    catalog = Catalog(
        {}, nics, {"module": module}, {"cable-200": cable}, {"fibre": fibre, "fibre-split": halves},
        shipped.catalog.accelerators, {"node": server}, {**shipped.catalog.models, "light": light},
    )  # fmt: skip
    rows: list[tuple[str, ItemClass, float]] = [
        ("nic-100", "nic", prices.nic),
        ("nic-200", "nic", prices.nic),
        ("module", "transceiver", prices.module),
        ("fibre", "fibre", prices.link),
        ("fibre-split", "fibre", prices.link),
        ("server-node", "server", prices.server),
        ("svc-install-link", "service", prices.install),
        ("svc-recable-link", "service", prices.move),
    ]
    rows += [("cable-200", "cable", prices.native)] if prices.native is not None else []
    book = PriceBook("reference", {s: Price(s, c, u, u, u, MADE_UP, "reference") for s, c, u in rows})
    return Sources(catalog, {"reference": book}, {}, shipped.defaults)


def toml(document: Mapping[str, Any]) -> str:
    """A document of plain values, tables and lists of tables as TOML text."""
    plain = {k: v for k, v in document.items() if not _is_table(v)}
    lines = [f"{k} = {_value(v)}" for k, v in plain.items()]
    for name, table in document.items():
        for row in ([table] if isinstance(table, Mapping) else table) if _is_table(table) else ():
            lines.append(f"[{name}]" if isinstance(table, Mapping) else f"[[{name}]]")
            lines += [f"{_value(k) if '.' in k else k} = {_value(v)}" for k, v in row.items()]
    return "\n".join(lines) + "\n"


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list | tuple) and bool(value) and isinstance(value[0], Mapping)
    )


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    return repr(value)


def box_row(box: Box, cage: str | None = CAGE) -> dict[str, Any]:
    """A [[switch]] row."""
    row = {
        "id": box.id, "technologies": box.technologies, "ports": box.ports, "port_gbps": box.gbps,
        "ports_per_cage": box.ports_per_cage, "breakouts": box.breakouts, "power_w": box.power_w,
        "price_usd": box.price_usd, "form_factor": cage,
    }  # fmt: skip
    return {k: v for k, v in row.items() if v is not None}


def scenario_text(
    nodes: int | Sequence[int],
    boxes: Sequence[Box],
    *,
    years: Sequence[int] | None = None,
    fabric: Mapping[str, Any] | None = None,
    finance: Mapping[str, Any] | None = None,
    **sections: Any,
) -> str:
    """The TOML of a scenario: ``nodes`` of each build year, in the base year and the years after it."""
    steps = [nodes] if isinstance(nodes, int) else list(nodes)
    when = list(years) if years else [BASE_YEAR + i for i in range(len(steps))]
    horizon = {"horizon_years": when[-1] - BASE_YEAR + 1}
    asked = {"technologies": ["roce"], "bandwidth_headroom": 0.0, "min_spines": 1, **(fabric or {})}
    document: dict[str, Any] = {
        "schema": 1, "name": "by hand", "base_year": BASE_YEAR,
        "cluster": {"server": "node", **sections.pop("cluster", {})},
        "growth": [{"year": y, "gpus": n} for y, n in zip(when, steps, strict=True)],
        "fabric": asked, "switch": [box_row(b) for b in boxes],
        "workload": {**LIGHT, **sections.pop("workload", {})},
        "finance": {**FREE, **horizon, **(finance or {})},
        "operations": {**STILL, **sections.pop("operations", {})},
        **{name: sections.pop(name, table) for name, table in NOTHING_BESIDE.items()}, **sections,
    }  # fmt: skip
    return toml(document)


def scenario_of(
    nodes: int | Sequence[int], boxes: Sequence[Box], parts: Prices = Prices(), **asked: Any
) -> Scenario:
    """The checked scenario of ``scenario_text``."""
    return scenario_from_text(scenario_text(nodes, boxes, **asked), bare_sources(parts), "by-hand.toml")


def planned(
    nodes: int | Sequence[int],
    boxes: Sequence[Box],
    parts: Prices = Prices(),
    *,
    solver: Solver = "highs",
    **asked: Any,
) -> FabricResult:
    """The answer for the first technology of ``scenario_text``."""
    scenario = scenario_of(nodes, boxes, parts, **asked)
    return one_fabric(plan_scenario(scenario, bare_sources(parts), PlanOptions(solver=solver)).results[0])


def one_fabric(result: TechnologyResult) -> FabricResult:
    """A result that is of one fabric, as such."""
    assert isinstance(result, FabricResult)
    return result


def shipped_plan(document: Mapping[str, Any], **options: Any) -> FabricResult:
    """The answer for the first technology of a document over the shipped catalog and book."""
    sources = load_sources()
    scenario = scenario_from_text(toml(document), sources, "case.toml")
    return one_fabric(plan_scenario(scenario, sources, PlanOptions(**options)).results[0])


def counts(result: FabricResult, position: int = 0) -> tuple[int, int, int, int]:
    """(tiers, leaves, spines, cores) of one year, all planes together."""
    design = result.plan.designs[position]
    size, planes = design.size, design.wiring.planes
    return design.wiring.tiers, size.leaves * planes, size.spines * planes, size.cores * planes


def switch_counts(result: FabricResult) -> tuple[tuple[tuple[str, int], ...], ...]:
    """What is decided: model and number of switches of every tier from the leaves up, year by year."""
    return tuple(
        tuple((switch, count) for _, switch, count in design.tiers) for design in result.plan.designs
    )
