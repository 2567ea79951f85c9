"""Patch panels between switches: fibre runs that end at panels, joined by a patch cord there.

A run from either switch ends in a port of a panel, and a patch cord joins the two ports: two panel ports and
one more cord for each run. A moved link is then a cord plugged elsewhere. Copper and active cables are
of one piece and stay direct, as do all links of nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from planner.catalog.parts import Catalog, Fibre, PatchPanel
from planner.fabric.cabling import UnitPrice, cheapest_fibre
from planner.fabric.design import Size, Wiring

PORTS_A_RUN = 2
PANEL_TIERS = {"leaf-spine": "leaf-spine-panel", "spine-core": "spine-core-panel"}

Uses = Mapping[tuple[str, str], int]  # (tier, SKU) -> pieces


@dataclass(frozen=True, slots=True)
class PanelParts:
    """The panel of each connector, and the patch cord of each fibre's medium and connector."""

    fibres: Mapping[str, Fibre]
    panels: Mapping[str, PatchPanel]
    cords: Mapping[tuple[str, str], str]


def panel_parts(catalog: Catalog, price: UnitPrice, jumper_m: float) -> tuple[PanelParts, tuple[str, ...]]:
    """The parts with the least price a port, and what is lacking of them, in words.

    The cord is the cheapest stocked straight fibre of at least ``jumper_m``.
    """
    panels, cords, missing = dict[str, PatchPanel](), dict[tuple[str, str], str](), list[str]()
    for connector in sorted({f.connector for f in catalog.fibres.values()}):
        priced = [
            (usd / p.ports, p.id)
            for p in catalog.panels.values()
            if p.connector == connector and (usd := price(p.id)) is not None
        ]
        if priced:
            panels[connector] = catalog.panels[min(priced)[1]]
        else:
            missing.append(f"patch panels: no priced panel for {connector}")
    for medium, connector in sorted({(f.medium, f.connector) for f in catalog.fibres.values()}):
        cord = cheapest_fibre(catalog, (medium, connector, 1), jumper_m, price)
        if cord is None or price(cord.id) is None:
            missing.append(f"patch panels: no priced {medium} {connector} cord of {jumper_m:g} m")
        else:
            cords[medium, connector] = cord.id
    return PanelParts(catalog.fibres, panels, cords), tuple(missing)


def panel_pieces(
    use: Uses, wiring: Wiring, size: Size, parts: PanelParts
) -> Iterator[tuple[tuple[str, str], int]]:
    """((tier, SKU), pieces) of panels and cords; panels are whole at each site, all planes together.

    A straight fibre is one run; each tail of a splitter that carries a link is one.
    """
    links = {"leaf-spine": size.leaf_spine_links, "spine-core": size.spine_core_links}
    for layer, tier in PANEL_TIERS.items():
        for (where, sku), pieces in use.items():
            fibre = parts.fibres.get(sku) if where == layer else None
            if fibre is None:
                continue
            runs = pieces if fibre.split == 1 else links[layer] * wiring.copies
            panel = parts.panels[fibre.connector]
            ports = PORTS_A_RUN * runs // wiring.sites
            yield (tier, panel.id), ceil(ports / panel.ports) * wiring.sites
            yield (tier, parts.cords[fibre.medium, fibre.connector]), runs


def panelled(use: Uses) -> tuple[bool, bool, bool]:
    """Whether the endpoint-leaf, leaf-spine and spine-core links run over panels."""
    tiers = {tier for tier, _ in use}
    return False, PANEL_TIERS["leaf-spine"] in tiers, PANEL_TIERS["spine-core"] in tiers
