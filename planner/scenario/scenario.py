"""What the user asks, as frozen values. ``planner.scenario.load`` reads and checks the file.

Everything is resolved here: defaults are filled in, ids are replaced by the catalog's parts, and
choices that the user left open are tuples of more than one value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeGuard, get_args

from planner.catalog.parts import ServerModel, SwitchModel, TrainedModel
from planner.catalog.technologies import Technology, TechnologyPath
from planner.scenario.bill import Bill
from pricing.price_book import ItemClass, Price, PriceBook

Precision = Literal["bf16", "fp16", "fp8"]  # of the matmuls; fp16 runs at the peak of bf16
Recompute = Literal["none", "selective", "full"]
Sharding = Literal["none", "zero1", "fsdp", "zero3-2021"]
Attention = Literal["fused", "fused-2023", "unfused"]
RoceTuning = Literal["tuned", "default", "off-tune", "wrong-class"]
Placement = Literal["packed", "scattered"]
ResidualRule = Literal["unexpired-life", "market", "none"]
InfinibandPricing = Literal["ratio", "book"]
Objective = Literal["tco", "levelised-cost"]  # total cost, or USD per effective TFLOP/s-year
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


def is_objective(word: str) -> TypeGuard[Objective]:
    """Whether a word names an objective."""
    return word in OBJECTIVES


@dataclass(frozen=True, slots=True)
class GrowthStep:
    """The GPUs to be in service from the start of a build year."""

    year: int
    gpus: int


@dataclass(frozen=True, slots=True)
class FabricAsk:
    """What the compute fabric must be. A tuple of several values opens the choice.

    ``join_generations``: one fabric over all server generations instead of an island for each.
    """

    technologies: tuple[Technology, ...]
    link_gbps: tuple[int, ...]
    rail_optimised: tuple[bool, ...]
    planes: tuple[int, ...]
    nic_port_split: tuple[int, ...]
    nic_ports_per_node: tuple[int, ...]
    max_oversubscription: Fraction
    spine_oversubscription: Fraction
    max_tiers: int
    min_spines: int
    nodes_per_scalable_unit: int | None  # None: free, at most the leaf's down ports
    reserved_fabric_ports: int
    bandwidth_headroom: float
    switches: tuple[str, ...] | None  # None: every switch of the catalog
    collapsed_pair: bool = False  # two leaves linked directly may serve, too
    join_generations: bool = False
    paths: tuple[TechnologyPath, ...] = ()  # changes of technology to plan beside the technologies


@dataclass(frozen=True, slots=True)
class Generation:
    """The server that GPUs are added with from ``first_year`` on, and the fabric asked for it."""

    first_year: int
    server: ServerModel
    fabric: FabricAsk


@dataclass(frozen=True, slots=True)
class Workload:
    """The training job. Parallel degrees are None where the planner chooses them.

    ``global_batch_sequences`` holds in the first build year and grows with the GPUs up to 16 M
    tokens a step unless ``fixed_batch``. ``gradient_bytes`` is what one parameter's gradient weighs
    on the wire (4 fp32, 2 bf16, 1 fp8). ``attention``: fused kernels that skip what causality masks
    (those of 2023 are slower), or the unfused ones of 2021-22. ``job_mix`` holds (GPUs, share of the
    GPU-hours) of the jobs that share the cluster; empty: one job over all of it. ``calibrated`` says
    that ``stack_factor`` was measured on this very stack.
    """

    model: TrainedModel
    precision: Precision = "bf16"
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    virtual_pipeline: int = 1
    context_parallel: int = 1
    micro_batch: int = 1
    global_batch_sequences: int | None = None
    fixed_batch: bool = False
    sequence_parallel: bool = True
    recompute: Recompute = "selective"
    sharding: Sharding = "zero1"
    gradient_bytes: float = 2.0
    parameter_bytes: float = 2.0
    overlap: bool = True
    stack_factor: float = 1.0
    attention: Attention = "fused"
    expert_parallel: int = 1
    job_mix: tuple[tuple[int, float], ...] = ()
    calibrated: bool = False


@dataclass(frozen=True, slots=True)
class WanAsk:
    """Several sites, alike, and the link between them.

    ``gradient_bytes`` is the weight of a parameter's gradient on the link (4 fp32, 2 bf16, 1 fp8),
    ``compression_ratio`` what sparsification or the like divides it by. ``hierarchical``: each site
    reduces first, so that gradients cross once a step; else one ring of all replicas runs over the
    sites, in the workload's gradient bytes. TCP moves at most ``tcp_streams`` windows of
    ``tcp_window_mib`` a round trip. ``usd_per_year`` is the price of the link, a stated input.
    """

    sites: int = 1
    link_gbps: float = 0.0
    round_trip_ms: float = 0.0
    gradient_bytes: float = 1.0
    usd_per_year: float | None = None
    compression_ratio: float = 1.0
    hierarchical: bool = True
    tcp_streams: int = 16
    tcp_window_mib: float = 32.0


@dataclass(frozen=True, slots=True)
class FinanceAsk:
    """Money and time. Rates are fractions a year; the horizon counts from the base year."""

    horizon_years: int
    discount_rate: float
    electricity_usd_per_kwh: float
    pue: float
    residual: ResidualRule
    life_years: int
    market_resale_ratio: float  # of the replacement price, residual = "market" only
    support_ratio_per_year: float  # of a switch's base-year price
    server_power_use_ratio: float  # average use / maximum of a server


@dataclass(frozen=True, slots=True)
class PriceAsk:
    """Which prices. ``stacked`` are the scenario's own books, the lowest first, over ``book``.

    ``overrides`` are the user's own, quotes included, and are taken as they are. ``discounts`` are shares
    by vendor, item class or "vendor/class", for the prices of the books.
    """

    book: str
    infiniband_pricing: InfinibandPricing
    infiniband_price_ratio: float
    erosion_per_year: Mapping[ItemClass, float]
    overrides: Mapping[str, Price] = field(default_factory=dict)
    stacked: tuple[PriceBook, ...] = ()
    discounts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Operations:
    """How the fabric is run. Minutes are of one technician and one link.

    ``link_stall_s``: how long the job stands still when a link between switches fails and traffic is
    not routed around it at once (no adaptive routing). ``memory_pools``: buffers are registered once.
    """

    roce_tuning: RoceTuning = "tuned"
    adaptive_routing: bool = True  # InfiniBand and Spectrum-X
    placement: Placement = "packed"  # whether the scheduler knows the leaves
    in_network_reduction: bool = False  # SHARP; InfiniBand only
    failures_per_node_day: float = 3.8e-3
    restart_s: float = 300.0
    checkpoint_write_s: float = 10.0
    recabling_downtime_hours: float = 8.0
    gpu_hour_usd: float = 1.4
    link_stall_s: float = 15.0
    link_failures_per_year: float = 0.013  # of one link
    memory_pools: bool = True
    roce_engineers_per_1000_gpus: float = 0.5
    engineer_usd_per_year: float = 252_000.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """Constants measured on a test bed, in place of the shipped ones; None and absent keys: not measured.

    ``e0`` (payload share of the link rate) and ``alpha_us`` (latency of a message, hops apart) are by
    technology; the NVLink figures are of an all-reduce of 8 GPUs of this scenario's kind. A measured
    stack factor is the workload's.
    """

    e0: Mapping[str, float] = field(default_factory=dict)
    alpha_us: Mapping[str, float] = field(default_factory=dict)
    nvlink_busbw_gbytes_per_s: float | None = None
    nvlink_alpha_us: float | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Link lengths in metres, module policy, patch panels.

    ``patch_panels``: whether fibres between switches run over panels (both: the planner chooses). A link
    moved at a panel takes a share of a direct cable's labour and downtime; its patch cord of ``jumper_m``
    lies within the run's length.
    """

    node_leaf_m: float = 20.0
    leaf_spine_m: float = 30.0
    spine_core_m: float = 50.0
    populate_all_cages: bool = False
    patch_panels: tuple[bool, ...] = (False,)
    jumper_m: float = 3.0
    panel_labour_ratio: float = 0.4
    panel_downtime_ratio: float = 0.5

    @property
    def panels(self) -> bool:
        """Whether panels are there; where the choice is open, not yet."""
        return self.patch_panels == (True,)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a committee sets; None where it sets nothing.

    ``capex_usd_per_year`` is nominal and includes servers and services; power is IT load at average use;
    ``available_from`` is the first year in which a SKU can be had.
    """

    switch_vendors: tuple[str, ...] | None = None
    capex_usd_per_year: float | None = None
    network_power_kw: float | None = None
    rack_units: float | None = None
    available_from: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Installed:
    """Pieces that are there before the base year, and the year in which they were bought."""

    sku: str
    quantity: int
    bought_year: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """One question to the planner, complete.

    ``defaults_used`` says in words which inputs were not given. The first growth row is of the base year,
    but in the scenario of an island of a later server generation (``planner.study.islands``). ``generations``
    is empty where all servers are alike; ``server`` and ``fabric`` are the first one's.
    """

    name: str
    base_year: int
    server: ServerModel
    growth: tuple[GrowthStep, ...]
    fabric: FabricAsk
    own_switches: tuple[SwitchModel, ...]
    workload: Workload
    finance: FinanceAsk
    prices: PriceAsk
    operations: Operations
    layout: Layout
    limits: Limits
    wan: WanAsk
    defaults_used: tuple[str, ...] = ()
    calibration: Calibration | None = None
    installed: tuple[Installed, ...] = ()
    bill: Bill = Bill()
    generations: tuple[Generation, ...] = ()

    @property
    def years(self) -> range:
        """The years of the horizon."""
        return range(self.base_year, self.base_year + self.finance.horizon_years)
