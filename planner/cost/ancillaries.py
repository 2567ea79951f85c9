"""What a design needs beside its links: spares, fabric managers, licences, management network, racks.

Everything here follows from the counts of a design, so that the programme weighs it like any other part.
Out-of-band rule: one 1G port for each BMC, switch, PDU, manager and storage server, over the ports of
1G switches by row of racks, two uplinks each, to a pair of faster switches where there are more than two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, exp, lgamma, log, sqrt

from planner.catalog.parts import Catalog, SwitchModel
from planner.cost.tariff import LICENCE, MANAGER, RACK, SPARE, Tariff
from planner.fabric.cabling import LinkBundle, Medium, cheapest_medium
from planner.fabric.demand import YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.part_counts import Pieces, switch_end
from planner.fabric.patch_panels import PanelParts, panel_parts, panel_pieces
from planner.scenario.bill import ManagementAsk, SparesAsk
from planner.scenario.scenario import Scenario

WEEKS_PER_YEAR = 52.0


@lru_cache(maxsize=65536)
def spares_for(pieces: int, failures_per_year: float, weeks: float, service_level: float) -> int:
    """The fewest spares s with P(X <= s) >= service level, X Poisson of mean pieces x rate x weeks / 52.

    X is the number of failures in the time that a replacement takes. A flat percent has too few for
    small numbers and too many for large ones.

    >>> spares_for(48, 0.01, 8.0, 0.95), spares_for(2048, 0.02, 8.0, 0.95)
    (1, 11)
    """
    mean = pieces * failures_per_year * weeks / WEEKS_PER_YEAR
    if mean <= 0.0:
        return 0
    # below mean - 12 standard deviations nothing counts; starting there keeps exp() away from 0
    k = max(0, int(mean - 12.0 * sqrt(mean)))
    covered = 0.0
    while True:
        covered += exp(k * log(mean) - mean - lgamma(k + 1.0))
        if covered >= service_level:
            return k
        k += 1


SECTION_OF_TIER = {
    "management": "management",
    "management-uplink": "management",
    "management-core": "management",
    "manager": "management",
    "rack": "management",
    "licence": "services",
}
SPARES = "spares"  # the tier of pieces in stock
MANAGERS = 2  # for each InfiniBand subnet
UPLINKS = 2  # of each out-of-band switch
USUAL_RACK_UNITS = 2.0  # of a switch whose height is not known
UPLINK_GBPS = 100


@dataclass(frozen=True, slots=True)
class OtherGear:
    """What other sections add to the management network in one year: 1G ports and rack units."""

    ports: int = 0
    rack_units: float = 0.0


@dataclass(frozen=True, slots=True)
class OutOfBand:
    """The parts of the management network."""

    switch: SwitchModel
    core: SwitchModel
    uplink: Medium


@dataclass(frozen=True, slots=True)
class Ancillaries:
    """Adds what a design needs. ``classes``: item class by SKU; ``other_gear`` is by year (t), None for a
    side fabric, whose switches hang on the cluster's management network."""

    scenario: Scenario
    technology: str
    classes: Mapping[str, str]
    rack_units: Mapping[str, float]
    out_of_band: OutOfBand | None
    other_gear: Mapping[int, OtherGear] | None
    panels: PanelParts | None = None

    def __call__(self, pieces: Pieces, wiring: Wiring, size: Size, year: YearDemand) -> Pieces:
        """The pieces with everything added; modules and links stay as they are."""
        use = Counter(pieces.by_tier)
        if self.scenario.server.nics_in_server:
            del use["node", wiring.nic]
        if self.panels:
            use.update(dict(panel_pieces(pieces.by_tier, wiring, size, self.panels)))
        bill = self.scenario.bill
        managers = 0
        if bill.management.enabled and self.technology == "infiniband":
            managers = MANAGERS * wiring.copies
            use["manager", MANAGER] += managers
            use["licence", LICENCE] += size.endpoints * wiring.copies
        if bill.management.enabled and self.out_of_band and self.other_gear is not None:
            switches = {s: n for s, n in pieces.by_sku().items() if self.classes.get(s) == "switch"}
            other_gear = self.other_gear.get(year.t, OtherGear())
            use.update(dict(self._management(switches, managers, other_gear, year.nodes)))
        use.update(_spares(use, self.classes, bill.spares))
        return replace(pieces, by_tier={k: n for k, n in use.items() if n})

    def _management(
        self, switches: Mapping[str, int], managers: int, other_gear: OtherGear, nodes: int
    ) -> Iterator[tuple[tuple[str, str], int]]:
        """Racks of network gear, out-of-band switches, their uplinks."""
        ask, parts = self.scenario.bill.management, self.out_of_band
        if parts is None:
            return
        height = other_gear.rack_units + managers
        height += sum(n * self.rack_units.get(s, USUAL_RACK_UNITS) for s, n in switches.items())
        racks = ceil(height / ask.rack_units_per_rack)
        ports = sum(switches.values()) + managers + other_gear.ports + racks * ask.pdus_per_rack
        bmcs = self.scenario.server.bmc_ports
        count = out_of_band_switches(ask, (nodes, bmcs), (racks, ports), parts.switch.ports)
        links = UPLINKS * count
        yield ("rack", RACK), racks
        yield ("management", parts.switch.id), count
        if count > UPLINKS:  # one or two hang on the frontend's leaves
            yield ("management-core", parts.core.id), UPLINKS * ceil(count / parts.core.ports)
        yield ("management-uplink", parts.uplink.cable), parts.uplink.cables(links)
        if parts.uplink.module_a:
            yield ("management", parts.uplink.module_a), links
            yield ("management-core", parts.uplink.module_b), links


