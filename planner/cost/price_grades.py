"""How sure a total is: which share of it rests on list prices, which on guesses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from planner.catalog.defaults import Default
from planner.cost.bom_lines import BomLine
from planner.cost.tariff import Tariff
from planner.cost.tco import KINDS, CostLine
from planner.scenario.generations import nodes_by_server
from planner.scenario.scenario import Scenario
from pricing.provenance import Grade

Shares = tuple[tuple[Grade, float], ...]  # greatest first; they sum to 1

# kinds of cost that are no parts -> the input that their price is
_INPUTS = {
    "server electricity": "finance.electricity_usd_per_kwh",
    "network electricity": "finance.electricity_usd_per_kwh",
    "support": "finance.support_ratio_per_year",
    "downtime": "operations.gpu_hour_usd",
    "link between sites": "wan.usd_per_year",
    "network staff": "staff.labour_usd_per_hour",
    "RoCE tuning": "operations.roce_engineers_per_1000_gpus",
    "replacements": "spares.transceiver_failures_per_year",
    "colocation": "colocation.usd_per_kw_month",
    "server colocation": "colocation.usd_per_kw_month",
    "charges": "charges.freight_ratio",
    "server charges": "charges.freight_ratio",
}


@dataclass(frozen=True, slots=True)
class PriceGrades:
    """Shares of 1 by grade: of the first year's network bill, of all bills, of the TCO."""

    first_bill: Shares
    network_capex: Shares
    tco: Shares


def price_grades(
    bom: Sequence[BomLine], costs: Iterable[CostLine], tariff: Tariff, defaults: Mapping[str, Default]
) -> PriceGrades:
    """The grades behind one technology's totals."""
    first = min((line.year for line in bom), default=0)
    return PriceGrades(
        first_bill=bill_shares(bom, first),
        network_capex=bill_shares(bom),
        tco=_tco_shares(bom, costs, tariff, defaults),
    )


def bill_shares(bom: Iterable[BomLine], year: int | None = None) -> Shares:
    """The network bill of a year, or of all years, by the grade of its prices."""
    sums: dict[Grade, float] = defaultdict(float)
    for line in bom:
        if year is None or line.year == year:
            sums[Grade(line.price_grade)] += line.extended_price_usd
    return _shares(sums)


def _shares(sums: Mapping[Grade, float]) -> Shares:
    total_usd = sum(sums.values())
    found = ((grade, usd / total_usd) for grade, usd in sums.items() if usd)
    return tuple(sorted(found, key=lambda item: -item[1]))


def _tco_shares(
    bom: Sequence[BomLine], costs: Iterable[CostLine], tariff: Tariff, defaults: Mapping[str, Default]
) -> Shares:
    """The TCO by grade. Purchases and residuals of a kind go by the bills of that kind; running costs by
    the grade of their rate; what nothing is known of counts as a guess."""
    mixes = _mixes(bom, tariff)
    sums: dict[Grade, float] = defaultdict(float)
    for line in costs:
        mix = mixes.get(line.kind) or ((_input_grade(line.kind, tariff.scenario, defaults), 1.0),)
        for grade, share in mix:
            sums[grade] += share * line.npv_usd
    return _shares(sums)


def _mixes(bom: Sequence[BomLine], tariff: Tariff) -> dict[str, Shares]:
    """Grades by kind of part, servers included."""
    lines: dict[str, list[BomLine]] = defaultdict(list)
    for line in bom:
        price = tariff.book.price(line.sku)
        if price is not None:
            lines[KINDS[price.item_class]].append(replace(line, spares=0))
            lines["spares"].append(replace(line, quantity=0))
    found = {kind: bill_shares(of_kind) for kind, of_kind in lines.items()}
    servers = _servers(tariff)
    return found | ({KINDS["server"]: servers} if servers else {})


def _servers(tariff: Tariff) -> Shares:
    """The grades of the servers' prices, by what each generation comes to at the end of the horizon."""
    sums: dict[Grade, float] = defaultdict(float)
    for server, nodes in nodes_by_server(tariff.scenario, tariff.scenario.years):
        price = tariff.book.price(server.sku)
        if price is not None:
            sums[price.source.grade] += price.mid_usd * -(-nodes[-1] // server.nodes_per_price_unit)
    return _shares(sums)


def _input_grade(kind: str, scenario: Scenario, defaults: Mapping[str, Default]) -> Grade:
    """The grade of a rate: the user's own, or the data's where the scenario gives none."""
    key = _INPUTS.get(kind)
    if key is None:
        return Grade.GUESS
    taken = any(words.startswith(f"{key} = ") for words in scenario.defaults_used)
    default = defaults.get(key)
    return default.source.grade if taken and default else Grade.GUESS if taken else Grade.QUOTE
