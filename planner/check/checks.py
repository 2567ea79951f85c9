"""The independent check of an answer: every port, stripe and ratio, every part, and the money.

Nothing here comes from the code that found the answer: the arithmetic is written again, on the links
themselves where that can be. An empty tuple means that the answer is sound.

A check is a function from a case to the faults that it finds, in words. A new one is a function in the file
of its subject and a line in one of the lists below. What builds on a faulty figure is not looked at, so that
one fault is named once: a design's wiring before its links, those before its parts; plans before money.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from planner.catalog.parts import Catalog
from planner.check import wiring
from planner.check.ancillaries import management_faults, manager_faults, spare_faults
from planner.check.check_case import AncillaryCase, Answer, Books, DesignCase, SideFabrics, models_of
from planner.check.holdings_and_changes import (
    change_faults,
    demand_faults,
    holding_faults,
    lot_faults,
    stock_faults,
)
from planner.check.links import (
    core_stripe_faults,
    endpoint_faults,
    leaf_stripe_faults,
    length_faults,
    port_faults,
)
from planner.check.money import MoneyCase, bom_faults, solver_faults, total_faults, year_faults
from planner.check.panels import cord_price_faults, panel_faults
from planner.check.parts import part_faults
from planner.check.prices_recounted import Ledger
from planner.fabric.design import Design, Plan
from planner.fabric.links import CableList, cable_list
from planner.scenario.scenario import Objective, Scenario
from pricing.price_book import PriceBook

WIRING_CHECKS: tuple[Callable[[DesignCase], Iterator[str]], ...] = (
    wiring.choice_faults, wiring.port_faults, wiring.ratio_faults, wiring.unit_faults,
    wiring.striping_faults, wiring.count_faults, wiring.limit_faults,
)  # fmt: skip
LINK_CHECKS: tuple[Callable[[Design, CableList], Iterator[str]], ...] = (
    length_faults, port_faults, endpoint_faults, leaf_stripe_faults, core_stripe_faults,
)  # fmt: skip
PART_CHECKS: tuple[Callable[[DesignCase, CableList], Iterator[str]], ...] = (part_faults,)
ASKED_CHECKS: tuple[Callable[[Scenario, Plan], Iterator[str]], ...] = (demand_faults,)
PLAN_CHECKS: tuple[Callable[[Scenario, Plan], Iterator[str]], ...] = (
    holding_faults, lot_faults, stock_faults, change_faults,
)  # fmt: skip
ANCILLARY_CHECKS: tuple[Callable[[AncillaryCase], Iterator[str]], ...] = (
    spare_faults, panel_faults, cord_price_faults, management_faults, manager_faults,
)  # fmt: skip
MONEY_CHECKS: tuple[Callable[[MoneyCase], Iterator[str]], ...] = (
    bom_faults, year_faults, total_faults, solver_faults,
)  # fmt: skip


def check_answer(
    answer: Answer,
    scenario: Scenario,
    catalog: Catalog,
    books: Books,
    objective: Objective = "tco",
) -> tuple[str, ...]:
    """The faults of a technology's answer: of its plans, and, where those are sound, of its money."""
    faults = check_plan(scenario, answer.plan, catalog)
    for side in answer.sides:
        found = check_plan(side.scenario, side.plan, catalog)
        faults += tuple(f"{side.section}: {fault}" for fault in found)
    every = books.first.over(books.later.prices) if books.later else books.first
    faults = faults or tuple(_ancillary_faults(answer, scenario, catalog, every))
    return faults or check_money(answer, scenario, catalog, books, objective)


def check_plan(scenario: Scenario, plan: Plan, catalog: Catalog) -> tuple[str, ...]:
    """The faults of a plan, in words with their year. A plan without designs has none."""
    if not plan.designs:
        return ()
    faults = tuple(fault for check in ASKED_CHECKS for fault in check(scenario, plan))
    faults = faults or tuple(_design_faults(scenario, plan, catalog))
    return faults or tuple(fault for check in PLAN_CHECKS for fault in check(scenario, plan))


def check_money(
    answer: Answer,
    scenario: Scenario,
    catalog: Catalog,
    books: Books,
    objective: Objective = "tco",
) -> tuple[str, ...]:
    """The figures of an answer that its BOM, holdings and prices do not give."""
    if not answer.plan.designs:
        return ()
    path = answer.plan.path
    main = Ledger(
        scenario,
        catalog,
        books.first,
        later=books.later if path else None,
        from_year=path.from_year if path else 0,
        installed=books.installed,
    )
    return tuple(faults_of(MONEY_CHECKS, MoneyCase(answer, main, objective)))


Case = TypeVar("Case")


def faults_of(checks: Iterable[Callable[[Case], Iterator[str]]], case: Case) -> Iterator[str]:
    """What all checks of a list find in a case."""
    for check in checks:
        yield from check(case)


def link_faults(design: Design, cables: CableList) -> Iterator[str]:
    """What the checks of links find in a list of them."""
    for check in LINK_CHECKS:
        yield from check(design, cables)


def _ancillary_faults(answer: Answer, scenario: Scenario, catalog: Catalog, book: PriceBook) -> Iterator[str]:
    """Spares, managers, racks and the like of every year's designs."""
    for t, design in enumerate(answer.plan.designs):
        beside = [(s.plan.technology, s.plan.designs[t]) for s in answer.sides]
        now = design.year - scenario.base_year
        last = [max(y for y in s.servers if y <= now) for s in answer.sides]
        sides = SideFabrics(beside, sum(s.servers[y] for s, y in zip(answer.sides, last, strict=True)))
        technology = answer.plan.technology_in(design.year)
        case = AncillaryCase(design, scenario, catalog, book, technology, sides)
        yield from (f"{design.year}: {fault}" for fault in faults_of(ANCILLARY_CHECKS, case))
        for side in answer.sides:
            one, own = side.plan.designs[t], side.tariff.book
            case = AncillaryCase(one, side.scenario, catalog, own, side.plan.technology, None)
            yield from (f"{design.year}: {side.section}: {x}" for x in faults_of(ANCILLARY_CHECKS, case))


def _design_faults(scenario: Scenario, plan: Plan, catalog: Catalog) -> Iterator[str]:
    """Faults of each year's design; a design that only stays is looked at once."""
    known = {**catalog.switches, **{s.id: s for s in scenario.own_switches}}
    before: Design | None = None
    for design in plan.designs:
        technology = plan.technology_in(design.year)
        if before is None or technology != plan.technology_in(before.year) or _differs(before, design):
            models = models_of(design, known)
            if models is None:
                yield f"{design.year}: the switches named do not make {design.wiring.tiers} tiers"
            else:
                case = DesignCase(design, models, scenario, catalog, technology)
                yield from (f"{design.year}: {fault}" for fault in _of_design(case))
        before = design


def _of_design(case: DesignCase) -> list[str]:
    """The faults of a design's wiring; where it is sound, of its links, and then of its parts."""
    faults = list(faults_of(WIRING_CHECKS, case))
    if faults:
        return faults
    cables = cable_list(case.design)
    faults = list(link_faults(case.design, cables))
    return faults or [fault for check in PART_CHECKS for fault in check(case, cables)]


def _differs(a: Design, b: Design) -> bool:
    """Whether anything that is checked of a single year differs."""
    return any(
        getattr(a, name) != getattr(b, name)
        for name in ("wiring", "size", "nodes", "need", "need_by_tier", "node_modules", "switch_modules")
    )
