"""Changes of technology midway in words and as plain values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.cost.bom import BomLine
from planner.decide.technology_change import NAMES
from planner.study.result import TechnologyResult
from planner.study.study import PathResult, Study
from planner.text.format import count, percent, tflops, usd


def paths_document(
    study: Study, of_result: Callable[[TechnologyResult], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Each path in the form of an entry of ``technologies``, with what it changes and its advice."""
    return [
        {
            **of_result(row.result),
            "first": row.path.first,
            "later": row.path.later,
            "from_year": row.path.from_year,
            "advice": _advice(row),
        }
        for row in study.paths
    ]


def _advice(row: PathResult) -> dict[str, Any]:
    advice, change = row.advice, row.advice.change
    return {
        "over_later_from_the_start_usd": advice.over_later_usd,
        "over_first_throughout_usd": advice.over_first_usd,
        "changing_costs_less_than_starting_usd": {str(y): usd for y, usd in advice.less_by_year.items()},
        "moved_links": change.moved_links if change else None,
        "idled_gpus": change.idled_gpus if change else None,
        "given_up_usd": change.given_up_usd if change else None,
        "sold_usd": change.sold_usd if change else None,
        "reused": dict(change.reused) if change else {},
        "sentences": list(advice.sentences),
    }


def path_lines(row: PathResult) -> list[str]:
    """A path's figures and advice, a sentence each; without a design, the reason."""
    result, plan = row.result, row.result.plan
    if not plan.designs:
        return [f"no design: {plan.reason}"]
    head = (
        f"TCO {usd(result.tco_usd)}, network TCO {usd(result.network_tco_usd)}, "
        f"{usd(result.levelised_usd_per_effective_tflops_year)} per effective TFLOP/s-year"
    )
    lines = [head, *(f"FAULT, do not build from this plan: {fault}" for fault in result.faults)]
    for design, totals, estimate in zip(plan.designs, result.years, result.estimates, strict=True):
        if design.change.bought or design.change.recabled_links:
            lines.append(
                f"{design.year} ({NAMES[plan.technology_in(design.year)]}): network capex "
                f"{usd(totals.network_capex_usd)}, {count(design.change.recabled_links)} links move, "
                f"MFU {percent(estimate.mfu)}, {tflops(estimate.effective_tflops)}"
            )
    lines += [f"without a price, so totals are withheld: {text}" for text in result.missing_prices]
    return [*lines, *row.advice.sentences]


def path_title(row: PathResult) -> str:
    """A path's heading."""
    path = row.path
    return f"{path.name}: {NAMES[path.first]} first, {NAMES[path.later]} from {path.from_year}"


def path_boms(study: Study) -> dict[str, tuple[BomLine, ...]]:
    """File name -> lines of each path with a design."""
    return {f"bom_{r.path.name}.csv": r.result.bom for r in study.paths if r.result.plan.designs}
