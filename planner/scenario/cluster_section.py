"""The head of the file, [[growth]], [cluster], [layout] and [wan] -> what is to be built, when and where."""

from __future__ import annotations

import dataclasses
from typing import Any

from planner.catalog.parts import ServerModel
from planner.scenario.attributes import SCHEMA_VERSION
from planner.scenario.cluster_keys import ClusterSection, GrowthSection, LayoutSection, TopSection
from planner.scenario.document_reader import DocumentReader
from planner.scenario.fabric_section import cages
from planner.scenario.job_keys import WanSection
from planner.scenario.scenario import GrowthStep, Layout, WanAsk
from planner.scenario.sections import BY_HEADER

_WAN_GIVEN = frozenset({"sites", "link_gbps", "round_trip_ms", "usd_per_year"})  # never a default


def head(reader: DocumentReader) -> TopSection:
    """The keys above the first section, all of them required."""
    named = {key: value for key, value in reader.doc.items() if key not in BY_HEADER}
    top = reader.section(TopSection, named, ())
    reader.required(("schema",), top.schema_, f"write schema = {SCHEMA_VERSION} at the top")
    reader.required(("name",), top.name, 'write name = "..." at the top')
    reader.required(("base_year",), top.base_year, "write the year of the first growth step")
    return top


def growth_steps(reader: DocumentReader, base_year: int | None) -> tuple[GrowthStep, ...]:
    """The growth rows, years rising from the base year, GPUs never falling."""
    rows = reader.rows(GrowthSection)
    if not rows and reader.doc.get("growth") in (None, []):
        reader.fault(("growth",), "is missing", "add a row [[growth]] with year and gpus")
    if rows and base_year is not None and rows[0].year not in (None, base_year):
        reader.fault(("growth", 0, "year"), "is not base_year", f"write {base_year}, or change base_year")
    year, gpus = 0, 0
    for i, row in enumerate(rows):
        reader.required(("growth", i, "year"), row.year, "write the year in which these GPUs go into service")
        reader.required(("growth", i, "gpus"), row.gpus, "write the GPUs in service from that year on")
        if row.year is not None and row.year <= year:
            reader.fault(("growth", i, "year"), "does not rise", f"write a year after {year}")
        if row.gpus is not None and row.gpus < gpus:
            reader.fault(("growth", i, "gpus"), "falls", f"write at least {gpus}, as in the row before")
        year, gpus = row.year or year, row.gpus or gpus
    return tuple(GrowthStep(r.year, r.gpus) for r in rows if r.year is not None and r.gpus is not None)


def server_model(reader: DocumentReader) -> ServerModel | None:
    """The catalog's server with the scenario's columns on top.

    A NIC rate of one's own drops the NIC that the server comes with: the planner picks one of the rate.
    """
    catalog, cluster = reader.sources.catalog, reader.table(ClusterSection)
    reader.required(("cluster", "server"), cluster.server, f"known: {', '.join(sorted(catalog.servers))}")
    if cluster.server is None or not reader.known_id(
        ("cluster", "server"), cluster.server, catalog.servers, "server"
    ):
        return None
    base = catalog.servers[cluster.server]
    gives = _server_gives(reader, cluster)
    if gives.get("nic_port_gbps", base.nic_port_gbps) != base.nic_port_gbps:
        gives = {"nic_id": "", "nic_cage": "", "nic_ports_per_cage": 1, **gives}
    if base.nvlink_domain_gpus == base.gpus_per_node and "gpus_per_node" in gives:
        gives = {"nvlink_domain_gpus": gives["gpus_per_node"], **gives}
    server = dataclasses.replace(base, **gives)
    if server.nvlink_domain_gpus % server.gpus_per_node and server.gpus_per_node % server.nvlink_domain_gpus:
        key = "gpus_per_node" if cluster.nvlink_domain_gpus is None else "nvlink_domain_gpus"
        reader.fault(
            ("cluster", key),
            "splits nodes between NVLink domains",
            "write whole nodes a domain, or domains a node",
        )
    return server


def _server_gives(reader: DocumentReader, cluster: ClusterSection) -> dict[str, Any]:
    """The columns of the server that the scenario gives, ids checked."""
    catalog = reader.sources.catalog
    gives = {
        key: value
        for key, value in cluster.model_dump(exclude_none=True).items()
        if key not in ("server", "node_price_usd", "node_power_w", "nic_ports_per_node")
    }
    ids = (
        ("accelerator", catalog.accelerators, "accelerator"),
        ("nic_id", catalog.nics, "nic"),
        ("nic_cage", cages(reader), "cage"),
    )
    for key, known, what in ids:
        if key in gives and not reader.known_id(("cluster", key), gives[key], known, what):
            del gives[key]
    if cluster.node_power_w is not None:
        gives["power_w"] = cluster.node_power_w
    if cluster.nic_ports_per_node is not None:
        gives["nic_ports_per_node"] = cluster.nic_ports_per_node[0]
    return gives


def layout(reader: DocumentReader) -> Layout:
    """Link lengths, module policy, panels."""
    values = reader.filled(reader.table(LayoutSection), Layout)
    return Layout(**{**values, "patch_panels": tuple(dict.fromkeys(values["patch_panels"]))})


def wan(reader: DocumentReader, growth: tuple[GrowthStep, ...], server: ServerModel | None) -> WanAsk:
    """The other sites; several must give the link between them, and growth must fill them alike."""
    section = reader.table(WanSection)
    sites = section.sites or 1
    if sites == 1:
        for key in ("link_gbps", "round_trip_ms", "usd_per_year"):
            if getattr(section, key) is not None and section.sites is None:
                reader.fault(("wan", key), "has no sites to link", "write sites = 2 in [wan]")
        return WanAsk()
    reader.required(("wan", "link_gbps"), section.link_gbps, "write the rate of the link between the sites")
    said = "write the round trip between the sites"
    reader.required(("wan", "round_trip_ms"), section.round_trip_ms, said)
    _check_equal_sites(reader, growth, server, sites)
    return WanAsk(
        sites=sites,
        link_gbps=section.link_gbps or 0.0,
        round_trip_ms=section.round_trip_ms or 0.0,
        usd_per_year=section.usd_per_year,
        **reader.filled(section, WanAsk, _WAN_GIVEN),
    )


def _check_equal_sites(
    reader: DocumentReader, growth: tuple[GrowthStep, ...], server: ServerModel | None, sites: int
) -> None:
    """Sites are alike: each growth step must fill them with the same number of whole nodes."""
    whole = sites * server.gpus_per_node if server else 1
    for i, step in enumerate(growth):
        if step.gpus % whole:
            remedy = f"write a multiple of {whole}: {sites} sites of {whole // sites} GPUs a node"
            reader.fault(("growth", i, "gpus"), "does not fill the sites equally", remedy)
