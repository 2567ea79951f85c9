"""What is bought, moved and retired in which year, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from planner.cost.price_list import INSTALL_LINK, MOVE_CORD, RECABLE_LINK
from planner.cost.spares import is_spare, part_of
from planner.fabric.design import Design, Plan, Wiring
from planner.fabric.patch_panels import panelled
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.text import format as form

COLUMNS = ("year", "gpus", "fabric", "action", "quantity", "sku", "description", "why", "capex_usd")
_LAYERS = ("node to leaf", "leaf to spine", "spine to core")
_WIRING = (  # what of a wiring makes links move, in words
    ("tiers", "tiers"), ("leaf", "leaf model"), ("spine", "spine model"), ("core", "core model"),
    ("spines", "spines a pod"), ("leaves_per_pod", "leaves a pod"),
    ("spine_up", "uplinks a spine"), ("core_groups", "core groups"), ("cores_per_group", "cores a group"),
    ("nodes_per_unit", "nodes a scalable unit"), ("planes", "planes"), ("uplink_gbps", "Gb/s an uplink"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Year:
    """One fabric's year: its design and the one before; the pieces whose life is over at its start; what a
    part costs in it and is called."""

    design: Design
    before: Design | None
    ended: Mapping[str, int]
    life_years: int
    price_usd: Mapping[str, float]
    names: Mapping[str, str]

    def cost_usd(self, sku: str, pieces: int) -> float | None:
        """Pieces x price of the year; None without a price."""
        price = self.price_usd.get(part_of(sku))
        return None if price is None else pieces * price

    def name(self, sku: str) -> str:
        """What a piece is called."""
        words = self.names.get(part_of(sku), part_of(sku))
        return f"Spare: {words}" if is_spare(sku) else words


_Row = tuple[str, int, str, str, str, float | None]  # the columns from action on


def changes_frame(study: Study, result: TechnologyResult) -> pd.DataFrame:
    """One row for each purchase, retirement, move and installation of every fabric, by year.

    The price is pieces x price of the year; charges on the hardware are lines of the bill only.
    """
    life, rows = study.scenario.finance.life_years, list[tuple[object, ...]]()
    names = {line.sku: line.description for line in result.bom}
    for fabric, plan in _fabrics(result):
        for before, design in zip((None, *plan.designs), plan.designs, strict=False):
            prices = {line.sku: line.unit_price_usd for line in result.bom if line.year == design.year}
            year = _Year(design, before, _ended(plan, design.year, life), life, prices, names)
            found = [*_bought(year), *_retired(year), *_moved(year), *_installed(year)]
            rows += [(design.year, design.gpus, fabric, *row) for row in found]
    return pd.DataFrame(rows, columns=list(COLUMNS)).sort_values("year", kind="stable", ignore_index=True)


def _ended(plan: Plan, year: int, life_years: int) -> Mapping[str, int]:
    """Pieces by SKU whose life is over at the start of the year."""
    found = Counter[str]()
    for h in plan.holdings:
        if h.until_year == year and h.until_year - h.bought_year >= life_years:
            found[h.sku] += h.quantity
    return found


def _bought(year: _Year) -> Iterator[_Row]:
    """What is bought, the dearest first."""
    bought = [(sku, n, year.cost_usd(sku, n)) for sku, n in year.design.change.bought.items() if n]
    for sku, n, usd in sorted(bought, key=lambda row: -(row[2] or 0.0)):
        yield "bought", n, part_of(sku), year.name(sku), _why_bought(year, sku, n), usd


def _why_bought(year: _Year, sku: str, n: int) -> str:
    if year.before is None:
        return "the first build"
    old, new = year.before.need.get(sku, 0), year.design.need.get(sku, 0)
    again = min(n, year.ended.get(sku, 0))
    reasons = []
    if again:
        reasons.append(f"{form.count(again)} replace pieces at the end of their life")
    if n > again and not old:
        reasons.append("new in the wiring of this year")
    elif n > again and new > old:
        reasons.append(f"the wiring needs {form.count(new)} instead of {form.count(old)}")
    elif n > again:
        reasons.append("bought ahead of a later need")
    return "; ".join(reasons)


def _retired(year: _Year) -> Iterator[_Row]:
    for sku, n in sorted(year.design.change.retired.items()):
        if n:
            yield "retired", n, part_of(sku), year.name(sku), _why_retired(year, sku, n), None


def _why_retired(year: _Year, sku: str, n: int) -> str:
    over = min(n, year.ended.get(sku, 0))
    if over == n:
        return f"its life of {form.counted(year.life_years, 'year')} is over"
    return "part of it has reached the end of its life" if over else "the new wiring has no place for it"


def _moved(year: _Year) -> Iterator[_Row]:
    """Links that are plugged elsewhere, by layer, with their labour."""
    design, before = year.design, year.before
    if before is None:
        return
    why = differences(before.wiring, design.wiring) or _spread(before, design)
    panels = zip(panelled(before.need_by_tier), panelled(design.need_by_tier), strict=True)
    for layer, n, at_panel in zip(_LAYERS, design.change.recabled_by_tier, map(all, panels), strict=True):
        if n:
            sku = MOVE_CORD if at_panel else RECABLE_LINK
            words = f"Links {layer}, plugged elsewhere{' at a patch panel' if at_panel else ''}"
            yield "moved", n, sku, words, why, year.cost_usd(sku, n)


def _installed(year: _Year) -> Iterator[_Row]:
    """New links, with their labour."""
    n = year.design.change.installed_links
    if n:
        why = "the first build" if year.before is None else _grown(year.before, year.design)
        yield "installed", n, INSTALL_LINK, "New links of all tiers", why, year.cost_usd(INSTALL_LINK, n)


def _grown(before: Design, design: Design) -> str:
    return f"{form.count(before.gpus)} GPUs become {form.count(design.gpus)}"


def _spread(before: Design, design: Design) -> str:
    return f"{_grown(before, design)}; pods {form.count(before.size.pods)} to {form.count(design.size.pods)}"


def differences(old: Wiring, new: Wiring) -> str:
    """What of the wiring is another, in words; "" where nothing is."""
    changed = [
        f"{words} {getattr(old, key) or 'none'} to {getattr(new, key) or 'none'}"
        for key, words in _WIRING
        if getattr(old, key) != getattr(new, key)
    ]
    if old.links_per_pair != new.links_per_pair:
        changed.append(f"links a leaf and spine {old.links_per_pair} to {new.links_per_pair}")
    return ", ".join(changed)


def _fabrics(result: TechnologyResult) -> list[tuple[str, Plan]]:
    """Every fabric with its plan: the sections, those of several islands each with the island's servers."""
    servers_of = [island.scenario.server.name for island in result.islands] or [""]
    found = []
    for servers, one in zip(servers_of, result.fabrics, strict=True):
        sections = [("compute", one.plan), *((side.section, side.plan) for side in one.sides)]
        found += [(f"{section}, {servers}" if servers else section, plan) for section, plan in sections]
    return found
