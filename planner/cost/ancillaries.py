"""What a design needs beside its links, all at once: patch panels, management network, managers, spares.

Everything here follows from the counts of a design, so that the programme weighs it like any other part.
The rules stand in ``planner.cost.spares``, ``management_network`` and ``planner.fabric.patch_panels``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from planner.catalog.parts import Catalog
from planner.catalog.technologies import Technology
from planner.cost.management_network import (
    NetworkGear,
    OutOfBand,
    fabric_managers,
    management_pieces,
    manager_pieces,
    network_gear,
    out_of_band,
)
from planner.cost.price_list import LICENCE, MANAGER, RACK
from planner.cost.spares import spares_of
from planner.cost.tariff import Tariff
from planner.fabric.demand import YearDemand
from planner.fabric.design import Section, Size, Wiring
from planner.fabric.part_counts import Pieces
from planner.fabric.patch_panels import PanelParts, panel_parts, panel_pieces
from planner.scenario.bill import ManagementAsk
from planner.scenario.scenario import Scenario

SECTION_OF_TIER: Mapping[str, Section] = {
    "management": "management",
    "management-uplink": "management",
    "management-core": "management",
    "manager": "management",
    "rack": "management",
    "licence": "services",
}


@dataclass(frozen=True, slots=True)
class Ancillaries:
    """Adds what a design needs. ``classes``: item class by SKU; ``other_gear``: what other sections hang on
    the management network, by year (t), None for a side fabric, whose switches hang on the cluster's."""

    scenario: Scenario
    technology: Technology
    classes: Mapping[str, str]
    rack_units: Mapping[str, float]
    out_of_band: OutOfBand | None
    other_gear: Mapping[int, NetworkGear] | None
    panels: PanelParts | None = None

    def __call__(self, pieces: Pieces, wiring: Wiring, size: Size, year: YearDemand) -> Pieces:
        """The pieces with everything added; modules and links stay as they are."""
        bill, use = self.scenario.bill, Counter(pieces.by_tier)
        if self.scenario.server.nics_in_server:
            del use["node", wiring.nic]
        if self.panels:
            use.update(dict(panel_pieces(pieces.by_tier, wiring, size, self.panels)))
        managers = fabric_managers(self.technology, wiring) if bill.management.enabled else 0
        use.update(manager_pieces(managers, wiring, size))
        if bill.management.enabled and self.out_of_band and self.other_gear is not None:
            gear = self._gear(pieces, managers, year.t)
            use.update(dict(management_pieces(self.scenario, self.out_of_band, gear, year.nodes)))
        use.update(spares_of(use, self.classes, bill.spares))
        return replace(pieces, by_tier={k: n for k, n in use.items() if n})

    def _gear(self, pieces: Pieces, managers: int, t: int) -> NetworkGear:
        """The fabric's own switches and managers, and the gear of the other sections in year t."""
        switches = {s: n for s, n in pieces.by_sku().items() if self.classes.get(s) == "switch"}
        own = network_gear(switches, managers, self.rack_units)
        other = (self.other_gear or {}).get(t, NetworkGear())
        return NetworkGear(own.ports + other.ports, own.rack_units + other.rack_units)


def ancillaries_of(
    scenario: Scenario,
    technology: Technology,
    catalog: Catalog,
    tariff: Tariff,
    other_gear: Mapping[int, NetworkGear] | None,
) -> tuple[Ancillaries, tuple[str, ...]]:
    """The rule for a technology, and the parts that it lacks. What lacks some is left out of the rule, and
    out of its scenario."""
    known = {**catalog.switches, **{s.id: s for s in scenario.own_switches}}
    ask, missing = scenario.bill.management, list[str]()
    whole = ask.enabled and other_gear is not None
    found = out_of_band(scenario, catalog, tariff) if whole else None
    if whole and found is None:
        missing.append("management: no priced 1G switch, 100G switch and cable between them in the catalog")
    needed = [RACK] if whole else []
    needed += [MANAGER, LICENCE] if ask.enabled and technology == "infiniband" else []
    missing += [f"{sku}: no price" for sku in needed if tariff.price_usd(sku) is None]
    classes = {sku: price.item_class for sku, price in tariff.book.prices.items()}
    units = {s.id: s.rack_units for s in known.values() if s.rack_units is not None}
    off = replace(scenario, bill=replace(scenario.bill, management=ManagementAsk()))
    kept = off if missing else scenario
    panels, lacking = None, tuple[str, ...]()
    if scenario.layout.panels:
        panels, lacking = panel_parts(catalog, tariff.price_usd, scenario.layout.jumper_m)
    if lacking:
        kept = replace(kept, layout=replace(kept.layout, patch_panels=(False,)))
    found_all = Ancillaries(kept, technology, classes, units, found, other_gear, None if lacking else panels)
    return found_all, (*missing, *lacking)
