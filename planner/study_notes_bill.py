"""What the bill holds beside the compute fabric, and what it leaves out, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from planner.scenario import Scenario
from planner.scenario_bill import Bill

_SMALL = "Not counted: software other than fabric managers, maintenance of servers, buildings, insurance."


def beside_notes(scenario: Scenario) -> Iterator[str]:
    """Switched-off sections by name, then the rules of those that are counted."""
    bill = scenario.bill
    off = [
        name
        for name, ask in (
            ("storage fabric", bill.storage),
            ("frontend fabric", bill.frontend),
            ("management network, racks and fabric managers", bill.management),
            ("spares", bill.spares),
            ("network staff", bill.staff),
        )
        if not ask.enabled
    ]
    if off:
        yield f"Switched off by the scenario, and not in any figure: {'; '.join(off)}."
    yield _SMALL
    limits = scenario.limits
    if limits.network_power_kw is not None or limits.rack_units is not None:
        yield "Limits on network power and rack units are of the compute fabric and its management network."
    yield from _sections(bill)
    yield from _running(scenario)


def _sections(bill: Bill) -> Iterator[str]:
    if bill.storage.enabled and bill.frontend.enabled and bill.frontend.carries_storage:
        yield "The frontend fabric carries storage: the storage servers' ports are on it."
    elif bill.storage.enabled:
        yield (
            "Storage fabric: one of its own, planned by the same rules from a few cheap switch models; "
            "ports that the server comes with are in its price; storage "
            "servers have two ports each, with uplinks for 1:1. The servers themselves are not in the bill."
        )
    if bill.frontend.enabled:
        yield "Frontend fabric: Ethernet, a node's ports on separate fabrics (A and B) of their own leaves."
    if bill.management.enabled:
        yield (
            "Out-of-band: a 1G port for each BMC, switch, PDU, fabric manager and storage server, by row of "
            "racks, with a pair of switches above them where there are more than two; InfiniBand has two "
            "fabric managers a subnet and a licence for each endpoint and year."
        )
    if bill.spares.enabled:
        ask = bill.spares
        yield (
            f"Spares: as many as cover the failures of {ask.replenishment_weeks:g} weeks with a probability "
            f"of {ask.service_level_ratio:.0%} (Poisson), for each part and fabric."
        )


def _running(scenario: Scenario) -> Iterator[str]:
    bill, years = scenario.bill, scenario.finance.horizon_years
    rates = bill.charges.shares()
    if rates:
        said = ", ".join(f"{name} {share:.2%}" for name, share in rates.items())
        yield f"Charges on the price of hardware, sunk when it is sold: {said}."
    else:
        yield "Freight, duty, sales tax and contingency are 0: the scenario gives none ([charges])."
    term = bill.upkeep.support_term_years
    renewals = [str(scenario.base_year + t) for t in range(term, years, term)]
    when = f"renewed in {', '.join(renewals)}" if renewals else "not renewed within the horizon"
    yield f"Support contracts of switches and managers: terms of {term} years, {when}, paid yearly."
    if bill.upkeep.replace_failures:
        yield (
            f"Failed NICs, modules and cables are bought anew, but for {bill.upkeep.warranty_years:g} of "
            f"their {scenario.finance.life_years} years (warranty); switches are under support."
        )
    space = bill.colocation
    if space.usd_per_kw_month:
        power = "with" if space.includes_power else "without"
        yield f"Space costs {space.usd_per_kw_month:g} USD a kW and month, {power} the electricity."
    else:
        yield "Space is not counted: the scenario gives no price of it ([colocation])."
