"""[[growth]] rows that name a server or a rate of their own -> the generations of servers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from planner.catalog.parts import ServerModel, SwitchModel
from planner.scenario.bill import Bill, SideAsk
from planner.scenario.cluster_keys import ClusterSection, GrowthSection
from planner.scenario.document_reader import DocumentReader
from planner.scenario.fabric_section import rates_remedy, restricted, switch_rates
from planner.scenario.scenario import FabricAsk, Generation, Workload
from planner.text.format import counted

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


def check_join(
    reader: DocumentReader, index: int, before: int, first: Generation, other: Generation, bill: Bill
) -> None:
    """Faults of a generation that can't share the first one's fabric, with what differs by name."""
    where = ("growth", index, "server" if reader.doc["growth"][index].get("server") else "link_gbps")
    found = list(end_differences(first, other, bill))
    if found:
        reader.fault(
            where,
            f"cannot join one fabric with {first.server.id}: {'; '.join(found)}",
            "take fabric.join_generations out: it is then an island of its own",
        )
    if before % first.server.gpus_per_node:
        reader.fault(
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


_WHOLE_CLUSTER = ("capex_usd_per_year", "network_power_kw", "rack_units")  # limits that couple islands
_JOIN = "take it out, or write fabric.join_generations = true"


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that is in order as far as it is looked at here, and the GPUs in service before it."""

    index: int
    year: int
    gpus: int
    before: int
    server: str | None
    links: tuple[int, ...] | None


def generations(
    reader: DocumentReader,
    server: ServerModel | None,
    ask: FabricAsk,
    own: tuple[SwitchModel, ...],
    job: Workload | None,
    bill: Bill,
) -> tuple[Generation, ...]:
    """The generations in the order of their years; none where all servers and rates are alike.

    A row that names the server and rate of the rows before it goes on with them. The columns that
    [cluster] gives hold for its own server; a later one is as the catalog has it.
    """
    rows = reader.rows(GrowthSection)
    asked = list(_rows(rows))
    if server is None or not asked:
        return ()
    own_id = reader.table(ClusterSection).server or server.id
    _check_first(reader, rows, own_id, ask)
    found = [Generation(asked[0].year, server, ask)]
    for row in asked[1:]:
        new = _next(reader, row, found[-1], (own_id, server), ask)
        if new is not None and (new.server, new.fabric.link_gbps) != _kind(found[-1]):
            _check_added(reader, row, job, ask)
            _check_fabric(reader, row, new, own)
            _check_precision(reader, row, new, job)
            found.append(new)
    if len(found) == 1:
        return ()
    _check_whole(reader, asked, found, ask, bill)
    return tuple(found)


def _rows(rows: list[GrowthSection]) -> Iterator[_Row]:
    before = 0
    for i, row in enumerate(rows):
        if row.year is not None and row.gpus is not None:
            links = tuple(row.link_gbps) if row.link_gbps else None
            yield _Row(i, row.year, row.gpus, before, row.server, links)
            before = row.gpus


def _kind(generation: Generation) -> tuple[ServerModel, tuple[int, ...]]:
    return generation.server, generation.fabric.link_gbps


def _check_first(reader: DocumentReader, rows: list[GrowthSection], own_id: str, ask: FabricAsk) -> None:
    """The first generation is that of [cluster] and [fabric]."""
    first = rows[0]
    if first.server is not None and first.server != own_id:
        reader.fault(("growth", 0, "server"), "is not the cluster's", "write it as server in [cluster]")
    if first.link_gbps is not None and tuple(first.link_gbps) != ask.link_gbps:
        reader.fault(("growth", 0, "link_gbps"), "is not the fabric's", "write it as link_gbps in [fabric]")


def _next(
    reader: DocumentReader, row: _Row, now: Generation, first: tuple[str, ServerModel], ask: FabricAsk
) -> Generation | None:
    """The generation of a row: the one before where it names nothing; None with an unknown server."""
    known = reader.sources.catalog.servers
    server = now.server
    if row.server is not None:
        if not reader.known_id(("growth", row.index, "server"), row.server, known, "server"):
            return None
        server = first[1] if row.server == first[0] else known[row.server]
    links = row.links or ()
    if not links:
        same = server == now.server
        links = now.fabric.link_gbps if same else _own_rates(reader, row, server, ask)
    ports = now.fabric.nic_ports_per_node if server == now.server else (server.nic_ports_per_node,)
    if server == first[1]:
        ports = ask.nic_ports_per_node
    rails = ask.rail_optimised
    if not reader.gives("fabric", "rail_optimised"):
        rails = (max(ports) * max(ask.nic_port_split) > min(ask.planes),)
    fabric = replace(ask, link_gbps=links, nic_ports_per_node=ports, rail_optimised=rails)
    return Generation(row.year, server, fabric)


