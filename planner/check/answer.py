"""The independent check of an answer: every port, stripe and ratio, every part, and the money.

Nothing here comes from the code that found the answer: the arithmetic is written again, on the links
themselves where that can be. An empty tuple means that the answer is sound.
"""

from __future__ import annotations

from collections.abc import Iterator

from planner.catalog.parts import Catalog
from planner.check.ancillaries import Others, ancillary_faults
from planner.check.holdings import change_faults, holding_faults
from planner.check.ledger import Ledger
from planner.check.links import CableRow, check_cables, link_faults
from planner.check.money import Answer, money_faults
from planner.check.parts import part_faults
from planner.check.wiring import models_of, wiring_faults
from planner.fabric.design import Design, Plan
from planner.fabric.links import cable_list
from planner.scenario.scenario import Scenario
from pricing.price_book import PriceBook

__all__ = ["CableRow", "check_answer", "check_cables", "check_money", "check_plan"]


def check_answer(
    answer: Answer,
    scenario: Scenario,
    catalog: Catalog,
    book: PriceBook,
    objective: str = "tco",
    later: PriceBook | None = None,
) -> tuple[str, ...]:
    """The faults of a technology's answer: of its plans, and, where those are sound, of its money.

    ``later``: the prices of the later technology, where it changes midway; ``book`` has the first one's.
    """
    faults, every = check_plan(scenario, answer.plan, catalog), book.over(later.prices) if later else book
    for side in answer.sides:
        found = check_plan(side.scenario, side.plan, catalog)
        faults += tuple(f"{side.section}: {fault}" for fault in found)
    faults = faults or tuple(_ancillary_faults(answer, scenario, catalog, every))
    return faults or check_money(answer, scenario, catalog, book, objective, later)


def _ancillary_faults(answer: Answer, scenario: Scenario, catalog: Catalog, book: PriceBook) -> Iterator[str]:
    """Spares, managers, racks and the like of every year's designs."""
    for t, design in enumerate(answer.plan.designs):
        beside = [(s.plan.technology, s.plan.designs[t]) for s in answer.sides]
        now = design.year - scenario.base_year
        last = [max(y for y in s.servers if y <= now) for s in answer.sides]
        servers = sum(s.servers[y] for s, y in zip(answer.sides, last, strict=True))
        args = catalog, book, answer.plan.technology_in(design.year), Others(beside, servers)
        yield from (f"{design.year}: {x}" for x in ancillary_faults(design, scenario, *args))
        for side in answer.sides:
            one, technology = side.plan.designs[t], side.plan.technology
            found = ancillary_faults(one, side.scenario, catalog, side.tariff.book, technology, None)
            yield from (f"{design.year}: {side.section}: {x}" for x in found)


def check_plan(scenario: Scenario, plan: Plan, catalog: Catalog) -> tuple[str, ...]:
    """The faults of a plan, in words with their year. A plan without designs has none.

    What builds on a faulty figure is not looked at, so that one fault is named once.
    """
    if not plan.designs:
        return ()
    faults = tuple(_demand_faults(scenario, plan))
    faults = faults or tuple(_design_faults(scenario, plan, catalog))
    return faults or (*holding_faults(scenario, plan), *change_faults(plan))


def check_money(
    answer: Answer,
    scenario: Scenario,
    catalog: Catalog,
    book: PriceBook,
    objective: str = "tco",
    later: PriceBook | None = None,
) -> tuple[str, ...]:
    """The figures of an answer that its BOM, holdings and prices do not give. ``book``: the prices that
    the technology is planned with, in USD of the base year; ``later``: those from a change of it on."""
    path = answer.plan.path
    main = Ledger(scenario, catalog, book, later if path else None, path.from_year if path else 0)
    return tuple(money_faults(answer, main, objective)) if answer.plan.designs else ()


def _demand_faults(scenario: Scenario, plan: Plan) -> Iterator[str]:
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


def _design_faults(scenario: Scenario, plan: Plan, catalog: Catalog) -> Iterator[str]:
    """Faults of each year's design; a design that only stays is looked at once."""
    known = {**catalog.switches, **{s.id: s for s in scenario.own_switches}}
    before: Design | None = None
    for design in plan.designs:
        other = before is not None and plan.technology_in(before.year) != plan.technology_in(design.year)
        if before is None or other or _differs(before, design):
            models, technology = models_of(design, known), plan.technology_in(design.year)
            if models is None:
                yield f"{design.year}: the switches named do not make {design.wiring.tiers} tiers"
            else:
                faults = list(wiring_faults(design, models, scenario, technology))
                if not faults:
                    cables = cable_list(design)
                    faults = list(link_faults(design, cables)) or list(
                        part_faults(design, models, cables, scenario, catalog, technology)
                    )
                yield from (f"{design.year}: {fault}" for fault in faults)
        before = design


def _differs(a: Design, b: Design) -> bool:
    """Whether anything that is checked of a single year differs."""
    return any(
        getattr(a, name) != getattr(b, name)
        for name in ("wiring", "size", "nodes", "need", "need_by_tier", "node_modules", "switch_modules")
    )
