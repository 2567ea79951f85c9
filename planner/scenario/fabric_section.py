"""[fabric] and [[switch]] -> the compute fabric asked for, the user's own switches, changes of technology."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

from planner.catalog.parts import ServerModel, SwitchModel
from planner.catalog.technologies import TECHNOLOGIES, Technology, TechnologyPath, is_technology
from planner.scenario.cluster_keys import ClusterSection, FabricSection, SwitchSection
from planner.scenario.document_reader import DocumentReader
from planner.scenario.faults import Path, suggest
from planner.scenario.money_section import own_price
from planner.scenario.scenario import FabricAsk, GrowthStep
from pricing.price_book import Price

OWN_VENDOR = "own"

# The cage that a switch port of a rate usually has, by Gb/s of a port and ports a cage. At 400G alone that is
# QSFP112, not QSFP-DD: only its optics have lanes of 100G and speak InfiniBand too, as the NICs' do.
_USUAL_CAGE = {
    (25, 1): "sfp28-1x25",
    (100, 1): "qsfp28-4x25",
    (200, 1): "qsfp56-4x50",
    (400, 1): "qsfp112-4x100",
    (400, 2): "osfp-8x100",
    (800, 1): "osfp-8x100",
    (800, 2): "osfp-8x200",
}


def own_switches(reader: DocumentReader) -> tuple[SwitchModel, ...]:
    """The user's own switches; one without a power figure is kept, and left out of plans later."""
    taken = set(reader.sources.catalog.switches).union(
        *(book.prices for book in reader.sources.books.values())
    )
    switches: dict[str, SwitchModel] = {}
    for i, row in enumerate(reader.rows(SwitchSection)):
        for key in ("id", "technologies", "ports", "port_gbps"):
            reader.required(("switch", i, key), getattr(row, key), "give it: a switch needs one")
        if row.id in taken or row.id in switches:
            reader.fault(("switch", i, "id"), "is already taken", "choose an id of your own")
        cage = _cage(reader, i, row)
        if cage is not None and _whole(reader, i, row) and row.id is not None:
            switches.setdefault(row.id, _switch(reader, row, cage))
    return tuple(switches.values())


def own_switch_prices(reader: DocumentReader) -> dict[str, Price]:
    """The prices of the user's own switches that have one."""
    return {
        row.id: replace(own_price(reader, row.id, "switch", row.price_usd, None), manufacturer=OWN_VENDOR)
        for row in reader.rows(SwitchSection)
        if row.id is not None and row.price_usd is not None
    }


def _whole(reader: DocumentReader, i: int, row: SwitchSection) -> bool:
    """Whether the row is complete; ports must fill cages and breakouts divide the rate."""
    if not (row.technologies and row.ports and row.port_gbps):
        return False
    if row.ports % (row.ports_per_cage or 1):
        reader.fault(
            ("switch", i, "ports"), "does not fill whole cages", "write a multiple of ports_per_cage"
        )
    for breakout in row.breakouts or []:
        if row.port_gbps % breakout:
            reader.fault(
                ("switch", i, "breakouts"),
                f"splits {row.port_gbps}G into {breakout} links of a rate that is not whole",
                f"write divisors of {row.port_gbps}",
            )
    return True


def _cage(reader: DocumentReader, i: int, row: SwitchSection) -> str | None:
    """The cage named, else the usual one of rate and ports a cage."""
    known = cages(reader)
    if row.form_factor is not None:
        path = ("switch", i, "form_factor")
        return row.form_factor if reader.known_id(path, row.form_factor, known, "cage") else None
    if row.port_gbps is None:
        return None
    usual = _USUAL_CAGE.get((row.port_gbps, row.ports_per_cage or 1))
    if usual is None:
        reader.fault(
            ("switch", i, "form_factor"),
            f"is missing, and ports of {row.port_gbps}G have no usual cage",
            f"name one of: {', '.join(sorted(known))}",
        )
    return usual


def cages(reader: DocumentReader) -> set[str]:
    """Every cage that a part of the catalog has or fits."""
    catalog = reader.sources.catalog
    found = {s.cage for s in catalog.switches.values()} | {n.cage for n in catalog.nics.values()}
    found |= {s.uplink_cage for s in catalog.switches.values()}
    found = found.union(*(t.cages for t in catalog.transceivers.values()))
    found = found.union(*(a.cages_a | a.cages_b for a in catalog.assemblies.values()))
    return {cage for cage in found if cage}


def _switch(reader: DocumentReader, row: SwitchSection, cage: str) -> SwitchModel:
    source = reader.scenario_source()
    return SwitchModel(
        id=row.id or "",
        name=row.id or "",
        vendor=OWN_VENDOR,
        technologies=frozenset(row.technologies or ()),
        ports=row.ports or 0,
        port_gbps=row.port_gbps or 0,
        ports_per_cage=row.ports_per_cage or 1,
        cage=cage,
        breakouts=tuple(sorted({1, *(row.breakouts or [])})),
        power_w=row.power_w,
        source=source,
        power_source=source if row.power_w is not None else None,
    )


