"""The money of an answer computed again, from its BOM, holdings and prices, with a discounting of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from planner.check.ledger import Ledger
from planner.cost.bom import CHARGE, BomLine
from planner.cost.price_list import INSTALL_LINK, MOVE_CORD, RECABLE_LINK
from planner.fabric.design import Plan
from planner.scenario.scenario import Scenario
from pricing.price_book import PriceBook

TOLERANCE = 1e-6  # relative, of the contract


class YearMoney(Protocol):
    """The money of one year of an answer."""

    @property
    def capex_usd(self) -> float: ...  # noqa: D102
    @property
    def network_capex_usd(self) -> float: ...  # noqa: D102
    @property
    def opex_usd(self) -> float: ...  # noqa: D102
    @property
    def network_power_kw(self) -> float: ...  # noqa: D102


class Cost(Protocol):
    """One cost line of an answer."""

    @property
    def year(self) -> int: ...  # noqa: D102
    @property
    def flow(self) -> str: ...  # noqa: D102
    @property
    def network(self) -> bool: ...  # noqa: D102
    @property
    def amount_usd(self) -> float: ...  # noqa: D102
    @property
    def npv_usd(self) -> float: ...  # noqa: D102


class Tariff(Protocol):
    """The prices that a side fabric is planned with."""

    @property
    def book(self) -> PriceBook: ...  # noqa: D102


class Side(Protocol):
    """A storage or frontend fabric of an answer."""

    @property
    def section(self) -> str: ...  # noqa: D102
    @property
    def scenario(self) -> Scenario: ...  # noqa: D102
    @property
    def plan(self) -> Plan: ...  # noqa: D102
    @property
    def tariff(self) -> Tariff: ...  # noqa: D102
    @property
    def servers(self) -> Mapping[int, int]: ...  # noqa: D102


class Answer(Protocol):
    """One technology's answer, as far as its money is looked at."""

    @property
    def plan(self) -> Plan: ...  # noqa: D102
    @property
    def bom(self) -> Sequence[BomLine]: ...  # noqa: D102
    @property
    def costs(self) -> Sequence[Cost]: ...  # noqa: D102
    @property
    def years(self) -> Sequence[YearMoney]: ...  # noqa: D102
    @property
    def tco_usd(self) -> float | None: ...  # noqa: D102
    @property
    def network_tco_usd(self) -> float | None: ...  # noqa: D102
    @property
    def sides(self) -> Sequence[Side]: ...  # noqa: D102


def money_faults(answer: Answer, main: Ledger, objective: str) -> Iterator[str]:
    """Every figure of the answer that the BOM, the holdings and the prices do not give, in words. ``main``:
    the prices of the compute fabric and the servers."""
    ledgers = {"compute": main}
    plans = {"compute": answer.plan}
    for side in answer.sides:
        ledgers[side.section] = Ledger(side.scenario, main.catalog, side.tariff.book)
        plans[side.section] = side.plan
    yield from _bom_faults(answer, plans, ledgers)
    full = answer.tco_usd is not None
    servers_usd = main.servers_usd(answer.plan.designs) if full else 0.0
    network_usd = 0.0
    for t, (design, year) in enumerate(zip(answer.plan.designs, answer.years, strict=True)):
        rows = [r for r in answer.bom if r.year == design.year]
        capex = sum(r.unit_price_usd * (r.quantity + r.spares) for r in rows)
        here = [(ledgers[name], plan.designs[t]) for name, plan in plans.items()]
        opex = sum(ledger.network_opex_usd(d) for ledger, d in here)
        opex += main.fixed_opex_usd(design, answer.plan.technology_in(design.year))
        servers_opex = main.server_opex_usd(design)
        network_usd += main.worth(capex, design.year) + main.worth(opex, design.year + 1)
        servers_usd += main.worth(servers_opex, design.year + 1)
        kw = sum(n * ledger.power_w(sku) for ledger, d in here for sku, n in d.need.items()) / 1000.0
        at = f"{design.year}: "
        yield from _unequal(at + "network_capex_usd", year.network_capex_usd, capex)
        yield from _unequal(at + "network_power_kw", year.network_power_kw, kw)
        if full:
            others = [
                x for x in answer.costs if x.year == design.year and x.flow == "capex" and not x.network
            ]
            bought = sum(x.amount_usd for x in others)
            yield from _unequal(at + "capex_usd", year.capex_usd, capex + bought)
            yield from _unequal(at + "opex_usd", year.opex_usd, opex + servers_opex)
    for name, plan in plans.items():
        for h in plan.holdings:
            resale = ledgers[name].resale_usd(h.sku, h.bought_year, h.until_year)
            network_usd -= h.quantity * main.worth(resale, h.until_year)
    if full:
        yield from _unequal("network_tco_usd", answer.network_tco_usd, network_usd)
        yield from _unequal("tco_usd", answer.tco_usd, network_usd + servers_usd)
        yield from _unequal("costs npv_usd", sum(x.npv_usd for x in answer.costs), network_usd + servers_usd)
    yield from _solver_faults(answer.plan, network_usd + servers_usd if full else None, objective)


