"""Whether server generations can share one fabric: the ends of their links must be alike."""

from __future__ import annotations

from collections.abc import Iterator

from planner.catalog import ServerModel
from planner.scenario import Generation
from planner.scenario_bill import Bill, SideAsk
from planner.scenario_form import Form

_ENDS = {  # columns of a server that the end of a link, or a node's place in the fabric, follows from
    "gpus_per_node": "GPUs a node",
    "nic_ports_per_node": "NIC ports a node",
    "nic_port_gbps": "Gb/s a NIC port",
    "nic_id": "NIC",
    "nic_cage": "NIC cage",
    "nic_ports_per_cage": "ports a NIC cage",
    "pcie_generation": "PCIe generation",
    "nvlink_domain_gpus": "GPUs an NVLink domain",
    "bmc_ports": "BMC ports",
}
_PORTS = 2  # of a side fabric where neither scenario nor server says


def check_join(form: Form, index: int, before: int, first: Generation, other: Generation, bill: Bill) -> None:
    """Faults of a generation that can't share the first one's fabric, with what differs by name."""
    where = ("growth", index, "server" if form.doc["growth"][index].get("server") else "link_gbps")
    found = list(end_differences(first, other, bill))
    if found:
        form.fault(
            where,
            f"cannot join one fabric with {first.server.id}: {'; '.join(found)}",
            "take fabric.join_generations out: it is then an island of its own",
        )
    if before % first.server.gpus_per_node:
        form.fault(
            ("growth", index - 1, "gpus"),
            "does not fill whole nodes, which two kinds of servers in one fabric can't share",
            f"write a multiple of {first.server.gpus_per_node}",
        )


def end_differences(first: Generation, other: Generation, bill: Bill) -> Iterator[str]:
    """What of the network ends differs, in words."""
    old, new = first.server, other.server
    for name, words in _ENDS.items():
        a, b = getattr(old, name), getattr(new, name)
        if a != b:
            yield f"{words} {b or 'none'}, there {a or 'none'}"
    if first.fabric.link_gbps != other.fabric.link_gbps:
        a, b = (", ".join(map(str, g.fabric.link_gbps)) for g in (first, other))
        yield f"{b} Gb/s an endpoint, there {a}"
    for section in ("storage", "frontend"):
        ask: SideAsk = getattr(bill, section)
        if ask.enabled and (ends := [_side_end(section, ask, s) for s in (old, new)])[0] != ends[1]:
            a, b = (f"{ports} x {gbps}G{'' if own else ' to be added'}" for ports, gbps, own in ends)
            yield f"{section} ports {b}, there {a} ([{section}_fabric] link_gbps and ports set them alike)"


def _side_end(section: str, ask: SideAsk, server: ServerModel) -> tuple[int, int, bool]:
    """Ports of a node on a side fabric, their rate, and whether the server comes with them."""
    has: tuple[int, int] = getattr(server, f"{section}_ports"), getattr(server, f"{section}_gbps")
    ports, gbps = ask.ports or has[0] or _PORTS, ask.link_gbps or has[1] or server.nic_port_gbps
    return ports, gbps, has[0] >= ports and has[1] == gbps
