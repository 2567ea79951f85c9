"""Study -> the frames of the pages on growth, money over the years and throughput."""

from __future__ import annotations

from collections import defaultdict

import pandas as pd

from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.ui.content import tables

SHARES = (
    ("compute", "matrix multiplication"),
    ("memory", "memory traffic"),
    ("tensor_parallel", "NVLink: tensor parallel"),
    ("bubble", "pipeline bubble"),
    ("pipeline_p2p", "fabric: pipeline"),
    ("exposed_fabric", "fabric: gradients"),
    ("wan", "link between sites"),
)
FABRIC_SHARES = ("pipeline_p2p", "exposed_fabric", "wan")


def step_shares(study: Study, year: int) -> pd.DataFrame:
    """Where a step's time goes in one year. Columns: technology, part, share, seconds, rank."""
    rows = []
    for result in study.results:
        for estimate, design in zip(result.estimates, result.plan.designs, strict=True):
            if design.year == year:
                rows += [
                    (result.technology, words, share, share * estimate.step_time_s, i)
                    for i, (key, words) in enumerate(SHARES)
                    if (share := estimate.shares.get(key))
                ]  # fmt: skip
    return pd.DataFrame(rows, columns=["technology", "part", "share", "seconds", "rank"])


def fabric_share(result: TechnologyResult, year: int) -> float | None:
    """The share of a step that waits for the fabric in a year, None where there is no design."""
    for estimate, design in zip(result.estimates, result.plan.designs, strict=True):
        if design.year == year:
            return sum(estimate.shares.get(key, 0.0) for key in FABRIC_SHARES)
    return None


def waiting(study: Study) -> pd.DataFrame:
    """The share of a step that waits for the fabric. Columns: technology, year, share."""
    rows = [
        (result.technology, design.year, fabric_share(result, design.year))
        for result in study.results
        for design in result.plan.designs
    ]
    return pd.DataFrame(rows, columns=["technology", "year", "share"])


def throughput(study: Study) -> pd.DataFrame:
    """The training job of every technology and year, with the band of its level; rates in whole TFLOP/s."""
    rows = []
    for result in study.results:
        for e, design in zip(result.estimates, result.plan.designs, strict=True):
            low, high = e.level_tflops
            shares = {f"share_{key}": e.shares.get(key, 0.0) for key, _ in SHARES}
            rows.append(
                {
                    "technology": result.technology, "year": design.year,
                    "gpus": e.gpus, "job_gpus": e.job_gpus,
                    "tensor_parallel": e.tensor_parallel, "pipeline_parallel": e.pipeline_parallel,
                    "data_parallel": e.data_parallel, "global_batch_sequences": e.global_batch_sequences,
                    "step_time_s": e.step_time_s, "mfu": e.mfu, "goodput": e.goodput,
                    "effective_tflops": round(e.effective_tflops), "effective_low_tflops": round(low),
                    "effective_high_tflops": round(high), **shares,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def growth(result: TechnologyResult) -> pd.DataFrame:
    """Switches in service by tier and year. Columns: year, gpus, tier, switches, rank."""
    rows = [
        (design.year, design.gpus, tier.tier, tier.count, rank)
        for design in result.plan.designs
        for rank, tier in enumerate(tables.tier_counts(design))
    ]
    return pd.DataFrame(rows, columns=["year", "gpus", "tier", "switches", "rank"])


def cost_by_year(result: TechnologyResult, network_only: bool) -> pd.DataFrame:
    """Nominal cost by kind and year, small kinds as "other". Columns: year, kind, amount_usd, rank.

    A residual value is negative and stands in the last year in which it is had.
    """
    sums: dict[tuple[int, str], float] = defaultdict(float)
    sizes: dict[str, float] = defaultdict(float)
    for line in result.costs:
        if line.network or not network_only:
            kind = tables.RESIDUAL_KIND if line.flow == "residual" else line.kind
            sums[line.year, kind] += line.amount_usd
            sizes[kind] += abs(line.amount_usd)
    kept = tables.kept_kinds(sizes)
    folded: dict[tuple[int, str], float] = defaultdict(float)
    for (year, kind), usd in sums.items():
        folded[year, kind if kind in kept else tables.OTHER_KIND] += usd
    ranks = {kind: rank for rank, kind in enumerate([*kept, tables.OTHER_KIND])}
    rows = [(year, kind, usd, ranks[kind]) for (year, kind), usd in sorted(folded.items()) if usd]
    return pd.DataFrame(rows, columns=["year", "kind", "amount_usd", "rank"])


def cash_flow(study: Study, network_only: bool) -> pd.DataFrame:
    """What was paid up to the start of each year, nominal. Columns: technology, year, paid_usd.

    Capex is paid at the start of its year, opex at its end; the last row is the end of the horizon,
    before the residual value, which nobody pays out.
    """
    rows = []
    for result in study.results:
        if not tables.is_complete(result):
            continue
        paid: dict[int, float] = defaultdict(float)
        for line in result.costs:
            if line.flow != "residual" and (line.network or not network_only):
                paid[line.year if line.flow == "capex" else line.year + 1] += line.amount_usd
        total_usd = 0.0
        for year in range(study.scenario.base_year, study.scenario.years.stop + 1):
            total_usd += paid[year]
            rows.append((result.technology, year, total_usd))
    return pd.DataFrame(rows, columns=["technology", "year", "paid_usd"])