def _bom_faults(answer: Answer, plans: Mapping[str, Plan], ledgers: Mapping[str, Ledger]) -> Iterator[str]:
    """Quantities as bought, installed and moved; prices as in the book; charges as the rates say."""
    listed = Counter[tuple[int, str]]()
    hardware = defaultdict[tuple[int, str], float](float)
    for row in answer.bom:
        name = row.section if row.section in plans else row.tier
        ledger = ledgers.get(name, ledgers["compute"])
        if row.sku.startswith(CHARGE):
            continue
        listed[row.year, row.sku] += row.quantity
        listed[row.year, f"spare:{row.sku}"] += row.spares
        at = f"{row.year}: {row.sku} unit_price_usd"
        yield from _unequal(at, row.unit_price_usd, ledger.price_usd(row.sku, row.year))
        if ledger.is_hardware(row.sku):
            paid = row.unit_price_usd * (row.quantity + row.spares)
            for charge, share in ledger.charges().items():
                hardware[row.year, charge] += paid * share
    for row in answer.bom:
        if row.sku.startswith(CHARGE):
            hardware[row.year, row.sku.removeprefix(CHARGE)] -= row.unit_price_usd * row.quantity
    for (year, charge), left in sorted(hardware.items()):
        yield from _unequal(f"{year}: {charge} not charged", left, 0.0)
    for (year, sku), quantity in sorted(_expected(plans).items()):
        if listed.pop((year, sku), 0) != quantity:
            yield f"{year}: the BOM does not list the {quantity} x {sku} of the plan"
    for (year, sku), quantity in sorted(listed.items()):
        if quantity:
            yield f"{year}: the BOM lists {quantity} x {sku} that the plan does not buy"


def _expected(plans: Mapping[str, Plan]) -> Counter[tuple[int, str]]:
    """What the plans buy, install and move, by year and SKU."""
    total = Counter[tuple[int, str]]()
    for plan in plans.values():
        for design in plan.designs:
            change = design.change
            total[design.year, INSTALL_LINK] += change.installed_links
            total[design.year, RECABLE_LINK] += change.recabled_links - change.panel_links
            total[design.year, MOVE_CORD] += change.panel_links
            for sku, quantity in change.bought.items():
                total[design.year, sku] += quantity
    return total


def _solver_faults(plan: Plan, tco_usd: float | None, objective: str) -> Iterator[str]:
    """The programme's own value against the money counted again, and its bound below it."""
    value, bound = plan.solver.objective_usd, plan.solver.bound_usd
    if tco_usd is not None and objective == "tco" and plan.status == "optimal":
        yield from _unequal("objective_usd", value, tco_usd)
    if value is not None and bound is not None and bound > value + abs(value) * TOLERANCE:
        yield f"the solver's bound {bound:,.2f} is above its objective {value:,.2f}"


def _unequal(name: str, found: float | None, right: float) -> Iterator[str]:
    if found is None or abs(found - right) > TOLERANCE * max(abs(found), abs(right)) + 1e-6:
        said = "missing" if found is None else f"{found:,.4f}"
        yield f"{name} is {said}, computed again {right:,.4f}"
