"""The attribute tables of the hardware: cluster, growth, fabrics, own switches, layout, what is there."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from planner.catalog.technologies import TECHNOLOGIES
from planner.scenario.attributes import (
    MAX_GPUS,
    SCHEMA_VERSION,
    Choices,
    Count,
    Few,
    FreePorts,
    Listed,
    NotNegative,
    Positive,
    Ratio,
    Section,
    Several,
    Share,
    ShareBelowOne,
    Technologies,
    Whole,
    Wholes,
    Words,
    Year,
    key,
    schema_version,
)

_OF_SERVER = "as the catalog has the server"
Version = Annotated[int, BeforeValidator(schema_version)]
PortsPerCage = Annotated[int, Field(ge=1, le=2)]
PathRows = Annotated[
    list[Annotated[list[str | int], Field(max_length=10)]],
    Field(max_length=20),
    WithJsonSchema({"type": "array", "words": "list of [first, later] or [first, later, year]"}),
]


class TopSection(Section):
    """The keys above the first section."""

    schema_: Version | None = key(
        f"The version of the file's form: {SCHEMA_VERSION}.", required=True, alias="schema"
    )
    name: Words | None = key("The name of the scenario, as answers show it.", required=True)
    base_year: Year | None = key(
        "The first year of the horizon, that of the first growth step.", required=True
    )


class ClusterSection(Section):
    """A server of the catalog, and what differs from it."""

    header = "cluster"
    server: Words | None = key("The GPU server. It sets the GPUs and NIC ports of a node.", required=True)
    name: Words | None = key("The name of the server, as answers show it.", rule=_OF_SERVER)
    accelerator: Words | None = key("The GPU, by its id in the catalog.", rule=_OF_SERVER)
    gpus_per_node: Whole | None = key("GPUs of a node.", unit="GPUs", rule=_OF_SERVER)
    nic_ports_per_node: Wholes | None = key(
        "NIC ports of a node on the compute fabric; several numbers let the planner choose.",
        unit="ports",
        rule=_OF_SERVER,
    )
    nic_port_gbps: Whole | None = key(
        "The rate of a NIC port; another than the server's drops the NIC that it comes with.",
        unit="Gb/s",
        rule=_OF_SERVER,
    )
    nic_ports_per_cage: PortsPerCage | None = key(
        "NIC ports that share a cage: 2 in a twin-port cage.", unit="ports", rule=_OF_SERVER
    )
    nic_id: Words | None = key("The NIC that the server comes with.", rule=_OF_SERVER)
    nic_cage: Words | None = key("The cage of the server's own NIC ports.", rule=_OF_SERVER)
    pcie_generation: Annotated[int, Field(ge=1, le=9)] | None = key(
        "The PCIe generation of the slots, which bounds the NICs.", rule=_OF_SERVER
    )
    nvlink_domain_gpus: Whole | None = key(
        "GPUs of an NVLink domain, which may span nodes.",
        unit="GPUs",
        rule="as the catalog has the server; gpus_per_node where that is given and a domain is a node",
    )
    nodes_per_price_unit: Whole | None = key(
        "Nodes that share one price and one SKU.", unit="nodes", rule=_OF_SERVER
    )
    node_price_usd: NotNegative | None = key(
        "The price of a node without the NICs of the fabric.", unit="USD", rule="the price book's"
    )
    node_power_w: NotNegative | None = key(
        "The greatest power of a node without the NICs of the fabric.", unit="W", rule=_OF_SERVER
    )


class GrowthSection(Section):
    """One row a build year: the GPUs to be in service from its start."""

    header = "growth"
    repeated = True
    year: Year | None = key("The build year; the first is base_year, and years rise.", required=True)
    gpus: Annotated[int, Field(ge=1, le=MAX_GPUS)] | None = key(
        "GPUs in service from the start of that year on; they never fall.", unit="GPUs", required=True
    )
    server: Words | None = key(
        "The server that GPUs are added with from this row on.",
        rule="that of the row before, first [cluster]'s",
    )
    link_gbps: Wholes | None = key(
        "The rate of an endpoint of the servers added from this row on.",
        unit="Gb/s",
        rule="that of the row before; of a new server, its NIC rate over the split",
    )


class FabricSection(Section):
    """The compute fabric asked for. A list of values opens the choice to the planner."""

    header = "fabric"
    technologies: Technologies | None = key("The fabrics to compare.", default=list(TECHNOLOGIES))
    link_gbps: Wholes | None = key(
        "The rate of one endpoint, that is of one NIC port.",
        unit="Gb/s",
        rule="the server's NIC rate over nic_port_split",
    )
    max_oversubscription: Ratio | None = key(
        "How many times more bandwidth a leaf may offer its nodes than it has uplinks for. "
        "1:1 is non-blocking.",
        unit="down : up",
        default=Fraction(1),
    )
    spine_oversubscription: Ratio | None = key(
        "How many times more bandwidth a spine may offer its leaves than it has links to the cores for, "
        "where there are three tiers.",
        unit="down : up",
        default=Fraction(1),
    )
    rail_optimised: Choices | None = key(
        "Whether NIC port 1 of every node goes to one leaf, port 2 to the next, and so on.",
        rule="true where a node has more endpoints than planes",
    )
    planes: Wholes | None = key(
        "Separate, parallel fabrics over which a node spreads its NIC ports.",
        rule="nic_port_split where that is one number, else 1",
    )
    nic_port_split: Wholes | None = key(
        "Endpoints that a NIC port is split into.", unit="endpoints/port", default=[1]
    )
    max_tiers: Annotated[int, Field(ge=1, le=3)] | None = key(
        "The most tiers of switches that a design may have.", unit="tiers"
    )
    min_spines: Whole | None = key("The fewest spines of a design of two tiers or more.", unit="switches")
    nodes_per_scalable_unit: Whole | None = key(
        "How many nodes share one set of leaves.",
        unit="nodes",
        rule="as many as the leaf has ports for, or fewer where that is cheaper",
    )
    reserved_fabric_ports: FreePorts | None = key(
        "Leaf ports in all that a design must keep free, for whatever joins the fabric later.",
        unit="ports",
        default=0,
    )
    bandwidth_headroom: ShareBelowOne | None = key(
        "The share of each tier's bandwidth that the training job must leave free.",
        unit="fraction of each tier",
    )
    switches: Listed | None = key(
        "The switches that designs are restricted to, by id.", rule="every switch of the catalog"
    )
    collapsed_pair: bool | None = key(
        "Whether two leaves may be linked directly, without a spine, where that serves all nodes.",
        default=False,
    )
    join_generations: bool | None = key(
        "Whether all server generations share one fabric instead of an island each.", rule="false"
    )
    paths: PathRows | None = key(
        "Changes of technology at a build year to plan beside the technologies.",
        rule="RoCE, then InfiniBand from the second build year on, where both are planned",
    )


class SwitchSection(Section):
    """One row a switch of one's own."""

    header = "switch"
    repeated = True
    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,79}$")] | None = key(
        "Its id and SKU: lower-case letters, digits, hyphens and dots.", required=True
    )
    technologies: Technologies | None = key("The technologies that it serves.", required=True)
    ports: Annotated[int, Field(ge=2, le=100_000)] | None = key("Its ports.", unit="ports", required=True)
    port_gbps: Annotated[int, Field(ge=1, le=100_000)] | None = key(
        "The rate of a port.", unit="Gb/s", required=True
    )
    ports_per_cage: PortsPerCage | None = key("Ports that share a cage.", unit="ports", rule="1")
    breakouts: Annotated[list[Annotated[int, Field(ge=1, le=64)]], Several] | None = key(
        "Numbers of links that a port may be split into; 1 is always among them.", unit="links/port", rule="1"
    )
    price_usd: NotNegative | None = key("Its price.", unit="USD", rule="none: it is left out of designs")
    power_w: NotNegative | None = key(
        "Its power without modules.", unit="W", rule="none: it is left out of designs"
    )
    form_factor: Words | None = key(
        "The cage of its ports, by its id in the catalog.", rule="the usual one of its rate and ports a cage"
    )


