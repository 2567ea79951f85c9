"""Scenarios over the shipped catalog whose answers are checked and broken, each planned once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from planner.catalog.sources import load_sources
from planner.scenario.load import load_scenario, scenario_from_text
from planner.study.study import Study, plan_scenario
from tests.support.making import toml


def asked(
    server: str = "hgx-h100",
    nodes: tuple[int, ...] = (128,),
    switches: tuple[str, ...] | None = None,
    own: dict[str, Any] | None = None,
    layout: dict[str, Any] | None = None,
    technology: str = "roce",
    cluster: dict[str, Any] | None = None,
    money: dict[str, Any] | None = None,
    **fabric: Any,
) -> str:
    """A scenario over the shipped catalog: ``nodes`` of each build year."""
    per_node = load_sources().catalog.servers[server].gpus_per_node
    rows = (
        [{"id": "own", "technologies": [technology], "price_usd": 9000, "power_w": 400, **own}] if own else []
    )
    use = {"switches": list(switches)} if switches else {"switches": ["own"]} if own else {}
    return toml(
        {
            "schema": 1, "name": "checked", "base_year": 2027,
            "cluster": {"server": server, **(cluster or {})},
            "growth": [{"year": 2027 + i, "gpus": n * per_node} for i, n in enumerate(nodes)],
            "fabric": {"technologies": [technology], "bandwidth_headroom": 0.0, **use, **fabric},
            "workload": {"model": "llama3-8b"}, "finance": money or {}, "layout": layout or {},
            "switch": rows,
        }
    )  # fmt: skip


@cache
def planned(text: str) -> Study:
    sources = load_sources()
    return plan_scenario(scenario_from_text(text, sources, "checked.toml"), sources)


@cache
def shipped(path: Path) -> Study:
    sources = load_sources()
    return plan_scenario(load_scenario(path, sources), sources)
