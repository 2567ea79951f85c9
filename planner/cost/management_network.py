"""The management network: out-of-band switches and their uplinks, racks of network gear, fabric managers.

Out-of-band rule: one 1G port for each BMC, switch, PDU, manager and storage server, over the ports of
1G switches by row of racks, two uplinks each, to a pair of faster switches where there are more than two.
InfiniBand adds two fabric managers a subnet, and a licence an endpoint and year.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import ceil

from planner.catalog.parts import Catalog, SwitchModel
from planner.catalog.technologies import Technology
from planner.cost.price_list import LICENCE, MANAGER, RACK
from planner.cost.tariff import Tariff
from planner.fabric.cabling import LinkBundle, Medium, MediumChoice, cheapest_medium, longest_m
from planner.fabric.design import Size, Wiring
from planner.fabric.part_counts import switch_end
from planner.scenario.bill import ManagementAsk
from planner.scenario.scenario import Scenario

MANAGERS = 2  # for each InfiniBand subnet
UPLINKS = 2  # of each out-of-band switch
USUAL_RACK_UNITS = 2.0  # of a switch whose height is not known
UPLINK_GBPS = 100


@dataclass(frozen=True, slots=True)
class NetworkGear:
    """What stands in the racks of network gear: its 1G ports and its rack units."""

    ports: int = 0
    rack_units: float = 0.0


@dataclass(frozen=True, slots=True)
class OutOfBand:
    """The parts of the management network."""

    switch: SwitchModel
    core: SwitchModel
    uplink: Medium


def fabric_managers(technology: Technology, wiring: Wiring) -> int:
    """Fabric managers of a fabric: two for each InfiniBand subnet, which is a plane of a site."""
    return MANAGERS * wiring.copies if technology == "infiniband" else 0


def manager_pieces(managers: int, wiring: Wiring, size: Size) -> dict[tuple[str, str], int]:
    """Fabric managers, and a licence for each endpoint that they manage, by (tier, SKU)."""
    if not managers:
        return {}
    return {("manager", MANAGER): managers, ("licence", LICENCE): size.endpoints * wiring.copies}


def network_gear(switches: Mapping[str, int], managers: int, rack_units: Mapping[str, float]) -> NetworkGear:
    """Switch boxes by SKU and fabric managers: a 1G port each; a manager takes one rack unit."""
    height = sum(n * rack_units.get(sku, USUAL_RACK_UNITS) for sku, n in switches.items())
    return NetworkGear(sum(switches.values()) + managers, height + managers)


def management_pieces(
    scenario: Scenario, parts: OutOfBand, gear: NetworkGear, nodes: int
) -> Iterator[tuple[tuple[str, str], int]]:
    """((tier, SKU), pieces) of the racks of network gear, the out-of-band switches and their uplinks."""
    ask = scenario.bill.management
    racks = ceil(gear.rack_units / ask.rack_units_per_rack)
    ports = gear.ports + racks * ask.pdus_per_rack
    bmcs = scenario.server.bmc_ports
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

    return full * _row(ask, in_row, bmc_ports, switch_ports) + _row(ask, rest, bmc_ports, switch_ports)


def _row(ask: ManagementAsk, nodes: int, bmc_ports: int, switch_ports: int) -> int:
    """Out-of-band switches of the nodes in one row of racks."""
    racks = ceil(nodes / ask.nodes_per_rack)
    return ceil((nodes * bmc_ports + racks * ask.pdus_per_rack) / switch_ports)


def out_of_band(scenario: Scenario, catalog: Catalog, tariff: Tariff) -> OutOfBand | None:
    """The cheapest 1G switch that a cable joins to some 100G switch, and the cheapest that it does; none of
    unknown power. None where there are none. Of equal prices the first by name."""
    for switch, core in _switch_pairs(catalog, tariff):
        medium = _uplink(switch, core, scenario.bill.management.uplink_m, catalog, tariff).medium
        if medium:
            return OutOfBand(switch, core, medium)
    return None


def unreachable_uplink(scenario: Scenario, catalog: Catalog, tariff: Tariff) -> str:
    """Why no parts of any price make the uplinks, and the length up to which some do; "" where some do, or
    where there are no switches to join."""
    pairs = list(_switch_pairs(catalog, tariff))

    def reaches(length_m: float) -> bool:
        choices = (_uplink(*pair, length_m, catalog, tariff) for pair in pairs)
        return any(choice.medium or choice.unpriced for choice in choices)

    asked_m = scenario.bill.management.uplink_m
    if not pairs or reaches(asked_m):
        return ""
    most_m = longest_m(catalog, reaches)
    said = f"management: no cable or pair of modules in the catalog makes an uplink of {asked_m:g} m"
    remedy = "switch [management] off" if most_m is None else f"write uplink_m = {most_m:g} or less"
    return f"{said} from a 1G to a 100G switch; {remedy}"


def _switch_pairs(catalog: Catalog, tariff: Tariff) -> Iterator[tuple[SwitchModel, SwitchModel]]:
    """1G switches with uplinks, and 100G switches above them, the cheapest first."""
    known = [s for s in catalog.switches.values() if s.power_w is not None]
    priced = [(usd, s) for s in known if (usd := tariff.price_usd(s.id)) is not None]
    by_price = [s for _, s in sorted(priced, key=lambda row: (row[0], row[1].id))]
    below = [s for s in by_price if s.port_gbps == 1 and s.uplink_gbps == UPLINK_GBPS]
    above = [s for s in by_price if s.port_gbps == UPLINK_GBPS and "ethernet" in s.technologies]
    return product(below, above)


def _uplink(
    switch: SwitchModel, core: SwitchModel, length_m: float, catalog: Catalog, tariff: Tariff
) -> MediumChoice:
    """What an uplink of a length is made of."""
    ends = switch_end(switch, UPLINK_GBPS), switch_end(core, UPLINK_GBPS)
    bundle = LinkBundle(*ends, UPLINK_GBPS, length_m, "ethernet", 1)
    return cheapest_medium(catalog, bundle, tariff.price_usd)
