"""What is bought, moved and retired in which year, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

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
    ("spines", "spines a pod"), ("leaves_per_pod", "leaves a pod"), ("up", "uplinks a leaf"),
    ("spine_up", "uplinks a spine"), ("core_groups", "core groups"), ("cores_per_group", "cores a group"),
    ("nodes_per_unit", "nodes a scalable unit"), ("planes", "planes"), ("uplink_gbps", "Gb/s an uplink"),
)  # fmt: skip


def changes_frame(study: Study, result: TechnologyResult) -> pd.DataFrame:
    """One row for each purchase, retirement, move and installation of every fabric, by year.

    The price is pieces x price of the year; charges on the hardware are lines of the bill only.
    """
    life, rows = study.scenario.finance.life_years, list[tuple[object, ...]]()
    names = {line.sku: line.description for line in result.bom}
    for fabric, plan in _fabrics(result):
        for i, design in enumerate(plan.designs):
            before = plan.designs[i - 1] if i else None
            prices = {x.sku: x.unit_price_usd for x in result.bom if x.year == design.year}
            found = [*_pieces(design, before, _ended(plan, design.year, life), life, prices, names)]
            found += _links(design, before, prices)
            rows += [(design.year, design.gpus, fabric, *row) for row in found]
    return pd.DataFrame(rows, columns=list(COLUMNS)).sort_values("year", kind="stable", ignore_index=True)


def _pieces(
    design: Design, before: Design | None, ended: Mapping[str, int], life: int,
    price_usd: Mapping[str, float], names: Mapping[str, str],
) -> Iterator[tuple[object, ...]]:  # fmt: skip
    """What is bought, the dearest first, and what is retired in a year."""
    bought = {sku: n for sku, n in design.change.bought.items() if n}
    for sku, n in sorted(bought.items(), key=lambda item: -item[1] * price_usd.get(part_of(item[0]), 0.0)):
        price = price_usd.get(part_of(sku))
        usd = None if price is None else n * price
        yield "bought", n, part_of(sku), _name(sku, names), _bought(sku, n, design, before, ended), usd
    for sku, n in sorted(design.change.retired.items()):
        if n:
            yield "retired", n, part_of(sku), _name(sku, names), _retired(sku, n, ended, life), None


def _name(sku: str, names: Mapping[str, str]) -> str:
    words = names.get(part_of(sku), part_of(sku))
    return f"Spare: {words}" if is_spare(sku) else words


def _ended(plan: Plan, year: int, life_years: int) -> Mapping[str, int]:
    """Pieces by SKU whose life is over at the start of the year."""
    found = Counter[str]()
    for h in plan.holdings:
        if h.until_year == year and h.until_year - h.bought_year >= life_years:
            found[h.sku] += h.quantity
    return found


def _bought(sku: str, n: int, design: Design, before: Design | None, ended: Mapping[str, int]) -> str:
    if before is None:
        return "the first build"
    old, new = before.need.get(sku, 0), design.need.get(sku, 0)
    again = min(n, ended.get(sku, 0))
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


def _retired(sku: str, n: int, ended: Mapping[str, int], life_years: int) -> str:
    over = min(n, ended.get(sku, 0))
    if over == n:
        return f"its life of {form.counted(life_years, 'year')} is over"
    return "the new wiring has no place for it" if not over else "part of it has reached the end of its life"


def _links(
    design: Design, before: Design | None, price_usd: Mapping[str, float]
) -> Iterator[tuple[object, ...]]:
    """Links that are plugged elsewhere, by layer, and new ones, with their labour."""
    change = design.change
    over = panelled(design.need_by_tier)
    for i, (layer, n) in enumerate(zip(_LAYERS, change.recabled_by_tier, strict=True)):
        if n and before:
            at_panel = over[i] and panelled(before.need_by_tier)[i]
            sku = MOVE_CORD if at_panel else RECABLE_LINK
            words = f"Links {layer}, plugged elsewhere{' at a patch panel' if at_panel else ''}"
            why = differences(before.wiring, design.wiring) or _spread(layer, before, design)
            usd = n * price_usd[sku] if sku in price_usd else None
            yield "moved", n, sku, words, why, usd
    n = change.installed_links
    if n:
        why = "the first build" if before is None else _grown(before, design)
        usd = n * price_usd[INSTALL_LINK] if INSTALL_LINK in price_usd else None
        yield "installed", n, INSTALL_LINK, "New links of all tiers", why, usd


def _grown(before: Design, design: Design) -> str:
    return f"{form.count(before.gpus)} GPUs become {form.count(design.gpus)}"


def _spread(layer: str, before: Design, design: Design) -> str:
    old, new = before.size, design.size
    return f"{_grown(before, design)}; pods {form.count(old.pods)} to {form.count(new.pods)}"


def differences(old: Wiring, new: Wiring) -> str:
    """What of the wiring is another, in words; "" where nothing is."""
    changed = [
        f"{words} {getattr(old, key) or 'none'} to {getattr(new, key) or 'none'}"
        for key, words in _WIRING
        if getattr(old, key) != getattr(new, key) and key != "up"
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
