"""[cluster] and its like -> values of ``planner.scenario.scenario``: ids looked up, defaults filled in."""

from __future__ import annotations

import dataclasses
from typing import Any

from planner.catalog.parts import ServerModel
from planner.scenario.form import Form
from planner.scenario.scenario import FinanceAsk, GrowthStep, Layout, Operations, WanAsk
from planner.scenario.schema import (
    Cluster,
    FinanceSection,
    Growth,
    LayoutSection,
    OperationsSection,
    Top,
    Wan,
)
from planner.scenario.schema_types import MAX_HORIZON_YEARS, SCHEMA_VERSION

# What the outside contract fixes; figures that are a judgement have their default in the data.
_YEARS_AFTER_GROWTH = 3
_FINANCE_OF_CONTRACT = {"residual": "unexpired-life"}
_WAN_GIVEN = frozenset({"sites", "link_gbps", "round_trip_ms", "usd_per_year"})  # never a default


def head(form: Form, top: Top) -> None:
    """Checks the keys above the first section."""
    form.required(("schema",), top.schema_, f"write schema = {SCHEMA_VERSION} at the top")
    form.required(("name",), top.name, 'write name = "..." at the top')
    form.required(("base_year",), top.base_year, "write the year of the first growth step")


def growth_steps(form: Form, rows: list[Growth], base_year: int | None) -> tuple[GrowthStep, ...]:
    """The growth rows, years rising from the base year, GPUs never falling."""
    if not rows and form.doc.get("growth") in (None, []):
        form.fault(("growth",), "is missing", "add a row [[growth]] with year and gpus")
    if rows and base_year is not None and rows[0].year not in (None, base_year):
        form.fault(("growth", 0, "year"), "is not base_year", f"write {base_year}, or change base_year")
    year, gpus = 0, 0
    for i, row in enumerate(rows):
        form.required(("growth", i, "year"), row.year, "write the year in which these GPUs go into service")
        form.required(("growth", i, "gpus"), row.gpus, "write the GPUs in service from that year on")
        if row.year is not None and row.year <= year:
            form.fault(("growth", i, "year"), "does not rise", f"write a year after {year}")
        if row.gpus is not None and row.gpus < gpus:
            form.fault(("growth", i, "gpus"), "falls", f"write at least {gpus}, as in the row before")
        year, gpus = row.year or year, row.gpus or gpus
    return tuple(GrowthStep(r.year, r.gpus) for r in rows if r.year is not None and r.gpus is not None)


def server_model(form: Form, cluster: Cluster) -> ServerModel | None:
    """The catalog's server with the scenario's columns on top.

    A NIC rate of one's own drops the NIC that the server comes with: the planner picks one of the rate.
    """
    catalog = form.sources.catalog
    form.required(("cluster", "server"), cluster.server, f"known: {', '.join(sorted(catalog.servers))}")
    if cluster.server is None or not form.known_id(
        ("cluster", "server"), cluster.server, catalog.servers, "server"
    ):
        return None
    base = catalog.servers[cluster.server]
    gives = _server_gives(form, cluster)
    if gives.get("nic_port_gbps", base.nic_port_gbps) != base.nic_port_gbps:
        gives = {"nic_id": "", "nic_cage": "", "nic_ports_per_cage": 1, **gives}
    if base.nvlink_domain_gpus == base.gpus_per_node and "gpus_per_node" in gives:
        gives = {"nvlink_domain_gpus": gives["gpus_per_node"], **gives}
    server = dataclasses.replace(base, **gives)
    if server.nvlink_domain_gpus % server.gpus_per_node and server.gpus_per_node % server.nvlink_domain_gpus:
        key = "gpus_per_node" if cluster.nvlink_domain_gpus is None else "nvlink_domain_gpus"
        form.fault(
            ("cluster", key),
            "splits nodes between NVLink domains",
            "write whole nodes a domain, or domains a node",
        )
    return server


