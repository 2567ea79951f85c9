"""The money of an answer beside its totals: sections, unit costs, books, fiscal years, lease, break-even."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from planner.cost.accounting import (
    METHODS,
    Asset,
    assets_of,
    books,
    fiscal_years,
    lease_against_buy,
    server_assets,
)
from planner.cost.cost_per_unit import CostPerUnit, cost_per_unit
from planner.decide.equal_output import EqualOutput
from planner.scenario.scenario import Scenario
from planner.study.result import TechnologyResult
from planner.study.side_fabrics import SideFabric
from planner.study.study import Study
from planner.text.format import percent, usd


def bought_links(result: TechnologyResult, year: int) -> dict[str, int]:
    """Pieces of the compute fabric bought at the start of a year, without spares, as in the BOM."""
    found: dict[str, int] = defaultdict(int)
    for row in result.bom:
        if row.year == year and row.section == "compute" and row.quantity:
            found[row.sku] += row.quantity
    return dict(found)


def by_section(result: TechnologyResult) -> dict[int, dict[str, float]]:
    """BOM totals (USD) by year and section."""
    total: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in result.bom:
        total[row.year][row.section] += row.extended_price_usd
    return {year: dict(sorted(sums.items())) for year, sums in sorted(total.items())}


def prices_of(result: TechnologyResult, scenario: Scenario) -> CostPerUnit | None:
    """The unit costs of a technology; None without totals."""
    if result.tco_usd is None or result.network_tco_usd is None or not result.estimates:
        return None
    if any(e.effective_tflops <= 0 for e in result.estimates):
        return None
    first = result.years[0]
    capex = first.capex_usd, first.network_capex_usd
    npv = result.tco_usd, result.network_tco_usd
    return cost_per_unit(result.designs, result.estimates, capex, npv, scenario.finance.discount_rate)


def network_assets(result: TechnologyResult) -> list[Asset]:
    """The assets of the compute and side fabrics; none without a design."""
    if not result.designs:
        return []
    rows = [a for one in result.fabrics if one.rates for a in assets_of(one.plan, one.rates)]
    for side in result.sides:
        rows += assets_of(side.plan, side.tariff)
    return rows


def whole_server_assets(result: TechnologyResult) -> list[Asset]:
    """The servers of every island; none without prices."""
    return [a for one in result.fabrics if one.rates for a in server_assets(one.plan, one.rates)]


def money_document(result: TechnologyResult, scenario: Scenario) -> dict[str, Any]:
    """What the JSON answer says of a technology's money beside its totals."""
    prices = prices_of(result, scenario)
    return {
        "bom_by_section": [{"year": y, **sums} for y, sums in by_section(result).items()],
        "side_fabrics": [_side(side, bool(result.islands)) for side in result.sides],
        "unit_costs": asdict(prices) if prices else None,
        "depreciation": _depreciation(result, scenario),
        "fiscal_years": _fiscal(result, scenario),
        "lease": _lease(result, scenario),
    }


def _side(side: SideFabric, of_island: bool) -> dict[str, Any]:
    years = []
    for d in side.plan.designs:
        w, size = d.wiring, d.size
        boxes = size.leaves + size.spines + size.cores
        years.append(
            {
                "year": d.year, "node_ports": size.endpoints * w.copies, "tiers": w.tiers, "leaf": w.leaf,
                "switches": boxes * w.copies, "leaves": size.leaves * w.copies,
                "oversubscription": str(w.oversubscription).replace("/", ":") if w.leaf_up else "1:1",
                "links": size.switch_links * w.copies,
            }
        )  # fmt: skip
    island = {"island_from": side.scenario.growth[0].year} if of_island else {}
    return {"section": side.section, "technology": side.plan.technology, **island, "years": years}