def out_of_band_switches(
    ask: ManagementAsk, nodes: tuple[int, int], gear: tuple[int, int], switch_ports: int
) -> int:
    """Out-of-band switches: of the nodes' rows, and of the gear, which shares the row of a small cluster.

    ``nodes``: nodes and BMC ports of each; ``gear``: its racks and 1G ports, PDUs included.

    >>> out_of_band_switches(ManagementAsk(), (8, 1), (1, 20), 48)
    1
    >>> out_of_band_switches(ManagementAsk(), (127, 1), (2, 97), 48)
    7
    """
    racks = ceil(nodes[0] / ask.nodes_per_rack)
    if racks + gear[0] <= ask.racks_per_row:
        return ceil((nodes[0] * nodes[1] + racks * ask.pdus_per_rack + gear[1]) / switch_ports)
    return node_rows(ask, *nodes, switch_ports) + ceil(gear[1] / switch_ports)


def node_rows(ask: ManagementAsk, nodes: int, bmc_ports: int, switch_ports: int) -> int:
    """Out-of-band switches of the nodes' racks, rounded up row by row.

    >>> node_rows(ManagementAsk(), 127, 1, 48)
    4
    """
    in_row = ask.nodes_per_rack * ask.racks_per_row
    full, rest = divmod(nodes, in_row)

    def of_row(hosted: int) -> int:
        return ceil(
            (hosted * bmc_ports + ceil(hosted / ask.nodes_per_rack) * ask.pdus_per_rack) / switch_ports
        )

    return full * of_row(in_row) + of_row(rest)


def _spares(
    use: Mapping[tuple[str, str], int], classes: Mapping[str, str], ask: SparesAsk
) -> dict[tuple[str, str], int]:
    """Spares of every SKU, over all tiers that use it."""
    if not ask.enabled:
        return {}
    total = Counter[str]()
    for (_, sku), n in use.items():
        total[sku] += n
    rates = {sku: ask.failures_per_year.get(classes.get(sku, ""), 0.0) for sku in total}
    return {
        (SPARES, SPARE + sku): spares_for(n, rates[sku], ask.replenishment_weeks, ask.service_level_ratio)
        for sku, n in total.items()
    }


def ancillaries_of(
    scenario: Scenario,
    technology: str,
    catalog: Catalog,
    tariff: Tariff,
    other_gear: Mapping[int, OtherGear] | None,
) -> tuple[Ancillaries, tuple[str, ...]]:
    """The rule for a technology, and the parts that it lacks."""
    known = {**catalog.switches, **{s.id: s for s in scenario.own_switches}}
    ask, missing = scenario.bill.management, list[str]()
    whole = ask.enabled and other_gear is not None
    found = out_of_band(scenario, catalog, tariff) if whole else None
    if whole and found is None:
        missing.append("management: no priced 1G switch, 100G switch and cable between them in the catalog")
    needed = [RACK] if whole else []
    needed += [MANAGER, LICENCE] if ask.enabled and technology == "infiniband" else []
    missing += [f"{sku}: no price" for sku in needed if tariff.price_usd(sku) is None]
    classes = {sku: price.item_class for sku, price in tariff.book.prices.items()}
    units = {s.id: s.rack_units for s in known.values() if s.rack_units is not None}
    off = replace(scenario, bill=replace(scenario.bill, management=ManagementAsk()))
    kept = off if missing else scenario
    panels, lacking = None, tuple[str, ...]()
    if scenario.layout.panels:
        panels, lacking = panel_parts(catalog, tariff.price_usd, scenario.layout.jumper_m)
    found_all = Ancillaries(kept, technology, classes, units, found, other_gear, None if lacking else panels)
    return found_all, (*missing, *lacking)


def out_of_band(scenario: Scenario, catalog: Catalog, tariff: Tariff) -> OutOfBand | None:
    """The cheapest 1G switch and 100G pair that a cable joins; None where there are none."""
    priced = [(p, s) for s in catalog.switches.values() if (p := tariff.price_usd(s.id)) is not None]
    priced.sort(key=lambda row: (row[0], row[1].id))
    low = [
        s for _, s in priced if s.port_gbps == 1 and s.uplink_gbps == UPLINK_GBPS and s.power_w is not None
    ]
    high = [
        s
        for _, s in priced
        if s.port_gbps == UPLINK_GBPS and "ethernet" in s.technologies and s.power_w is not None
    ]
    metres = scenario.bill.management.uplink_m
    for switch in low:
        for core in high:
            ends = switch_end(switch, UPLINK_GBPS), switch_end(core, UPLINK_GBPS)
            ask = LinkBundle(*ends, UPLINK_GBPS, metres, "ethernet", 1)
            medium = cheapest_medium(catalog, ask, tariff.price_usd).medium
            if medium:
                return OutOfBand(switch, core, medium)
    return None
