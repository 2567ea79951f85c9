"""What the enumeration of fat-trees needs to know of a scenario and a technology."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf

from planner.candidates.budget import UNLIMITED, Budget
from planner.catalog.parts import Catalog, SwitchModel
from planner.fabric.cabling import LinkBundle, MediumChoice, cheapest_medium
from planner.fabric.demand import YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.nic_attachment import NicAttachment
from planner.fabric.part_counts import Pieces
from planner.scenario.scenario import Layout

PiecePrice = Callable[[str, int], float]


@dataclass(frozen=True, slots=True)
class WiringRules:
    """What every wiring must keep: ratios, tiers, spines, unit size, ports kept free."""

    max_oversubscription: Fraction
    spine_oversubscription: Fraction
    max_tiers: int
    min_spines: int
    nodes_per_scalable_unit: int | None
    reserved_fabric_ports: int
    collapsed_pair: bool = False


@dataclass(frozen=True, slots=True)
class RatioCaps:
    """Greatest oversubscription that the headroom leaves in one year, once the job leaves its unit.

    ``job_nodes``: a unit of that many nodes keeps the job's traffic off the spines.
    """

    job_nodes: int
    leaf: Fraction | None  # None: no cap
    core: Fraction | None  # of leaf ratio x spine ratio


@dataclass(frozen=True, slots=True)
class DualPrices:
    """What pieces cost at the least, as dual prices of the programme's covering constraints.

    ``piece_usd(sku, t)``: rent and running cost (USD, present worth) of a piece over the years that the
    design of build year t is in service. Every link of the last build year (``last_t``) is installed at some
    time, for ``install_usd`` (present worth) or more. ``credit_usd``: what a discounted effective
    TFLOP/s-year is worth; 0 where only cost counts.
    """

    piece_usd: PiecePrice
    last_t: int
    install_usd: float
    credit_usd: float = 0.0


@dataclass(frozen=True)
class DesignSpace:
    """The fat-trees of one technology: parts, rules, prices, and which of them may be left out.

    ``price`` is USD a piece, None where unknown; ``caps`` None: the endpoint's own link is too slow.
    ``ancillaries`` adds what a design needs beside its links; ``within_limits`` tells whether pieces in use
    keep the limits of a build year.

    ``discounted_output``: effective TFLOP/s-years of a wiring in a build year. With it other ratios up to the
    one allowed are tried, for dearer fabrics may deliver more: the listed ones, at the leaf ``every_ratio``.
    ``keep_dominated``: no wiring is left out for another of the same year, for what takes more in one year
    may spare moves in the next.
    ``duals`` and ``cutoff_usd``: a wiring of which the pieces cost more by the dual prices than the cutoff of
    a build year (by t) is left out in that year; without them none is. ``budget``: what may be spent on
    finding them.
    """

    catalog: Catalog
    technology: str
    switches: tuple[SwitchModel, ...]
    rules: WiringRules
    layout: Layout
    price: Callable[[str], float | None]
    caps: Callable[[NicAttachment, YearDemand], RatioCaps | None]
    ancillaries: Callable[[Pieces, Wiring, Size, YearDemand], Pieces] | None = None
    within_limits: Callable[[Mapping[str, int], YearDemand], bool] | None = None
    discounted_output: Callable[[Wiring, YearDemand], float] | None = None
    every_ratio: bool = False
    keep_dominated: bool = False
    duals: DualPrices | None = None
    cutoff_usd: Mapping[int, float] = field(default_factory=dict)
    budget: Budget = UNLIMITED
    media: dict[LinkBundle, MediumChoice] = field(default_factory=dict)
    unpriced: set[str] = field(default_factory=set)

    @cached_property
    def by_id(self) -> Mapping[str, SwitchModel]:
        """The switch models by id."""
        return {s.id: s for s in self.switches}

    def cutoff(self, year: YearDemand) -> float:
        """The most (USD) that the pieces of a wiring may cost in a build year; infinite where none is set."""
        return self.cutoff_usd.get(year.t, inf)

    def medium(self, bundle: LinkBundle) -> MediumChoice:
        """The cheapest medium, looked up once for each kind of bundle."""
        if bundle not in self.media:
            self.media[bundle] = cheapest_medium(self.catalog, bundle, self.price)
            self.unpriced.update(self.media[bundle].unpriced)
        return self.media[bundle]