def _depreciation(result: TechnologyResult, scenario: Scenario) -> dict[str, Any]:
    """The books of the network by method. Never part of the NPV."""
    rows, horizon = network_assets(result), scenario.finance.horizon_years
    share = scenario.bill.declining_ratio_per_year
    return {
        method: [asdict(y) for y in books(rows, scenario.base_year, horizon, method, share)]
        for method in METHODS
        if rows
    }


def _fiscal(result: TechnologyResult, scenario: Scenario) -> list[dict[str, Any]]:
    found = fiscal_years(result.costs, scenario.bill.fiscal_year_start_month)
    return [{"fiscal_year": y, "flow": flow, "amount_usd": x} for (y, flow), x in found.items()]


def _lease(result: TechnologyResult, scenario: Scenario) -> dict[str, Any] | None:
    """Leasing the network, and the servers with it, against buying; None without an offer."""
    lease = scenario.bill.lease
    if lease is None or not result.designs:
        return None
    network = lease_against_buy(network_assets(result), lease)
    servers = lease_against_buy(whole_server_assets(result), lease)
    return {
        "network": {**asdict(network), "cheaper": network.cheaper},
        "servers": {**asdict(servers), "cheaper": servers.cheaper},
    }


def break_even_document(study: Study, equal_output: EqualOutput | None) -> list[dict[str, Any]]:
    """Every pair with the technology of least levelised cost; the first with its ``equal_output``, where that
    was planned."""
    planned = asdict(equal_output) if equal_output else None
    return [
        {
            **asdict(pair),
            "planned": planned if position == 0 else None,
            "dearer_pays": pair.dearer_pays,
            "equal_output_usd": pair.equal_output_usd,
        }
        for position, pair in enumerate(study.break_even)
    ]


def break_even_words(study: Study) -> list[str]:
    """The first pair in sentences: break-even loss, what is lost, the cost at equal output."""
    if not study.break_even:
        return []
    pair = study.break_even[0]
    pays = "pays" if pair.dearer_pays else "does not pay"
    lost = pair.actual_loss_ratio
    loses = f"loses {percent(lost)}" if lost >= 0 else f"delivers {percent(-lost)} more"
    rows = [
        f"{pair.dearer} costs {usd(pair.network_difference_usd)} more network TCO than {pair.cheaper}; "
        f"it pays where {pair.cheaper} loses more than {percent(pair.loss_ratio)} of the output "
        "(servers counted).",
        f"{pair.cheaper} {loses}: the dearer {pays}.",
    ]
    if pair.added_gpus_ratio >= 0.001:  # below a tenth of a per cent they deliver the same
        rows.append(
            f"At equal output {pair.slower} takes {percent(pair.added_gpus_ratio)} more of everything: "
            f"{usd(pair.equal_output_usd)} against {usd(pair.faster_usd)}."
        )
    return rows


def unit_words(result: TechnologyResult, scenario: Scenario) -> list[str]:
    """The unit costs of a technology in a sentence, and what each section of the bill costs."""
    prices = prices_of(result, scenario)
    rows = [f"bill of {year}: {_sums(sums)}" for year, sums in by_section(result).items()]
    lease = _lease(result, scenario)
    if lease:
        rows += [
            f"leasing the {what} costs {usd(x['lease_usd'])}, owning {usd(x['buy_usd'])} (present worth): "
            f"{x['cheaper']}"
            for what, x in lease.items()
        ]
    if prices is None:
        return rows
    return [
        *rows,
        f"unit costs: {usd(prices.capex_usd_per_gpu)} capex a GPU, "
        f"{usd(prices.network_capex_usd_per_gpu)} of it network; "
        f"levelised {usd(prices.levelised_usd_per_gpu_hour)} a GPU-hour, "
        f"{usd(prices.network_usd_per_gpu_hour)} of it network; "
        f"{usd(prices.levelised_usd_per_endpoint_year)} an endpoint-year",
    ]


def _sums(sums: Mapping[str, float]) -> str:
    return ", ".join(f"{section} {usd(x)}" for section, x in sums.items())
