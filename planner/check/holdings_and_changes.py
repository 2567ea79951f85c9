"""Whether what is asked for, bought, owned, retired and moved hangs together over the horizon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planner.fabric.design import Design, Plan
from planner.scenario.scenario import Scenario


def demand_faults(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """One design a year from the first build on, each with the GPUs asked for on whole nodes."""
    years = [d.year for d in plan.designs]
    wanted = [y for y in scenario.years if y >= scenario.growth[0].year]
    if years != wanted:
        yield f"designs for {years}, the horizon is {wanted}"
        return
    for design in plan.designs:
        gpus = [step.gpus for step in scenario.growth if step.year <= design.year][-1]
        nodes = -(-gpus // scenario.server.gpus_per_node)
        if design.gpus != gpus:
            yield f"{design.year}: {design.gpus} GPUs in service, asked for are {gpus}"
        elif design.nodes != nodes:
            yield f"{design.year}: {design.nodes} nodes in service, {gpus} GPUs take {nodes}"


def holding_faults(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Every holding lies within the horizon and the life of its pieces."""
    first, end = scenario.base_year, scenario.base_year + scenario.finance.horizon_years
    for h in plan.holdings:
        what = f"{h.quantity} x {h.sku} from {h.bought_year} to {h.until_year}"
        there = h.bought_year < first and first <= h.until_year <= end
        if h.quantity < 1 or not (there or first <= h.bought_year < h.until_year <= end):
            yield f"holding: {what} lies outside {first} to {end}"
        elif h.until_year - h.bought_year > scenario.finance.life_years:
            yield f"holding: {what} outlives its {scenario.finance.life_years} years"


def lot_faults(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Pieces held from before the base year against those that the scenario says are there."""
    held, there = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    for h in plan.holdings:
        if h.bought_year < scenario.base_year:
            held[h.sku, h.bought_year] += h.quantity
    for row in scenario.installed:
        if row.bought_year + scenario.finance.life_years > scenario.base_year:
            there[row.sku, row.bought_year] += row.quantity
    for sku, year in sorted({*held, *there}):
        if held[sku, year] != there[sku, year]:
            yield f"holding: {held[sku, year]} x {sku} of {year}, there are {there[sku, year]}"


def stock_faults(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Every way in which holdings, purchases and need of a year contradict each other, in words."""
    for design in plan.designs:
        yield from _of_year(plan, design)


def _of_year(plan: Plan, design: Design) -> Iterator[str]:
    owned, bought, retired = Counter[str](), Counter[str](), Counter[str]()
    for h in plan.holdings:
        if h.bought_year <= design.year < h.until_year:
            owned[h.sku] += h.quantity
        if h.bought_year == design.year:
            bought[h.sku] += h.quantity
        if h.until_year == design.year:
            retired[h.sku] += h.quantity
    for name, found, held in (
        ("owned", design.owned, owned),
        ("bought", design.change.bought, bought),
        ("retired", design.change.retired, retired),
    ):
        for sku in sorted({*found, *held}):
            if found.get(sku, 0) != held[sku]:
                yield f"{design.year}: {found.get(sku, 0)} x {sku} {name}, by the holdings {held[sku]}"
    for sku, need in sorted(design.need.items()):
        if need > owned[sku]:
            yield f"{design.year}: {need} x {sku} are needed, {owned[sku]} are owned"


def link_counts(design: Design) -> tuple[int, int, int]:
    """Links of all planes and sites at the link rate: a faster uplink counts as those it is worth."""
    w, size = design.wiring, design.size
    copies = w.planes * w.sites
    worth = w.uplink_gbps // w.link_gbps if w.uplink_gbps else 1
    return (
        size.endpoints * copies,
        (size.leaf_leaf_links + size.leaf_spine_links) * copies * worth,
        size.spine_core_links * copies * worth,
    )


def _ends(design: Design) -> tuple[str, str]:
    return design.wiring.leaf, design.wiring.nic


def _panel_faults(before: Design | None, design: Design, old: tuple[int, int, int]) -> Iterator[str]:
    """Moves at patch panels: those of layers that end at panels before and after."""
    change, links, idle = design.change, 0, 0.0
    for layer, moved, there in zip(
        ("", "leaf-spine-panel", "spine-core-panel"), change.recabled_by_tier, old, strict=True
    ):
        sides = [any(tier == layer for tier, _ in d.need_by_tier) for d in (before, design) if d]
        if before and all(sides) and there:
            links += moved
            idle += moved / there * before.gpus
    if change.panel_links != links:
        yield f"{change.panel_links} links are moved at panels, {links} run over them"
    if abs(idle - change.panel_idled_gpus) > 1e-6 * max(1.0, idle):
        yield f"{change.panel_idled_gpus:.2f} GPUs stand idle for panels, by the links {idle:.2f}"


def change_faults(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Every link count of a change that can't be, in words."""
    before: Design | None = None
    for design in plan.designs:
        change, now = design.change, link_counts(design)
        old = link_counts(before) if before else (0, 0, 0)
        added = sum(max(0, n - o) for n, o in zip(now, old, strict=True))
        at = f"{design.year}: "
        if change.installed_links != added:
            yield at + f"{change.installed_links} links are installed, {added} are new"
        if sum(change.recabled_by_tier) != change.recabled_links:
            yield at + f"{change.recabled_links} links are moved, by tier {sum(change.recabled_by_tier)}"
        for moved, n, o in zip(change.recabled_by_tier, now, old, strict=True):
            if not 0 <= moved <= min(n, o):
                yield at + f"{moved} links of a tier are moved, of {o} before and {n} after"
        if before and _ends(before) != _ends(design) and change.recabled_by_tier[0] != min(now[0], old[0]):
            yield at + "endpoint links stay plugged though the leaf or the NIC is another model"
        same = before is not None and (before.wiring, before.size) == (design.wiring, design.size)
        if same and change.recabled_links:
            yield at + f"{change.recabled_links} links are moved though nothing changes"
        gpus = before.gpus if before else 0
        idle = sum(m / o * gpus for m, o in zip(change.recabled_by_tier, old, strict=True) if o)
        if abs(idle - change.idled_gpus) > 1e-6 * max(1.0, idle):
            yield at + f"{change.idled_gpus:.2f} GPUs stand idle, the moved links serve {idle:.2f}"
        yield from (at + fault for fault in _panel_faults(before, design, old))
        before = design
