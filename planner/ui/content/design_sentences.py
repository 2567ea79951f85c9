"""Designs in words: what stands in a year, what is done to it, the islands that it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from planner.fabric.design import Design, YearDesign
from planner.study.result import TechnologyResult, islands_in
from planner.text import format as form
from planner.ui.content import sentences

_TIERS = {1: "One tier", 2: "Two tiers", 3: "Three tiers"}


def of_year(result: TechnologyResult, found: YearDesign, names: sentences.Names) -> list[str]:
    """The fabrics of a year and what is done to them, a line or two each."""
    lines = []
    for name, own in by_name(result, found).items():
        head = f"{name}: " if name else ""
        changed = change(own, first_year(result, name), names)
        lines += [f"{head}{design(own, names)}", changed]
    return lines


def by_name(result: TechnologyResult, design: YearDesign) -> dict[str, Design]:
    """The fabrics in service in the year of a design, by the name of their island; "" where there is one."""
    if len(design.fabrics) == 1:
        return {"": design.fabrics[0]}
    return {island.name: own for island, own in islands_in(result, design.year)}


def first_year(result: TechnologyResult, name: str) -> int:
    """The first year of an island, of the whole cluster where there is one fabric."""
    firsts = {island.name: island.scenario.growth[0].year for island in result.islands}
    return firsts.get(name, result.designs[0].year)


def design(found: Design, names: sentences.Names) -> str:
    """The design of a year in words: size, tiers, links, oversubscription."""
    wiring = found.wiring
    size = f"{form.counted(found.gpus, 'GPU')} on {form.counted(found.nodes, 'node')}."
    down, up = wiring.down, wiring.leaf_up * wiring.uplink_factor
    above = "to the other" if wiring.pair_links else "up"
    ports = f"{form.count(down)} down, {form.count(up)} {above}" if up else f"{form.count(down)} down"
    tiers = [f"{form.count(n)} {tier} {names.get(switch, switch)}" for tier, switch, n in found.tiers]
    tiers[0] += f" ({ports})"
    planes = f" in {form.counted(wiring.planes, 'plane')}" if wiring.planes > 1 else ""
    return f"{size} {_shape(found)}{planes}: {', '.join(tiers)}. {_ratios(found)}".strip()


def _ratios(found: Design) -> str:
    wiring = found.wiring
    if wiring.pair_links:
        return f"Oversubscription between the leaves {form.ratio(wiring.oversubscription)}."
    if wiring.tiers == 1:
        return ""
    bundle = form.counted(wiring.links_per_pair * wiring.uplink_factor, "link")
    words = (
        f"{bundle} between each leaf and each of its spines; "
        f"oversubscription {form.ratio(wiring.oversubscription)}"
    )
    if wiring.tiers == 3:
        words += f", between spine and core {form.ratio(wiring.spine_oversubscription)}"
    return f"{words}."


def change(found: Design, first_year: int, names: sentences.Names) -> str:
    """What is done to the switches and links at the start of the year."""
    bought = _switches(found.change.bought, names)
    words = f"Bought: {bought}." if bought else "No switch is bought."
    if found.year == first_year:
        return words
    retired = _switches(found.change.retired, names)
    moved = found.change.recabled_links
    words += f" Retired: {retired}." if retired else " No switch is retired."
    return f"{words} {form.counted(moved, 'link')} recabled." if moved else f"{words} No link is moved."


def _switches(pieces: Mapping[str, int], names: sentences.Names) -> str:
    found = [(sku, n) for sku, n in pieces.items() if sku in names and n]
    return ", ".join(f"{form.count(n)} {names[sku]}" for sku, n in found)


def year_money(result: TechnologyResult, year: int) -> str:
    """Capex, power and throughput of one year in one sentence."""
    totals = next((t for t in result.years if t.year == year), None)
    if totals is None:
        return ""
    index = result.years.index(totals)
    words = f"Capex {form.usd(totals.capex_usd)}, of it network {form.usd(totals.network_capex_usd)}; "
    words += f"network power {form.kw(totals.network_power_kw)}"
    if index < len(result.estimates):
        estimate = result.estimates[index]
        words += f"; MFU {form.percent(estimate.mfu)}; {form.tflops(estimate.effective_tflops)} effective"
    return words + "."


def summary(design: Design, names: sentences.Names) -> str:
    """A fabric in one line."""
    leaf = names.get(design.wiring.leaf, design.wiring.leaf)
    ratio = form.ratio(design.wiring.oversubscription)
    return f"{_shape(design).lower()}, {ratio}, {leaf} leaves"


def _shape(found: Design) -> str:
    return "Collapsed pair" if found.wiring.pair_links else _TIERS[found.wiring.tiers]


def unchanged_spans(designs: Iterable[YearDesign]) -> list[tuple[int, int, YearDesign]]:
    """Designs with the years that they stay unchanged: (first year, last year, design)."""
    spans: list[tuple[int, int, YearDesign]] = []
    for design in designs:
        if spans and not _changes(design, spans[-1][2]):
            spans[-1] = (spans[-1][0], design.year, spans[-1][2])
        else:
            spans.append((design.year, design.year, design))
    return spans


def _changes(design: YearDesign, before: YearDesign) -> bool:
    change = design.change
    moved = change.recabled_links or any(change.bought.values()) or any(change.retired.values())
    built, was = ([(f.gpus, f.wiring, f.size) for f in d.fabrics] for d in (design, before))
    return bool(moved) or built != was


def year_span(first: int, last: int) -> str:
    """A year or a span of years."""
    return f"{first}" if first == last else f"{first} to {last}"


def file_part(name: str) -> str:
    """An island's name as a part of a file's.

    >>> file_part("DGX H100 at 400G from 2027")
    'dgx-h100-at-400g-from-2027'
    """
    return "-".join(name.lower().replace(",", "").split())
