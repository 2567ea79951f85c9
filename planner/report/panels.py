"""Patch panels, for the printed answer and for the JSON."""

from __future__ import annotations

from typing import Any

from planner.format import count, usd
from planner.panels import panelled
from planner.study import TechnologyResult


def _used(result: TechnologyResult) -> bool:
    return any(any(panelled(design.need_by_tier)) for design in result.plan.designs)


def panels_words(result: TechnologyResult) -> list[str]:
    """Which way was kept where the choice is open, and what is moved at panels; none without panels."""
    rows, choice = [], result.panels
    if choice is not None:
        ways = (("with", choice.with_panels), ("without", choice.without_panels))
        said = ", ".join(f"{usd(value)} {way}" for way, value in ways)
        rows.append(f"patch panels: {'taken' if choice.used else 'left out'}; the objective is {said}")
    if _used(result):
        moved = [(d.year, d.change.panel_links) for d in result.plan.designs if d.change.panel_links]
        told = ", ".join(f"{count(links)} links in {year}" for year, links in moved) or "none"
        rows.append(f"fibres between switches run over patch panels; moved there: {told}")
    return rows


def panels_document(result: TechnologyResult) -> dict[str, Any]:
    """Whether there are panels, and both values of the objective where the choice is open."""
    choice = result.panels
    return {
        "used": _used(result),
        "open": choice is not None,
        "objective_with": choice.with_panels if choice else None,
        "objective_without": choice.without_panels if choice else None,
    }