# What is left open, follows from the server, or depends on another of these keys.
_NOT_PLAIN = frozenset({
    "technologies", "link_gbps", "rail_optimised", "planes", "nic_port_split", "nic_ports_per_node",
    "nodes_per_scalable_unit", "switches", "join_generations", "paths",
})  # fmt: skip


def fabric(reader: DocumentReader, server: ServerModel | None, own: tuple[SwitchModel, ...]) -> FabricAsk:
    """The fabric asked for; what is left out follows from the server."""
    section, cluster = reader.table(FabricSection), reader.table(ClusterSection)
    ports = tuple(cluster.nic_ports_per_node or ([server.nic_ports_per_node] if server else [1]))
    splits = tuple(reader.value(section, "nic_port_split"))
    one_a_plane = [splits[0] if len(splits) == 1 else 1]  # the parts of a split port
    planes = tuple(reader.value(section, "planes", one_a_plane))
    technologies = tuple(reader.value(section, "technologies"))
    switches = _switches(reader, section)
    _check_planes(reader, ports, planes, splits)
    links = _links(reader, section, server, splits)
    if server is not None:
        if not reader.faulty("switch", "fabric.switches"):
            every = (*reader.sources.catalog.switches.values(), *own)
            usable = [s for s in every if switches is None or s.id in switches]
            rates = switch_rates(technologies, usable)
            if section.link_gbps is None:  # of rates that open splits lead to, those that a switch runs
                links = tuple(link for link in links if link in rates) or links
            _check_switch_rates(reader, links, technologies, rates)
        _check_nic_rates(reader, links, splits, technologies, server)
    several_a_plane = [max(ports) * max(splits) > min(planes)]
    return FabricAsk(
        technologies=technologies,
        link_gbps=links,
        rail_optimised=tuple(reader.value(section, "rail_optimised", several_a_plane)),
        planes=planes,
        nic_port_split=splits,
        nic_ports_per_node=ports,
        nodes_per_scalable_unit=section.nodes_per_scalable_unit,
        switches=switches,
        join_generations=bool(section.join_generations),
        **reader.filled(section, FabricAsk, _NOT_PLAIN),
    )


def _switches(reader: DocumentReader, section: FabricSection) -> tuple[str, ...] | None:
    """The switches that every technology is restricted to; None where there is no restriction."""
    if section.switches is None:
        return None
    named = {row["id"] for row in reader.given_rows("switch") if isinstance(row.get("id"), str)}
    known = {*reader.sources.catalog.switches, *named}
    for i, switch in enumerate(section.switches):
        reader.known_id(("fabric", "switches", i), switch, known, "switch")
    return tuple(section.switches)


def _check_planes(
    reader: DocumentReader, ports: tuple[int, ...], planes: tuple[int, ...], splits: tuple[int, ...]
) -> None:
    """Planes must divide a node's endpoints, for at least one of the choices left open."""
    counts = sorted({p * n for p, n in product(ports, splits)})
    for plane in planes:
        if all(count % plane for count in counts):
            many = " or ".join(map(str, counts))
            reader.fault(
                ("fabric", "planes"), f"{plane} does not divide a node's {many} endpoints", "write a divisor"
            )