def _own_rates(reader: DocumentReader, row: _Row, server: ServerModel, ask: FabricAsk) -> tuple[int, ...]:
    """The rate of the server's NIC ports over the split."""
    port = server.nic_port_gbps
    links = tuple(dict.fromkeys(port // split for split in ask.nic_port_split if port % split == 0))
    if not links:
        where = ("growth", row.index, "server")
        reader.fault(
            where, f"has NIC ports of {port}G, which no nic_port_split divides", "give link_gbps, too"
        )
    said = ", ".join(map(str, links))
    reader.defaults_used.append(f"growth[{row.index + 1}].link_gbps = {said} (the server's NIC rate)")
    return links


def _check_added(reader: DocumentReader, row: _Row, job: Workload | None, ask: FabricAsk) -> None:
    """A generation has GPUs, and room for its job's copy of the model."""
    where, added = ("growth", row.index, "gpus"), row.gpus - row.before
    if added < 1:
        reader.fault(
            where, "adds no GPUs, which the new server would be", f"write more than {row.before}: it is the "
            "whole cluster"
        )  # fmt: skip
        return
    degrees = (job.tensor_parallel, job.pipeline_parallel, job.context_parallel) if job else ()
    parts = 1
    for degree in degrees:
        parts *= degree or 1
    if parts > added and not ask.join_generations:
        reader.fault(
            where,
            f"adds {counted(added, 'GPU')} as an island, where one copy of the model takes {parts}",
            "add more, or lower the parallel degrees in [workload]",
        )


def _check_fabric(reader: DocumentReader, row: _Row, new: Generation, own: tuple[SwitchModel, ...]) -> None:
    """Switches and NICs of the rate; planes that divide a node's endpoints."""
    ask, catalog = new.fabric, reader.sources.catalog
    key = "link_gbps" if row.links else "server"
    where = ("growth", row.index, key)
    usable = [
        s for s in (*catalog.switches.values(), *own) if ask.switches is None or s.id in ask.switches
    ]  # fmt: skip
    nics = {n.port_gbps for n in catalog.nics.values() if n.technologies.intersection(ask.technologies)}
    rates = switch_rates(ask.technologies, usable)
    named = ", ".join(ask.technologies)
    for link in ask.link_gbps:
        if link not in rates:
            said = f"{link}G is a rate of no switch of {named}" + restricted(reader)
            reader.fault(where, said, rates_remedy(rates, ask.technologies, restricted(reader)))
        if not any(link * split in nics for split in ask.nic_port_split):
            split = {rate // s for rate in nics for s in ask.nic_port_split if rate % s == 0}
            said = f"{link}G needs a NIC port that no NIC of {named} has"
            reader.fault(where, said, rates_remedy(split, ask.technologies))
    counts = {p * s for p in ask.nic_ports_per_node for s in ask.nic_port_split}
    for plane in ask.planes:
        if all(count % plane for count in counts):
            reader.fault(
                ("growth", row.index, "server"),
                f"has {max(counts)} endpoints a node, which the {plane} planes of [fabric] do not divide",
                "write planes that divide the endpoints of every server",
            )


def _check_precision(reader: DocumentReader, row: _Row, new: Generation, job: Workload | None) -> None:
    """The job's precision must be one of the new GPU, too."""
    accelerator = reader.sources.catalog.accelerators.get(new.server.accelerator)
    if accelerator is None or job is None:
        return
    precision = "bf16" if job.precision == "fp16" else job.precision
    if precision not in accelerator.peak_tflops:
        said = f"has no {job.precision} peak, the precision of [workload]"
        known = ", ".join(sorted(accelerator.peak_tflops))
        reader.fault(("growth", row.index, "server"), said, f"write a precision that it has: {known}")


def _check_whole(
    reader: DocumentReader, rows: list[_Row], found: list[Generation], ask: FabricAsk, bill: Bill
) -> None:
    """What holds for the whole cluster: an end that all share, or no limit that couples islands."""
    if ask.join_generations:
        firsts = [next(row for row in rows if row.year == g.first_year) for g in found]
        for row, generation in zip(firsts[1:], found[1:], strict=True):
            check_join(reader, row.index, row.before, found[0], generation, bill)
        return
    for key in _WHOLE_CLUSTER:
        if reader.gives("constraints", key):
            reader.fault(("constraints", key), "is not planned over several islands of servers", _JOIN)
    if bill.storage.enabled and bill.storage.server_ports is not None:
        where = ("storage_fabric", "server_ports")
        reader.fault(
            where, "is of the whole cluster, which has several islands", "write server_ports_per_node"
        )
    sites = reader.doc.get("wan", {})
    if isinstance(sites, dict) and (sites.get("sites") or 1) != 1:
        reader.fault(("wan", "sites"), "is not planned with several islands of servers", _JOIN)
