"""The money of an answer computed again, from its BOM, holdings and prices, with a discounting of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from planner.check.check_case import Answer
from planner.check.prices_recounted import TOLERANCE, Ledger, unequal
from planner.cost.bom_lines import CHARGE
from planner.cost.price_list import INSTALL_LINK, MOVE_CORD, RECABLE_LINK
from planner.cost.spares import stock_sku
from planner.fabric.design import Design, Plan
from planner.scenario.scenario import Objective


@dataclass(frozen=True)
class MoneyCase:
    """An answer and the prices of each of its sections; what several checks go by is worked out once.

    ``main``: the prices of the compute fabric and the servers.
    """

    answer: Answer
    main: Ledger
    objective: Objective

    @property
    def full(self) -> bool:
        """Whether the answer gives totals: no price is missing."""
        return self.answer.tco_usd is not None

    @cached_property
    def plans(self) -> dict[str, Plan]:
        """The plan of each section."""
        return {"compute": self.answer.plan} | {side.section: side.plan for side in self.answer.sides}

    @cached_property
    def ledgers(self) -> dict[str, Ledger]:
        """The prices of each section."""
        sides = {s.section: Ledger(s.scenario, self.main.catalog, s.tariff.book) for s in self.answer.sides}
        return {"compute": self.main} | sides

    @property
    def designs(self) -> Sequence[Design]:
        """The compute fabric's design of each year."""
        return self.answer.plan.designs

    def in_year(self, t: int) -> list[tuple[Ledger, Design]]:
        """The designs of all sections in year t of the plan, with their prices."""
        return [(self.ledgers[name], plan.designs[t]) for name, plan in self.plans.items()]

    @cached_property
    def capex_usd(self) -> list[float]:
        """Nominal network capex of each year, from the BOM."""
        years = [[row for row in self.answer.bom if row.year == design.year] for design in self.designs]
        return [sum(r.unit_price_usd * (r.quantity + r.spares) for r in rows) for rows in years]

    @cached_property
    def opex_usd(self) -> list[float]:
        """Nominal network opex of each year."""
        plan = self.answer.plan
        sections = [
            sum(ledger.network_opex_usd(d) for ledger, d in self.in_year(t)) for t in range(len(self.designs))
        ]
        fixed = [self.main.fixed_opex_usd(d, plan.technology_in(d.year)) for d in self.designs]
        return [a + b for a, b in zip(sections, fixed, strict=True)]

    @cached_property
    def network_usd(self) -> float:
        """Present value of the network: capex and opex less what its pieces bring."""
        main, total = self.main, 0.0
        for design, capex, opex in zip(self.designs, self.capex_usd, self.opex_usd, strict=True):
            total += main.present_value(capex, design.year) + main.present_value(opex, design.year + 1)
        for name, plan in self.plans.items():
            for h in plan.holdings:
                resale = self.ledgers[name].resale_usd(h.sku, h.bought_year, h.until_year)
                total -= h.quantity * main.present_value(resale, h.until_year)
        return total

    @cached_property
    def servers_usd(self) -> float:
        """Present value of the servers: purchases less resale, power and space."""
        opex = (self.main.present_value(self.main.server_opex_usd(d), d.year + 1) for d in self.designs)
        return self.main.servers_usd(self.designs) + sum(opex)


def year_faults(case: MoneyCase) -> Iterator[str]:
    """Capex, opex and power of each year."""
    answer = case.answer
    for t, (design, year) in enumerate(zip(case.designs, answer.years, strict=True)):
        at, capex = f"{design.year}: ", case.capex_usd[t]
        watts = (n * ledger.power_w(sku) for ledger, d in case.in_year(t) for sku, n in d.need.items())
        yield from unequal(at + "network_capex_usd", year.network_capex_usd, capex)
        yield from unequal(at + "network_power_kw", year.network_power_kw, sum(watts) / 1000.0)
        if case.full:
            others = [x for x in answer.costs if (x.year, x.flow, x.network) == (design.year, "capex", False)]
            bought, running = sum(x.amount_usd for x in others), case.main.server_opex_usd(design)
            yield from unequal(at + "capex_usd", year.capex_usd, capex + bought)
            yield from unequal(at + "opex_usd", year.opex_usd, case.opex_usd[t] + running)


def total_faults(case: MoneyCase) -> Iterator[str]:
    """The totals, where no price is missing."""
    if case.full:
        answer, whole_usd = case.answer, case.network_usd + case.servers_usd
        yield from unequal("network_tco_usd", answer.network_tco_usd, case.network_usd)
        yield from unequal("tco_usd", answer.tco_usd, whole_usd)
        yield from unequal("costs npv_usd", sum(x.npv_usd for x in answer.costs), whole_usd)


def bom_faults(case: MoneyCase) -> Iterator[str]:
    """Quantities as bought, installed and moved; prices as in the book; charges as the rates say."""
    answer, plans, ledgers = case.answer, case.plans, case.ledgers
    listed = Counter[tuple[int, str]]()
    hardware = defaultdict[tuple[int, str], float](float)
    for row in answer.bom:
        name = row.section if row.section in plans else row.tier
        ledger = ledgers.get(name, ledgers["compute"])
        if row.sku.startswith(CHARGE):
            continue
        listed[row.year, row.sku] += row.quantity
        listed[row.year, stock_sku(row.sku)] += row.spares
        at = f"{row.year}: {row.sku} unit_price_usd"
        yield from unequal(at, row.unit_price_usd, ledger.price_usd(row.sku, row.year))
        if ledger.is_hardware(row.sku):
            paid = row.unit_price_usd * (row.quantity + row.spares)
            for charge, share in ledger.charges().items():
                hardware[row.year, charge] += paid * share
    for row in answer.bom:
        if row.sku.startswith(CHARGE):
            hardware[row.year, row.sku.removeprefix(CHARGE)] -= row.unit_price_usd * row.quantity
    for (year, charge), left in sorted(hardware.items()):
        yield from unequal(f"{year}: {charge} not charged", left, 0.0)
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


def solver_faults(case: MoneyCase) -> Iterator[str]:
    """The programme's own value against the money counted again, and its bound below it."""
    plan = case.answer.plan
    value, bound = plan.solver.objective_usd, plan.solver.bound_usd
    if case.full and case.objective == "tco" and plan.status == "optimal":
        yield from unequal("objective_usd", value, case.network_usd + case.servers_usd)
    if value is not None and bound is not None and bound > value + abs(value) * TOLERANCE:
        yield f"the solver's bound {bound:,.2f} is above its objective {value:,.2f}"
