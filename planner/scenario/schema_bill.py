"""The sections of a scenario file on what the bill holds beside the compute fabric."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from planner.scenario.schema_types import Listed, NotNegative, Positive, Rate, Ratio, Section, Share, Whole

Few = Annotated[int, Field(ge=1, le=64)]


class StorageFabric(Section):
    """[storage_fabric]: how the nodes reach the storage servers."""

    enabled: bool | None = None
    ports: Few | None = None
    link_gbps: Whole | None = None
    max_oversubscription: Ratio | None = None
    gbytes_per_s_per_node: Positive | None = None
    server_ports: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    server_ports_per_node: NotNegative | None = None
    switches: Listed | None = None


class FrontendFabric(Section):
    """[frontend_fabric]: the nodes' way to users and services."""

    enabled: bool | None = None
    ports: Few | None = None
    link_gbps: Whole | None = None
    max_oversubscription: Ratio | None = None
    carries_storage: bool | None = None
    switches: Listed | None = None


class Management(Section):
    """[management]: out-of-band network, racks of network gear, fabric managers."""

    enabled: bool | None = None
    nodes_per_rack: Whole | None = None
    racks_per_row: Whole | None = None
    pdus_per_rack: Annotated[int, Field(ge=0, le=16)] | None = None
    rack_units_per_rack: Annotated[int, Field(ge=1, le=60)] | None = None
    uplink_m: NotNegative | None = None
    manager_power_w: NotNegative | None = None


class Spares(Section):
    """[spares]: from failure rates, replenishment time and service level."""

    enabled: bool | None = None
    service_level_ratio: Annotated[float, Field(gt=0, lt=1)] | None = None
    replenishment_weeks: NotNegative | None = None
    switch_failures_per_year: NotNegative | None = None
    nic_failures_per_year: NotNegative | None = None
    transceiver_failures_per_year: NotNegative | None = None
    cable_failures_per_year: NotNegative | None = None
    fibre_failures_per_year: NotNegative | None = None


class ChargesSection(Section):
    """[charges]: named rates on bought hardware."""

    freight_ratio: Share | None = None
    duty_ratio: Annotated[float, Field(ge=0, le=10)] | None = None
    sales_tax_ratio: Share | None = None
    contingency_ratio: Share | None = None


class ColocationSection(Section):
    """[colocation]: space by the power drawn."""

    usd_per_kw_month: NotNegative | None = None
    includes_power: bool | None = None


class EscalationSection(Section):
    """[escalation]: yearly rise of each class of running cost."""

    electricity: Rate | None = None
    support: Rate | None = None
    labour: Rate | None = None
    colocation: Rate | None = None


class StaffSection(Section):
    """[staff]: network engineers."""

    enabled: bool | None = None
    hours_per_switch_year: NotNegative | None = None
    labour_usd_per_hour: NotNegative | None = None


class UpkeepSection(Section):
    """[upkeep]: support's term, warranty, failed parts."""

    support_term_years: Few | None = None
    warranty_years: NotNegative | None = None
    replace_failures: bool | None = None


class LeaseSection(Section):
    """[lease]: an offer to compare buying with."""

    term_years: Few | None = None
    rate_ratio_per_year: Annotated[float, Field(gt=0, le=10)] | None = None


BILL_TABLES: dict[str, type[Section]] = {
    "storage_fabric": StorageFabric,
    "frontend_fabric": FrontendFabric,
    "management": Management,
    "spares": Spares,
    "charges": ChargesSection,
    "colocation": ColocationSection,
    "escalation": EscalationSection,
    "staff": StaffSection,
    "upkeep": UpkeepSection,
    "lease": LeaseSection,
}
