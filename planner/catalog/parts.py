"""Physical facts of the parts that a fabric is built from, each with its source.

Prices are not here: a part's ``id`` is its SKU in the price book.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from planner.catalog.technologies import Protocol, Technology
from pricing.provenance import Source

FibreMode = Literal["mmf", "smf"]  # multimode, single-mode
Connector = Literal["mpo-12", "lc"]
Optic = Literal["sr", "dr", "fr", "lr"]
AssemblyKind = Literal["DAC", "ACC", "AEC", "AOC"]


@dataclass(frozen=True, slots=True)
class SwitchModel:
    """A switch. ``ports`` counts those of one switch; a box may hold several (Q3200-RA: two).

    ``breakouts`` are the numbers of links that a port may be split into; 1 is always among them.
    A second group of ports at another rate (8 x 100G beside 48 x 25G) is ``uplink_ports``: it
    carries uplinks only. ``power_w`` is a box's passive typical figure, without modules.
    """

    id: str
    name: str
    vendor: str
    technologies: frozenset[Technology]
    ports: int
    port_gbps: int
    ports_per_cage: int
    cage: str
    breakouts: tuple[int, ...]
    power_w: float | None
    source: Source
    uplink_ports: int = 0
    uplink_gbps: int = 0
    uplink_cage: str = ""
    switches_per_box: int = 1
    rack_units: float | None = None
    power_source: Source | None = None


@dataclass(frozen=True, slots=True)
class NicModel:
    """A NIC. ``cage`` is the cage of each of its ports; ``max_total_gbps`` caps all ports together
    where the card or its PCIe slot does."""

    id: str
    name: str
    vendor: str
    technologies: frozenset[Technology]
    ports: int
    port_gbps: int
    cage: str
    pcie_generation: int
    power_w: float | None
    source: Source
    max_total_gbps: int | None = None
    power_source: Source | None = None


@dataclass(frozen=True, slots=True)
class Transceiver:
    """An optical module. It fits the cages in ``cages`` and runs links at one of ``rates_gbps``.

    It has ``connectors`` optical connectors of ``lanes_per_connector`` lanes at ``lane_gbps``. Two
    modules face each other only with the same ``optic`` (sr, dr, fr, lr), connector and lane rate.
    """

    id: str
    name: str
    cages: frozenset[str]
    rates_gbps: frozenset[int]
    optic: Optic
    medium: FibreMode
    connector: Connector
    connectors: int
    lanes_per_connector: int
    lane_gbps: int
    reach_m: float
    protocols: frozenset[Protocol]
    power_w: float
    source: Source

    def links(self, gbps: int) -> Fraction:
        """Links at ``gbps`` that one module carries; below 1 never happens for a listed rate."""
        return Fraction(self.connectors * self.lanes_per_connector * self.lane_gbps, gbps)

    def connectors_per_link(self, gbps: int) -> Fraction:
        """Optical connectors that a link takes: 1/2 where a splitter fibre divides a connector."""
        return Fraction(gbps, self.lane_gbps * self.lanes_per_connector)


@dataclass(frozen=True, slots=True)
class CableAssembly:
    """A cable with fixed ends (DAC, ACC, AEC, AOC): one BOM line, never also two modules.

    End A is the hub of a splitter. ``ends_b`` is 1 for a straight cable. ``hub_gbps`` is the rate
    of end A in all; at a link rate g it carries hub_gbps / g links, ``ends_b`` of them apart.
    """

    id: str
    name: str
    kind: AssemblyKind
    cages_a: frozenset[str]
    cages_b: frozenset[str]
    ends_b: int
    hub_gbps: int
    rates_gbps: frozenset[int]
    reach_m: float
    protocols: frozenset[Protocol]
    power_w_per_end: float
    source: Source


@dataclass(frozen=True, slots=True)
class Fibre:
    """A fibre patch cable of one stocked length: its ``id`` is the SKU of that length.

    ``split`` is 2 for a 1:2 splitter (one connector at one end, two at the other).
    """

    id: str
    name: str
    medium: FibreMode
    connector: Connector
    split: int
    length_m: float
    source: Source


@dataclass(frozen=True, slots=True)
class PatchPanel:
    """A panel of ``ports`` couplers of one connector; a fibre run ends in one port."""

    id: str
    name: str
    connector: Connector
    ports: int
    source: Source


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A GPU: dense peaks in TFLOP/s by precision, memory, and the scale-up link one way."""

    id: str
    name: str
    peak_tflops: Mapping[str, float]  # "bf16", "fp8"; absent where not known
    hbm_gbytes: float
    hbm_tbytes_per_s: float
    nvlink_gbytes_per_s: float | None
    source: Source


@dataclass(frozen=True, slots=True)
class ServerModel:
    """A server, held net of its NICs: neither its price nor ``power_w`` includes them.

    ``nodes_per_price_unit`` nodes share one price and one SKU (18 compute trays of an NVL72 rack);
    ``nvlink_domain_gpus`` is the NVLink domain, which may span nodes. ``nic_id`` is the NIC it comes
    with ("" where none); ``nic_ports_per_cage`` 2 = twin-port cages, named by ``nic_cage``.
    ``power_w`` is a node's maximum; the average use is a finance default.
    """

    id: str
    name: str
    accelerator: str
    gpus_per_node: int
    nic_ports_per_node: int
    nic_port_gbps: int
    nic_ports_per_cage: int
    nic_id: str
    nic_cage: str
    pcie_generation: int
    nvlink_domain_gpus: int
    nodes_per_price_unit: int
    power_w: float | None
    source: Source
    frontend_ports: int = 0
    frontend_gbps: int = 0
    storage_ports: int = 0
    storage_gbps: int = 0
    bmc_ports: int = 0
    nics_in_server: bool = False  # its price and power hold the NICs of the fabric looked at

    @property
    def sku(self) -> str:
        """Its SKU in price books."""
        return f"server-{self.id}"


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """A transformer; ``params`` in units (not billions). ``gated_mlp``: three MLP matrices.

    A mixture of experts has ``experts`` routed ones a layer after the first ``dense_layers``, of which a
    token passes ``experts_per_token`` and all ``shared_experts``; 0 experts is a dense model.
    ``attention_params`` (a layer) and ``attention_width`` (heads x head size) are given where they do
    not follow from the hidden size, as with latent attention; 0: they follow.
    """

    id: str
    name: str
    params: float
    layers: int
    hidden: int
    ffn_hidden: int
    heads: int
    kv_heads: int
    vocab: int
    sequence: int
    gated_mlp: bool
    causal_flops: bool
    source: Source
    experts: int = 0
    experts_per_token: int = 0
    expert_ffn_hidden: int = 0
    shared_experts: int = 0
    dense_layers: int = 0
    attention_params: float = 0.0
    attention_width: int = 0


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every part by id."""

    switches: Mapping[str, SwitchModel]
    nics: Mapping[str, NicModel]
    transceivers: Mapping[str, Transceiver]
    assemblies: Mapping[str, CableAssembly]
    fibres: Mapping[str, Fibre]
    accelerators: Mapping[str, Accelerator]
    servers: Mapping[str, ServerModel]
    models: Mapping[str, TrainedModel]
    not_found: tuple[str, ...] = ()  # parts or figures that were looked for and not found, in words
    panels: Mapping[str, PatchPanel] = field(default_factory=dict)
