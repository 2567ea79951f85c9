"""A table of training runs -> the same table with predictions: ``fabric-planner estimate``.

Defaults of empty cells and unknown words: RoCE; the link rate of the GPU's usual server; an A100 of 80 GB;
bf16; no recompute; ZeRO-1, and fp32 gradients with it; sequence parallelism; a two-tier non-blocking
fabric with 32 nodes a unit; eight interleaved chunks a stage (the median of those published) or
as many as it has layers; the fastest micro-batch of 1, 2 or 4 that
fits; open TP and PP as ``estimate`` chooses them; 128 a head, as many key-value heads as heads, an MLP of
4h (8h/3 gated), a vocabulary of 51,200. Words are those of ``data/training_run_words.csv``.
"""

from __future__ import annotations

import csv
import io
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.catalog.parts import Catalog
from planner.scenario.scenario import Operations
from planner.throughput.constants import Constants, load_constants
from planner.throughput.estimate import estimate
from planner.throughput.flops import mfu
from planner.throughput.result import Estimate, ThroughputError
from planner.throughput.runs.rows import Row, Run, RunError, measured_s, read_run

_LOG = logging.getLogger(__name__)

ADDED = ("predicted_iter_time_s", "predicted_mfu", "exposed_fabric_share", "reason")
ANCHOR = "anchor"
_MICRO_BATCHES = (1, 2, 4)
_NOT_OF_THE_JOB = ("series", "source", "note", "iter_time_s", "iter_time_derived")
_FABRIC_PIECES = ("exposed_fabric", "pipeline_p2p", "wan")


class TableError(ValueError):
    """The table cannot be read; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What is predicted for a row, or ``reason`` why nothing is; ``run`` is None where it cannot be read.

    ``exposed_fabric_share`` is of the step: gradients, stage transfers, experts, context.
    """

    run: Run | None
    step_s: float | None = None
    mfu: float | None = None
    exposed_fabric_share: float | None = None
    reason: str = ""

    def scaled(self, factor: float, reason: str = "") -> Prediction:
        """With the step ``factor`` times as long: another stack, the same shares."""
        step_s = None if self.step_s is None else self.step_s * factor
        return replace(
            self, step_s=step_s, mfu=None if self.mfu is None else self.mfu / factor, reason=reason
        )


