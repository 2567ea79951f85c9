"""Study -> the JSON answer. Keys are the outside contract: add some, never rename or remove one."""

from __future__ import annotations

import json
import math
from typing import Any

from planner.cost.tco import CostLine, YearTotals
from planner.decide.follow_ups import NOTHING_ASKED, FollowUps
from planner.fabric.design import SolverReport, YearDesign
from planner.report.fabric_words import (
    headroom_document,
    island_head,
    of_links,
    panels_document,
    topology_document,
)
from planner.report.follow_ups import faults_with, flips_document, foresight_document, paths_document
from planner.report.infiniband_ratio_frames import ratios_document
from planner.report.money import bought_links, break_even_document, money_document
from planner.report.running_words import operations_document, wide_link_document
from planner.study.result import FabricResult, TechnologyResult, islands_in
from planner.study.study import Study
from planner.throughput.result import Estimate

SCHEMA = 1
_GRADED = ("first_bill", "network_capex", "tco")


def answer_text(study: Study, beside: FollowUps = NOTHING_ASKED) -> str:
    """The answer as JSON text, UTF-8, one final newline; a figure that is not known is null."""
    text = json.dumps(_known(answer(study, beside)), indent=2, ensure_ascii=False, allow_nan=False)
    return text + "\n"


def answer(study: Study, beside: FollowUps = NOTHING_ASKED) -> dict[str, Any]:
    """The answer as plain values, with what was asked beyond the plan. Counts are of the compute fabric, all
    planes together."""
    return {
        "schema": SCHEMA,
        "scenario": study.scenario.name,
        "technologies": [_technology(result, study, beside) for result in study.results],
        "paths": paths_document(beside.paths, lambda result: _technology(result, study, beside)),
        "recommendation": {
            "technology": study.recommendation.technology,
            "reasons": list(study.recommendation.reasons),
        },
        "break_even": break_even_document(study, beside.equal_output),
        "flips": flips_document(beside.flips),
        "notes": list(study.notes),
        "ratios": ratios_document(study.ratios) if study.ratios else None,
    }


def _technology(result: TechnologyResult, study: Study, beside: FollowUps) -> dict[str, Any]:
    plan = result.plan
    return {
        "technology": result.technology,
        **money_document(result, study.scenario),
        **_islands(result),
        "status": plan.status,
        "reason": plan.reason,
        "excluded": list(plan.excluded),
        "missing_prices": list(result.missing_prices),
        "warnings": list(plan.warnings),
        "faults": faults_with(result, beside),
        "solver": _solver(plan.solver),
        "years": [_year(result, position) for position in range(len(plan.designs))],
        "costs": [_cost(line) for line in result.costs],
        "operations": operations_document(result.operations),
        "wide_link": wide_link_document(result.wide_link if isinstance(result, FabricResult) else None),
        "foresight": foresight_document(beside.foresight.get(result.technology)),
        "price_grades": _grades(result),
        "patch_panels": panels_document(result),
        "tco_usd": result.tco_usd,
        "network_tco_usd": result.network_tco_usd,
        "network_share_ratio": result.network_share_ratio,
        "usd_per_effective_tflops": result.usd_per_effective_tflops,
        "levelised_usd_per_effective_tflops_year": result.levelised_usd_per_effective_tflops_year,
    }


def _islands(result: TechnologyResult) -> dict[str, Any]:
    """Each island's own totals; nothing where there is one fabric."""
    rows = [
        {
            **island_head(island),
            "status": island.result.plan.status,
            "reason": island.result.plan.reason,
            "solver": _solver(island.result.plan.solver),
            "tco_usd": island.result.tco_usd,
            "network_tco_usd": island.result.network_tco_usd,
            "levelised_usd_per_effective_tflops_year": (
                island.result.levelised_usd_per_effective_tflops_year
            ),
        }
        for island in result.islands
    ]
    return {"islands": rows} if rows else {}


def _grades(result: TechnologyResult) -> dict[str, Any] | None:
    """Shares of 1 by grade of price: of the first bill, of all bills, of the TCO."""
    if result.price_grades is None:
        return None
    return {name: {str(g): s for g, s in getattr(result.price_grades, name)} for name in _GRADED}


