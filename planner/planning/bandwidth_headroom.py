"""What the job asks of each tier of a design, against the bandwidth that is wired there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from planner.candidates.design_space import RatioCaps
from planner.catalog.parts import Accelerator
from planner.fabric.demand import YearDemand
from planner.fabric.design import Design, Wiring
from planner.fabric.nic_attachment import NicAttachment
from planner.scenario.generations import pacing
from planner.scenario.scenario import Scenario
from planner.throughput.cluster import Cluster, FabricView
from planner.throughput.constants import load_constants
from planner.throughput.estimate import tier_load
from planner.throughput.result import TierLoad


def load_of(
    scenario: Scenario,
    accelerators: Mapping[str, Accelerator],
    base: Wiring,
    gpus: int,
) -> TierLoad:
    """Gb/s an endpoint that the job on ``gpus`` GPUs asks of each tier when it spans all of them.

    Of ``base`` only how the nodes' ports are used matters. Raises ThroughputError where the workload can't
    run on the cluster.
    """
    view = FabricView(
        technology="infiniband",  # or any other: the load is that of an ideal fabric
        endpoint_gbps=base.link_gbps,
        endpoints_per_node=base.nic_ports_per_node * base.nic_port_split,
        tiers=3,
        oversubscription=1.0,
        spine_oversubscription=1.0,
        nodes_per_unit=1,
    )
    first = scenario.growth[0].gpus
    server, accelerator = pacing(scenario, accelerators, gpus)
    return tier_load(scenario.workload, Cluster(server, accelerator, gpus, view), first, load_constants())


def ratio_caps(
    scenario: Scenario, accelerators: Mapping[str, Accelerator]
) -> Callable[[NicAttachment, YearDemand], RatioCaps | None]:
    """A cached function from (attachment, year) to the caps; None where a node's own links are too slow.

    A tier's traffic <= (1 - headroom) x its wired bandwidth, so down : up <= that bandwidth over the
    traffic that goes through.
    """
    known: dict[tuple[NicAttachment, int], RatioCaps | None] = {}

    def caps(attachment: NicAttachment, year: YearDemand) -> RatioCaps | None:
        key = (attachment, year.t)
        if key not in known:
            load = load_of(scenario, accelerators, attachment.base, year.gpus)
            known[key] = _caps(scenario, attachment, year, load)
        return known[key]

    return caps


def _caps(
    scenario: Scenario, attachment: NicAttachment, year: YearDemand, load: TierLoad
) -> RatioCaps | None:
    usable = (1.0 - scenario.fabric.bandwidth_headroom) * attachment.base.link_gbps
    if load.node_leaf_gbps > usable:
        return None
    return RatioCaps(year.site_nodes, _cap(usable, load.leaf_spine_gbps), _cap(usable, load.spine_core_gbps))


def _cap(usable_gbps: float, asked_gbps: float) -> Fraction | None:
    return Fraction(usable_gbps / asked_gbps) if asked_gbps > 0 else None


_ROUNDING = 1e-9  # of the wired bandwidth


@dataclass(frozen=True, slots=True)
class TierHeadroom:
    """One tier of links in one year, in Gb/s for each endpoint.

    ``asked_gbps``: bytes that the job sends across the tier in a step / the step's time on an ideal fabric.
    ``wired_gbps``: bandwidth of the tier's links for each endpoint of a full leaf. ``crossed`` False: the
    whole job stays below the tier, which is asked for nothing. ``headroom_ratio``: share to be kept free.
    """

    tier: str  # node-leaf | leaf-leaf | leaf-spine | spine-core
    asked_gbps: float
    wired_gbps: float
    headroom_ratio: float
    crossed: bool = True

    @property
    def used_ratio(self) -> float:
        """Share of the wired bandwidth that the job takes."""
        return self.asked_gbps / self.wired_gbps

    @property
    def free_ratio(self) -> float:
        """Share of the wired bandwidth that the job leaves."""
        return 1.0 - self.used_ratio

    @property
    def left_ratio(self) -> float:
        """Share of the wired bandwidth that is left beyond the headroom asked for; negative: not kept."""
        return 1.0 - self.headroom_ratio - self.used_ratio

    @property
    def kept(self) -> bool:
        """Whether the tier is admitted: asked <= (1 - headroom) x wired."""
        return self.left_ratio >= -_ROUNDING


def tier_headrooms(
    designs: Sequence[Design],
    scenario: Scenario,
    accelerators: Mapping[str, Accelerator],
) -> tuple[tuple[TierHeadroom, ...], ...]:
    """The tiers of each year's design from the nodes up. Raises ThroughputError as ``load_of``."""
    rows: list[tuple[TierHeadroom, ...]] = []
    for i, design in enumerate(designs):
        before = designs[i - 1] if i else None
        if before and (before.wiring, before.gpus) == (design.wiring, design.gpus):
            rows.append(rows[-1])
            continue
        load = load_of(scenario, accelerators, design.wiring, design.gpus)
        rows.append(tuple(_tiers(design, load, scenario.fabric.bandwidth_headroom)))
    return tuple(rows)


def _tiers(design: Design, load: TierLoad, headroom: float) -> Iterator[TierHeadroom]:
    """A job within one scalable unit never leaves its leaves; beyond that all its traffic counts for every
    tier above, as for the admission of candidates."""
    wiring = design.wiring
    link, leaf, spine = wiring.link_gbps, wiring.oversubscription, wiring.spine_oversubscription
    above = "leaf-leaf" if wiring.pair_links else "leaf-spine"
    across = wiring.nodes_per_unit < design.size.nodes
    tiers = (
        ("node-leaf", load.node_leaf_gbps, float(link), load.node_leaf_gbps > 0),
        (above, load.leaf_spine_gbps, float(link / leaf), across and load.leaf_spine_gbps > 0),
        ("spine-core", load.spine_core_gbps, float(link / leaf / spine), across and load.spine_core_gbps > 0),
    )
    for tier, asked, wired, crossed in tiers[: 2 if wiring.pair_links else wiring.tiers]:
        yield TierHeadroom(tier, asked if crossed else 0.0, wired, headroom, crossed)


def headroom_faults(designs: Sequence[Design], found: Sequence[Sequence[TierHeadroom]]) -> Iterator[str]:
    """Tiers of a year that the job would fill beyond the headroom."""
    for design, tiers in zip(designs, found, strict=True):
        for tier in tiers:
            if not tier.kept:
                yield (
                    f"{design.year}: {tier.tier}: the job asks {tier.used_ratio:.1%} of the wired bandwidth, "
                    f"{tier.headroom_ratio:.0%} headroom is asked for"
                )