def read_table(text: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a CSV text. Raises TableError where it is broken or already predicted."""
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(lines, [])
        rows = [(lines.line_num, cells) for cells in lines if cells]
    except csv.Error as error:
        raise TableError(f"line {lines.line_num}: {error}") from error
    names = [name.strip() for name in header]
    if "gpus" not in names:
        raise TableError('line 1: no column "gpus": a table of training runs needs a header row')
    twice = sorted({name for name in names if names.count(name) > 1 or name in ADDED})
    if twice:
        raise TableError(f"line 1: column {', '.join(twice)} twice, or one that is to be added")
    for line, cells in rows:
        if len(cells) != len(header):
            raise TableError(f"line {line}: {len(cells)} cells, the header has {len(header)}")
    return header, [cells for _, cells in rows]


def _with_micro_batch(run: Run, constants: Constants) -> Estimate:
    """The estimate; where the micro-batch is not given, that of the fastest one that fits."""
    each = [run.micro_batch] if run.micro_batch else list(_MICRO_BATCHES)
    best, refused = None, ThroughputError("no micro-batch divides the batch")
    for micro_batch in each:
        job = replace(run.workload, micro_batch=micro_batch)
        try:
            found = estimate(job, run.cluster, run.cluster.gpus, Operations(), constants)
        except ThroughputError as error:
            refused = error
            continue
        usable = micro_batch == 1 or run.micro_batch or _fits_and_divides(found, job.global_batch_sequences)
        if usable and (best is None or found.step_time_s < best.step_time_s):
            best = found
    if best is None:
        raise refused
    return best


def _fits_and_divides(found: Estimate, batch: int | None) -> bool:
    memory = any(line.startswith("needs about") for line in found.warnings)
    return not memory and found.global_batch_sequences == batch


def predict(row: Row, catalog: Catalog, constants: Constants) -> Prediction:
    """The prediction of one row, without an anchor."""
    try:
        run = read_run(row, catalog)
        asked = run.workload.global_batch_sequences or 1
        found = _with_micro_batch(run, constants)
        if found.data_parallel > asked:
            raise RunError(f"global_batch {asked} is below the {found.data_parallel} replicas")
    except (RunError, ThroughputError) as error:
        _LOG.debug("no prediction: %s", error)
        return Prediction(None, reason=" ".join(str(error).split()))
    share = sum(found.shares[piece] for piece in _FABRIC_PIECES)
    step_s = found.step_time_s * asked / found.global_batch_sequences  # micro-batches that do not divide it
    peak = run.cluster.accelerator.peak_tflops[run.workload.precision]
    rate = mfu(run.workload.model, asked, step_s, found.job_gpus, peak) if step_s > 0 else math.nan
    if not (math.isfinite(step_s) and 0 < rate < 1 and math.isfinite(share)):
        return Prediction(None, reason="its figures are beyond what the model can be asked")
    return Prediction(run, step_s, rate, share)


def _anchors(rows: Sequence[Row], predicted: Sequence[Prediction]) -> dict[str, int]:
    """Position of each series' anchor: the first run on its fewest GPUs that has a time and a prediction."""
    found: dict[str, int] = {}
    for position, (row, prediction) in enumerate(zip(rows, predicted, strict=True)):
        series, run = row.get("series", "").strip(), prediction.run
        if not series or run is None or run.measured_s is None:
            continue
        best = predicted[found[series]].run if series in found else None
        if best is None or run.cluster.gpus < best.cluster.gpus:
            found[series] = position
    return found


def anchored(rows: Sequence[Row], predicted: Sequence[Prediction]) -> list[Prediction]:
    """Each series' level fixed by its anchor's measured time. Series without one get a reason."""
    anchors = _anchors(rows, predicted)
    out = []
    for position, (row, prediction) in enumerate(zip(rows, predicted, strict=True)):
        anchor = anchors.get(row.get("series", "").strip())
        if prediction.run is None:
            out.append(prediction)
        elif anchor is None:
            out.append(Prediction(None, reason="no run of its series has an iter_time_s to anchor on"))
        else:
            fixed = predicted[anchor]
            measured = fixed.run.measured_s if fixed.run else None
            factor = (measured or 0.0) / (fixed.step_s or 1.0)
            out.append(prediction.scaled(factor, ANCHOR if position == anchor else ""))
    return out


def predictions(
    rows: Sequence[Row], catalog: Catalog, constants: Constants, anchor: bool
) -> list[Prediction]:
    """The predictions of a table in its order; a job that stands in it often is estimated once."""
    known: dict[tuple[str, ...], Prediction] = {}
    found = []
    for row in rows:
        job = tuple(f"{name}={cell}" for name, cell in row.items() if name not in _NOT_OF_THE_JOB)
        if job not in known:
            known[job] = predict(row, catalog, constants)
        found.append(_timed(known[job], row))
    return anchored(rows, found) if anchor else found


def _timed(prediction: Prediction, row: Row) -> Prediction:
    """The prediction of a job with the measured time of this row of it."""
    run = prediction.run
    return replace(prediction, run=replace(run, measured_s=measured_s(row))) if run else prediction


def predicted_table(text: str, catalog: Catalog, anchor: bool) -> str:
    """The table as CSV text with the predictions appended to each row; cells stay as they are.

    Raises TableError where the text is no such table.
    """
    header, cells = read_table(text)
    names = [name.strip() for name in header]
    rows = [dict(zip(names, line, strict=True)) for line in cells]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*header, *ADDED])
    for line, prediction in zip(cells, predictions(rows, catalog, load_constants(), anchor), strict=True):
        figures = (prediction.step_s, prediction.mfu, prediction.exposed_fabric_share)
        writer.writerow([*line, *("" if f is None else repr(float(f)) for f in figures), prediction.reason])
    return out.getvalue()
