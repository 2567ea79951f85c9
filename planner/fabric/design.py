"""The answer as frozen values: a Design a year, a Plan over the horizon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from planner.catalog.technologies import Technology, TechnologyPath, is_technology


@dataclass(frozen=True, slots=True)
class Tier:
    """One tier of switches of one plane.

    ``down`` and ``up`` are the wired ports of one switch in links at the link rate (the greatest
    over its switches); ``breakout`` is the number of links a port facing down is split into.
    """

    switch: str
    count: int
    breakout: int
    down: int
    up: int


@dataclass(frozen=True, slots=True)
class Wiring:
    """A fat-tree apart from its size: what must be equal for links to stay in place.

    All of one plane at one site; ``copies`` of it are built. A scalable unit is ``nodes_per_unit`` nodes
    under ``leaves_per_unit`` leaves (rail-optimised: one leaf a rail), built whole. A leaf has ``down``
    endpoint ports and ``up`` uplinks (at ``uplink_gbps``). ``spines`` are of a pod, ``links_per_pair`` =
    up / spines. Three tiers: ``leaves_per_pod``, ``spine_up`` uplinks a spine, ``core_groups``,
    ``cores_per_group``. Two tiers: one pod of any size, core fields 0.
    One tier: ``up`` and ``spines`` are 0; one switch, or a collapsed pair of two leaves with ``pair_links``
    links (at ``uplink_gbps``) between them.
    """

    planes: int
    nic_port_split: int
    nic_ports_per_node: int
    link_gbps: int
    rail_optimised: bool
    nic: str
    tiers: int
    leaf: str
    leaf_breakout: int
    nodes_per_unit: int
    leaves_per_unit: int
    down: int
    up: int = 0
    uplink_gbps: int = 0
    spine: str = ""
    spine_breakout: int = 1
    spines: int = 0
    leaves_per_pod: int = 0
    core: str = ""
    core_breakout: int = 1
    spine_up: int = 0
    core_groups: int = 0
    cores_per_group: int = 0
    sites: int = 1
    pair_links: int = 0

    @property
    def copies(self) -> int:
        """Equal fabrics that are built: planes x sites."""
        return self.planes * self.sites

    @property
    def endpoints_per_node(self) -> int:
        """Endpoints of a node in one plane."""
        return self.nic_ports_per_node * self.nic_port_split // self.planes

    @property
    def links_per_pair(self) -> int:
        """Links between a leaf and a spine of its pod, m."""
        return self.up // self.spines if self.spines else 0

    @property
    def uplink_factor(self) -> int:
        """Links at the link rate that one uplink is worth (2 for 800G over 400G)."""
        return self.uplink_gbps // self.link_gbps if self.uplink_gbps else 1

    @property
    def oversubscription(self) -> Fraction:
        """Down : up bandwidth of the wired leaf, in a pair down : across; 1 for a single switch."""
        return Fraction(self.down, self.leaf_up * self.uplink_factor) if self.leaf_up else Fraction(1)

    @property
    def leaf_up(self) -> int:
        """Links of a leaf to other switches: its uplinks, or those to the other leaf of a pair."""
        return self.up or self.pair_links

    @property
    def spine_oversubscription(self) -> Fraction:
        """Down : up bandwidth of a full spine; 1 below three tiers."""
        if self.tiers < 3:
            return Fraction(1)
        return Fraction(self.leaves_per_pod * self.links_per_pair, self.spine_up)


@dataclass(frozen=True, slots=True)
class Size:
    """How many switches and links a Wiring takes for the nodes of one site, in one plane."""

    nodes: int
    endpoints: int
    leaves: int
    pods: int
    spines: int
    cores: int
    leaf_spine_links: int  # at uplink_gbps
    spine_core_links: int  # at uplink_gbps
    leaf_leaf_links: int = 0  # at uplink_gbps; of a collapsed pair

    @property
    def switch_links(self) -> int:
        """Links between switches, at uplink_gbps."""
        return self.leaf_leaf_links + self.leaf_spine_links + self.spine_core_links


@dataclass(frozen=True, slots=True)
class Change:
    """What happens at the start of a year. Links are of all planes.

    ``panel_links`` are those of the recabled links that are moved at a patch panel, and
    ``panel_idled_gpus`` the idled GPUs that they serve.
    """

    bought: Mapping[str, int]
    retired: Mapping[str, int]
    installed_links: int
    recabled_links: int
    recabled_by_tier: tuple[int, int, int]
    idled_gpus: float  # GPUs that the moved links serve, summed over moved links
    panel_links: int = 0
    panel_idled_gpus: float = 0.0


@dataclass(frozen=True, slots=True)
class Design:
    """The compute fabric that is in service in one year, all planes.

    ``islands``: the fabrics of several server generations, in their order, where there is more than one; then
    counts are their sums, and wiring and size those of the island with the most GPUs.
    """

    year: int
    gpus: int
    nodes: int
    wiring: Wiring
    size: Size  # of one plane
    need: Mapping[str, int]  # SKU -> pieces that the wiring uses, all planes
    owned: Mapping[str, int]  # SKU -> pieces in service or in stock
    change: Change
    need_by_tier: Mapping[tuple[str, str], int]  # (tier, SKU) -> pieces; tiers as in BomLine
    node_modules: int
    switch_modules: int
    islands: tuple[Design, ...] = ()

    @property
    def fabrics(self) -> tuple[Design, ...]:
        """The fabrics that it is made of: its islands, else itself."""
        return self.islands or (self,)

    @property
    def links(self) -> tuple[int, int, int]:
        """Links endpoint to leaf, leaf to spine, spine to core, at the link rate, of all planes and sites."""
        rows = [_links(design) for design in self.fabrics]
        return sum(r[0] for r in rows), sum(r[1] for r in rows), sum(r[2] for r in rows)

    @property
    def tiers(self) -> tuple[tuple[str, str, int], ...]:
        """Tier, switch and number of switches from the leaves up, all planes, sites and islands together."""
        found: dict[str, tuple[str, int]] = {}
        for tier, switch, n in (row for design in self.fabrics for row in _tiers(design)):
            models, before = found.get(tier, ("", 0))
            named = models if switch in models.split(" + ") else f"{models} + {switch}".removeprefix(" + ")
            found[tier] = named, before + n
        return tuple((tier, switch, n) for tier, (switch, n) in found.items())


def _tiers(design: Design) -> tuple[tuple[str, str, int], ...]:
    wiring, size = design.wiring, design.size
    tiers = (
        ("leaf", wiring.leaf, size.leaves * wiring.copies),
        ("spine", wiring.spine, size.spines * wiring.copies),
        ("core", wiring.core, size.cores * wiring.copies),
    )
    return tiers[: wiring.tiers]


def _links(design: Design) -> tuple[int, int, int]:
    wiring, size = design.wiring, design.size
    faster = wiring.copies * wiring.uplink_factor
    return size.endpoints * wiring.copies, size.leaf_spine_links * faster, size.spine_core_links * faster


@dataclass(frozen=True, slots=True)
class Holding:
    """Pieces of one SKU bought at the start of ``bought_year`` and held to the start of ``until_year``."""

    sku: str
    quantity: int
    bought_year: int
    until_year: int


@dataclass(frozen=True, slots=True)
class SolverReport:
    """What the solver said. Figures are None where there is no feasible point.

    ``dominated_left_out``: designs that another of the same year beats were too many to weigh their moves.
    ``root_gap``: (objective - relaxation without whole choices) / objective. Under the objective of least
    cost per output ``ratio`` is the plan's USD per effective TFLOP/s-year, ``ratio_bound`` what no plan goes
    below, ``rounds`` how many programmes were solved; objective and bound are of the plan's cost.
    """

    name: str
    status: str  # optimal | feasible | infeasible | unpriced
    objective_usd: float | None
    bound_usd: float | None
    gap: float | None
    seconds: float
    nodes: int | None = None
    build_seconds: float = 0.0
    candidates: int = 0
    root_gap: float | None = None
    dominated_left_out: bool = False
    ratio: float | None = None
    ratio_bound: float | None = None
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """One technology over the horizon, or the reason why there is none.

    ``status``: optimal | feasible | infeasible | unpriced. ``designs`` has one entry a year. ``path``: where
    the technology changes midway; ``technology`` is its name then.
    """

    technology: str
    status: str
    reason: str | None
    excluded: tuple[str, ...]
    solver: SolverReport
    designs: tuple[Design, ...] = ()
    holdings: tuple[Holding, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    path: TechnologyPath | None = None

    def technology_in(self, year: int) -> Technology:
        """The technology that serves in a year. Raises ValueError where the plan's is none."""
        if self.path is None:
            if not is_technology(self.technology):
                raise ValueError(f"{self.technology!r} is no technology")
            return self.technology
        return self.path.first if year < self.path.from_year else self.path.later
