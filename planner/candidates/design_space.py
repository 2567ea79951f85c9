"""What the enumeration of fat-trees needs to know of a scenario and a technology."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from planner.candidates.cost_floors import DualPrices
from planner.candidates.two_tier import WiringRules
from planner.catalog.parts import Catalog, SwitchModel
from planner.fabric.cabling import LinkBundle, MediumChoice, cheapest_medium
from planner.fabric.demand import YearDemand
from planner.fabric.design import Size, Wiring
from planner.fabric.nic_attachment import NicAttachment
from planner.fabric.part_counts import Pieces
from planner.scenario.scenario import Layout


@dataclass(frozen=True, slots=True)
class RatioCaps:
    """Greatest oversubscription that the headroom leaves in one year, once the job leaves its unit.

    ``job_nodes``: a unit of that many nodes keeps the job's traffic off the spines.
    """

    job_nodes: int
    leaf: Fraction | None  # None: no cap
    core: Fraction | None  # of leaf ratio x spine ratio


Credit = Callable[[Wiring, YearDemand], float]


@dataclass(frozen=True)
class DesignSpace:
    """Everything that the enumeration needs to know. ``price`` is USD a piece, None where unknown.

    ``ancillaries`` adds what a design needs beside its links. ``credit``: with it other ratios up to the one
    allowed are tried, for dearer fabrics may deliver more: ``every_ratio`` at the leaf, or the listed ones.
    ``keep_dominated``: no wiring beats another, for what takes more in one year may spare moves in the next.
    ``duals``: what pieces are worth, and how much those of a year may be; None where nothing is passed over.
    """

    catalog: Catalog
    technology: str
    switches: tuple[SwitchModel, ...]
    rules: WiringRules
    layout: Layout
    price: Callable[[str], float | None]
    caps: Callable[[NicAttachment, YearDemand], RatioCaps | None]  # None: the endpoint's own link is too slow
    ancillaries: Callable[[Pieces, Wiring, Size, YearDemand], Pieces] | None = None
    duals: DualPrices | None = None
    allow: Callable[[Mapping[str, int], YearDemand], bool] | None = None  # limits on what is in use
    every_ratio: bool = False
    keep_dominated: bool = False
    credit: Credit | None = None  # what a wiring's output is worth in a build year (USD, present worth)
    media: dict[LinkBundle, MediumChoice] = field(default_factory=dict)
    unpriced: set[str] = field(default_factory=set)

    @cached_property
    def by_id(self) -> Mapping[str, SwitchModel]:
        """The switch models by id."""
        return {s.id: s for s in self.switches}

    def medium(self, ask: LinkBundle) -> MediumChoice:
        """The cheapest medium, looked up once for each kind of bundle."""
        if ask not in self.media:
            self.media[ask] = cheapest_medium(self.catalog, ask, self.price)
            self.unpriced.update(self.media[ask].unpriced)
        return self.media[ask]
