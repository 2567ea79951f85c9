"""What a design needs beside its links, counted again: spares, managers, licences, management, racks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, lgamma, log

from planner.catalog import Catalog
from planner.costing import LICENCE, MANAGER, RACK
from planner.design import Design
from planner.scenario import Scenario
from pricing.price_book import PriceBook

LINKS = ("node", "node-leaf", "leaf", "leaf-spine", "spine", "spine-core", "core")


@dataclass(frozen=True, slots=True)
class Others:
    """Side fabrics in the same year: their designs and the storage servers on them."""

    designs: Sequence[tuple[str, Design]]  # technology, design
    servers: int


def extra_faults(
    design: Design,
    scenario: Scenario,
    catalog: Catalog,
    book: PriceBook,
    technology: str,
    others: Others | None,
) -> Iterator[str]:
    """Every extra that the design has too much or too little of. ``others`` None: a side fabric."""
    yield from _spare_faults(design, scenario, book)
    ask = scenario.bill.management
    right = Counter[tuple[str, str]]()
    managed = ask.enabled and technology == "infiniband"
    managers = 2 * design.wiring.planes * design.wiring.sites if managed else 0
    right["manager", MANAGER] = managers
    if managed:
        w = design.wiring
        right["licence", LICENCE] = design.nodes * w.nic_ports_per_node * w.nic_port_split
    if ask.enabled and others is not None:
        ports, units = _gear(design, scenario, catalog, others)
        racks = -(-(units + managers) // ask.rack_units_per_rack)
        right["rack", RACK] = int(racks)
        ports += managers + int(racks) * ask.pdus_per_rack
        yield from _management_faults(design, scenario, ports)
    for tier in ("manager", "licence", "rack"):
        found = {key: n for key, n in design.need_by_tier.items() if key[0] == tier}
        wanted = {key: n for key, n in right.items() if key[0] == tier and n}
        if found != wanted:
            yield f"{tier}: {found}, by the rules {wanted}"


def _gear(design: Design, scenario: Scenario, catalog: Catalog, others: Others) -> tuple[int, float]:
    """1G ports and rack units of all switches, side managers and storage servers; managers take a unit."""
    models = {**catalog.switches, **{s.id: s for s in scenario.own_switches}}
    ports, units = others.servers, 0.0
    for technology, one in (("", design), *others.designs):
        for (tier, sku), n in one.need_by_tier.items():
            if tier in ("leaf", "spine", "core") and sku in models:
                ports += n
                height = models[sku].rack_units
                units += n * (2.0 if height is None else height)
        if technology == "infiniband":
            two = 2 * one.wiring.planes * one.wiring.sites
            ports, units = ports + two, units + two
    return ports, units


def _management_faults(design: Design, scenario: Scenario, other_ports: int) -> Iterator[str]:
    """Out-of-band switches by listing the racks of nodes row by row; two uplinks each."""
    ask = scenario.bill.management
    found: dict[str, int] = {}
    for (tier, sku), n in design.need_by_tier.items():
        if tier in ("management", "management-core") and n:
            found.setdefault(tier, 0)
            found[tier] = max(found[tier], n) if tier == "management" else found[tier]
            found[f"{tier} {sku}"] = n
    racks = [min(ask.nodes_per_rack, design.nodes - i) for i in range(0, design.nodes, ask.nodes_per_rack)]
    wanted = 0
    for first in range(0, len(racks), ask.racks_per_row):
        row = racks[first : first + ask.racks_per_row]
        ports = sum(nodes * scenario.server.bmc_ports + ask.pdus_per_rack for nodes in row)
        wanted += -(-ports // 48)
    wanted += -(-other_ports // 48)
    if wanted not in [n for key, n in found.items() if key.startswith("management ")]:
        yield f"management: {found}, the rows of racks take {wanted} switches of 48 ports"


def _spare_faults(design: Design, scenario: Scenario, book: PriceBook) -> Iterator[str]:
    """The fewest spares that keep the service level: one less would not."""
    ask, total = scenario.bill.spares, Counter[str]()
    stock: Mapping[str, int] = {
        sku.removeprefix("spare:"): n for (tier, sku), n in design.need_by_tier.items() if tier == "spares"
    }
    for (tier, sku), n in design.need_by_tier.items():
        if tier != "spares":
            total[sku] += n
    for sku, pieces in total.items():
        rate = ask.failures_per_year.get(book.prices[sku].item_class, 0.0) if ask.enabled else 0.0
        mean = pieces * rate * ask.replenishment_weeks / 52.0
        held = stock.get(sku, 0)
        if covered(mean, held) < ask.service_level_ratio - 1e-9:
            yield f"spares: {held} x {sku} for {pieces} in use keep no {ask.service_level_ratio:.0%}"
        elif held and covered(mean, held - 1) >= ask.service_level_ratio + 1e-9:
            yield f"spares: {held} x {sku} for {pieces} in use, fewer would do"
    for sku in sorted(set(stock) - set(total)):
        yield f"spares: {stock[sku]} x {sku} that nothing uses"


def covered(mean: float, stock: int) -> float:
    """P(X <= stock) of a Poisson variable."""
    if mean <= 0.0:
        return 1.0
    return fsum(exp(k * log(mean) - mean - lgamma(k + 1.0)) for k in range(stock + 1))
