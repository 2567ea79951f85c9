"""What a design needs beside its links, counted again: spares, managers, licences, management, racks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, lgamma, log

from planner.catalog.parts import Catalog
from planner.cost.price_list import LICENCE, MANAGER, MOVE_CORD, RACK, RECABLE_LINK
from planner.fabric.design import Design
from planner.scenario.scenario import Scenario
from pricing.price_book import PriceBook

_LAYERS = {"leaf-spine-panel": "leaf-spine", "spine-core-panel": "spine-core"}


def panel_faults(design: Design, scenario: Scenario, catalog: Catalog, book: PriceBook) -> Iterator[str]:
    """Every panel or cord that the design has too much, too little, or of the wrong kind."""
    for tier, layer in _LAYERS.items():
        held = {sku: n for (where, sku), n in design.need_by_tier.items() if where == tier}
        runs = [
            (sku, _runs(design, layer, catalog.fibres[sku].split, n))
            for (where, sku), n in design.need_by_tier.items()
            if where == layer and sku in catalog.fibres and scenario.layout.patch_panels == (True,)
        ]
        if not runs:
            yield from (f"{tier}: {n} x {sku} that no fibre ends at" for sku, n in held.items())
            continue
        ((fibre_id, ends),) = runs
        fibre = catalog.fibres[fibre_id]
        for sku, n in held.items():
            cord, panel = catalog.fibres.get(sku), catalog.panels.get(sku)
            fits = fibre.connector in (cord.connector if cord else "", panel.connector if panel else "")
            if cord and (cord.medium, cord.split) != (fibre.medium, 1):
                fits = False
            if cord and cord.length_m < scenario.layout.jumper_m or not fits:
                yield f"{tier}: {sku} does not fit the fibre {fibre_id}"
            elif cord and n != ends:
                yield f"{tier}: {n} cords for {ends} runs"
            elif panel and not _enough(n, panel.ports, 2 * ends, design.wiring.sites):
                yield f"{tier}: {n} panels of {panel.ports} ports for {2 * ends} ends"
        if len(held) != 2:
            yield f"{tier}: {len(held)} kinds of parts, a panel and a cord are due"
    yield from _price_faults(scenario, book)


def _runs(design: Design, layer: str, split: int, fibres: int) -> int:
    """Runs of a layer: its fibres, or the links on the tails of splitters."""
    size, w = design.size, design.wiring
    links = size.leaves * w.up if layer == "leaf-spine" else size.spines * w.spine_up
    return fibres if split == 1 else links * w.planes * w.sites


def _enough(panels: int, ports: int, ends: int, sites: int) -> bool:
    """Whether the panels are whole at every site, hold the ends, and one less would not."""
    here, rest = divmod(panels, sites)
    return not rest and (here - 1) * ports < ends // sites <= here * ports


def _price_faults(scenario: Scenario, book: PriceBook) -> Iterator[str]:
    """The labour of a link moved at a panel against its share of a direct cable's."""
    cord, direct = book.price(MOVE_CORD), book.price(RECABLE_LINK)
    if cord and direct:
        right = direct.mid_usd * scenario.layout.panel_labour_ratio
        if abs(cord.mid_usd - right) > 1e-9 * max(right, 1.0):
            yield f"{MOVE_CORD}: {cord.mid_usd:.4f} USD, by the ratio {right:.4f}"


LINKS = ("node", "node-leaf", "leaf", "leaf-leaf", "leaf-spine", "spine", "spine-core", "core")


@dataclass(frozen=True, slots=True)
class Others:
    """Side fabrics in the same year: their designs and the storage servers on them."""

    designs: Sequence[tuple[str, Design]]  # technology, design
    servers: int


def ancillary_faults(
    design: Design,
    scenario: Scenario,
    catalog: Catalog,
    book: PriceBook,
    technology: str,
    others: Others | None,
) -> Iterator[str]:
    """Every extra that the design has too much or too little of. ``others`` None: a side fabric."""
    yield from _spare_faults(design, scenario, book)
    yield from panel_faults(design, scenario, catalog, book)
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
        yield from _management_faults(design, scenario, catalog, ports, int(racks))
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


def _management_faults(
    design: Design, scenario: Scenario, catalog: Catalog, other_ports: int, other_racks: int
) -> Iterator[str]:
    """Out-of-band switches by listing the racks of nodes row by row; two uplinks each; a pair above them."""
    ask = scenario.bill.management
    switches: dict[str, tuple[int, int]] = {}  # by tier: pieces, and ports of one
    for (tier, sku), n in design.need_by_tier.items():
        if tier in ("management", "management-core") and sku in catalog.switches:
            switches[tier] = n, catalog.switches[sku].ports
    count, ports = switches.get("management", (0, 48))
    racks = [min(ask.nodes_per_rack, design.nodes - i) for i in range(0, design.nodes, ask.nodes_per_rack)]
    rows = []
    for first in range(0, len(racks), ask.racks_per_row):
        row = racks[first : first + ask.racks_per_row]
        rows.append(sum(nodes * scenario.server.bmc_ports + ask.pdus_per_rack for nodes in row))
    together = len(racks) + other_racks <= ask.racks_per_row
    rows = [rows[0] + other_ports] if together else [*rows, other_ports]
    wanted = sum(-(-row // ports) for row in rows)
    if count != wanted:
        yield f"management: {count} switches, the rows of racks take {wanted} of {ports} ports"
        return
    above, ports = switches.get("management-core", (0, 32))
    pairs = 2 * -(-count // ports) if count > 2 else 0
    if above != pairs:
        yield f"management: {above} switches above {count}, two uplinks each take {pairs}"


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