def _links(
    reader: DocumentReader, section: FabricSection, server: ServerModel | None, splits: tuple[int, ...]
) -> tuple[int, ...]:
    """The link rates: those given, else the server's NIC rate over the split."""
    if section.link_gbps is not None:
        return tuple(section.link_gbps)
    if server is None:
        return ()
    links = []
    for split in splits:
        if server.nic_port_gbps % split:
            reader.fault(
                ("fabric", "nic_port_split"),
                f"{split} does not divide the NIC port's {server.nic_port_gbps}G",
                "write a divisor of it",
            )
        elif server.nic_port_gbps // split not in links:
            links.append(server.nic_port_gbps // split)
    reader.defaults_used.append(f"fabric.link_gbps = {', '.join(map(str, links))} (the server's NIC rate)")
    return tuple(links)


def switch_rates(technologies: tuple[str, ...], switches: list[SwitchModel]) -> set[int]:
    """The rates that some switch of some asked technology runs."""
    return {
        s.port_gbps // b for s in switches if s.technologies.intersection(technologies) for b in s.breakouts
        if s.port_gbps % b == 0
    }  # fmt: skip


def _check_switch_rates(
    reader: DocumentReader, links: Iterable[int], technologies: tuple[str, ...], rates: set[int]
) -> None:
    """Each link rate must be one that some switch of some asked technology runs."""
    for link in links:
        if link not in rates:
            reader.fault(
                _rate_key(reader),
                f"{link}G is a rate of no switch of {', '.join(technologies)}" + restricted(reader),
                rates_remedy(rates, technologies, among=restricted(reader)),
            )


def restricted(reader: DocumentReader) -> str:
    """Where the choice of switches is restricted, in words."""
    return " among fabric.switches" if reader.gives("fabric", "switches") else ""


def _check_nic_rates(
    reader: DocumentReader,
    links: Iterable[int],
    splits: tuple[int, ...],
    technologies: tuple[str, ...],
    server: ServerModel,
) -> None:
    """Each link rate times some split must be a NIC port's rate of some asked technology."""
    catalog = reader.sources.catalog
    nics = [n for n in catalog.nics.values() if n.technologies.intersection(technologies)]
    rates = {n.port_gbps for n in nics}
    for link in links:
        if not any(link * split in rates for split in splits):
            wanted = " or ".join(f"{link * split}G" for split in splits)
            reader.fault(
                _rate_key(reader),
                f"needs a NIC port of {wanted}, which no NIC of {', '.join(technologies)} has",
                rates_remedy({r // s for r in rates for s in splits if r % s == 0}, technologies),
            )


def _rate_key(reader: DocumentReader) -> Path:
    """The key that set the link rate."""
    if not reader.gives("fabric", "link_gbps") and reader.gives("cluster", "nic_port_gbps"):
        return ("cluster", "nic_port_gbps")
    return ("fabric", "link_gbps")


def rates_remedy(rates: Iterable[int], technologies: tuple[str, ...], among: str = "") -> str:
    """What to write instead of a rate that nothing has. ``among``: what restricts the choice of switches."""
    known = ", ".join(f"{rate}" for rate in sorted(rates))
    if known:
        return f"write one of the rates there are: {known}" + (", or name other switches" if among else "")
    if among:
        return f"name switches of {', '.join(technologies)} there, or leave fabric.switches out"
    return f"no part serves {', '.join(technologies)}: {suggest('', TECHNOLOGIES)}"


# Often asked for: a change once the cluster has outgrown RoCE.
# Often asked for: a change once the cluster has outgrown RoCE.
USUAL: tuple[Technology, Technology] = ("roce", "infiniband")


def paths(
    reader: DocumentReader,
    technologies: Sequence[str],
    growth: Sequence[GrowthStep],
    *,
    whole: bool,
) -> tuple[TechnologyPath, ...]:
    """The changes asked for. ``whole``: the cluster has one fabric, not islands of server generations.

    Left out: RoCE, then InfiniBand from the second build year on, where both are planned, there is a second
    build year and one fabric.
    """
    section, years = reader.table(FabricSection), [step.year for step in growth][1:]
    if section.paths is None:
        if not whole or not years or not set(USUAL) <= set(technologies):
            return ()
        reader.defaults_used.append(f"fabric.paths = {USUAL[0]}, then {USUAL[1]} from {years[0]}")
        return (TechnologyPath(*USUAL, years[0]),)
    found = list[TechnologyPath]()
    for i, row in enumerate(section.paths):
        path = _path(reader, i, row, years)
        if path in found:
            reader.fault(("fabric", "paths", i), "names a path twice", "name each path once")
        elif path is not None:
            found.append(path)
    if found and not whole:
        reader.fault(
            ("fabric", "paths"),
            "can't be planned over islands of server generations",
            "write fabric.join_generations = true, or paths = []",
        )
    return tuple(found)


def _path(reader: DocumentReader, i: int, row: Sequence[object], years: list[int]) -> TechnologyPath | None:
    """One row; None with a fault."""
    where = ("fabric", "paths", i)
    if len(row) not in (2, 3):
        remedy = 'write ["roce", "infiniband"], or with the year of the change as a third value'
        reader.fault(where, "is not a first and a later technology", remedy)
        return None
    known = [name for name in row[:2] if is_technology(name)]
    for name in row[:2]:
        if not is_technology(name):
            near = suggest(name if isinstance(name, str) else "", TECHNOLOGIES)
            reader.fault(where, f"names {str(name)!r:.40}, which is not a technology", near)
    if len(known) == 2 and known[0] == known[1]:
        reader.fault(where, "changes from a technology to itself", "name two different ones")
    if not years:
        reader.fault(where, "needs a second build year", "add a row to [[growth]], or write paths = []")
        return None
    year = row[2] if len(row) == 3 else years[0]
    if isinstance(year, bool) or year not in years:
        remedy = f"write one of: {', '.join(map(str, years))}"
        reader.fault(where, f"changes in {year}, no build year after the first", remedy)
        return None
    return TechnologyPath(known[0], known[1], int(str(year))) if len(set(known)) == 2 else None