class InstalledSection(Section):
    """Network gear that is there before the base year; idle pieces sell alike under every technology."""

    header = "installed"
    repeated = True
    sku: Words | None = key("The SKU, as in the bill of materials.", required=True)
    quantity: Annotated[int, Field(ge=1, le=MAX_GPUS)] | None = key(
        "Pieces that are there.", unit="pieces", required=True
    )
    bought_year: Year | None = key("The year in which they were bought, before base_year.", required=True)


class LayoutSection(Section):
    """Link lengths, module policy, patch panels."""

    header = "layout"
    node_leaf_m: NotNegative | None = key("The length of a link between node and leaf.", unit="m")
    leaf_spine_m: NotNegative | None = key("The length of a link between leaf and spine.", unit="m")
    spine_core_m: NotNegative | None = key("The length of a link between spine and core.", unit="m")
    populate_all_cages: bool | None = key(
        "Whether every cage of a switch gets a module, used or not, where all its modules are of one kind.",
        default=False,
    )
    patch_panels: Choices | None = key(
        "Whether fibres between switches run over patch panels, so that a link is moved by a cord.",
        default=[False],
    )
    jumper_m: NotNegative | None = key("The length of a patch cord, within the run's length.", unit="m")
    panel_labour_ratio: Share | None = key(
        "Labour of moving a link at a panel.", unit="fraction of the labour of a direct cable"
    )
    panel_downtime_ratio: Share | None = key(
        "Downtime of moving a link at a panel.", unit="fraction of the downtime of a direct cable"
    )


