"""What a design needs beside its links, counted again: spares, managers, licences, management, racks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import exp, fsum, lgamma, log

from planner.catalog.parts import Catalog
from planner.check.check_case import AncillaryCase, SideFabrics
from planner.cost.price_list import LICENCE, MANAGER, RACK
from planner.cost.spares import part_of
from planner.fabric.design import Design
from planner.scenario.scenario import Scenario


def manager_faults(case: AncillaryCase) -> Iterator[str]:
    """Two fabric managers an InfiniBand subnet, and a licence an endpoint."""
    w, managers = case.design.wiring, _managers(case)
    yield from _unlike(case.design, "manager", {MANAGER: managers})
    licences = case.design.nodes * w.nic_ports_per_node * w.nic_port_split if managers else 0
    yield from _unlike(case.design, "licence", {LICENCE: licences})


def _managers(case: AncillaryCase) -> int:
    managed = case.scenario.bill.management.enabled and case.technology == "infiniband"
    return 2 * case.design.wiring.planes * case.design.wiring.sites if managed else 0


def management_faults(case: AncillaryCase) -> Iterator[str]:
    """Racks of network gear, and the out-of-band switches of all; none of a side fabric's own."""
    ask, racks = case.scenario.bill.management, 0
    if ask.enabled and case.sides is not None:
        ports, units = _gear(case.design, case.scenario, case.catalog, case.sides)
        managers = _managers(case)
        racks = int(-(-(units + managers) // ask.rack_units_per_rack))
        ports += managers + racks * ask.pdus_per_rack
        yield from _switch_faults(case, ports, racks)
    yield from _unlike(case.design, "rack", {RACK: racks})


def _unlike(design: Design, tier: str, wanted: Mapping[str, int]) -> Iterator[str]:
    """What a tier holds against what the rules want there."""
    found = {key: n for key, n in design.need_by_tier.items() if key[0] == tier}
    right = {(tier, sku): n for sku, n in wanted.items() if n}
    if found != right:
        yield f"{tier}: {found}, by the rules {right}"


def _gear(design: Design, scenario: Scenario, catalog: Catalog, sides: SideFabrics) -> tuple[int, float]:
    """1G ports and rack units of all switches, side managers and storage servers; managers take a unit."""
    models = {**catalog.switches, **{s.id: s for s in scenario.own_switches}}
    ports, units = sides.servers, 0.0
    for technology, one in (("", design), *sides.designs):
        for (tier, sku), n in one.need_by_tier.items():
            if tier in ("leaf", "spine", "core") and sku in models:
                ports += n
                height = models[sku].rack_units
                units += n * (2.0 if height is None else height)
        if technology == "infiniband":
            two = 2 * one.wiring.planes * one.wiring.sites
            ports, units = ports + two, units + two
    return ports, units


def _switch_faults(case: AncillaryCase, other_ports: int, other_racks: int) -> Iterator[str]:
    """Out-of-band switches by listing the racks of nodes row by row; two uplinks each; a pair above them."""
    design, scenario, catalog = case.design, case.scenario, case.catalog
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


def spare_faults(case: AncillaryCase) -> Iterator[str]:
    """The fewest spares that keep the service level: one less would not."""
    design, ask, total = case.design, case.scenario.bill.spares, Counter[str]()
    stock: Mapping[str, int] = {
        part_of(sku): n for (tier, sku), n in design.need_by_tier.items() if tier == "spares"
    }
    for (tier, sku), n in design.need_by_tier.items():
        if tier != "spares":
            total[sku] += n
    for sku, pieces in total.items():
        rate = ask.failures_per_year.get(case.book.prices[sku].item_class, 0.0) if ask.enabled else 0.0
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
