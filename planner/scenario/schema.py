"""The sections of a scenario file: which keys there are, of which type and range. No defaults here.

A key left out is None; what stands in for it is decided in ``planner.scenario.cluster_section``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from planner.scenario.schema_bill import BILL_TABLES
from planner.scenario.schema_types import (
    MAX_GPUS,
    MAX_HORIZON_YEARS,
    Listed,
    NotNegative,
    Positive,
    Rate,
    Ratio,
    Section,
    Several,
    Share,
    Technologies,
    Whole,
    Wholes,
    Words,
    schema_version,
    wrong,
)
from planner.scenario.schema_workload import WorkloadSection
from pricing.price_book import ITEM_CLASSES


class Top(Section):
    """The keys above the first section."""

    schema_: Annotated[int | None, Field(alias="schema"), BeforeValidator(schema_version)] = None
    name: Words | None = None
    base_year: Annotated[int, Field(ge=1990, le=2200)] | None = None


class Cluster(Section):
    """[cluster]: a server of the catalog, and what differs from it."""

    server: Words | None = None
    name: Words | None = None
    accelerator: Words | None = None
    gpus_per_node: Whole | None = None
    nic_ports_per_node: Wholes | None = None
    nic_port_gbps: Whole | None = None
    nic_ports_per_cage: Annotated[int, Field(ge=1, le=2)] | None = None
    nic_id: Words | None = None
    nic_cage: Words | None = None
    pcie_generation: Annotated[int, Field(ge=1, le=9)] | None = None
    nvlink_domain_gpus: Whole | None = None
    nodes_per_price_unit: Whole | None = None
    node_price_usd: NotNegative | None = None
    node_power_w: NotNegative | None = None


class Growth(Section):
    """One row of [[growth]]."""

    year: Annotated[int, Field(ge=1990, le=2200)] | None = None
    gpus: Annotated[int, Field(ge=1, le=MAX_GPUS)] | None = None
    server: Words | None = None
    link_gbps: Wholes | None = None


PathRows = Annotated[list[Annotated[list[str | int], Field(max_length=10)]], Field(max_length=20)]


class Fabric(Section):
    """[fabric]: the compute fabric asked for."""

    technologies: Technologies | None = None
    link_gbps: Wholes | None = None
    max_oversubscription: Ratio | None = None
    spine_oversubscription: Ratio | None = None
    rail_optimised: Annotated[list[bool], Several] | None = None
    planes: Wholes | None = None
    nic_port_split: Wholes | None = None
    max_tiers: Annotated[int, Field(ge=1, le=3)] | None = None
    min_spines: Whole | None = None
    nodes_per_scalable_unit: Whole | None = None
    reserved_fabric_ports: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    bandwidth_headroom: Annotated[float, Field(ge=0, lt=1)] | None = None
    switches: Listed | None = None
    collapsed_pair: bool | None = None
    join_generations: bool | None = None
    paths: PathRows | None = None


class Switch(Section):
    """One row of [[switch]]: a switch of one's own."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,79}$")] | None = None
    technologies: Technologies | None = None
    ports: Annotated[int, Field(ge=2, le=100_000)] | None = None
    port_gbps: Annotated[int, Field(ge=1, le=100_000)] | None = None
    ports_per_cage: Annotated[int, Field(ge=1, le=2)] | None = None
    breakouts: Annotated[list[Annotated[int, Field(ge=1, le=64)]], Several] | None = None
    price_usd: NotNegative | None = None
    power_w: NotNegative | None = None
    form_factor: Words | None = None


class FinanceSection(Section):
    """[finance]: money and time."""

    horizon_years: Annotated[int, Field(ge=1, le=MAX_HORIZON_YEARS)] | None = None
    discount_rate: Rate | None = None
    electricity_usd_per_kwh: NotNegative | None = None
    pue: Annotated[float, Field(ge=1, le=10)] | None = None
    residual: Literal["unexpired-life", "market", "none"] | None = None
    life_years: Annotated[int, Field(ge=1, le=50)] | None = None
    market_resale_ratio: Share | None = None
    support_ratio_per_year: Share | None = None
    server_power_use_ratio: Share | None = None
    fiscal_year_start_month: Annotated[int, Field(ge=1, le=12)] | None = None
    declining_ratio_per_year: Annotated[float, Field(gt=0, lt=1)] | None = None


def _erosion(value: object) -> object:
    """A share for every class, a table of shares by class, or "by-class"."""
    if value == "by-class":
        return value
    if isinstance(value, dict) and (unknown := [k for k in value if k not in ITEM_CLASSES]):
        raise wrong(f"has the unknown class {unknown[0]!s:.40}", f"known: {', '.join(ITEM_CLASSES)}")
    shares = list(value.values()) if isinstance(value, dict) else [value]
    for share in shares:
        if isinstance(share, bool) or not isinstance(share, int | float):
            raise wrong("is no erosion", 'write a number such as 0.1, a table by class, or "by-class"')
        if not -1 < share < 1:
            raise wrong("is not between -1 and 1", "write a share a year, 0.1 for 10 %")
    return value


