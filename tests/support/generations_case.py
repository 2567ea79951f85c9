"""Three servers for hand-solved cases: ``node`` of 100G, ``node-200`` of 200G, ``node-b`` like node."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from planner.catalog.sources import Sources
from planner.planning.planning_task import PlanOptions
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Scenario
from planner.scenario.write import dump_document
from planner.study.study import Study, plan_scenario
from pricing.price_book import Price
from tests.support.making import MADE_UP, Box, Prices, bare_sources, scenario_text

SERVER_USD = {"node": 1000.0, "node-200": 3000.0, "node-b": 2000.0}
Row = Mapping[str, Any]
PLAIN = Prices()


@cache
def sources(parts: Prices = PLAIN) -> Sources:
    """The bare sources with the two further servers. ``node-200`` and ``node-b`` have B200 GPUs."""
    bare = bare_sources(parts)
    node = bare.catalog.servers["node"]
    other = replace(node, id="node-b", name="node b", accelerator="b200", power_w=1000.0)
    faster = replace(
        node, id="node-200", name="node 200", accelerator="b200",
        nic_port_gbps=200, nic_id="nic-200",
    )  # fmt: skip
    servers = {s.id: s for s in (node, other, faster)}
    prices = {
        f"server-{k}": Price(f"server-{k}", "server", u, u, u, MADE_UP, "reference")
        for k, u in SERVER_USD.items()
    }
    books = {name: replace(book, prices={**book.prices, **prices}) for name, book in bare.books.items()}
    return replace(bare, catalog=replace(bare.catalog, servers=servers), books=books)


def text_of(rows: Sequence[Row], boxes: Sequence[Box], **asked: Any) -> str:
    """A scenario's text with these [[growth]] rows."""
    last = rows[-1]["year"]
    finance = {"horizon_years": last - rows[0]["year"] + 1, **asked.pop("finance", {})}
    fabric = {"min_spines": 1, **asked.pop("fabric", {})}
    document = tomllib.loads(scenario_text(1, boxes, fabric=fabric, finance=finance, **asked))
    return dump_document({**document, "growth": list(rows)})


def scenario_of(rows: Sequence[Row], boxes: Sequence[Box], parts: Prices = PLAIN, **asked: Any) -> Scenario:
    """The checked scenario. Raises ScenarioError."""
    return scenario_from_text(text_of(rows, boxes, **asked), sources(parts), "by-hand.toml")


def studied(rows: Sequence[Row], boxes: Sequence[Box], parts: Prices = PLAIN, **asked: Any) -> Study:
    """The answer."""
    return plan_scenario(scenario_of(rows, boxes, parts, **asked), sources(parts), PlanOptions())
