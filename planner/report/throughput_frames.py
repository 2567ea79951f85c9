"""The training job of every technology and year as frames: where a step's time goes, what it delivers."""

from __future__ import annotations

import pandas as pd

from planner.study.result import TechnologyResult
from planner.study.study import Study

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
        for estimate, design in zip(result.estimates, result.designs, strict=True):
            if design.year == year:
                rows += [
                    (result.technology, words, share, share * estimate.step_time_s, i)
                    for i, (key, words) in enumerate(SHARES)
                    if (share := estimate.shares.get(key))
                ]  # fmt: skip
    return pd.DataFrame(rows, columns=["technology", "part", "share", "seconds", "rank"])


def fabric_share(result: TechnologyResult, year: int) -> float | None:
    """The share of a step that waits for the fabric in a year, None where there is no design."""
    for estimate, design in zip(result.estimates, result.designs, strict=True):
        if design.year == year:
            return sum(estimate.shares.get(key, 0.0) for key in FABRIC_SHARES)
    return None


def waiting(study: Study) -> pd.DataFrame:
    """The share of a step that waits for the fabric. Columns: technology, year, share."""
    rows = [
        (result.technology, design.year, fabric_share(result, design.year))
        for result in study.results
        for design in result.designs
    ]
    return pd.DataFrame(rows, columns=["technology", "year", "share"])


def throughput(study: Study) -> pd.DataFrame:
    """The training job of every technology and year, with the band of its level; rates in whole TFLOP/s."""
    rows = []
    for result in study.results:
        for e, design in zip(result.estimates, result.designs, strict=True):
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
