"""The answer as frozen values: a Design of each fabric and year, a Plan over the horizon.

A cluster whose server generations are islands has a fabric for each: a ``ClusterDesign`` holds those of a
year, a ``ClusterPlan`` those of the horizon. What is counted (GPUs, links, pieces) reads alike of one fabric
and of several; what only one fabric has (a wiring, a size) is asked of one of ``fabrics``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar

from planner.catalog.technologies import Technology, TechnologyPath

SwitchTier = Literal["leaf", "spine", "core"]
Status = Literal["optimal", "feasible", "infeasible", "unpriced", "none"]
"""optimal: proven; feasible: the time ran out before the proof; none: it ran out before a design; infeasible
and unpriced: there is no design, and why."""
Section = Literal["compute", "storage", "frontend", "management", "services"]


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
    """One fabric as it is in service in one year, all planes."""

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

    @property
    def fabrics(self) -> tuple[Design]:
        """Itself, as one of a cluster's."""
        return (self,)

    @property
    def links(self) -> tuple[int, int, int]:
        """Links endpoint to leaf, leaf to spine, spine to core, at the link rate, of all planes and sites."""
        return _links_of(self.fabrics)

    @property
    def tiers(self) -> tuple[tuple[SwitchTier, str, int], ...]:
        """Tier, switch and number of switches from the leaves up, all planes and sites together."""
        return _tiers_of(self.fabrics)


@dataclass(frozen=True, slots=True)
class ClusterDesign:
    """The fabrics in service in one year, one for each island of servers there is by then; counts are
    sums."""

    year: int
    fabrics: tuple[Design, ...]

    @property
    def gpus(self) -> int:
        """GPUs of all islands."""
        return sum(d.gpus for d in self.fabrics)

    @property
    def nodes(self) -> int:
        """Nodes of all islands."""
        return sum(d.nodes for d in self.fabrics)

    @property
    def need(self) -> dict[str, int]:
        """SKU -> pieces in use."""
        return _added(d.need for d in self.fabrics)

    @property
    def need_by_tier(self) -> dict[tuple[str, str], int]:
        """(tier, SKU) -> pieces in use."""
        return _added(d.need_by_tier for d in self.fabrics)

    @property
    def node_modules(self) -> int:
        """Transceivers in nodes."""
        return sum(d.node_modules for d in self.fabrics)

    @property
    def switch_modules(self) -> int:
        """Transceivers in switches."""
        return sum(d.switch_modules for d in self.fabrics)

    @property
    def change(self) -> Change:
        """What happens at the start of the year in all islands."""
        return _changes_of([d.change for d in self.fabrics])

    @property
    def links(self) -> tuple[int, int, int]:
        """Links endpoint to leaf, leaf to spine, spine to core, at the link rate, of all fabrics."""
        return _links_of(self.fabrics)

    @property
    def tiers(self) -> tuple[tuple[SwitchTier, str, int], ...]:
        """Tier, switches (several models joined by " + ") and their number from the leaves up."""
        return _tiers_of(self.fabrics)


YearDesign: TypeAlias = Design | ClusterDesign


def largest_fabric(design: YearDesign) -> Design:
    """The fabric with the most GPUs, the first of equal ones: it stands for a cluster where only one can."""
    return max(design.fabrics, key=lambda d: d.gpus)


_K = TypeVar("_K")


def _added(counts: Iterable[Mapping[_K, int]]) -> dict[_K, int]:
    total = Counter[_K]()
    for each in counts:
        total.update(each)
    return dict(total)


def _changes_of(changes: Sequence[Change]) -> Change:
    tiers = [sum(c.recabled_by_tier[i] for c in changes) for i in range(3)]
    return Change(
        bought=_added(c.bought for c in changes),
        retired=_added(c.retired for c in changes),
        installed_links=sum(c.installed_links for c in changes),
        recabled_links=sum(c.recabled_links for c in changes),
        recabled_by_tier=(tiers[0], tiers[1], tiers[2]),
        idled_gpus=sum(c.idled_gpus for c in changes),
        panel_links=sum(c.panel_links for c in changes),
        panel_idled_gpus=sum(c.panel_idled_gpus for c in changes),
    )


def _tiers_of(fabrics: Sequence[Design]) -> tuple[tuple[SwitchTier, str, int], ...]:
    found: dict[SwitchTier, tuple[str, int]] = {}
    for tier, switch, n in (row for design in fabrics for row in _tiers(design)):
        models, before = found.get(tier, ("", 0))
        named = models if switch in models.split(" + ") else f"{models} + {switch}".removeprefix(" + ")
        found[tier] = named, before + n
    return tuple((tier, switch, n) for tier, (switch, n) in found.items())


def _tiers(design: Design) -> Sequence[tuple[SwitchTier, str, int]]:
    wiring, size = design.wiring, design.size
    tiers: tuple[tuple[SwitchTier, str, int], ...] = (
        ("leaf", wiring.leaf, size.leaves * wiring.copies),
        ("spine", wiring.spine, size.spines * wiring.copies),
        ("core", wiring.core, size.cores * wiring.copies),
    )
    return tiers[: wiring.tiers]


def _links_of(fabrics: Sequence[Design]) -> tuple[int, int, int]:
    rows = [_links(design) for design in fabrics]
    return sum(r[0] for r in rows), sum(r[1] for r in rows), sum(r[2] for r in rows)


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
    status: Status
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
    """One fabric over the horizon, or the reason why there is none. ``designs`` has one entry a year.

    ``technology`` is that of all years, or of the years before the change where there is a ``path``.
    """

    technology: Technology
    status: Status
    reason: str | None
    excluded: tuple[str, ...]
    solver: SolverReport
    designs: tuple[Design, ...] = ()
    holdings: tuple[Holding, ...] = ()
    warnings: tuple[str, ...] = ()
    path: TechnologyPath | None = None

    @property
    def name(self) -> str:
        """What files and answers call it: the technology's id, or the path's name."""
        return self.path.name if self.path else self.technology

    def technology_in(self, year: int) -> Technology:
        """The technology that serves in a year."""
        return self.path.technology_in(year) if self.path else self.technology


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """The fabrics of several islands over the horizon, under one technology; ``designs`` has an entry for
    each year in which one is in service, none where an island has no design."""

    technology: Technology
    status: Status
    reason: str | None
    excluded: tuple[str, ...]
    solver: SolverReport
    designs: tuple[ClusterDesign, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What files and answers call it: the technology's id."""
        return self.technology

    def technology_in(self, year: int) -> Technology:
        """The technology, the same in every year."""
        return self.technology


AnyPlan: TypeAlias = Plan | ClusterPlan