def _server_gives(form: Form, cluster: Cluster) -> dict[str, Any]:
    """The columns of the server that the scenario gives, ids checked."""
    catalog = form.sources.catalog
    gives = {
        key: value
        for key, value in cluster.model_dump(exclude_none=True).items()
        if key not in ("server", "node_price_usd", "node_power_w", "nic_ports_per_node")
    }
    for key, known in (("accelerator", catalog.accelerators), ("nic_id", catalog.nics)):
        if key in gives and not form.known_id(("cluster", key), gives[key], known, key.removesuffix("_id")):
            del gives[key]
    if cluster.node_power_w is not None:
        gives["power_w"] = cluster.node_power_w
    if cluster.nic_ports_per_node is not None:
        gives["nic_ports_per_node"] = cluster.nic_ports_per_node[0]
    return gives


def finance(form: Form, section: FinanceSection, growth: tuple[GrowthStep, ...]) -> FinanceAsk | None:
    """Money and time. Without a horizon, the usual one or three years from the last growth step."""
    span = growth[-1].year - growth[0].year if growth else 0
    horizon: int = form.value("finance", section, "horizon_years", 5)
    if section.horizon_years is None and horizon < span + _YEARS_AFTER_GROWTH:
        horizon = span + _YEARS_AFTER_GROWTH
        form.defaults_used[-1] = f"finance.horizon_years = {horizon} (three years from the last growth step)"
    values = form.filled("finance", section, FinanceAsk, frozenset({"horizon_years"}), _FINANCE_OF_CONTRACT)
    if horizon <= span:
        message = f"ends before the growth step of {growth[-1].year}"
        form.fault(("finance", "horizon_years"), message, f"write at least {span + 1}")
    if horizon > MAX_HORIZON_YEARS:
        message = f"makes a horizon of {horizon} years"
        form.fault(("growth", len(growth) - 1, "year"), message, f"plan at most {MAX_HORIZON_YEARS} years")
    return FinanceAsk(horizon_years=horizon, **values) if None not in values.values() else None


def operations(form: Form, section: OperationsSection) -> Operations:
    """How the fabric is run."""
    return Operations(**form.filled("operations", section, Operations))


def layout(form: Form, section: LayoutSection) -> Layout:
    """Link lengths, module policy, panels."""
    values = form.filled("layout", section, Layout)
    return Layout(**{**values, "patch_panels": tuple(dict.fromkeys(values["patch_panels"]))})


def wan(form: Form, section: Wan) -> WanAsk:
    """The other sites; with more than one, the link between them must be given."""
    sites = section.sites or 1
    if sites == 1:
        for key in ("link_gbps", "round_trip_ms", "usd_per_year"):
            if getattr(section, key) is not None and section.sites is None:
                form.fault(("wan", key), "has no sites to link", "write sites = 2 in [wan]")
        return WanAsk()
    form.required(("wan", "link_gbps"), section.link_gbps, "write the rate of the link between the sites")
    form.required(("wan", "round_trip_ms"), section.round_trip_ms, "write the round trip between the sites")
    return WanAsk(
        sites=sites,
        link_gbps=section.link_gbps or 0.0,
        round_trip_ms=section.round_trip_ms or 0.0,
        usd_per_year=section.usd_per_year,
        **form.filled("wan", section, WanAsk, _WAN_GIVEN),
    )


def equal_sites(
    form: Form, growth: tuple[GrowthStep, ...], server: ServerModel | None, sites: WanAsk
) -> None:
    """Sites are alike: each growth step must fill them with the same number of whole nodes."""
    whole = sites.sites * server.gpus_per_node if server else 1
    for i, step in enumerate(growth):
        if sites.sites > 1 and step.gpus % whole:
            remedy = f"write a multiple of {whole}: {sites.sites} sites of {whole // sites.sites} GPUs a node"
            form.fault(("growth", i, "gpus"), "does not fill the sites equally", remedy)