class PricesSection(Section):
    """[prices]: which prices hold."""

    book: Words | None = None
    infiniband_pricing: Literal["ratio", "book"] | None = None
    infiniband_price_ratio: Annotated[float, Field(gt=0, le=1000)] | None = None
    erosion_per_year: Annotated[Any, BeforeValidator(_erosion)] = None
    overrides: dict[str, NotNegative] | None = None
    books: Annotated[list[Words], Several] | None = None
    quotes: Words | None = None
    discounts: dict[str, Annotated[float, Field(ge=0, lt=1)]] | None = None


class OperationsSection(Section):
    """[operations]: how the fabric is run."""

    roce_tuning: Literal["tuned", "default", "off-tune", "wrong-class"] | None = None
    adaptive_routing: bool | None = None
    placement: Literal["packed", "scattered"] | None = None
    in_network_reduction: bool | None = None
    failures_per_node_day: NotNegative | None = None
    restart_s: NotNegative | None = None
    checkpoint_write_s: NotNegative | None = None
    recabling_downtime_hours: NotNegative | None = None
    gpu_hour_usd: NotNegative | None = None
    link_stall_s: NotNegative | None = None
    link_failures_per_year: NotNegative | None = None
    memory_pools: bool | None = None
    roce_engineers_per_1000_gpus: NotNegative | None = None
    engineer_usd_per_year: NotNegative | None = None


class LayoutSection(Section):
    """[layout]: link lengths and module policy."""

    node_leaf_m: NotNegative | None = None
    leaf_spine_m: NotNegative | None = None
    spine_core_m: NotNegative | None = None
    populate_all_cages: bool | None = None
    patch_panels: Annotated[list[bool], Several] | None = None
    jumper_m: NotNegative | None = None
    panel_labour_ratio: Share | None = None
    panel_downtime_ratio: Share | None = None


class Constraints(Section):
    """[constraints]: what a committee sets."""

    switch_vendors: Listed | None = None
    capex_usd_per_year: Positive | None = None
    network_power_kw: Positive | None = None
    rack_units: Positive | None = None
    available_from: dict[Words, Annotated[int, Field(ge=1990, le=2200)]] | None = None


class InstalledRow(Section):
    """One row of [[installed]]: pieces that are there already."""

    sku: Words | None = None
    quantity: Annotated[int, Field(ge=1, le=MAX_GPUS)] | None = None
    bought_year: Annotated[int, Field(ge=1990, le=2200)] | None = None


class Wan(Section):
    """[wan]: several sites and the link between them."""

    sites: Annotated[int, Field(ge=1, le=64)] | None = None
    link_gbps: Positive | None = None
    round_trip_ms: NotNegative | None = None
    gradient_bytes: Annotated[float, Field(gt=0, le=8)] | None = None
    usd_per_year: NotNegative | None = None
    compression_ratio: Annotated[float, Field(ge=1, le=1e4)] | None = None
    hierarchical: bool | None = None
    tcp_streams: Whole | None = None
    tcp_window_mib: Positive | None = None


class CalibrationSection(Section):
    """[calibration]: what a test bed measured, in a file of the command calibrate or given here.

    ``logs`` names what the figures were read from, for the reader alone.
    """

    file: Words | None = None
    logs: Listed | None = None
    e0_by_technology: dict[Words, Annotated[float, Field(gt=0, le=1)]] | None = None
    alpha_us_by_technology: dict[Words, NotNegative] | None = None
    technologies: Technologies | None = None
    e0: Annotated[float, Field(gt=0, le=1)] | None = None
    alpha_us: NotNegative | None = None
    nvlink_busbw_gbytes_per_s: Positive | None = None
    nvlink_alpha_us: NotNegative | None = None
    stack_factor: Annotated[float, Field(gt=0, le=100)] | None = None


TABLES: dict[str, type[Section]] = {
    "cluster": Cluster,
    "fabric": Fabric,
    "workload": WorkloadSection,
    "finance": FinanceSection,
    "prices": PricesSection,
    "operations": OperationsSection,
    "layout": LayoutSection,
    **BILL_TABLES,
    "constraints": Constraints,
    "wan": Wan,
    "calibration": CalibrationSection,
}
TABLE_ARRAYS: dict[str, type[Section]] = {"growth": Growth, "switch": Switch, "installed": InstalledRow}


def keys_of(section: type[Section]) -> tuple[str, ...]:
    """The keys of a section as the file spells them."""
    return tuple(field.alias or name for name, field in section.model_fields.items())


def sections_with(key: str) -> list[str]:
    """The sections that know the key: where a misplaced key belongs."""
    return [name for name, section in {**TABLES, **TABLE_ARRAYS}.items() if key in keys_of(section)]
