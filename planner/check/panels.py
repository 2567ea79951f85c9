"""Patch panels and their cords, counted again from the fibres that end at them."""

from __future__ import annotations

from collections.abc import Iterator

from planner.check.check_case import AncillaryCase
from planner.cost.price_list import MOVE_CORD, RECABLE_LINK
from planner.fabric.design import Design

_LAYERS = {"leaf-spine-panel": "leaf-spine", "spine-core-panel": "spine-core"}


def panel_faults(case: AncillaryCase) -> Iterator[str]:
    """Every panel or cord that the design has too much, too little, or of the wrong kind."""
    design, scenario, catalog = case.design, case.scenario, case.catalog
    for tier, layer in _LAYERS.items():
        held = {sku: n for (where, sku), n in design.need_by_tier.items() if where == tier}
        runs = [
            (sku, _runs(design, layer, catalog.fibres[sku].split, n))
            for (where, sku), n in design.need_by_tier.items()
            if where == layer and sku in catalog.fibres and scenario.layout.patch_panels == (True,)
        ]
        if not runs:
            yield from (f"{tier}: {n} x {sku} that no fibre ends at" for sku, n in held.items())
            continue
        ((fibre_id, ends),) = runs
        fibre = catalog.fibres[fibre_id]
        for sku, n in held.items():
            cord, panel = catalog.fibres.get(sku), catalog.panels.get(sku)
            fits = fibre.connector in (cord.connector if cord else "", panel.connector if panel else "")
            if cord and (cord.medium, cord.split) != (fibre.medium, 1):
                fits = False
            if cord and cord.length_m < scenario.layout.jumper_m or not fits:
                yield f"{tier}: {sku} does not fit the fibre {fibre_id}"
            elif cord and n != ends:
                yield f"{tier}: {n} cords for {ends} runs"
            elif panel and not _enough(n, panel.ports, 2 * ends, design.wiring.sites):
                yield f"{tier}: {n} panels of {panel.ports} ports for {2 * ends} ends"
        if len(held) != 2:
            yield f"{tier}: {len(held)} kinds of parts, a panel and a cord are due"


def _runs(design: Design, layer: str, split: int, fibres: int) -> int:
    """Runs of a layer: its fibres, or the links on the tails of splitters."""
    size, w = design.size, design.wiring
    links = size.leaves * w.up if layer == "leaf-spine" else size.spines * w.spine_up
    return fibres if split == 1 else links * w.planes * w.sites


def _enough(panels: int, ports: int, ends: int, sites: int) -> bool:
    """Whether the panels are whole at every site, hold the ends, and one less would not."""
    here, rest = divmod(panels, sites)
    return not rest and (here - 1) * ports < ends // sites <= here * ports


def cord_price_faults(case: AncillaryCase) -> Iterator[str]:
    """The labour of a link moved at a panel against its share of a direct cable's."""
    cord, direct = case.book.price(MOVE_CORD), case.book.price(RECABLE_LINK)
    if cord and direct:
        right = direct.mid_usd * case.scenario.layout.panel_labour_ratio
        if abs(cord.mid_usd - right) > 1e-9 * max(right, 1.0):
            yield f"{MOVE_CORD}: {cord.mid_usd:.4f} USD, by the ratio {right:.4f}"