class StorageFabricSection(Section):
    """How the nodes reach the storage servers."""

    header = "storage_fabric"
    enabled: bool | None = key("Whether it is planned and priced.", default=True)
    ports: Few | None = key("Ports of a node on it.", unit="ports", rule="the server's storage ports, else 2")
    link_gbps: Whole | None = key(
        "The rate of such a port.", unit="Gb/s", rule="the server's storage ports', else its NIC rate"
    )
    max_oversubscription: Ratio | None = key(
        "How many times more bandwidth a leaf may offer the nodes than it has uplinks for.",
        unit="down : up",
        default=Fraction(4, 3),
    )
    gbytes_per_s_per_node: Positive | None = key(
        "What a node must be able to read at once; it caps the oversubscription further.",
        unit="GB/s",
        rule="no such cap",
    )
    server_ports: Count | None = key(
        "Ports of all storage servers together.", unit="ports", rule="server_ports_per_node for each node"
    )
    server_ports_per_node: NotNegative | None = key(
        "Ports of the storage servers for each node.", unit="ports/node"
    )
    switches: Listed | None = key(
        "The switches that it is restricted to, by id.", rule="the few cheapest that run the rate"
    )


class FrontendFabricSection(Section):
    """The nodes' way to users and services."""

    header = "frontend_fabric"
    enabled: bool | None = key("Whether it is planned and priced.", default=True)
    ports: Few | None = key(
        "Ports of a node on it.", unit="ports", rule="the server's frontend ports, else 2"
    )
    link_gbps: Whole | None = key(
        "The rate of such a port.", unit="Gb/s", rule="the server's frontend ports', else its NIC rate"
    )
    max_oversubscription: Ratio | None = key(
        "How many times more bandwidth a leaf may offer the nodes than it has uplinks for.",
        unit="down : up",
        default=Fraction(1),
    )
    carries_storage: bool | None = key(
        "Whether the storage servers are on it, so that there is no storage fabric.", rule="false"
    )
    switches: Listed | None = key(
        "The switches that it is restricted to, by id.", rule="the few cheapest that run the rate"
    )


class ManagementSection(Section):
    """Out-of-band network, racks of network gear, fabric managers."""

    header = "management"
    enabled: bool | None = key("Whether it is planned and priced.", default=True)
    nodes_per_rack: Whole | None = key("Nodes of a rack.", unit="nodes")
    racks_per_row: Whole | None = key("Racks that share a row's management switches.", unit="racks")
    pdus_per_rack: Annotated[int, Field(ge=0, le=16)] | None = key(
        "Power distribution units of a rack, a management port each.", unit="PDUs"
    )
    rack_units_per_rack: Annotated[int, Field(ge=1, le=60)] | None = key(
        "Rack units of a rack that network gear may fill.", unit="rack units"
    )
    uplink_m: NotNegative | None = key("The length of a rack's uplink.", unit="m")
    manager_power_w: NotNegative | None = key("The power of a fabric manager's server.", unit="W")
