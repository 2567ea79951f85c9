"""What the checks look at: an answer as far as it is checked, and a design with what it is judged by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from planner.catalog.parts import Catalog, SwitchModel
from planner.catalog.technologies import Technology
from planner.cost.bom_lines import BomLine
from planner.fabric.design import Design, Plan
from planner.scenario.scenario import Scenario
from pricing.price_book import PriceBook


@dataclass(frozen=True, slots=True)
class Models:
    """The switch model of each tier of a design; None where it has no such tier."""

    leaf: SwitchModel
    spine: SwitchModel | None
    core: SwitchModel | None

    def of(self, tier: str) -> SwitchModel | None:
        """The model of a tier."""
        return {"leaf": self.leaf, "spine": self.spine, "core": self.core}[tier]

    def tiers(self) -> Iterator[tuple[str, SwitchModel]]:
        """(tier, model) of the tiers that there are."""
        for tier, model in (("leaf", self.leaf), ("spine", self.spine), ("core", self.core)):
            if model:
                yield tier, model


def models_of(design: Design, known: Mapping[str, SwitchModel]) -> Models | None:
    """The models of a design's tiers, None where one is not known or a tier too many is named."""
    wiring = design.wiring
    asked = (wiring.leaf, wiring.spine, wiring.core)
    if any(bool(name) != (tier < wiring.tiers) for tier, name in enumerate(asked)):
        return None
    if any(name not in known for name in asked if name):
        return None
    return Models(known[wiring.leaf], known.get(wiring.spine), known.get(wiring.core))


@dataclass(frozen=True, slots=True)
class DesignCase:
    """One year's design, the models of its tiers, and what was asked for."""

    design: Design
    models: Models
    scenario: Scenario
    catalog: Catalog
    technology: Technology


@dataclass(frozen=True, slots=True)
class SideFabrics:
    """Side fabrics in the same year: technology and design of each, and the storage servers on them."""

    designs: Sequence[tuple[Technology, Design]]
    servers: int


@dataclass(frozen=True, slots=True)
class Books:
    """What pieces cost, in USD of the base year: the prices that a plan begins with, those of the later
    technology where it changes midway, and what pieces that were there before are worth (None: as the
    first)."""

    first: PriceBook
    later: PriceBook | None = None
    installed: PriceBook | None = None


@dataclass(frozen=True, slots=True)
class AncillaryCase:
    """One year's design, and what stands beside its links. ``sides`` None: it is a side fabric itself."""

    design: Design
    scenario: Scenario
    catalog: Catalog
    book: PriceBook
    technology: Technology
    sides: SideFabrics | None


class YearMoney(Protocol):
    """The money of one year of an answer."""

    @property
    def capex_usd(self) -> float: ...  # noqa: D102
    @property
    def network_capex_usd(self) -> float: ...  # noqa: D102
    @property
    def opex_usd(self) -> float: ...  # noqa: D102
    @property
    def network_power_kw(self) -> float: ...  # noqa: D102


class Cost(Protocol):
    """One cost line of an answer."""

    @property
    def year(self) -> int: ...  # noqa: D102
    @property
    def flow(self) -> str: ...  # noqa: D102
    @property
    def network(self) -> bool: ...  # noqa: D102
    @property
    def amount_usd(self) -> float: ...  # noqa: D102
    @property
    def npv_usd(self) -> float: ...  # noqa: D102


class Tariff(Protocol):
    """The prices that a side fabric is planned with."""

    @property
    def book(self) -> PriceBook: ...  # noqa: D102


class Side(Protocol):
    """A storage or frontend fabric of an answer."""

    @property
    def section(self) -> str: ...  # noqa: D102
    @property
    def scenario(self) -> Scenario: ...  # noqa: D102
    @property
    def plan(self) -> Plan: ...  # noqa: D102
    @property
    def tariff(self) -> Tariff: ...  # noqa: D102
    @property
    def servers(self) -> Mapping[int, int]: ...  # noqa: D102


class Answer(Protocol):
    """One technology's answer, as far as its money is looked at."""

    @property
    def plan(self) -> Plan: ...  # noqa: D102
    @property
    def bom(self) -> Sequence[BomLine]: ...  # noqa: D102
    @property
    def costs(self) -> Sequence[Cost]: ...  # noqa: D102
    @property
    def years(self) -> Sequence[YearMoney]: ...  # noqa: D102
    @property
    def tco_usd(self) -> float | None: ...  # noqa: D102
    @property
    def network_tco_usd(self) -> float | None: ...  # noqa: D102
    @property
    def sides(self) -> Sequence[Side]: ...  # noqa: D102
