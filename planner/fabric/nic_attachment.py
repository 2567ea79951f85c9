"""The ways in which a node's NIC ports may be attached to the fabric: planes, split, rate, rails, NIC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil

from planner.catalog.parts import Catalog, NicModel, ServerModel
from planner.catalog.technologies import Technology
from planner.fabric.cabling import LinkEnd, UnitPrice
from planner.fabric.design import Wiring
from planner.scenario.scenario import Scenario

# Usable Gb/s of a x16 slot by PCIe generation, rounded down to the Ethernet rates that fit
# (raw 126, 252, 504, 1,008 Gb/s one way; PCI-SIG base specifications 3.0 to 6.0).
SLOT_GBPS = {3: 126, 4: 252, 5: 504, 6: 1008}


@dataclass(frozen=True, slots=True)
class NicAttachment:
    """One way to use a node's NIC ports: planes, split, rate, rails, and the NIC for it.

    ``base`` is a Wiring without switches.
    """

    base: Wiring
    nic: NicModel
    nics_per_node: int
    node_end: LinkEnd
    nic_cages_per_node: int


@dataclass(frozen=True, slots=True)
class NicAttachments:
    """The attachments found, the NICs left out, and why there is none for some choice."""

    found: tuple[NicAttachment, ...]
    excluded: tuple[str, ...]
    reasons: tuple[str, ...]


def nic_attachments(
    scenario: Scenario, technology: Technology, catalog: Catalog, price: UnitPrice
) -> NicAttachments:
    """Every combination of the fabric's open choices that the technology has a NIC for."""
    ask = scenario.fabric
    found, excluded, reasons = list[NicAttachment](), set[str](), list[str]()
    choices = product(
        ask.planes, ask.nic_port_split, ask.nic_ports_per_node, ask.link_gbps, ask.rail_optimised
    )
    for planes, split, ports, gbps, rail in choices:
        if (ports * split) % planes or not _at_full_rate(scenario, split, gbps):
            continue
        per_plane, port_gbps = ports * split // planes, gbps * split
        of_technology = [n for n in catalog.nics.values() if technology in n.technologies]
        nics = [n for n in of_technology if n.port_gbps == port_gbps]
        excluded |= {f"{n.id}: {said}" for n in nics if (said := _lacking(n, price))}
        nic = nic_for(scenario.server, ports, [n for n in nics if not _lacking(n, price)], price)
        if nic is None:
            usable = [n.port_gbps for n in of_technology if not _lacking(n, price)]
            reasons.append(_no_nic(technology, port_gbps, {g // split for g in usable if g % split == 0}))
            continue
        base = Wiring(
            planes=planes,
            nic_port_split=split,
            nic_ports_per_node=ports,
            link_gbps=gbps,
            rail_optimised=rail and per_plane > 1,
            nic=nic.id,
            tiers=1,
            leaf="",
            leaf_breakout=1,
            nodes_per_unit=1,
            leaves_per_unit=1,
            down=1,
            sites=scenario.wan.sites,
        )
        found.append(_attachment(base, nic, scenario.server, ports, split))
    return NicAttachments(tuple(found), tuple(sorted(excluded)), tuple(dict.fromkeys(reasons)))


def _no_nic(technology: Technology, port_gbps: int, rates: set[int]) -> str:
    """No NIC has ports of a rate; the link rates for which one has."""
    remedy = (
        f"write link_gbps = {' or '.join(map(str, sorted(rates)))}" if rates else f"leave {technology} out"
    )
    return f"the catalog has no priced {technology} NIC with a {port_gbps} Gb/s port; {remedy}"


def _at_full_rate(scenario: Scenario, split: int, gbps: int) -> bool:
    """Where several splits are open, each goes with the rate that keeps the server's NIC ports full."""
    ask, port_gbps = scenario.fabric, scenario.server.nic_port_gbps
    full = any(g * split == port_gbps for g in ask.link_gbps)
    return len(ask.nic_port_split) == 1 or not full or gbps * split == port_gbps


def _attachment(base: Wiring, nic: NicModel, server: ServerModel, ports: int, split: int) -> NicAttachment:
    own = nic.id == server.nic_id
    per_cage = server.nic_ports_per_cage if own else 1
    cage = server.nic_cage if own and server.nic_cage else nic.cage
    return NicAttachment(
        base=base,
        nic=nic,
        nics_per_node=ceil(ports / usable_ports(nic, server)),
        node_end=LinkEnd(cage, per_cage * split),
        nic_cages_per_node=ceil(ports / per_cage),
    )


def usable_ports(nic: NicModel, server: ServerModel) -> int:
    """Ports of a NIC that run at full rate together in the server's slots."""
    if nic.id == server.nic_id:
        return nic.ports
    slot = SLOT_GBPS.get(min(nic.pcie_generation, server.pcie_generation), nic.port_gbps)
    limit = min(slot, nic.max_total_gbps or slot)
    return max(1, min(nic.ports, limit // nic.port_gbps))


def nic_for(server: ServerModel, ports: int, nics: Sequence[NicModel], price: UnitPrice) -> NicModel | None:
    """The server's own NIC where it is among them, else the cheapest for a node's ports; None of none.

    Of equal prices the one that draws less, then by name. All have a price and a known power.
    """

    def rank(nic: NicModel) -> tuple[bool, float, float, str]:
        cards = ceil(ports / usable_ports(nic, server))
        return nic.id != server.nic_id, cards * (price(nic.id) or 0.0), nic.power_w or 0.0, nic.id

    return min(nics, key=rank, default=None)


def _lacking(nic: NicModel, price: UnitPrice) -> str:
    """What a NIC cannot be planned without and lacks, in words; "" where it has all."""
    lacking = [word for word, value in (("price", price(nic.id)), ("power", nic.power_w)) if value is None]
    return f"no {' and no '.join(lacking)} in the catalog" if lacking else ""