def _solver(report: SolverReport) -> dict[str, Any]:
    return {
        "name": report.name,
        "root_gap": report.root_gap,
        "beaten_left_out": report.dominated_left_out,
        "lambda": report.ratio,
        "lambda_bound": report.ratio_bound,
        "rounds": report.rounds,
        "status": report.status,
        "objective_usd": report.objective_usd,
        "bound_usd": report.bound_usd,
        "gap": report.gap,
        "seconds": report.seconds,
        "nodes": report.nodes,
        "build_seconds": report.build_seconds,
        "candidates": report.candidates,
    }


def _cost(line: CostLine) -> dict[str, Any]:
    return {
        "year": line.year,
        "kind": line.kind,
        "flow": line.flow,
        "network": line.network,
        "amount_usd": line.amount_usd,
        "npv_usd": line.npv_usd,
    }


def _year(result: TechnologyResult, position: int) -> dict[str, Any]:
    design = result.designs[position]
    totals = result.years[position] if result.years else None
    estimate = result.estimates[position] if result.estimates else None
    links = dict(zip(("endpoint_leaf", "leaf_spine", "spine_core"), design.links, strict=True))
    return {
        "year": design.year,
        "gpus": design.gpus,
        "nodes": design.nodes,
        "endpoints": links["endpoint_leaf"],
        "topology": topology_document(design),
        "headroom": headroom_document(result, position),
        "links": {**links, **_pair_links(design)},
        "transceivers": {"node": design.node_modules, "switch": design.switch_modules},
        "bought": bought_links(result, design.year),
        "retired": of_links(design.change.retired),
        "installed_links": design.change.installed_links,
        "recabled_links": design.change.recabled_links,
        "recabled_at_panels": design.change.panel_links,
        **_money(totals),
        **_throughput(estimate),
        **_islands_of_year(result, design.year),
    }


def _islands_of_year(result: TechnologyResult, year: int) -> dict[str, Any]:
    """The islands in service in a year, each like a year of its own; nothing where there is one fabric."""
    rows = [
        {**island_head(island), **_year(island.result, island.result.plan.designs.index(own))}
        for island, own in islands_in(result, year)
    ]
    return {"islands": rows} if rows else {}


def _money(totals: YearTotals | None) -> dict[str, float | None]:
    names = ("capex_usd", "network_capex_usd", "opex_usd", "network_power_kw")
    return {name: None if totals is None else getattr(totals, name) for name in names}


def _throughput(estimate: Estimate | None) -> dict[str, Any]:
    if estimate is None:
        return {"mfu": None, "effective_tflops": None, "estimate": None}
    detail = {
        "job_gpus": estimate.job_gpus,
        "tensor_parallel": estimate.tensor_parallel,
        "pipeline_parallel": estimate.pipeline_parallel,
        "data_parallel": estimate.data_parallel,
        "global_batch_sequences": estimate.global_batch_sequences,
        "step_time_s": estimate.step_time_s,
        "goodput": estimate.goodput,
        "shares": dict(estimate.shares),
        "level_tflops": list(estimate.level_tflops),
        "scaling_tflops": list(estimate.scaling_tflops),
        "runner_up": estimate.runner_up or None,
        "warnings": list(estimate.warnings),
    }
    return {"mfu": estimate.mfu, "effective_tflops": estimate.effective_tflops, "estimate": detail}


def _pair_links(design: YearDesign) -> dict[str, int]:
    """Links between the leaves of collapsed pairs; no such key without one."""
    rows = [(d.size.leaf_leaf_links, d.wiring) for d in design.fabrics]
    across = sum(links * wiring.copies * wiring.uplink_factor for links, wiring in rows)
    return {"leaf_leaf": across} if across else {}


def _known(value: Any) -> Any:
    """``value`` with every infinite or undefined figure replaced by None, as JSON has neither."""
    if isinstance(value, dict):
        return {key: _known(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_known(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
